internal import FaceCore
internal import Foundation
internal import Platform

extension FrameJoin {
  /// The same frames, where none has a number with those of their names (see `canJoinByNumber`), and counted from the
  /// number `first` where nothing else tells it.
  static func numbered(
    _ given: [Given], from first: Int?, for dataset: DatasetReader
  ) -> [Given] {
    var numbered = given
    if canJoinByNumber(given, to: dataset) {
      let numbers = given.map { NumberedName($0.name)?.number ?? 0 }
      let hasZero = numbers.contains(0)
      for index in given.indices {
        numbered[index].number = numbers[index] - (hasZero ? 0 : 1)
        numbered[index].isPlace = false
        numbered[index].isFirstUnknown = !hasZero
      }
    }
    guard let first else { return numbered }
    for index in numbered.indices where numbered[index].isFirstUnknown {
      numbered[index].number += 1 - first
      numbered[index].isFirstUnknown = false
      numbered[index].isFirstGiven = true
    }
    return numbered
  }

  /// Whether frames without numbers have names numbered as the frames of one clip, and the dataset is one with as many.
  static func canJoinByNumber(_ given: [Given], to dataset: DatasetReader) -> Bool {
    guard dataset.sequences.count == 1, !dataset.hasStillsOnly, given.allSatisfy(\.isPlace) else {
      return false
    }
    return numbersOfClip(given)?.allSatisfy { $0 <= dataset.frameCount } ?? false
  }

  /// The numbers in the names of frames, where they are those of one clip, each once.
  private static func numbersOfClip(_ given: [Given]) -> [Int]? {
    let names = given.compactMap { NumberedName($0.name) }
    guard names.count == given.count, Set(names.map(\.clip)).count == 1,
      Set(names.map(\.number)).count == names.count
    else { return nil }
    return names.map(\.number)
  }

  /// The same frames without times, timed by the numbers in their names, as images that were taken of a clip at a rate are.
  ///
  /// Nil where frames have times, or no such names; throws where nothing tells whether the first image is 0 or 1.
  static func timed(
    _ given: [Given], at rate: Double, from first: Int?, for dataset: DatasetReader
  ) throws(FileError) -> [Given]? {
    guard given.allSatisfy({ $0.isPlace && $0.timestampMicroseconds == 0 && $0.clocks.isEmpty }),
      let numbers = numbersOfClip(given)
    else { return nil }
    guard let first = first ?? [0, 1].first(where: numbers.contains) else {
      throw FileError.wrongData(
        "cannot join by time to \(dataset.url.relativePath): expected an image 0 or 1 to tell the number of the "
          + "first, found numbers from \(numbers.min() ?? 0) to \(numbers.max() ?? 0) (--first-number 0 or 1)"
      )
    }
    var timed = given
    for (index, number) in numbers.enumerated() {
      // Numbers of a clock, such as microseconds since 1970, are far beyond any clip.
      let microseconds = min(Double(number - first) * 1_000_000 / rate, 9e18)
      timed[index].timestampMicroseconds = Int64(microseconds.rounded())
    }
    return timed
  }

  /// Fewer images tell no rate.
  private static let fewestOfRate = 10

  /// What to try where the highest number in the names of images is a whole part of the clip's frames; empty for others.
  static func rateHint(_ given: [Given], for dataset: DatasetReader) -> String {
    guard let clip = dataset.sequences.first, dataset.sequences.count == 1, clip.kind == .video,
      clip.framesPerSecond > 0, let numbers = numbersOfClip(given),
      let first = numbers.min(), let last = numbers.max(), first <= 1
    else { return "" }
    let images = last - first + 1
    let every = Int((Double(clip.count) / Double(images)).rounded())
    guard images >= fewestOfRate, every > 1, abs(clip.count - every * images) < every else {
      return ""
    }
    return "if they are of one frame in \(every): --join time --fps "
      + (clip.framesPerSecond / Double(every)).shortText()
  }
}

extension FrameJoin {
  /// What to try where a join leaves frames out of an output that has a row for each frame of a clip, evenly in time, as a
  /// rate and numbers make them, though the clip lacks frames; nil for others.
  func remarkOnEvenTimes(
    _ given: [Given], of dataset: DatasetReader
  ) throws(FileError) -> String? {
    guard frames.contains(nil), given.count == dataset.frameCount, dataset.sequences.count == 1,
      given.allSatisfy(\.clocks.isEmpty),
      FrameTimes.areEven(given.map(\.timestampMicroseconds)),
      let clip = try dataset.clipThatLacksFrames()
    else { return nil }
    return
      "a row for each of the \(given.count) frames of '\(clip.name)' comes evenly in time, and the "
      + "clip lacks \(clip.missing) frames by its own times: times that were made of numbers and a rate "
      + "are not the clip's (--join number)"
  }

