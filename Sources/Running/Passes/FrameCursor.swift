internal import Datasets
internal import FaceCore

/// The frames of a dataset one after another, read a few at a time.
final class FrameCursor {
  private let dataset: DatasetReader
  private var next = 0
  private var read: ArraySlice<Frame> = []

  /// Starts with the first frame.
  init(_ dataset: DatasetReader) { self.dataset = dataset }

  /// The next frame, which stays the next; nil after the last.
  func peek() throws -> Frame? {
    if read.isEmpty, next < dataset.frameCount {
      let range = next..<min(next + 64, dataset.frameCount)
      read = try dataset.frames(range)[...]
      next = range.upperBound
    }
    return read.first
  }

  /// The next frame, if it is one of the sequence.
  func take(of sequence: Int) throws -> Frame? {
    guard let frame = try peek(), frame.sequence == sequence else { return nil }
    read.removeFirst()
    return frame
  }
}
