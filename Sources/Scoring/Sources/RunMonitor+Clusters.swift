package import Datasets
package import FaceCore
package import Metrics
package import Running

extension RunMonitor {
  /// A clip that is the whole dataset is cut where it lasts at least so long; its stretches are then of half a second or more.
  private static let secondsOfClip = 5.0

  /// What is resampled together: subjects, videos, and stills of one image or person. Holds no frames yet.
  ///
  /// With `cutsClip`, a clip that is the whole dataset is cut into stretches.
  package func clusters(of dataset: DatasetReader, cutsClip: Bool = false) throws -> FrameClusters {
    let photos = try relatedStills(of: dataset)
    return FrameClusters(
      photos: photos, clip: try cutsClip ? Self.onlyClip(of: dataset) : nil,
      areStillsAlike: try dataset.areSuccessiveStillsAlike(related: photos))
  }

  /// The frames of a clip that is the whole dataset and lasts long enough to be cut into stretches; nil for others.
  package static func onlyClip(of dataset: DatasetReader) throws -> Range<Int>? {
    let count = dataset.frameCount
    guard dataset.sequences.count == 1, dataset.sequences[0].kind == .video,
      dataset.sequences[0].count == count, count >= FrameClusters.stretches
    else { return nil }
    let ends = try [0, count - 1].map { try dataset.frames($0..<$0 + 1)[0].timestampMicroseconds }
    return Double(ends[1]) - Double(ends[0]) >= 1_000_000 * secondsOfClip ? 0..<count : nil
  }
}

extension FrameClusters {
  /// Takes in a frame of a dataset; frames come in order.
  package mutating func add(_ frame: Frame, of sequence: SequenceDescription?) {
    add(
      frame.index, sequence: frame.sequence, subject: sequence?.subject ?? "",
      isVideo: sequence?.kind == .video)
  }
}