  /// What to try where names join all images but one, and those of the output count from 1 and those of the dataset,
  /// which are as many, from 0, or the other way round; nil for others.
  func remarkOnFirstNumber(
    _ given: [Given], of dataset: DatasetReader
  ) throws(FileError) -> String? {
    let count = dataset.frameCount
    guard given.count == count, frames.count(where: { $0 == nil }) == 1,
      given.allSatisfy(\.isPlace), let own = Self.numbersOfClip(given), let first = own.first,
      [0, 1].contains(first), own == Array(first..<first + count)
    else { return nil }
    let other = 1 - first
    let numbers = try dataset.collectFrames { NumberedName($0.name)?.number ?? -1 }
    guard numbers == Array(other..<other + count) else { return nil }
    return
      "the \(count) images are numbered from \(first), and those of the dataset from \(other): if the first "
      + "of both is the same image, names join each to the next one (--join number)"
  }

  /// What to try where images without numbers of their own are more than the frames of a clip that lacks some: ffmpeg
  /// repeats frames to keep a rate; nil for others.
  func remarkOnRepeatedFrames(
    _ given: [Given], of dataset: DatasetReader
  ) throws(FileError) -> String? {
    guard given.count > dataset.frameCount, given.allSatisfy(\.isPlace),
      let clip = try dataset.clipThatLacksFrames()
    else { return nil }
    return Self.repeatedFrames(of: clip)
  }

  /// That images which ffmpeg wrote of a clip are not numbered as its frames are.
  static func repeatedFrames(of clip: (name: String, missing: Int, rate: Double)) -> String {
    "'\(clip.name)' lacks \(clip.missing) frames by its times: images that ffmpeg wrote of it without "
      + "'-fps_mode passthrough' repeat frames there, and their numbers are none of the clip's (then "
      + "--join time --fps \(clip.rate.plainText))"
  }
}

extension FrameJoin {
  /// Joins by the count within sequences, `shift` frames later.
  ///
  /// Where nothing tells whether the output's first frame is 0 or 1, one numbered like the count of frames does, or it throws.
  /// A sequence that lacks frames of its clip, as the numbers in its names tell, has another count: frames of the output
  /// of the same clip are then joined by the numbers in their names. Throws where an output of other names has more frames.
  static func byNumber(
    _ given: [Given], titles: [String], to dataset: DatasetReader, shift: Int = 0
  ) throws(FileError) -> FrameJoin {
    guard
      !dataset.hasStillsOnly || !given.contains(where: \.isPlace)
        || given.count == dataset.frameCount
    else {
      throw FileError.wrongData(
        "cannot join by number to \(dataset.url.relativePath): expected numbers of its \(dataset.frameCount) images, "
          + "or one frame for each, found \(given.count) without numbers (--join name)")
    }
    let (sequences, how) = try pairs(titles, dataset)
    let frames = try dataset.collectFrames { $0 }
    let owned = Dictionary(grouping: given.indices) { given[$0].sequence }
    var found = [Int?](repeating: nil, count: given.count)
    var (hasGaps, isGuess, isUnknown, isTold) = (false, false, false, shift != 0)
    for (number, range) in sequences.enumerated() {
      let own = owned[number] ?? []
      for index in own {
        let place = given[index].number + shift
        found[index] = (0..<range.count).contains(place) ? range.lowerBound + place : nil
      }
      guard let clip = NumberedClip(frames[range], of: dataset) else {
        if let last = own.map({ given[$0] }).filter(\.isFirstUnknown).map(\.number).max(),
          !range.isEmpty
        {
          isUnknown = true
          isTold = isTold || last == range.count - 1
        }
        continue
      }
      let stated = own.map { clip.number(in: given[$0].name) }
      guard let step = clip.step(to: stated, of: own.map { given[$0] }) else {
        guard own.allSatisfy({ given[$0].number + shift < range.count }) else {
          throw FileError.wrongData(
            "cannot join by number to \(dataset.url.relativePath): expected the names of its frames, "
              + "because it lacks frames of '\(titles[number])' (\(range.count) of "
              + "\(clip.length)), found \(own.count) such as '\(given[own[0]].name)' (--join time)")
        }
        continue
      }
      hasGaps = true
      isGuess = isGuess || step.isGuess
      for (index, stated) in zip(own, stated) {
        found[index] = stated.flatMap { clip.positions[$0 + step.count + shift] }
      }
    }
    guard !isGuess, !isUnknown || isTold else {
      let numbers = given.filter(\.isFirstUnknown).map { $0.number + 1 }
      let hint = rateHint(given, for: dataset)
      throw FileError.wrongData(
        "cannot join by number to \(dataset.url.relativePath): expected a frame 0, or one numbered like the "
          + "count of frames of its clip, to tell whether the first frame is 0 or 1, found numbers from "
          + "\(numbers.min() ?? 1) to \(numbers.max() ?? 1) (--first-number 0 or 1\(hint.isEmpty ? "" : "; " + hint))"
      )
    }
    return FrameJoin(
      found,
      rule: "by number, \(how)"
        + (hasGaps ? ", by the numbers in its frames' names where some are missing" : ""))
  }

