package import Foundation
package import Platform

/// The CSV that Live Link Face records with its video: 61 channels per frame, no images.
package struct LiveLinkCSV: DatasetFormat {
  package let name = "livelink"
  package let summary = "Live Link Face CSV: ARKit's coefficients and angles; no images"
  package let usesImageFolder = false
  package let settings: Set<ImportSetting> = [.framesPerSecond]
  /// While the face is lost the last values are repeated.
  package let marksLosses = false

  package init() {}

  private static let counts: Set<String> = ["BlendShapeCount", "BlendshapeCount"]

  /// A CSV file whose header begins with Timecode and BlendShapeCount, in either spelling.
  package func recognises(_ source: URL) -> String? {
    guard let text = SourceFiles.head(of: source) else { return nil }
    var file = DelimitedText(Array(text.utf8), name: "", separator: Self.separator(of: text))
    let head = (try? file.header()) ?? []
    let count = Self.counts.first { head.starts(with: ["Timecode", $0]) }
    return count.map { "a CSV file whose header begins with Timecode and \($0)" }
  }

  /// Semicolons where spreadsheets wrote them, else commas.
  private static func separator(of text: String) -> Character {
    let line = text.prefix { !$0.isNewline }
    return line.contains(";") && !line.contains(",") ? ";" : ","
  }

  /// Reads each file as one video without images.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = [.assumed("frames have labels and no images")]
    let titles = SourceFiles.Titles(sources)
    for source in sources {
      remarks += try read(
        DelimitedText(
          source, limit: 256 << 20,
          separator: Self.separator(of: SourceFiles.head(of: source) ?? "")),
        title: titles[source], fps: options.framesPerSecond, into: sink)
    }
    return remarks
  }

  private func read(
    _ file: consuming DelimitedText, title: String, fps: Double?, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var file = file
    let columns = try header(&file)
    let isPart = columns.count < LiveLinkTake.channels.count
    var take = LiveLinkTake(title: title, columns: columns)
    var timecodes: [Timecode] = []
    while let fields = try file.next() {
      guard fields.count == columns.count + 2 || Self.isFaceless(fields) else {
        throw file.wrong("\(columns.count + 2) fields", found: "\(fields.count)")
      }
      guard let timecode = Timecode(fields[0]) else {
        throw file.wrong("a timecode HH:MM:SS:FF.mmm below 24 h and 60 frames", found: fields[0])
      }
      timecodes.append(timecode)
      var values: [Double]?
      if !Self.isFaceless(fields) {
        // Where columns were taken out, the count is still that of the recording.
        let count = DelimitedText.wholeNumber(fields[1]) ?? 0
        guard count == columns.count || count > columns.count && isPart else {
          throw file.wrong(
            "a count of \(columns.count), the channels of the header", found: fields[1])
        }
        var row: [Double] = []
        for (column, field) in zip(columns, fields.dropFirst(2)) {
          row.append(
            DelimitedText.isNoNumber(field) ? .nan : try file.number(field, in: column))
        }
        values = row
      }
      take.samples.append(.init(name: fields[0], microseconds: 0, values: values))
    }
    let rate = Timecode.Rate(fps, of: timecodes)
    var (days, last) = (0.0, -Double.infinity)
    for (index, timecode) in timecodes.enumerated() {
      let time = timecode.seconds(at: rate)
      if time < last - rate.day / 2 { days += rate.day }
      last = time
      take.samples[index].microseconds = (days + time) * 1_000_000
      take.samples[index].clock = days + time
    }
    var remarks: [ImportRemark] = [
      .assumed(
        "\(title): times are the timecode's, taken as \(rate.text), with about "
          + "\(take.usualRate.formatted(.number.locale(Locale(identifier: "en_US_POSIX")))) "
          + "frames of data per second")
    ]
    let extra = columns.filter { !LiveLinkTake.channels.contains($0) }
    remarks.assume(
      "\(title): \(extra.count) more columns than Live Link's become attributes: "
        + extra.joined(separator: ", "), if: !extra.isEmpty)
    remarks.assume("\(title): the timecode passes midnight", if: days > 0)
    return try remarks + take.send(to: sink)
  }

  /// Whether a row has no face: no values, or a count of 0 and nothing but zeros.
  private static func isFaceless(_ fields: [String]) -> Bool {
    guard fields.count >= 2 else { return false }
    let isCounted = DelimitedText.wholeNumber(fields[1]) != 0
    return (!isCounted || fields.count > 2)
      && fields.dropFirst(2).allSatisfy { $0.isEmpty || !isCounted && Double($0) == 0 }
  }

  private func header(_ file: inout DelimitedText) throws(FileError) -> [String] {
    guard let fields = try file.header() else {
      throw FileError.wrongData("cannot read \(file.name): expected a header, found an empty file")
    }
    guard fields.count >= 2, fields[0] == "Timecode", Self.counts.contains(fields[1]) else {
      throw file.wrong(
        "a header that begins with Timecode,BlendShapeCount",
        found: fields.prefix(2).joined(separator: ","))
    }
    let columns = Array(fields.dropFirst(2))
    for channel in LiveLinkTake.channels.prefix(LiveLinkTake.coefficientCount)
    where !columns.contains(channel) {
      throw file.wrong(
        "a column '\(channel)' (a table of other columns is read by 'import csv')",
        found: columns.joined(separator: ","))
    }
    var seen: Set<String> = []
    for column in columns
    where !DatasetLayout.isTableName(column) || !seen.insert(column).inserted {
      throw file.wrong("other plain names after the 61 of Live Link", found: column)
    }
    return columns
  }
}

