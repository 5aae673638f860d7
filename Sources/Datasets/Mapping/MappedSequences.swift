internal import FaceCore
internal import Platform

/// The recordings that images belong to, with their subjects and times.
struct MappedSequences {
  private enum Unit: String, CaseIterable {
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case nanoseconds = "ns"

    var microseconds: Double {
      switch self {
      case .seconds: 1_000_000
      case .milliseconds: 1000
      case .microseconds: 1
      case .nanoseconds: 0.001
      }
    }
  }

  private let file: MappedFile
  private let names: [String]?
  private let subjects: [String]?
  private let times: MappedTable?
  private let scale: Double
  private let framesPerSecond: Double
  /// Whether times were derived from frame counts, because the file has none.
  let countsFrames: Bool
  /// Number of images that are left out because their time does not rise.
  private(set) var stopped = 0
  private var seen: Set<String> = []
  private var current: String?
  private var first = 0.0
  private var last: Int64 = -1

  init(
    _ object: JSONNode, in file: MappedFile, count: Int, rowsOf other: String,
    framesPerSecond: Double
  ) throws(FileError) {
    self.file = file
    func texts(_ key: String) throws(FileError) -> [String]? {
      guard let path = try object[key].given?.text() else { return nil }
      let texts = try file.texts(path)
      guard texts.count == count else {
        throw file.wrong(path, "\(count) rows as in '\(other)'", found: "\(texts.count)")
      }
      return texts
    }
    names = try texts("sequence")
    subjects = try texts("subject")
    self.framesPerSecond = framesPerSecond
    countsFrames = names != nil && !object["time"].isGiven
    guard let entry = object["time"].given else {
      (times, scale) = (nil, 1)
      return
    }
    try entry.requireKeys(optional: ["path", "columns", "unit"])
    guard names != nil else {
      throw object.wrong("the key \"sequence\" with \"time\"", found: "none")
    }
    let unit = try entry["unit"].choice(Unit.self)
    scale = unit.microseconds
    times = try file.table(entry)
    try times?.require(rows: count, as: other, width: 1)
  }

  /// The sequence that begins at an image, if any, and its time; nil if its time does not rise.
  mutating func position(
    _ row: Int
  ) throws(FileError) -> (begins: SequenceDescription?, microseconds: Int64)? {
    let subject = subjects?[row] ?? ""
    guard let names else {
      let begins = subjects.map { _ in
        SequenceDescription(name: "\(row)", kind: .still, subject: subject)
      }
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
      begins = SequenceDescription(
        name: names[row], kind: .video, subject: subject,
        framesPerSecond: times == nil ? framesPerSecond : 0)
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

  private var frame = 0
}
