internal import FaceCore
internal import Foundation
internal import Platform

/// Maps the frames of a tracker's output to frames of a dataset.
struct FrameJoin {
  /// Description of one frame of the output.
  struct Given {
    var name: String
    /// The file of its image, whose folders tell frames of one name apart; nil for none.
    var image: URL?
    /// Position of its sequence in the output.
    var sequence: Int
    /// Count within its sequence, from 0.
    var number: Int
    /// Whether `number` is its place in the output, which numbers no frame.
    var isPlace = false
    /// Whether `number` takes 1 for the first frame and nothing has told so.
    var isFirstUnknown = false
    /// Whether nothing had told so, and the user did.
    var isFirstGiven = false
    var timestampMicroseconds: Int64
    /// Seconds on clocks that outlast the recording, by the name of the frame's attribute.
    var clocks: [String: Double] = [:]
  }

  /// Attributes of frames that tell the time on a clock that does not begin with the recording.
  static let clockNames = ["sessionSeconds", timecode]
  private static let timecode = "timecodeSeconds"

  /// The readings of such clocks among a frame's attributes; those that are no time in seconds count as unknown.
  static func clocks(of context: FrameContext) -> [String: Double] {
    context.attributes.filter {
      clockNames.contains($0.key) && FrameTimes.microseconds(ofSeconds: $0.value) != nil
    }
  }

  /// The dataset's frame for each given frame; nil if it has none.
  let frames: [Int?]
  /// The rule that was applied, for messages.
  let rule: String
  /// Given frames without one because another is nearer in time to theirs.
  let between: Set<Int>

  /// Whether the given frames have the first frames of the dataset.
  var isOfFirstFrames: Bool { (frames.compactMap(\.self).max() ?? 0) <= frames.count }

  init(_ frames: [Int?], rule: String, between: Set<Int> = []) {
    self.frames = frames
    self.rule = rule
    self.between = between
  }

  /// Joins by name: the whole name, with an extension that the dataset's lacks, without extension, without first
  /// folders too, or the last part alone.
  ///
  /// The rule that matches most frames is used. If two frames of the dataset then share a name that the output uses, the
  /// paths of the output's images tell which is meant; throws where they don't.
  static func byName(_ given: [Given], to dataset: DatasetReader) throws(FileError) -> FrameJoin {
    // The slashes of Windows tell folders apart on either side.
    func plain(_ name: String) -> String { name.replacing("\\", with: "/") }
    let names = try dataset.collectFrames { plain($0.name) }
    func bare(_ name: String) -> String { PathText(name).withoutSuffix }
    let readings: [(rule: String, key: (String) -> String, given: (String) -> [String])] = [
      ("by whole names", { $0 }, { [$0] }),
      ("by names and an extension", { $0 }, { [bare($0)] }),
      ("by names without extension", bare, { [bare($0)] }),
      (
        "by names without extension and first folders", bare,
        { name in
          let parts = PathText(bare(name)).components
          return parts.indices.map { parts[$0...].joined(separator: "/") }
        }
      ),
      (
        "by the last part of names without extension", { PathText($0).stem },
        { [PathText($0).stem] }
      ),
    ]
    var best = FrameJoin(given.map { _ in nil }, rule: "by names")
    var double: String?
    for (rule, key, givenKeys) in readings {
      var positions: [String: Int] = [:]
      var doubles: Set<String> = []
      for (index, name) in names.enumerated()
      where positions.updateValue(index, forKey: key(name)) != nil {
        doubles.insert(key(name))
      }
      let keys = given.map { one in givenKeys(plain(one.name)).first { positions[$0] != nil } }
      let join = FrameJoin(keys.map { $0.flatMap { positions[$0] } }, rule: rule)
      guard join.foundCount > best.foundCount else { continue }
      best = join
      double = keys.lazy.compactMap(\.self).first(where: doubles.contains)
    }
    guard double == nil else {
      if given.allSatisfy({ $0.image != nil }) {
        let placed = given.map { one in
          Given(
            name: one.image?.path ?? one.name, sequence: one.sequence, number: one.number,
            timestampMicroseconds: one.timestampMicroseconds)
        }
        // Images at one place are those of several folders, whose names were left out.
        if let join = try? byName(placed, to: dataset),
          Set(join.frames.compactMap(\.self)).count == join.foundCount
        {
          return FrameJoin(
            join.frames, rule: "by the folders of their images, as names are there more than once")
        }
      }
      throw FileError.wrongData(
        "cannot join \(best.rule) to \(dataset.url.relativePath): expected one frame named "
          + "'\(double ?? "")', found more "
          + "(\(dataset.hasStillsOnly ? "write names with their folders" : "--join number or time"))"
      )
    }
    return best
  }

  /// Number of frames that have a counterpart.
  private var foundCount: Int { frames.count { $0 != nil } }

