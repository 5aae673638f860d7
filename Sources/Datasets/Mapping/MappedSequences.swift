internal import FaceCore
internal import Platform

/// The recordings that images belong to, with their subjects and times.
struct MappedSequences {
  private enum Unit: String, CaseIterable {
    case s, ms, us, ns

    var microseconds: Double {
      switch self {
      case .s: 1_000_000
      case .ms: 1000
      case .us: 1
      case .ns: 0.001
      }
    }
  }

  private let file: MappedFile
  private let images: JSONNode
  private let scale: Double
  private let framesPerSecond: Double
  /// Whether times were derived from frame counts, because the file has none.
  let countsFrames: Bool
  /// Number of images that are left out because their time does not rise.
  private(set) var stopped = 0
  private var names: [String]?
  private var subjects: [String]?
  private var splits: [String]?
  private var times: MappedTable?
  private var seen: Set<String> = []
  private var current: String?
  private var first = 0.0
  private var last: Int64 = -1
  private var frame = 0
  private var stills = 0

  /// Reads what the images of the mapping say; `hasSequences` if a word of the paths is their sequence.
  init(
    _ images: JSONNode, in file: MappedFile, hasSequences: Bool, framesPerSecond: Double
  ) throws(FileError) {
    (self.images, self.file, self.framesPerSecond) = (images, file, framesPerSecond)
    let isVideo = hasSequences || images["sequence"].isGiven
    countsFrames = isVideo && !images["time"].isGiven
    guard let entry = images["time"].given else {
      scale = 1
      return
    }
    try entry.requireKeys(optional: ["path", "columns", "unit"])
    guard isVideo else {
      throw images.wrong("the key \"sequence\" with \"time\"", found: "none")
    }
    scale = try entry["unit"].choice(Unit.self).microseconds
  }

  /// Reads the arrays of the current group, or of the whole file, which has that many images.
  mutating func enter(count: Int, rowsOf other: String) throws(FileError) {
    let group = file.group
    func texts(_ key: String, _ word: String?) throws(FileError) -> [String]? {
      let entry = images[key].given
      if let word {
        guard let entry else { return [String](repeating: word, count: count) }
        throw entry.wrong("no '\(key)' where {\(key)} is in the path of the images")
      }
      return try entry.map { (entry) throws(FileError) in
        try file.texts(entry.text(), count: count, as: other)
      }
    }
    names = try texts("sequence", group?.sequence)
    subjects = try texts("subject", group?.subject)
    splits = try texts("split", group?.split)
    if let name = splits?.first(where: { !DatasetLayout.isTableName($0) }) {
      throw file.wrong(
        try images["split"].given?.text() ?? other, "names of splits of letters and digits",
        found: "'\(name.prefix(60))'")
    }
    times = try images["time"].given.map { (entry) throws(FileError) in try file.table(entry) }
    try times?.require(rows: count, as: other, width: 1)
  }

  /// The split of an image; nil if it has none.
  func split(_ row: Int) -> String? { splits?[row] }

  /// The sequence that begins at an image, if any, and its time; nil if its time does not rise.
  mutating func position(
    _ row: Int
  ) throws(FileError) -> (begins: SequenceDescription?, microseconds: Int64)? {
    let subject = subjects?[row] ?? ""
    guard let names else {
      let begins = subjects.map { _ in
        SequenceDescription(
          name: "\(file.group == nil ? row : stills)", kind: .still, subject: subject)
      }
      stills += 1
      return (begins, 0)
    }
    let time = try times.map { (table) throws(FileError) in try table.single(row) * scale }
    var begins: SequenceDescription?
    if names[row] != current {
      guard seen.insert(names[row]).inserted else {
        throw file.wrong(
          "sequence", "the images of a sequence in consecutive rows",
          found: "'\(names[row].prefix(60))' again in row \(row)")
      }
      current = names[row]
      begins = .video(names[row], at: times == nil ? framesPerSecond : 0, of: subject)
      first = time ?? 0
      last = -1
      frame = 0
    }
    let since = time.map { $0 - first } ?? Double(frame) / framesPerSecond * 1_000_000
    frame += 1
    guard let whole = Int64(exactly: since.rounded()), abs(since) < 1e15 else {
      throw file.wrong(times?.path ?? "time", "times of less than 30 years", found: "\(since)")
    }
    guard whole > last else {
      stopped += 1
      return nil
    }
    last = whole
    return (begins, whole)
  }
}
