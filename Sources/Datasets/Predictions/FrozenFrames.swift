internal import FaceCore
package import Platform

extension PredictionsReader {
  /// The frames of videos in which another tracker repeats its last coefficients or pose, for more than 0.2 s.
  ///
  /// None where its format marks losses.
  package func frozenFrames(of dataset: DatasetReader) throws(FileError) -> Set<Int> {
    guard let name = header.options[PredictionsHeader.trackerOption],
      DatasetFormats.named(name)?.marksLosses == false
    else { return [] }
    var frozen = FrozenStretches()
    var last: Int?
    var next = 0
    while next < frameCount {
      let range = part(of: try dataset.range(from: next, atMost: 256))
      for (frame, prediction) in zip(try dataset.frames(range), try predictions(range)) {
        if frame.sequence != last { frozen.endVideo() }
        last = frame.sequence
        guard dataset.kind(ofSequence: frame.sequence) == .video else { continue }
        frozen.add(
          frame.index, time: frame.timestampMicroseconds,
          values: FaceFingerprint(
            prediction.faces.map {
              FaceFingerprint(
                coefficients: $0.blendshapes, pose: $0.pose, attributes: $0.unplacedAttributes)
            }))
      }
      next = range.upperBound
    }
    frozen.endVideo()
    return Set(frozen.all.flatMap(\.frames))
  }
}
