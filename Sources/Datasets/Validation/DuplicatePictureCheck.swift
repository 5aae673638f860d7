internal import FaceCore

/// Whether the same bytes are the picture of several frames, under other labels or in other splits.
///
/// Remembers half a SHA-256 and a few words for every picture: about 60 bytes.
struct DuplicatePictureCheck: DatasetCheck {
  private let splits: SplitMembership
  private var first: [SIMD2<UInt64>: Signature] = [:]
  private var relabelled: ChecklistLine
  private var straddling: ChecklistLine
  private var repeated: ChecklistLine
  var lines: [ChecklistLine] { [relabelled, straddling, repeated] }

  /// What a picture is labelled with, each as a short hash, and where it was seen first.
  private struct Signature {
    var frame: Int32
    var faces: UInt32
    var expression: UInt32
    var identity: UInt32
    var subject: UInt32
    var folder: UInt32
    var splits: UInt64

    init(_ checked: CheckedFrame, splits: UInt64) {
      frame = Int32(clamping: checked.frame.index)
      faces = Self.short(
        checked.faces.map { face in
          var bare = face
          bare.expression = nil
          bare.identity = nil
          return bare
        })
      expression = Self.short(checked.faces.map(\.expression))
      identity = Self.short(checked.faces.map(\.identity))
      subject = Self.short(checked.sequence?.subject ?? "")
      let name = checked.frame.name
      folder = Self.short(name.lastIndex(of: "/").map { name[..<$0] } ?? "")
      self.splits = splits
    }

    private static func short(_ value: some Hashable) -> UInt32 {
      UInt32(truncatingIfNeeded: value.hashValue)
    }

    /// What differs, in words.
    func differences(from other: Signature) -> [String] {
      [
        faces == other.faces ? nil : "faces", expression == other.expression ? nil : "expression",
        identity == other.identity ? nil : "identity",
        subject == other.subject ? nil : "subject", folder == other.folder ? nil : "folder",
      ].compactMap { $0 }
    }
  }

  init(of dataset: DatasetReader, _ splits: SplitMembership) {
    self.splits = splits
    let lacks =
      dataset.frameCount > 0 && dataset.withoutPictureCount == dataset.frameCount
      ? "pictures" : nil
    relabelled = ChecklistLine(
      "pictures-labels", .warning, holds: "the same picture has the same labels",
      what: "picture with the bytes of another and other labels", lacks: lacks)
    straddling = ChecklistLine(
      "splits-pictures", .warning, holds: "no picture is in two splits",
      what: "picture with the bytes of another in another split",
      lacks: splits.names.count < 2 ? "two splits" : lacks)
    repeated = ChecklistLine(
      "pictures-once", .note, holds: "every picture is there once",
      what: "picture with the bytes and labels of another", lacks: lacks)
  }

  mutating func look(at checked: CheckedFrame) {
    guard case .sound(_, let digest) = checked.picture else { return }
    let own = Signature(checked, splits: splits.splits(of: checked.frame.index))
    guard let known = first[digest] else {
      first[digest] = own
      return
    }
    let place = "\(checked.place) and frame \(known.frame)"
    if let (one, two) = splits.clashing(own.splits, known.splits) {
      straddling.note("\(place), \(one) and \(two)")
    }
    first[digest]?.splits |= own.splits
    let differences = own.differences(from: known)
    if differences.isEmpty {
      repeated.note(place)
    } else {
      relabelled.note("\(place): other \(differences.joined(separator: ", "))")
    }
  }
}

/// Whether recordings of the same coefficients come under several names.
struct DuplicateRecordingCheck: DatasetCheck {
  private let sequences: [SequenceDescription]
  private var same: ChecklistLine
  private var first: [Int: Int] = [:]
  private var current: (sequence: Int, frames: Int, hash: Int)?
  var lines: [ChecklistLine] { [same] }

  init(of dataset: DatasetReader) {
    sequences = dataset.sequences
    same = ChecklistLine(
      "recordings-once", .warning, holds: "every recording of coefficients is there once",
      what: "sequence with the coefficients of another",
      lacks: dataset.traits.contains("blendshapes") && !sequences.isEmpty
        ? nil : "sequences with blendshapes")
  }

  mutating func look(at checked: CheckedFrame) {
    guard checked.sequence != nil else { return }
    if current?.sequence != checked.frame.sequence {
      finishSequence()
      current = (checked.frame.sequence, 0, 0)
    }
    let values = checked.faces.compactMap(\.blendshapes)
    guard !values.isEmpty, let so = current else { return }
    var hasher = Hasher()
    hasher.combine(so.hash)
    for value in values { hasher.combine(value.map(\.bitPattern)) }
    current = (so.sequence, so.frames + 1, hasher.finalize())
  }

  mutating func finish() { finishSequence() }

  private mutating func finishSequence() {
    guard let done = current, done.frames >= 2 else { return }
    current = nil
    guard let known = first[done.hash] else {
      first[done.hash] = done.sequence
      return
    }
    same.note(
      "sequence \(done.sequence) '\(sequences[done.sequence].name)' and sequence \(known) "
        + "'\(sequences[known].name)', \(done.frames) frames")
  }
}
