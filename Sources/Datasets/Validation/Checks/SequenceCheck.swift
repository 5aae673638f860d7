internal import FaceCore

/// Checks that the tables of sequences and frames agree.
struct SequenceCheck: DatasetCheck {
  private static let frames = "frames in a dataset with a table of sequences"

  private let isDescribed: Bool
  private var overlap = ChecklistLine(
    "sequences-apart", .error, holds: "sequences do not overlap",
    what: "sequence that overlaps another", of: "sequences in a table")
  private var absent = ChecklistLine(
    "sequences-there", .error, holds: "every frame's sequence exists",
    what: "frame of a sequence that does not exist", of: Self.frames)
  private var outside = ChecklistLine(
    "sequences-count", .error, holds: "frames lie within their sequence's first and count",
    what: "frame outside its sequence's first and count", of: Self.frames)
  var lines: [ChecklistLine] { [overlap, absent, outside] }

  init(of dataset: DatasetReader) {
    isDescribed = !dataset.sequences.isEmpty
    overlap.look(at: dataset.sequences.count)
    var end = 0
    for (index, sequence) in dataset.sequences.enumerated().sorted(by: { $0.1.first < $1.1.first })
    where sequence.count > 0 {
      if sequence.first < end { overlap.note("sequence \(index) '\(sequence.name)'") }
      end = max(end, sequence.first + sequence.count)
    }
  }

  mutating func look(at checked: CheckedFrame) {
    guard isDescribed else { return }
    absent.look()
    outside.look()
    guard let sequence = checked.sequence else { return absent.note(checked.position) }
    if !(sequence.first..<sequence.first + sequence.count).contains(checked.frame.index) {
      outside.note(checked.position)
    }
  }
}
