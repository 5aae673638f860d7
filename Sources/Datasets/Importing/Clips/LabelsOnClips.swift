internal import FaceCore
internal import Foundation
internal import Platform

/// Which frames of labels belong to which frames of decoded videos.
struct LabelsOnClips {
  /// Assumptions and losses.
  private(set) var remarks: [ImportRemark] = []
  private var rows: [[Int32]]

  /// The frames of the labels that belong to a frame of the videos.
  func rows(ofFrame frame: Int) -> [Int] { rows[frame].map(Int.init) }

  /// The names of label frames as the videos' frames would have them: `a/12.jpg` is frame 12 of `a.mp4`.
  static func names(_ staged: StagedFrames, _ clips: DatasetReader) -> [String] {
    var titles: [String: String] = [:]
    for sequence in clips.sequences {
      titles[PathText(sequence.name).withoutSuffix] = sequence.name
      titles[sequence.name] = sequence.name
    }
    return staged.rows.map { row in
      let path = PathText(NumberedName.withoutSuffix(row.name)).components
      guard let last = path.last, let number = Int(last),
        let title = titles[path.dropLast().joined(separator: "/")]
      else { return row.name }
      return "\(title)/\(number)"
    }
  }

  /// Joins all; throws `.wrongData` where nothing joins, and where the labels do not tell what belongs together.
  init(
    _ staged: StagedFrames, _ clips: DatasetReader, key: FrameKey, offset: FrameOffset,
    firstNumber: Int?, framesPerSecond: Double?, sources: [URL]
  ) throws(FileError) {
    let source = sources.map(\.relativePath).joined(separator: ", ")
    var given = Given(staged, clips, source: source)
    let (shift, moved) = try offset.parts(by: key)
    var microseconds = moved
    var join: FrameJoin
    var remark: String?
    switch key {
    case .name:
      let names = Self.names(staged, clips)
      let named = given.frames(names: names)
      let found = try FrameJoin.byName(named, to: clips)
      remark = shift == 0 ? try found.remarkOnFirstNumber(named, of: clips) : nil
      join = try found.shifted(by: shift, named, in: clips)
    case .number:
      try given.number(from: firstNumber, isShifted: shift != 0)
      join = try FrameJoin.byNumber(
        given.frames(), titles: given.titles, to: clips, shift: shift)
    case .time:
      let fromZero = try given.time(from: firstNumber, rate: framesPerSecond)
      if let rate = clips.sequences.first(where: { $0.framesPerSecond > 0 }) {
        microseconds += Int64((1_000_000 * Double(shift) / rate.framesPerSecond).rounded())
      }
      join = try FrameJoin.byTime(
        given.frames(), titles: given.titles, to: clips, offset: microseconds,
        countsFromZero: fromZero, isOffsetGiven: offset != .frames(0))
    }
    rows = [[Int32]](repeating: [], count: clips.frameCount)
    for (place, frame) in join.frames.enumerated() {
      if let frame { rows[frame].append(Int32(clamping: given.rows[place])) }
    }
    let joined = rows.count { !$0.isEmpty }
    guard joined > 0 else {
      throw FileError.wrongData(
        "cannot import \(source): expected labels of frames of "
          + "\(clips.sequences.map { "'\($0.name)'" }.prefix(3).joined(separator: ", ")), found none "
          + "among \(staged.rows.count) (joined \(join.rule)), the first is '\(staged.rows[0].name)'"
      )
    }
    remarks = given.remarks
    remarks.assume(
      "labels joined to frames of the videos \(join.rule)\(given.rule)"
        + (offset == .frames(0) ? "" : ", moved by \(offset.text)")
        + ": \(joined) of \(clips.frameCount) frames are labelled")
    if let remark { remarks.assume(remark) }
    if key == .number, !given.rule.isEmpty, let clip = try clips.clipThatLacksFrames() {
      remarks.assume(FrameJoin.repeatedFrames(of: clip))
    }
    let strangers = join.frames.indices.filter { join.frames[$0] == nil }
    if let first = strangers.first {
      remarks.drop(
        "\(strangers.count) of \(staged.rows.count) labelled frames left out because the videos do not "
          + "have them, the first is '\(staged.rows[given.rows[first]].name)'")
    }
    let several = rows.count { $0.count > 1 }
    remarks.assume(several, "frames are in the labels more than once: their faces are merged")
  }
}

/// The frames of labels by the video that each is of, with numbers and times.
private struct Given {
  /// Which frames of the labels take part.
  private(set) var rows: [Int]
  /// Names of the videos or sequences that they are of.
  private(set) var titles: [String]
  private(set) var remarks: [ImportRemark] = []
  /// What is to be said about numbers and times.
  private(set) var rule = ""
  private let staged: StagedFrames
  private let clips: DatasetReader
  private let source: String
  /// By place in `rows`.
  private var sequences: [Int]
  private var numbers: [Int?] = []
  private var isFirstGiven = false
  private var times: [Int64]

  init(_ staged: StagedFrames, _ clips: DatasetReader, source: String) {
    self.staged = staged
    self.clips = clips
    self.source = source
    rows = Array(staged.rows.indices)
    titles = (staged.sequences.isEmpty ? clips.sequences : staged.sequences).map(\.name)
    sequences = staged.rows.map { $0.sequence ?? 0 }
    times = staged.rows.map(\.timestampMicroseconds)
  }

