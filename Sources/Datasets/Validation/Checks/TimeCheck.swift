internal import FaceCore
internal import Foundation

/// Checks that the times of videos rise evenly, at the declared rate.
struct TimeCheck: DatasetCheck {
  private var rising = ChecklistLine(
    "times-rise", .error, holds: "times rise within videos",
    what: "timestamp that does not rise within its sequence",
    of: "frames of videos that follow another")
  private var jumps = ChecklistLine(
    "times-even", .warning, holds: "times of videos do not jump",
    what: "timestamp that jumps, by more than \(Self.jumpFactor) times the usual step",
    of: "videos with three frames")
  private var rates = ChecklistLine(
    "times-rate", .warning, holds: "times of videos agree with their frame rates",
    what: "sequence whose times contradict its frame rate",
    of: "videos with three frames and a frame rate")
  private let sequences: [SequenceDescription]
  private var last: Frame?
  /// Steps of the current sequence, and the frames after them.
  private var steps: [(frame: Int, microseconds: Int64)] = []
  var lines: [ChecklistLine] { [rising, jumps, rates] }

  /// A step that exceeds the usual one by this factor is a jump.
  private static let jumpFactor: Int64 = 5
  /// Tolerance of the declared rate against that of the times.
  private static let rateTolerance = 0.1

  init(of dataset: DatasetReader) {
    sequences = dataset.sequences
  }

  mutating func look(at checked: CheckedFrame) {
    let frame = checked.frame
    if frame.sequence != last?.sequence { finishSequence() }
    defer { last = frame }
    guard checked.sequence?.kind == .video, checked.unreadable == nil, let last,
      last.sequence == frame.sequence
    else { return }
    rising.look()
    let step = frame.timestampMicroseconds - last.timestampMicroseconds
    if step > 0 {
      steps.append((frame.index, step))
    } else {
      rising.note(checked.position)
    }
  }

  mutating func finish() { finishSequence() }

  private mutating func finishSequence() {
    defer { steps.removeAll(keepingCapacity: true) }
    guard steps.count >= 2, let last, sequences.indices.contains(last.sequence) else { return }
    let sequence = sequences[last.sequence]
    let position = "sequence \(last.sequence) '\(sequence.name)'"
    jumps.look()
    if sequence.framesPerSecond > 0 { rates.look() }
    let usual = steps.map(\.microseconds).sorted()[steps.count / 2]
    for step in steps where step.microseconds / Self.jumpFactor >= usual {
      guard step.microseconds > usual * Self.jumpFactor else { continue }
      jumps.note(
        "frame \(step.frame) of \(position): \(Self.seconds(step.microseconds)) after the one before, "
          + "usually \(Self.seconds(usual))")
    }
    let rate = 1e6 / Double(usual)
    if sequence.framesPerSecond > 0,
      abs(rate / sequence.framesPerSecond - 1) > Self.rateTolerance
    {
      rates.note(
        "\(position): \(Self.text(sequence.framesPerSecond)) frames per second, by its times "
          + Self.text(rate))
    }
  }

  private static func seconds(_ microseconds: Int64) -> String {
    "\(text(Double(microseconds) / 1e6)) s"
  }

  private static func text(_ number: Double) -> String { String(format: "%.4g", number) }
}
