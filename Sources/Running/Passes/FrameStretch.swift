package import Datasets
package import FaceCore
internal import Foundation

/// Frames in a row that one tracker sees, one after another.
package struct FrameStretch {
  /// Their positions in the dataset.
  package let frames: [Frame]
  /// Whether the track goes on from the frame before the first one.
  package let continues: Bool

  /// Throws where a frame is not among those of its sequence, or the timestamps of a tracked sequence do not ascend.
  package static func check(_ dataset: DatasetReader, isTracked: (Frame) throws -> Bool) throws {
    var last: Frame?
    for start in stride(from: 0, to: dataset.frameCount, by: 4096) {
      for frame in try dataset.frames(start..<min(start + 4096, dataset.frameCount)) {
        defer { last = frame }
        try checkSequence(of: frame, in: dataset)
        guard try isTracked(frame), let last, last.sequence == frame.sequence,
          last.timestampMicroseconds >= frame.timestampMicroseconds
        else { continue }
        let name = dataset.video(ofSequence: frame.sequence)?.name ?? ""
        throw EvaluationError.wrongData(
          "cannot track in \(dataset.url.relativePath): expected ascending timestamps in sequence "
            + "\(frame.sequence) '\(name)', found \(frame.timestampMicroseconds) us after "
            + "\(last.timestampMicroseconds) us in frame \(frame.index) '\(frame.name)'")
      }
    }
  }

  private static func checkSequence(
    of frame: Frame, in dataset: DatasetReader
  ) throws(EvaluationError) {
    let sequences = dataset.sequences
    guard !sequences.isEmpty else { return }
    func refuse(_ expected: String, _ found: String) -> EvaluationError {
      EvaluationError.wrongData(
        "cannot read 'frames/sequence'[\(frame.index)] in \(dataset.url.relativePath): expected "
          + "\(expected), found \(found)")
    }
    guard sequences.indices.contains(frame.sequence) else {
      throw refuse("0 to \(sequences.count - 1)", "\(frame.sequence)")
    }
    let (first, count) = (sequences[frame.sequence].first, sequences[frame.sequence].count)
    guard frame.index >= first, frame.index - first < count else {
      throw refuse(
        "a sequence that has the frame",
        "sequence \(frame.sequence) with \(count) frames from \(first) on")
    }
  }

  /// Splits consecutive frames: videos stay together where frames are tracked, stills never.
  package static func split(
    _ frames: [Frame], after previous: Frame?, isTracked: (Frame) -> Bool
  ) -> [FrameStretch] {
    var runs: [FrameStretch] = []
    var last = previous
    var open: [Frame] = []
    var continues = false
    for frame in frames {
      let follows = isTracked(frame) && last?.sequence == frame.sequence
      if !follows, !open.isEmpty {
        runs.append(FrameStretch(frames: open, continues: continues))
        open = []
      }
      if open.isEmpty { continues = follows }
      open.append(frame)
      last = frame
    }
    if !open.isEmpty { runs.append(FrameStretch(frames: open, continues: continues)) }
    return runs
  }
}
