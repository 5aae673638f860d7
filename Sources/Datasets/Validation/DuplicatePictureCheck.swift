internal import FaceCore

/// Whether the same bytes are the picture of several frames, under other labels or in other splits.
///
/// Remembers a hash and a number for every picture, about 10 bytes. A frame whose hash is known is compared byte
/// by byte with the earlier one, which is read again.
struct DuplicatePictureCheck: DatasetCheck {
  private let dataset: DatasetReader
  private let splits: SplitMembership
  private var known = PictureTable()
  /// The splits of pictures that have come again in another one, by the frame that came first.
  private var splitsSeen: [Int: UInt64] = [:]
  private var relabelled: ChecklistLine
  private var straddling: ChecklistLine
  private var repeated: ChecklistLine
  var lines: [ChecklistLine] { [relabelled, straddling, repeated] }

  /// What a picture is labelled with, each as a hash, for which a NaN is as good as another.
  private struct Signature {
    let faces: Int
    let expression: Int
    let identity: Int
    let subject: String
    let folder: Substring

    init(_ row: FrameRow, in dataset: DatasetReader) {
      faces =
        row.faces.map { face in
          var bare = face
          bare.expression = nil
          bare.identity = nil
          return bare
        }.hashValue
      expression = row.faces.map(\.expression).hashValue
      identity = row.faces.map(\.identity).hashValue
      subject = dataset.sequence(row.frame.sequence)?.subject ?? ""
      let name = row.frame.name
      folder = name.lastIndex(of: "/").map { name[..<$0] } ?? ""
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
    self.dataset = dataset
    self.splits = splits
    relabelled = ChecklistLine(
      "pictures-labels", .warning, holds: "the same picture has the same labels",
      what: "picture with the bytes of another and other labels", of: "pictures")
    straddling = ChecklistLine(
      "splits-pictures", .warning, holds: "no picture is in two splits",
      what: "picture with the bytes of another in another split",
      of: "pictures in a dataset with two splits")
    repeated = ChecklistLine(
      "pictures-once", .note, holds: "every picture is there once",
      what: "picture with the bytes and labels of another", of: "pictures")
  }

  mutating func look(at checked: CheckedFrame) throws(DatasetError) {
    guard case .sound(_, let bytes, let hash) = checked.picture else { return }
    let frame = checked.frame.index
    relabelled.look()
    repeated.look()
    if splits.names.count > 1, splits.splits(of: frame) != 0 { straddling.look() }
    guard let first = try earlier(with: bytes, hash) else { return known.add(frame, hash: hash) }
    let place = "\(checked.place) and frame \(first)"
    let own = splits.splits(of: frame)
    let others = splitsSeen[first] ?? splits.splits(of: first)
    if let (one, two) = splits.clashing(own, others) {
      straddling.note("\(place), \(one) and \(two)")
    }
    if own & ~others != 0 { splitsSeen[first] = own | others }
    let row = try FrameRow.read(first..<first + 1, of: dataset)[0]
    let differences = Signature(checked.row, in: dataset)
      .differences(from: Signature(row, in: dataset))
    if differences.isEmpty {
      repeated.note(place)
    } else {
      relabelled.note("\(place): other \(differences.joined(separator: ", "))")
    }
  }

  /// The first frame whose picture has these bytes; nil where there is none yet.
  private func earlier(
    with bytes: ArraySlice<UInt8>, _ hash: UInt32
  ) throws(DatasetError) -> Int? {
    for frame in known.frames(hash) where try dataset.picture(frame).bytes == bytes {
      return frame
    }
    return nil
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
      of: "sequences with two frames of blendshapes")
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
    same.look()
    guard let known = first[done.hash] else {
      first[done.hash] = done.sequence
      return
    }
    same.note(
      "sequence \(done.sequence) '\(sequences[done.sequence].name)' and sequence \(known) "
        + "'\(sequences[known].name)', \(done.frames) frames")
  }
}
