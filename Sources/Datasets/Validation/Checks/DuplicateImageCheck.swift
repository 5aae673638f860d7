internal import FaceCore
internal import Platform

/// Checks whether several frames have the same image bytes, under other labels or in other splits.
///
/// Remembers a hash and a number for every image, about 10 bytes. A frame whose hash is known is compared byte
/// by byte with the earlier one, which is read again.
struct DuplicateImageCheck: DatasetCheck {
  private let dataset: DatasetReader
  private let splits: SplitMembership
  private var known = ImageTable()
  /// Hashes of the labels of the first frames of repeated images, some thousand of them.
  private var signatures: [Int: Signature] = [:]
  /// The splits of images that occur in several, by the first frame of each.
  private var splitsSeen: [Int: UInt64] = [:]
  private var relabelled = ChecklistLine(
    "images-labels", .warning, holds: "the same image has the same labels",
    what: "image with the same bytes as another and other labels", of: "images")
  private var straddling = ChecklistLine(
    "splits-images", .warning, holds: "no image is in two splits",
    what: "image with the same bytes as another in another split",
    of: "images in a dataset with two splits")
  private var repeated = ChecklistLine(
    "images-once", .note, holds: "no image is repeated with the same labels",
    what: "image with the same bytes and labels as another", of: "images")
  var lines: [ChecklistLine] { [relabelled, straddling, repeated] }

  /// Hashes of an image's labels; all NaNs have the same hash.
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

    /// The differences, in words.
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
  }

  mutating func look(at checked: CheckedFrame) throws(FileError) {
    guard case .sound(_, let bytes, let hash) = checked.image else { return }
    let frame = checked.frame.index
    relabelled.look()
    repeated.look()
    if splits.names.count > 1, splits.splits(of: frame) != 0 { straddling.look() }
    guard let first = try earlier(with: bytes, hash) else { return known.add(frame, hash: hash) }
    let position = "\(checked.position) and frame \(first)"
    let own = splits.splits(of: frame)
    let others = splitsSeen[first] ?? splits.splits(of: first)
    if let (one, two) = splits.clashing(own, others) {
      straddling.note("\(position), \(one) and \(two)")
    }
    if own & ~others != 0 { splitsSeen[first] = own | others }
    let differences = Signature(checked.row, in: dataset)
      .differences(from: try signature(ofFirst: first))
    if differences.isEmpty {
      repeated.note(position)
    } else {
      relabelled.note("\(position): other \(differences.joined(separator: ", "))")
    }
  }

  private mutating func signature(ofFirst frame: Int) throws(FileError) -> Signature {
    if let known = signatures[frame] { return known }
    let row = try FrameRow.read(frame..<frame + 1, of: dataset)[0]
    let signature = Signature(row, in: dataset)
    if signatures.count >= 4096 { signatures.removeAll() }
    signatures[frame] = signature
    return signature
  }

  /// The first frame whose image has these bytes; nil if there is none yet.
  private func earlier(
    with bytes: ArraySlice<UInt8>, _ hash: UInt32
  ) throws(FileError) -> Int? {
    for frame in known.frames(hash) where try dataset.image(frame).bytes == bytes {
      return frame
    }
    return nil
  }
}

/// Checks whether the same coefficients are recorded under several names.
struct DuplicateRecordingCheck: DatasetCheck {
  private let sequences: [SequenceDescription]
  private var same = ChecklistLine(
    "recordings-once", .warning, holds: "no recording of coefficients is repeated",
    what: "sequence with the same coefficients as another",
    of: "sequences with two frames of blendshapes")
  private var first: [Int: Int] = [:]
  private var current: (sequence: Int, frames: Int, hash: Int)?
  var lines: [ChecklistLine] { [same] }

  init(of dataset: DatasetReader) {
    sequences = dataset.sequences
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
