internal import FaceCore
internal import Foundation

/// Checks whether recordings of coefficients or poses repeat their last values, as recorders do that lost the face.
struct FrozenCheck: DatasetCheck {
  private let sequences: [SequenceDescription]
  private var moving = ChecklistLine(
    "recordings-move", .warning,
    holds:
      "coefficients and poses of videos never stay the same to the last bit for more than 0.2 s",
    what: "stretch of a video whose coefficients or poses stay the same to the last bit for more "
      + "than 0.2 s: the recorder had lost the face",
    of: "frames of videos with coefficients or poses")
  private var frozen = FrozenStretches()
  private var last: Int?
  private var sequenceOfStretch: [Int] = []
  var lines: [ChecklistLine] { [moving] }

  init(of dataset: DatasetReader) {
    sequences = dataset.sequences
  }

  mutating func look(at checked: CheckedFrame) {
    if checked.frame.sequence != last { endVideo() }
    last = checked.frame.sequence
    guard checked.sequence?.kind == .video, checked.unreadable == nil else { return }
    let values = FaceFingerprint(checked.faces.map(\.fingerprint))
    if values != nil { moving.look() }
    frozen.add(checked.frame.index, time: checked.frame.timestampMicroseconds, values: values)
  }

  mutating func finish() {
    endVideo()
    let longestFirst = zip(frozen.all, sequenceOfStretch).sorted {
      ($1.0.microseconds, $0.0.frames.lowerBound) < ($0.0.microseconds, $1.0.frames.lowerBound)
    }
    for (stretch, sequence) in longestFirst {
      moving.note(
        "frames \(stretch.frames.lowerBound) to \(stretch.frames.upperBound - 1) of sequence "
          + "\(sequence) '\(sequences[sequence].name)', "
          + String(format: "%.4g s", Double(stretch.microseconds) / 1e6))
    }
  }

  private mutating func endVideo() {
    frozen.endVideo()
    guard let last else { return }
    sequenceOfStretch += Array(
      repeating: last, count: frozen.all.count - sequenceOfStretch.count)
  }
}
