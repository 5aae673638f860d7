internal import Datasets
internal import FaceCore
internal import Platform
package import Records

/// Predictions and labels that are frames apart: a constant shift, a clock of another rate, rows numbered anew after losses.
package enum TimeShiftCheck: FindingCheck {
  static let shift = "time.shift"
  private static let renumbered = "time.renumbered"
  static let rate = "time.rate"

  package static let names = [shift, renumbered, rate]

  /// Videos of fewer frames are looked at together.
  private static let short = 2 * TimeEvidence.fewest

  /// One video, or the short ones, with what explains it.
  private struct Video {
    let evidence: TimeEvidence
    let verdict: TimeEvidence.Verdict?

    var shift: Int? { verdict?.explanation.shift }

    /// Whether one of several videos is told of though the others are right.
    var isClear: Bool {
      verdict.map { $0.after <= $0.before / 5 && $0.frames >= 2 * TimeEvidence.fewest } ?? false
    }
  }

  package static func findings(in sample: JoinedSample) -> [Finding] {
    var runs: [Int: [Range<Int>]] = [:]
    for run in sample.runs where run.count > 1 {
      runs[sample.frames[run.lowerBound].frame.sequence, default: []].append(run)
    }
    let groups = runs.sorted { $0.key < $1.key }.map(\.value)
    func isShort(_ runs: [Range<Int>]) -> Bool { runs.reduce(0) { $0 + $1.count } < short }
    let together = groups.filter(isShort).flatMap { $0 }
    let videos = (groups.filter { !isShort($0) } + (together.isEmpty ? [] : [together]))
      .compactMap { runs -> Video? in
        let evidence = TimeEvidence(sample, runs: runs)
        guard evidence.isMoving else { return nil }
        let verdict = evidence.verdict().flatMap {
          TimeEvidence.refined($0, in: sample, runs: runs)
        }
        return Video(evidence: evidence, verdict: verdict)
      }
    if let common = commonShift(of: videos) {
      return [finding(shift, common, of: common.count, in: sample)]
    }
    return names.compactMap { name in
      let found = videos.filter { video in video.verdict.map { Self.name($0) == name } ?? false }
      let told = isMost(found, of: videos) ? found : found.filter(\.isClear)
      return told.isEmpty ? nil : finding(name, told, of: videos.count, in: sample)
    }
  }

  private static func isMost(_ some: [Video], of videos: [Video]) -> Bool {
    func frames(_ videos: [Video]) -> Int { videos.reduce(0) { $0 + $1.evidence.frames.count } }
    return 2 * frames(some) >= frames(videos)
  }

  /// Videos that are shifted by the same, to a frame, where it suits most others too, which move too little to tell.
  ///
  /// Those that have the median of the shifts, the smaller of two, tell it.
  private static func commonShift(of videos: [Video]) -> [Video]? {
    let shifts = videos.compactMap(\.shift).sorted { abs($0) < abs($1) }
    guard shifts.count >= TimeLimits.common, let most = shifts.last,
      shifts.allSatisfy({ abs($0 - shifts[0]) <= 1 }), most * shifts[0] > 0
    else { return nil }
    let median = shifts[(shifts.count - 1) / 2]
    let others = videos.filter { $0.shift == nil }
    guard isMost(others.filter { !$0.evidence.contradicts(median) }, of: others) else { return nil }
    return videos.filter { $0.shift == median }
  }

  /// Whether all come late, by no more time than smoothing costs.
  private static func isOwnLag(_ videos: [Video]) -> Bool {
    videos.allSatisfy { video in
      guard let frames = video.shift, let interval = video.evidence.interval else { return false }
      return frames > 0 && interval >= TimeLimits.shortestInterval
        && Double(frames) * interval <= TimeLimits.ownLag
    }
  }

  private static func name(_ verdict: TimeEvidence.Verdict) -> String {
    switch verdict.explanation {
    case .shift: shift
    case .rate: rate
    case .steps: renumbered
    }
  }

  private static func finding(
    _ name: String, _ videos: [Video], of all: Int, in sample: JoinedSample
  ) -> Finding {
    let verdicts = videos.compactMap(\.verdict)
    let frames = verdicts.reduce(0) { $0 + $1.frames }
    let isShare = verdicts.contains(where: \.isShare)
    let compared = verdicts.filter { $0.isShare == isShare }
    func pooled(_ value: KeyPath<TimeEvidence.Verdict, Double>) -> Double {
      let n = compared.reduce(0) { $0 + $1.frames }
      if isShare {
        return compared.reduce(0) { $0 + Double($1.frames) * $1[keyPath: value] } / Double(n)
      }
      return
        (compared.reduce(0) {
          $0 + Double($1.frames) * $1[keyPath: value] * $1[keyPath: value]
        } / Double(n)).squareRoot()
    }
    let isLag = name == shift && isOwnLag(videos)
    let (summary, remedy) = words(name, videos, of: all, isLag: isLag, in: sample)
    let worst = videos.prefix(5).flatMap { $0.evidence.worst(videos.count == 1 ? 5 : 1) }
    return Finding(
      name, isLag ? .note : .suspect, summary,
      statistic: isShare
        ? "share of labelled faces missed, of those found at IoU .50 as things are or with the remedy"
        : "root mean square difference of predicted and labelled motion",
      before: pooled(\.before), after: pooled(\.after), n: frames, remedy: remedy,
      frames: sample.named(worst))
  }

  private static func words(
    _ name: String, _ videos: [Video], of all: Int, isLag: Bool, in sample: JoinedSample
  ) -> (summary: String, remedy: String) {
    let of = videos.count == all ? "" : " in some videos"
    switch name {
    case shift:
      let shifts = videos.compactMap { video -> (shift: Int, name: String)? in
        guard let shift = video.shift else { return nil }
        let frames = video.evidence.frames.map { sample.frames[$0].frame }
        let run = frames.enumerated().prefix { $1.index == frames[0].index + $0 }.map(\.element)
        return (shift * NumberedClip.framesPerRow(of: run), frames[0].name)
      }
      let values = Array(Set(shifts.map(\.shift))).sorted()
      let told = values.prefix(3).map { late($0) }.joined(separator: ", ")
      let rest = values.count > 3 ? " and others" : ""
      if values.count == 1 {
        let names = shifts.prefix(5).map(\.name).joined(separator: ", ")
        return (
          "Predictions come \(told)\(of): moved back, they agree with the labels.",
          (of.isEmpty
            ? "Import the predictions again with \(offset(values[0]))."
            : "Import the predictions of these videos alone again with \(offset(values[0])): of \(names)"
              + (shifts.count > 5 ? ", and so on." : ".")) + ownLag(values, isLag: isLag)
        )
      }
      let each = shifts.prefix(5).map { "\(offset($0.shift)) for the video of \($0.name)" }
      return (
        "Predictions come \(told)\(rest)\(of), by a constant in each video.",
        "Import the predictions of each video again with its own offset: "
          + each.joined(separator: ", ") + (shifts.count > 5 ? ", and so on." : ".")
          + ownLag(values, isLag: isLag)
      )
    case rate:
      let rates = videos.compactMap(\.verdict?.explanation.rate)
      let interval = videos.compactMap(\.evidence.interval).first
      let hertz = interval.map { usual(rates[0] * 1e6 / $0) }
      let ofLabels = interval.map { usual(1e6 / $0 / rates[0]) }
      let steps = interval.map {
        " (\((rates[0] * $0 / 1000).shortText()) ms for \(($0 / 1000).shortText()) ms)"
      }
      return (
        "The predictions' clock is not that of the labels\(of): predicted frames stand "
          + "\(short(rates[0])) times as far apart\(steps ?? "").",
        "Import the predictions again with --join time and the predictions' own rate: --fps "
          + "\(hertz ?? "RATE") where they were joined by number, else \(short(rates[0])) times the one given "
          + "before. Where the predictions have times of their own, write them \(short(1 / rates[0])) times "
          + "as long, or use --join number if every frame has a row. If it is the labels that count frames at "
          + "another rate, as label tools may, import them again with --video, --join time and --fps "
          + "\(ofLabels ?? "RATE")."
      )
    default:
      let last = videos.compactMap(\.verdict?.explanation.lastStep)
      let most = last.max { abs($0) < abs($1) } ?? 0
      return (
        "Predictions come further and further \(most < 0 ? "early" : "late")\(of), in steps up to \(abs(most)) frames, as rows "
          + "do that are numbered anew after lost frames.",
        most < 0
          ? "Number the predictions as the video's frames are, lost frames counted, and import them again."
          : "Number the labels as the video's frames are, lost frames counted, and import both again."
      )
    }
  }

  private static func late(_ shift: Int) -> String {
    "\(abs(shift)) frame\(abs(shift) == 1 ? "" : "s") \(shift > 0 ? "late" : "early")"
  }

  /// What else makes predictions late, or labels by a frame, and is no fault of the files.
  private static func ownLag(_ shifts: [Int], isLag: Bool) -> String {
    if shifts.allSatisfy({ $0 == -1 }) {
      return " Where the labels themselves are late, as smoothed ones are, this is their lag: then "
        + "--accept \(shift)."
    }
    return shifts.contains { $0 < 0 }
      ? ""
      : " Where the tracker itself answers late, by smoothing or a queue, this is its lag: then "
        + (isLag ? "nothing is wrong." : "--accept \(shift).")
  }

  private static func offset(_ shift: Int) -> String { "--offset \(-shift)f" }

  /// A rate as it is written, the usual one where it is within one in two thousand.
  private static func usual(_ hertz: Double) -> String {
    let nearest = TimeLimits.usualRates.min { abs($0 - hertz) < abs($1 - hertz) } ?? hertz
    return short(abs(nearest / hertz - 1) < 5e-4 ? nearest : hertz)
  }

  private static func short(_ value: Double) -> String {
    let rounded = (value * 1000).rounded() / 1000
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }
}
