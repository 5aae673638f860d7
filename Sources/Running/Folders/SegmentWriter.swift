internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation

/// Writes predictions in the order of frames, a file for every 256 of them.
///
/// A segment file appears only when it is whole, so that a run that was killed at any moment
/// continues after its last segment.
package struct SegmentWriter {
  /// Frames a segment file.
  package static let length = 256

  private let folder: RunFolder
  private let header: PredictionsHeader
  private var open: (start: Int, writer: PredictionsWriter)?

  init(folder: RunFolder, header: PredictionsHeader) {
    self.folder = folder
    self.header = header
  }

  /// The segments of a dataset.
  static func ranges(of frameCount: Int) -> [Range<Int>] {
    stride(from: 0, to: frameCount, by: length).map { $0..<min($0 + length, frameCount) }
  }

  /// Adds the next frame.
  mutating func add(_ prediction: FramePrediction) throws {
    let segment = open
    let start = segment?.start ?? prediction.frame / Self.length * Self.length
    let writer =
      try segment?.writer ?? PredictionsWriter(folder.segment(at: start), header: header)
    open = (start, writer)
    var own = prediction
    own.frame -= start
    try writer.add(own)
  }

  /// Ends the segment and remembers how its last frame left the tracker; `facts` and `timesUnit` replace those of the
  /// header.
  mutating func finishSegment(
    state: TrackingState?, facts: Set<PredictionsHeader.Fact>? = nil, timesUnit: Double? = nil
  ) throws {
    guard let (start, writer) = open else { return }
    open = nil
    try folder.keep(state, at: start)
    try writer.finish(facts: facts, timesUnit: timesUnit)
  }
}