  /// Whether the times of an output that lacks frames are those of frames of the clip, of the same one first and then of
  /// others than the numbers tell, as where these count rows.
  func isContradictedByTimes(
    _ given: [Given], titles: [String], of dataset: DatasetReader
  ) throws(FileError) -> Bool {
    guard dataset.sequences.count == 1, titles.count == 1, !dataset.hasStillsOnly,
      given.count < dataset.frameCount, given.count >= 10,
      Set(given.map(\.timestampMicroseconds)).count == given.count,
      let timed = try? Self.byTime(given, titles: titles, to: dataset),
      let first = frames[0], timed.frames[0] == first
    else { return false }
    let times = try dataset.collectFrames { $0.timestampMicroseconds }
    let steps = zip(times.dropFirst(), times).map { $0 - $1 }.sorted()
    let near = steps[steps.count / 2] / 10
    var others = 0
    for (index, frame) in timed.frames.enumerated() {
      guard let frame else { return false }
      let time = given[index].timestampMicroseconds - given[0].timestampMicroseconds
      guard abs(time - (times[frame] - times[first])) <= near else { return false }
      if frames[index] != frame { others += 1 }
    }
    return others * 20 >= given.count
  }

  /// The same join with each frame of the output `count` frames later in its sequence of the dataset.
  ///
  /// Of a sequence of which some frames are missing, frames count by the numbers in their names, or by rows where these
  /// are no counts. Output of a clip without a frame of its own takes part, as it may belong to the next.
  func shifted(
    by count: Int, _ given: [Given], in dataset: DatasetReader
  ) throws(FileError) -> FrameJoin {
    guard count != 0 else { return self }
    let rows = try dataset.collectFrames { $0 }
    let named = given.map { NumberedName($0.name) }
    let left = Dictionary(grouping: frames.indices.filter { frames[$0] == nil }) { named[$0]?.clip }
    let own = Dictionary(grouping: frames.indices) { frames[$0].map { rows[$0].sequence } }
    var later = [Int?](repeating: nil, count: frames.count)
    for (place, sequence) in dataset.sequences.enumerated() {
      let joined = (own[place] ?? []).compactMap { index in
        frames[index].map { (index: index, row: $0 - sequence.first) }
      }
      func move(by numbers: [Int]) -> Bool {
        let positions = Dictionary(zip(numbers, sequence.frames)) { first, _ in first }
        var steps: [String: Set<Int>] = [:]
        for (index, row) in joined {
          later[index] = positions[numbers[row] + count]
          if let name = named[index] {
            steps[name.clip, default: []].insert(numbers[row] - name.number)
          }
        }
        var hasMoved = joined.contains { later[$0.index] != nil }
        for (clip, step) in steps where step.count == 1 {
          for index in left[clip] ?? [] {
            guard let name = named[index], let step = step.first else { continue }
            later[index] = positions[name.number + step + count]
            hasMoved = hasMoved || later[index] != nil
          }
        }
        return hasMoved
      }
      let clip = NumberedClip(rows[sequence.frames], of: dataset)
      if let clip, move(by: clip.numbers) || clip.isMostlySuccessive { continue }
      _ = move(by: Array(0..<sequence.count))
    }
    return FrameJoin(
      later, rule: "\(rule), \(abs(count)) frames \(count > 0 ? "later" : "earlier")",
      between: between)
  }
}