  /// Joins each frame of the dataset to those given ones of its sequence that are nearest in time, at most half a usual
  /// step away; given frames of one time stay together.
  ///
  /// Times are those of a clock that both sides tell, such as ARKit's session, or with `countsFromZero` of the video. Else
  /// they are those of the dataset where they begin after its first frame and end within it, or cover a part of a clip
  /// that begins later; others count from the first frame of either side. Throws where they begin so late in it that a
  /// clock of their own is as likely, unless an offset is given, or `isOfClip` tells that times are the clip's. `offset` in
  /// microseconds is added to the times of the output.
  static func byTime(
    _ given: [Given], titles: [String], to dataset: DatasetReader, offset: Int64 = 0,
    countsFromZero: Bool = false, isOffsetGiven: Bool = false, isOfClip: Bool = false
  ) throws(FileError) -> FrameJoin {
    let told = given.map(\.timestampMicroseconds)
    guard
      given.count <= 1 || told.min() != told.max() || given.contains(where: { !$0.clocks.isEmpty })
    else {
      throw FileError.wrongData(
        "cannot join by time to \(dataset.url.relativePath): expected times, found none (--join name or number, or "
          + "the rate of numbered images, --fps)"
      )
    }
    let (sequences, how) = try pairs(titles, dataset)
    var times = try dataset.collectFrames { $0.timestampMicroseconds }
    var given = given
    let clock = try sharedClock(given, dataset)
    if let (name, own) = clock {
      func microseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1_000_000).rounded()) }
      times = own.map(microseconds)
      for index in given.indices {
        given[index].timestampMicroseconds = microseconds(given[index].clocks[name] ?? 0)
      }
    }
    /// The time from one reading to another; those of a timecode begin again at midnight.
    func elapsed(from origin: Int64, to time: Int64) -> Int64 {
      let day: Int64 = 86_400_000_000
      guard clock?.name == timecode else { return time - origin }
      let rest = (time - origin) % day
      return abs(rest) <= day / 2 ? rest : rest - day * rest.signum()
    }
    var frames = [Int?](repeating: nil, count: given.count)
    var between: Set<Int> = []
    var onClock = 0
    let owned = Dictionary(grouping: given.indices) { given[$0].sequence }
    for (number, range) in sequences.enumerated() {
      let own = owned[number] ?? []
      guard let first = own.map({ given[$0].timestampMicroseconds }).min(), !range.isEmpty else {
        continue
      }
      let axis = range.map { elapsed(from: times[range.lowerBound], to: times[$0]) }
      // Readings of a clock need not rise.
      let order = axis.indices.sorted { (axis[$0], $0) < (axis[$1], $1) }
      let rising = order.map { axis[$0] }
      let reach = (zip(rising, rising.dropFirst()).map { $1 - $0 }.upperMedian ?? 0) / 2
      if clock == nil, let unit = otherUnit(of: own.map { told[$0] }, step: 2 * reach, axis) {
        throw FileError.wrongData(
          "cannot join by time to \(dataset.url.relativePath): expected times in seconds of a clip of "
            + "\((Double(axis.last ?? 0) / 1e6).shortText()) s, found them up to "
            + "\((Double(own.map { told[$0] }.max() ?? 0) / 1e6).shortText()) s, as those in \(unit) (of a CSV: "
            + "time-unit=\(unit) in --columns)")
      }
      // Times that begin later than a frame and end within the clip are the clip's, where frames without a face are left
      // out before the first, or those of a clock that began before the clip did.
      let start = clock == nil && countsFromZero ? 0 : times[range.lowerBound]
      let last = own.map { given[$0].timestampMicroseconds }.max() ?? first
      let isWithin =
        clock == nil && !countsFromZero && first > start + reach
        && last <= start + (axis.last ?? 0) + reach
      guard !isWithin || isOffsetGiven || isOfClip || first - start <= 2 * reach * Self.mostLeftOut
      else {
        let seconds = Double(first - start) / 1e6
        throw FileError.wrongData(
          "cannot join by time to \(dataset.url.relativePath): expected a first time near that of the clip, or an "
            + "offset, found one \(seconds.shortText()) s later (--offset 0s if times are the clip's, --offset "
            + "-\(seconds.plainText)s if both begin together)")
      }
      // The dataset is a later part of a clip whose output is there.
      let isPart =
        clock == nil && start > 0 && first <= start && last + reach >= start + (axis.last ?? 0)
      let isOnClock = clock != nil || countsFromZero || isOfClip || isWithin || isPart
      onClock += isOnClock ? 1 : 0
      let origin = isOnClock ? start : first
      /// Where each given frame lies on the axis, and of each place the distance and time of the nearest ones.
      var places: [(index: Int, near: Int, time: Int64)] = []
      var nearest: [Int: (distance: Int64, time: Int64)] = [:]
      for index in own {
        let time = elapsed(from: origin, to: given[index].timestampMicroseconds + offset)
        let low = max(0, rising.partitioned { $0 > time } - 1)
        let next = min(low + 1, axis.count - 1)
        let isLater = rising[next] - time < abs(rising[low] - time)
        let near = order[isLater ? next : low]
        let distance = abs(axis[near] - time)
        places.append((index, near, time))
        guard distance <= reach else { continue }
        let best = nearest[near] ?? (distance, time)
        nearest[near] = (distance, time) < best ? (distance, time) : best
      }
      for (index, near, time) in places {
        guard let best = nearest[near] else { continue }
        if time == best.time {
          frames[index] = range.lowerBound + near
        } else {
          between.insert(index)
        }
      }
    }
    let origin =
      clock.map { "on the clock \($0.name)" }
      ?? (countsFromZero
        ? "in the video"
        : onClock == 0
          ? "from the first frames on"
          : onClock == titles.count ? "of the clips" : "of the clips or from the first frames on")
    return FrameJoin(frames, rule: "by time \(origin), \(how)", between: between)
  }

  /// The unit of times that were taken as seconds: their usual step is that of the clip in it, and they go far beyond the clip.
  private static func otherUnit(of times: [Int64], step: Int64, _ axis: [Int64]) -> String? {
    let sorted = times.sorted()
    let steps = zip(sorted, sorted.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }.sorted()
    guard steps.count >= 10, step > 0, let first = sorted.first, let last = sorted.last,
      last - first > 10 * (axis.last ?? 0)
    else { return nil }
    let ratio = Double(steps[steps.count / 2]) / Double(step)
    let units = [("ms", 1e3), ("us", 1e6), ("ns", 1e9)]
    return units.first { ratio > $0.1 / 3 && ratio < $0.1 * 30 }?.0
  }

  /// A clock that every frame of both sides tells, with its seconds at each frame of the dataset; nil for none.
  private static func sharedClock(
    _ given: [Given], _ dataset: DatasetReader
  ) throws(FileError) -> (name: String, seconds: [Double])? {
    for name in clockNames where dataset.contextNames.tables.contains(name) {
      guard !given.isEmpty, given.allSatisfy({ $0.clocks[name] != nil }) else { continue }
      var seconds: [Double] = []
      for start in stride(from: 0, to: dataset.frameCount, by: 4096) {
        seconds += try dataset.contexts(start..<min(start + 4096, dataset.frameCount)).compactMap {
          clocks(of: $0)[name]
        }
      }
      if seconds.count == dataset.frameCount { return (name, seconds) }
    }
    return nil
  }

  /// More frames than this are not taken to be left out before the first: it is the largest shift that checks look for.
  private static let mostLeftOut: Int64 = 30

  /// The frames of the dataset's sequence that belong to each sequence of the output.
  static func pairs(
    _ titles: [String], _ dataset: DatasetReader
  ) throws(FileError) -> (frames: [Range<Int>], how: String) {
    let all = 0..<dataset.frameCount
    let own =
      dataset.hasStillsOnly
      ? [] : dataset.sequences.map { ($0.name, $0.first..<$0.first + $0.count) }
    if titles.count == 1, own.count <= 1 { return ([own.first?.1 ?? all], "one sequence") }
    func whole(_ name: String) -> String { PathText(name).withoutSuffix }
    func plain(_ name: String) -> String { PathText(whole(name)).name }
    // What exports name after a sequence has dashes for its folders.
    func flat(_ name: String) -> String { whole(name).replacing("/", with: "-") }
    // Folders distinguish sequences if both sides have them.
    let key =
      [whole, flat].first { key in
        let known = Set(own.map { key($0.0) })
        return titles.allSatisfy { known.contains(key($0)) }
      } ?? plain
    func list(_ names: [String]) -> String {
      names.map { "'\($0)'" }.listed(atMost: 3)
    }
    func wrong(_ expected: String, found: String) -> FileError {
      FileError.wrongData(
        "cannot join sequences to \(dataset.url.relativePath): expected \(expected), found \(found)"
      )
    }
    let named = Dictionary(grouping: own) { key($0.0) }
    var seen: Set<String> = []
    for title in titles {
      guard seen.insert(key(title)).inserted else {
        throw wrong(
          "each sequence under a name of its own", found: "'\(key(title))' twice in the sources")
      }
      if let several = named[key(title)], several.count > 1 {
        throw wrong("one sequence named '\(key(title))'", found: list(several.map(\.0)))
      }
    }
    guard own.isEmpty || titles.contains(where: { named[key($0)] != nil }) else {
      throw wrong("a sequence named \(list(own.map(\.0)))", found: list(titles))
    }
    let frames = titles.map { named[key($0)]?[0].1 ?? 0..<0 }
    return (frames, "sequences by name")
  }
}

extension DatasetReader {
  /// Whether no frame is part of a video.
  var hasStillsOnly: Bool { sequences.allSatisfy { $0.kind == .still } }

  /// One value per frame, read in parts.
  func collectFrames<T>(_ value: (Frame) -> T) throws(FileError) -> [T] {
    var values: [T] = []
    values.reserveCapacity(frameCount)
    for start in stride(from: 0, to: frameCount, by: 4096) {
      values += try frames(start..<min(start + 4096, frameCount)).map(value)
    }
    return values
  }
}