/// A moment of a recording: hours, minutes, seconds, and frames with a fraction.
private struct Timecode {
  /// How many frames a second has, and how they are counted.
  struct Rate {
    private let framesPerSecond: Double
    /// Numbers of frames in a second of the timecode.
    let count: Double
    /// Numbers that each minute but each tenth leaves out; 0 where none is.
    let dropped: Double

    /// Takes a given rate, else what the timecodes tell.
    ///
    /// Timecodes of 29.97 or 59.94 frames per second have 30 or 60 numbers a second, so a second of them is longer than one.
    /// Those that leave out the first numbers of minutes (drop-frame, SMPTE ST 12-1) are of no other rates.
    init(_ given: Double?, of timecodes: [Timecode]) {
      let found = given ?? Timecode.rate(of: timecodes)
      count = found.rounded()
      let isDropped =
        count.truncatingRemainder(dividingBy: 30) == 0
        && Timecode.dropsFrames(timecodes, count: count / 15)
      dropped = isDropped ? count / 15 : 0
      let broadcast = count * 1000 / 1001
      let isBroadcast = given.map { abs($0 - broadcast) < 0.01 } ?? isDropped
      framesPerSecond = isBroadcast ? broadcast : found
    }

    /// Whether a second of the timecode is one.
    var isWhole: Bool { framesPerSecond == count }

    /// Seconds of 24 hours of timecode.
    var day: Double { seconds(ofFrames: 86_400 * count - dropped * (1440 - 144)) }

    func seconds(ofFrames frames: Double) -> Double { frames / framesPerSecond }

    /// The rate in words.
    var text: String {
      let rate = (framesPerSecond * 1000).rounded() / 1000
      return "\(rate.plainText) frames per second\(dropped > 0 ? " with drop-frame numbers" : "")"
    }
  }

  private let wholeSeconds: Int
  /// Frame within the second, with its fraction.
  let frame: Double
  private let hasSemicolon: Bool

  init?(_ text: String) {
    let parts = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == ";" }
    guard parts.count == 4,
      parts.allSatisfy({ $0.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") } }),
      let hours = Int(parts[0]), let minutes = Int(parts[1]), let seconds = Int(parts[2]),
      let frame = Double(parts[3]), (0..<24).contains(hours), (0..<60).contains(minutes),
      (0..<60).contains(seconds), frame < 60
    else { return nil }
    wholeSeconds = (hours * 60 + minutes) * 60 + seconds
    self.frame = frame
    hasSemicolon = text.contains(";")
  }

  func seconds(at rate: Rate) -> Double {
    guard !rate.isWhole else { return Double(wholeSeconds) + frame / rate.count }
    let minutes = wholeSeconds / 60
    let frames = Double(wholeSeconds) * rate.count + frame
    return rate.seconds(ofFrames: frames - rate.dropped * Double(minutes - minutes / 10))
  }

  /// Whether the first `count` numbers of minutes are left out, but of each tenth, as a semicolon says or all steps into a
  /// minute show.
  static func dropsFrames(_ timecodes: [Timecode], count: Double) -> Bool {
    if timecodes.contains(where: \.hasSemicolon) { return true }
    let first = zip(timecodes, timecodes.dropFirst()).filter { earlier, later in
      later.wholeSeconds == earlier.wholeSeconds + 1 && later.wholeSeconds % 60 == 0
        && later.wholeSeconds % 600 != 0
    }.map(\.1.frame)
    return !first.isEmpty && first.allSatisfy { $0 >= count && $0 < count + 1 }
  }

  /// The rates that recordings have.
  private static let known: [Double] = [10, 12, 15, 20, 24, 25, 30, 48, 50, 60]

  /// How many frames a second of the timecode has: what makes the step into the next second like the others.
  ///
  /// 30 or 60 where no second follows another.
  static func rate(of timecodes: [Timecode]) -> Double {
    let most = timecodes.map(\.frame).max() ?? 0
    var (within, across): ([Double], [Double]) = ([], [])
    for (earlier, later) in zip(timecodes, timecodes.dropFirst()) {
      switch later.wholeSeconds - earlier.wholeSeconds {
      case 0 where later.frame > earlier.frame: within.append(later.frame - earlier.frame)
      case 1: across.append(earlier.frame - later.frame)
      default: break
      }
    }
    let standard: Double = most >= 30 ? 60 : 30
    guard let step = within.upperMedian, let jump = across.upperMedian else { return standard }
    let found = jump + step
    return known.first { $0 > most && abs($0 - found) < 0.6 } ?? standard
  }
}
