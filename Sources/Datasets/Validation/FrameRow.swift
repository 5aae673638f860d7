internal import FaceCore
internal import Platform

/// The table rows of a frame.
struct FrameRow {
  var frame: Frame
  /// Its labels; empty if they cannot be read.
  var faces: [FaceLabel]
  /// Why its rows cannot be read; nil if they can.
  var unreadable: String?

  /// Frames whose rows are read at once.
  private static let batch = 256

  /// The rows of all frames, read in batches while earlier ones are processed.
  static func readAhead(
    of dataset: DatasetReader
  ) -> Prefetcher<Result<[FrameRow], FileError>> {
    var next = 0
    return Prefetcher(depth: 2) {
      guard next < dataset.frameCount else { return nil }
      let range: Range<Int>
      do throws(FileError) {
        range = try dataset.range(from: next, atMost: batch)
      } catch {
        next = dataset.frameCount
        return { .failure(error) }
      }
      next = range.upperBound
      return { Result { () throws(FileError) in try read(range, of: dataset) } }
    }
  }

  /// The rows of a range; an unreadable row does not affect the others.
  static func read(
    _ range: Range<Int>, of dataset: DatasetReader
  ) throws(FileError) -> [FrameRow] {
    do {
      _ = try dataset.contexts(range)
      try dataset.forEachDepth(in: range) { _ in }
      return zip(try dataset.frames(range), try dataset.labels(range)).map {
        FrameRow(frame: $0, faces: $1)
      }
    } catch  where error.kind == .wrongData && range.count > 1 {
      return try range.map { index throws(FileError) in
        try read(index..<index + 1, of: dataset)[0]
      }
    } catch  where error.kind == .wrongData {
      let index = range.lowerBound
      let unknown = Frame(
        index: index, name: "frame \(index)", sequence: index, timestampMicroseconds: 0,
        size: ImageSize(width: 0, height: 0))
      let frame = (try? dataset.frames(range))?.first ?? unknown
      return [FrameRow(frame: frame, faces: [], unreadable: error.description)]
    }
  }
}