  func frames(names: [String]? = nil) -> [FrameJoin.Given] {
    rows.indices.map { place in
      let row = staged.rows[rows[place]]
      return FrameJoin.Given(
        name: names?[rows[place]] ?? row.name, sequence: sequences[place],
        number: numbers.isEmpty ? 0 : numbers[place] ?? 0,
        isPlace: numbers.isEmpty && row.number == nil,
        isFirstUnknown: row.isFirstUnknown && !isFirstGiven,
        timestampMicroseconds: times[place], clocks: row.clocks)
    }
  }

  /// Whether the labels are recordings with sequences, whose frames they count themselves.
  private var areRecordings: Bool { staged.rows.allSatisfy { $0.sequence != nil } }

  private func wrong(_ expected: String, found: String) -> FileError {
    FileError.wrongData(
      "cannot put the labels of \(source) on the frames of a video: expected \(expected), found \(found)"
    )
  }

  /// Numbers from 0 within each video.
  mutating func number(from first: Int?, isShifted: Bool) throws(FileError) {
    isFirstGiven = first != nil
    if areRecordings {
      var next = [Int](repeating: 0, count: titles.count)
      numbers = rows.map { index in
        let sequence = staged.rows[index].sequence ?? 0
        var number = staged.rows[index].number ?? next[sequence]
        if let first, staged.rows[index].isFirstUnknown { number += 1 - first }
        next[sequence] = number + 1
        return number
      }
      return
    }
    try readNames()
    let base = if let first { first } else { try firstNumber(isShifted: isShifted) }
    numbers = numbers.map { $0.map { $0 - base } }
    rule = ", the first frame of a video being \(base)"
  }

  /// Times within each video; returns whether they count from the first frame of the video.
  mutating func time(from first: Int?, rate: Double?) throws(FileError) -> Bool {
    let hasTimes = staged.rows.contains { $0.timestampMicroseconds != 0 || !$0.clocks.isEmpty }
    if areRecordings, hasTimes { return false }
    if !areRecordings, !hasTimes || clips.sequences.count > 1 { try readNames() }
    if hasTimes { return true }
    guard let rate else {
      throw wrong(
        "times, or numbers and with --fps how many of them are a second", found: "neither")
    }
    if areRecordings { try number(from: first, isShifted: false) }
    let lowest = numbers.compactMap { $0 }.min() ?? 0
    let base = areRecordings ? 0 : first ?? (lowest == 0 ? 0 : 1)
    times = numbers.map {
      Int64((min(Double(($0 ?? 0) - base) * 1_000_000 / rate, 9e18)).rounded())
    }
    rule = ", \(rate.plainText) of the labels' frames being a second and the first \(base)"
    return true
  }

  /// Takes numbers and videos from names.
  private mutating func readNames() throws(FileError) {
    var groups: [String: [Int]] = [:]
    var names: [NumberedName] = []
    for index in rows {
      guard let name = NumberedName(staged.rows[index].name) else {
        throw wrong(
          "a number in each name (or --join)", found: "'\(staged.rows[index].name)'")
      }
      groups[name.clip, default: []].append(index)
      names.append(name)
    }
    titles = clips.sequences.map(\.name)
    var videos: [String: Int] = [:]
    for (clip, members) in groups {
      guard groups.count > 1 || titles.count > 1 else {
        videos[clip] = 0
        break
      }
      let name = names[members[0]]
      videos[clip] =
        titles.indices.compactMap { video in
          name.share(ofVideo: titles[video]).map { (share: $0, video: video) }
        }.max { ($0.share, $1.video) < ($1.share, $0.video) }?.video
    }
    let example = staged.rows[rows[0]].name
    guard !videos.isEmpty else {
      throw wrong(
        "names with that of a video (\(titles.prefix(3).joined(separator: ", ")))",
        found: "'\(example)' and \(groups.count - 1) other kinds of names")
    }
    let kept = rows.indices.filter { videos[names[$0].clip] != nil }
    if kept.count < rows.count,
      let first = rows.indices.first(where: { videos[names[$0].clip] == nil })
    {
      remarks.drop(
        "\(rows.count - kept.count) labelled frames left out whose names are of none of the videos, "
          + "the first is '\(staged.rows[rows[first]].name)'")
    }
    numbers = kept.map { names[$0].number }
    sequences = kept.map { videos[names[$0].clip] ?? 0 }
    times = kept.map { times[$0] }
    rows = kept.map { rows[$0] }
  }

  /// The number of a video's first frame: 0 where one is numbered so, 1 where one is numbered like the count of frames.
  private func firstNumber(isShifted: Bool) throws(FileError) -> Int {
    var told: Set<Int> = []
    var (lowest, highest) = (Int.max, 0)
    let places = Dictionary(grouping: rows.indices) { sequences[$0] }
    for video in clips.sequences.indices {
      let own = (places[video] ?? []).compactMap { numbers[$0] }
      guard let first = own.min(), let last = own.max() else { continue }
      (lowest, highest) = (min(lowest, first), max(highest, last))
      let count = clips.sequences[video].count
      if first == 0 { told.insert(0) } else if last == count { told.insert(1) }
      guard last <= count || isShifted else {
        throw wrong(
          "numbers up to \(count), the frames of '\(clips.sequences[video].name)'",
          found:
            "\(last) (--join time with --fps where the labels are of another rate, or --offset)")
      }
    }
    if told.count == 1, let base = told.first { return base }
    throw wrong(
      "a frame 0, or one numbered like the count of frames, to tell whether the first frame is 0 or 1",
      found: "numbers from \(lowest) to \(highest)\(told.isEmpty ? "" : " that tell both")"
        + " (--first-number)")
  }
}
