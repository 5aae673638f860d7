internal import FaceCore
package import Foundation
package import Platform

/// What becomes one sequence of images in order.
package enum SequenceGrouping: String, Sendable, CaseIterable {
  /// Each folder of images.
  case folder
  /// All images.
  case all
}

/// A format that makes videos of the frames of another, and has the properties of that one.
package protocol FormatOfClips: DatasetFormat {
  /// The format of the labels.
  var labels: any DatasetFormat { get }
}

extension FormatOfClips {
  package var name: String { labels.name }
  package var summary: String { labels.summary }
  package var isLabelled: Bool { labels.isLabelled }
  package var joins: FrameKey { labels.joins }
  package var settings: Set<ImportSetting> { labels.settings.union([.framesPerSecond]) }
  package var decidesPoints: Bool { true }
  package var usesImageFolder: Bool { labels.usesImageFolder }
  package var hasPosesOfAngles: Bool { labels.hasPosesOfAngles }
  package var marksLosses: Bool { labels.marksLosses }
  package var statesCategory: Bool { labels.statesCategory }
  package var numbersTracks: Bool { labels.numbersTracks }
  package func recognises(_ source: URL) -> String? { labels.recognises(source) }
}

/// Labelled images of another format as the frames of videos.
package struct LabelledSequences {
  package let labels: any DatasetFormat
  private let grouping: SequenceGrouping
  private let key: FrameKey
  private let staging: URL

  /// Puts images in order; `key` orders them, and `staging` is a folder to make meanwhile.
  package init(
    _ labels: any DatasetFormat, by grouping: SequenceGrouping, orderedBy key: FrameKey,
    staging: URL
  ) {
    self.labels = labels
    self.grouping = grouping
    self.key = key
    self.staging = staging
  }
}

extension LabelledSequences: FormatOfClips {
  /// Reads all frames, and passes them on in order; throws `.wrongData` for a source that has sequences of its own.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    let folder = try AtomicFolder(temporary: staging)
    try folder.make()
    defer { folder.discard() }
    let staged = try StagedFrames(
      labels, sources, options: options,
      in: folder.partial.appendingPathComponent("labels.h5"))
    let position = sources.map(\.relativePath).joined(separator: ", ")
    guard staged.sequences.isEmpty else {
      throw FileError.wrongData(
        "cannot import \(position) with --sequence: expected images, found a sequence "
          + "'\(staged.sequences[0].name)' already")
    }
    let title = sources.first.map { SourceFiles.Titles(sources)[$0] } ?? ""
    var groups: [String: [Int]] = [:]
    for (index, row) in staged.rows.enumerated() {
      let own = PathText(row.name).components.dropLast().joined(separator: "/")
      groups[grouping == .all || own.isEmpty ? title : own, default: []].append(index)
    }
    let rate = options.framesPerSecond ?? 30
    var remarks = staged.remarks
    var (skips, steps, clocked, mixed) = (0, 0, 0, 0)
    for (name, members) in groups.sorted(by: { NaturalOrder($0.key) < NaturalOrder($1.key) }) {
      let (order, isClock) = try order(of: members, in: staged, rate: rate, position: position)
      var rate = rate
      if isClock {
        var times = FrameTimes()
        for one in order { _ = times.accepts(one.microseconds) }
        (rate, clocked) = (times.usualRate, clocked + 1)
      }
      let subject = staged.subject(of: members)
      if subject == nil { mixed += 1 }
      for (offset, one) in order.enumerated() {
        var frame = try staged.frame(one.index)
        frame.timestampMicroseconds = one.microseconds
        if offset == 0 {
          frame.begins = .video(name, at: rate, of: subject ?? "")
        } else {
          steps += 1
          let step = Double(one.microseconds - order[offset - 1].microseconds)
          if step * rate > 1_500_000 { skips += 1 }
        }
        try sink(frame)
      }
    }
    remarks.assume(
      "\(staged.rows.count) images are \(groups.count) sequence\(groups.count == 1 ? "" : "s") of "
        + "video (--sequence \(grouping.rawValue)), ordered by \(key.rawValue)"
        + (key == .time
          ? ""
          : clocked == groups.count
            ? ", at the Unix times in their names"
            : ", \(rate.plainText) frames per second\(options.framesPerSecond == nil ? " (--fps)" : "")")
    )
    remarks.assume(
      skips, "of \(steps) steps from image to image skip numbers: as many frames are missing there")
    if let remark = StagedFrames.remark(ofSubjects: mixed) { remarks.append(remark) }
    return remarks
  }

  /// Frames of a sequence in their order with their times; throws where two have one place.
  private func order(
    of members: [Int], in staged: StagedFrames, rate: Double, position: String
  ) throws(FileError) -> (order: [(index: Int, microseconds: Int64)], isClock: Bool) {
    let rows = staged.rows
    func wrong(_ expected: String, _ first: Int, _ second: Int? = nil) -> FileError {
      FileError.wrongData(
        "cannot order the images of \(position) by \(key.rawValue): expected \(expected), found "
          + "'\(rows[first].name)'" + (second.map { " and '\(rows[$0].name)'" } ?? "")
          + " (--join chooses name, number or time)")
    }
    func microseconds(_ frames: Int, unit: Double?) -> Int64 {
      Int64(min((Double(frames) * (unit ?? 1_000_000 / rate)).rounded(), 9e18))
    }
    guard key != .time else {
      let sorted = members.sorted {
        rows[$0].timestampMicroseconds < rows[$1].timestampMicroseconds
      }
      for (first, second) in zip(sorted, sorted.dropFirst())
      where rows[first].timestampMicroseconds == rows[second].timestampMicroseconds {
        throw wrong("each image at a time of its own", first, second)
      }
      return (sorted.map { ($0, rows[$0].timestampMicroseconds) }, false)
    }
    let numbers = members.map { rows[$0].number ?? NumberedName(rows[$0].name)?.number }
    var byMember: [Int: Int] = [:]
    for (member, number) in zip(members, numbers) { byMember[member] = number }
    let isNumbered = byMember.count == members.count
    let unit = isNumbered ? Self.unitOfClock(Array(byMember.values)) : nil
    if key == .number {
      guard isNumbered else {
        throw wrong("a number in each name", members.first { byMember[$0] == nil } ?? members[0])
      }
      let sorted = members.sorted { byMember[$0] ?? 0 < byMember[$1] ?? 0 }
      for (first, second) in zip(sorted, sorted.dropFirst())
      where byMember[first] == byMember[second] {
        throw wrong("each number once", first, second)
      }
      let start = byMember[sorted[0]] ?? 0
      return (
        sorted.map { ($0, microseconds((byMember[$0] ?? 0) - start, unit: unit)) }, unit != nil
      )
    }
    let sorted = members.sorted { NaturalOrder(rows[$0].name) < NaturalOrder(rows[$1].name) }
    let own = sorted.map { byMember[$0] ?? 0 }
    let isRising =
      isNumbered && zip(own, own.dropFirst()).allSatisfy { $0 < $1 }
      && Set(sorted.compactMap { NumberedName(rows[$0].name)?.clip }).count == 1
      && (unit != nil || (own.last ?? 0) - (own.first ?? 0) < 1000 * own.count)
    let order = sorted.enumerated().map { offset, index in
      isRising
        ? (index, microseconds(own[offset] - own[0], unit: unit))
        : (index, microseconds(offset, unit: nil))
    }
    return (order, isRising && unit != nil)
  }

  /// Microseconds of 1 where numbers are Unix times of the years 2001 to 2286, in milliseconds or microseconds.
  private static func unitOfClock(_ numbers: [Int]) -> Double? {
    guard numbers.count > 1 else { return nil }
    let parts = [1000, 1_000_000].first { parts in
      let first = 1_000_000_000 * parts
      return numbers.allSatisfy { (first..<10 * first).contains($0) }
    }
    return parts.map { 1e6 / Double($0) }
  }
}
