internal import FaceCore
internal import Metrics

/// What the frames of a video, or of several short ones, say of the time between labels and predictions.
struct TimeEvidence {
  /// What time error explains the frames of a video.
  enum Explanation: Hashable {
    /// Predictions come so many frames late, or early if negative.
    case shift(Int)
    /// The shift grows from frame to frame: predicted frames are so many times as far apart as those of the labels.
    case rate(Double)
    /// The shift grows in steps, to so many frames.
    case steps(Int)

    /// The frames of a constant shift.
    var shift: Int? { if case .shift(let shift) = self { shift } else { nil } }
    /// The rate of a clock of another rate.
    var rate: Double? { if case .rate(let rate) = self { rate } else { nil } }
    /// The last shift of those that grow in steps.
    var lastStep: Int? { if case .steps(let last) = self { last } else { nil } }
  }

  /// An explanation with the errors as things are and with it.
  struct Verdict {
    var explanation: Explanation
    /// Root mean square of how far predicted motion is from labelled motion; `isShare` tells the unit.
    var before, after: Double
    var frames: Int
    /// Whether the two values are shares of faces missed, not distances.
    var isShare = false
  }

  /// How far predicted motion is from labelled motion on some frames.
  struct Fit {
    /// Root mean square of the difference; of coefficients but for a factor of each, the tracker's own.
    var value: Double
    /// The same with such factors.
    var plain: Double
    var frames: Int
    /// Root mean square of each motion about its mean.
    var labelled, given: Double

    /// Whether predictions move there as the labels do.
    var isFollowed: Bool {
      value <= TimeLimits.shareOfMotion * labelled && given >= TimeLimits.leastMotion * labelled
    }
  }

  /// Largest shift tried of rows that are numbered anew: a second at 30 Hz.
  private static let range = 30
  /// Most rows that are missing in one stretch and looked for as a shift.
  private static let mostMissing = 120
  /// Fewest frames with motion that say something.
  static let fewest = 30
  /// Fewest of them of one person in one video.
  private static let fewestOfPerson = 10
  /// Fewest frames that fall on one of a clock of another rate: the others fall between two.
  private static let fewestOfRate = 20
  /// So few persons are looked at, those with the most frames.
  private static let persons = 16

  /// Positions in the sample of the frames.
  let frames: [Int]
  /// The frames' positions in their video, from that of the first one that is looked at.
  private let places: [Int]
  /// Where the clock starts, as such a position; nil where that is not known.
  private let start: Int?
  /// Microseconds from frame to frame; nil without times.
  let interval: Double?
  /// Moving signals of each person.
  private let signals: [MotionPath.Signals]
  private let overlaps: OverlapShift
  /// Largest shift that the longest run allows.
  private let range: Int
  /// The same of shifts that grow in steps.
  private let rangeOfSteps: Int
  private let isOneVideo: Bool

  /// Who a label is: by identity, or alone in the frames of a video.
  private struct Person: Hashable {
    var sequence: Int
    var identity: Int?
  }

  /// Reads runs of one video, or of several whose clocks are not compared.
  init(_ sample: JoinedSample, runs: [Range<Int>]) {
    frames = runs.flatMap { Array($0) }
    let first = sample.frames[frames[0]].frame
    places = frames.map { sample.frames[$0].frame.index - first.index }
    let steps = runs.flatMap { run in
      zip(run.dropFirst(), run).map {
        sample.frames[$0].frame.timestampMicroseconds
          - sample.frames[$1].frame.timestampMicroseconds
      }
    }.sorted()
    let step = steps.isEmpty ? 0 : Double(steps[(steps.count - 1) / 2])
    interval = step > 0 ? step : nil
    // Rows that are missing at one end and numbered from the other are moved by as many frames; the least error of a
    // shift is not told at the end of the range.
    let missing = sample.missing.map(\.count).max() ?? 0
    let widest =
      TimeLimits.rest + (missing <= Self.mostMissing ? max(Self.range, missing) : Self.range)
    let half = (runs.map(\.count).max() ?? 0) / 2
    (range, rangeOfSteps) = (min(widest, half), min(Self.range, half))
    isOneVideo = runs.allSatisfy {
      sample.frames[$0.lowerBound].frame.sequence == first.sequence
    }
    start =
      sample.isWhole
      ? 0 : interval.map { -Int((Double(first.timestampMicroseconds) / $0).rounded()) }
    signals = Self.paths(sample, frames).flatMap {
      $0.signals(inAtLeast: Self.fewestOfPerson).filter(\.isMoving)
    }
    overlaps = OverlapShift(sample, runs: runs, range: widest)
  }

  /// The persons with the most frames, by identity, or alone in their frames; of a single one also what was predicted of
  /// frames that are not labelled.
  private static func paths(_ sample: JoinedSample, _ frames: [Int]) -> [MotionPath] {
    var pairs: [Int: [JoinedSample.Pair]] = [:]
    for pair in sample.pairs { pairs[pair.frame, default: []].append(pair) }
    func person(_ label: Int, _ joined: JoinedFrame) -> Person? {
      let identity = joined.labels[label].identity
      return identity == nil && joined.labels.count > 1
        ? nil : Person(sequence: joined.frame.sequence, identity: identity)
    }
    var counts: [Person: (frames: Int, order: Int)] = [:]
    for frame in frames {
      let joined = sample.frames[frame]
      for label in joined.labels.indices {
        if let person = person(label, joined) {
          let known = counts[person] ?? (0, counts.count)
          counts[person] = (known.frames + 1, known.order)
        }
      }
    }
    let chosen = counts.sorted {
      ($1.value.frames, $0.value.order) < ($0.value.frames, $1.value.order)
    }
    .prefix(persons).map(\.key)
    var followed = [[FollowedFace]](repeating: [], count: chosen.count)
    for frame in frames {
      let joined = sample.frames[frame]
      let faces = joined.prediction.faces
      let hasInner = faces.haveInnerPoints
      let isOfOne = chosen.count == 1 && chosen[0].sequence == joined.frame.sequence
      let lone = isOfOne && joined.isUnlabelled && faces.count == 1 ? faces.first : nil
      for (index, one) in chosen.enumerated() {
        let label = joined.labels.indices.first { person($0, joined) == one }
        let face = label.flatMap { label in pairs[frame]?.first { $0.label == label }?.face }
        followed[index].append(
          FollowedFace(
            label: label.map { FaceMotion(joined.labels[$0], hasInner: hasInner) },
            face: face.map { faces[$0] } ?? lone))
      }
    }
    return followed.map { MotionPath($0) }
  }

  /// Whether anything moves.
  var isMoving: Bool { !signals.isEmpty || overlaps.isMoving }

  /// The frame of a place, if it is looked at.
  private func frame(at place: Int, near guess: Int) -> Int? {
    if places.indices.contains(guess), places[guess] == place { return guess }
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low < places.count && places[low] == place ? low : nil
  }

  /// The error of a kind where the prediction of each frame is looked up in another one; nil on too few frames.
  ///
  /// With `back`, predictions are left out that have no label so many frames before them.
  private func error(
    of kind: FaceMotion.Kind, back: Int? = nil, fewest: Int = Self.fewest,
    _ other: (Int) -> Int?
  ) -> Fit? {
    let others = frames.indices.map(other)
    let own = back.map { back in
      frames.indices.map { frame(at: places[$0] - back, near: $0 - back) }
    }
    var (squares, plain, motion, predicted) = (0.0, 0.0, 0.0, 0.0)
    var (samples, count) = (0, 0)
    for signals in signals where signals.kind == kind {
      var seen = 0
      for (labelled, given) in zip(signals.labelled, signals.given) {
        var moments = PairMoments()
        for (frame, other) in others.enumerated() {
          guard let other else { continue }
          if let own, own[other].map({ labelled[$0].isNaN }) ?? true { continue }
          let (label, face) = (labelled[frame] / signals.scale, given[other] / signals.scale)
          guard !(face - label).isNaN else { continue }
          moments.add(label, face)
        }
        guard moments.count > 1 else { continue }
        let difference = moments.difference.squares(moments.count)
        plain += difference
        squares += kind == .coefficients ? moments.rest : difference
        motion += moments.labelled.squares(moments.count)
        predicted += moments.given.squares(moments.count)
        samples += moments.count
        seen = max(seen, moments.count)
      }
      count += seen
    }
    guard count >= fewest else { return nil }
    func root(_ sum: Double) -> Double { (sum / Double(samples)).squareRoot() }
    return Fit(
      value: root(squares), plain: root(plain), frames: count, labelled: root(motion),
      given: root(predicted))
  }

  /// How much of the difference as things are comes and goes from frame to frame: 1 for noise, near 0 for motion.
  private func roughness(of kind: FaceMotion.Kind) -> Double {
    var (steps, squares) = (0.0, 0.0)
    for signals in signals where signals.kind == kind {
      for (labelled, given) in zip(signals.labelled, signals.given) {
        let known = zip(labelled, given).map { ($1 - $0) / signals.scale }.filter { !$0.isNaN }
        let mean = known.isEmpty ? 0 : known.reduce(0, +) / Double(known.count)
        for (before, now) in zip(known, known.dropFirst()) {
          steps += (now - before) * (now - before) / 2
          squares += (now - mean) * (now - mean)
        }
      }
    }
    return squares > 0 ? steps / squares : 1
  }

  func error(of kind: FaceMotion.Kind, shifted shift: Int, back: Int? = nil) -> Fit? {
    error(of: kind, back: back) { frame(at: places[$0] + shift, near: $0 + shift) }
  }

  private func error(of kind: FaceMotion.Kind, rate: Double) -> Fit? {
    guard let start else { return nil }
    return error(of: kind, fewest: Self.fewestOfRate) { index in
      let place = Double(places[index] - start) * rate
      guard abs(place - place.rounded()) < 0.26 else { return nil }
      return frame(at: start + Int(place.rounded()), near: index)
    }
  }

  /// What explains the frames much better than that nothing is wrong; nil if nothing does.
  func verdict() -> Verdict? {
    let kinds = FaceMotion.Kind.allCases.filter { kind in signals.contains { $0.kind == kind } }
    for kind in kinds {
      guard let verdict = verdict(by: kind) else { continue }
      let isContradicted = kinds.contains { other in
        other != kind && loss(of: other, with: verdict.explanation) ?? 0 > 0
      }
      if !isContradicted { return verdict }
    }
    guard let found = overlaps.verdict() else { return nil }
    // Persons are followed by pairs without a shift, so that their boxes say too little of one.
    let isContradicted = kinds.contains { kind in
      kind != .box && loss(of: kind, with: found.explanation) ?? 0 > 0
    }
    return isContradicted ? nil : found
  }

  /// Whether motion of every kind is farther off with a shift; false where none can be compared.
  func contradicts(_ shift: Int) -> Bool {
    let losses = FaceMotion.Kind.allCases.compactMap { loss(of: $0, with: .shift(shift)) }
    return !losses.isEmpty && losses.allSatisfy { $0 > 0 }
  }

  /// How much farther off motion of a kind is with an explanation; nil where that cannot be compared.
  private func loss(of kind: FaceMotion.Kind, with explanation: Explanation) -> Double? {
    guard let now = error(of: kind, shifted: 0), let then = error(of: kind, explanation) else {
      return nil
    }
    return then - now.value
  }

  private func error(of kind: FaceMotion.Kind, _ explanation: Explanation) -> Double? {
    switch explanation {
    case .shift(let shift): error(of: kind, shifted: shift)?.value
    case .rate(let rate): error(of: kind, rate: rate)?.value
    case .steps: nil
    }
  }

  private func verdict(by kind: FaceMotion.Kind) -> Verdict? {
    guard let now = error(of: kind, shifted: 0), now.value > 0 else { return nil }
    let limit = now.value * TimeLimits.share
    var best: Verdict?
    func take(_ explanation: Explanation, _ error: Double, _ frames: Int, factor: Double) {
      guard error <= limit, error <= (best?.after ?? .infinity) * factor else { return }
      best = Verdict(
        explanation: explanation, before: now.value, after: error, frames: frames)
    }
    let span = (places.last ?? 0) + 1
    let curve = (-range...range).map { shift in
      error(of: kind, shifted: shift).flatMap { 2 * $0.frames >= now.frames ? $0 : nil }
    }
    let shift = Self.shift(curve.map { $0?.value }) { best in
      // Those that lie beyond the video's ends with the shift belong to other frames, or to another video. Where some
      // frames alone are labelled, those next to them have no label to tell it by.
      (-1...1).map { step in
        (error(of: kind, shifted: best + step, back: best) ?? curve[range + best + step])?.value
      }
    }
    if let shift, let least = curve[shift.best + range],
      least.value <= now.value * TimeLimits.shareOfShift, least.isFollowed,
      let found = curve[shift.whole + range], found.value <= now.value * TimeLimits.shareOfWhole
    {
      best = Verdict(
        explanation: .shift(shift.whole), before: now.value, after: found.value,
        frames: found.frames)
    }
    guard isOneVideo, best.map({ $0.after > now.value * TimeLimits.exact }) ?? true,
      roughness(of: kind) < TimeLimits.rough
    else { return best }
    for rate in TimeLimits.rates where abs(rate - 1) * Double(span) >= TimeLimits.drift {
      guard let found = error(of: kind, rate: rate), 3 * found.frames >= now.frames,
        found.isFollowed
      else { continue }
      let factor = best?.explanation.rate == nil ? TimeLimits.alternative : 0.95
      take(.rate(rate), found.value, found.frames, factor: factor)
    }
    guard best.map({ $0.after > now.value * TimeLimits.exact }) ?? true else { return best }
    if let found = ShiftSteps(
      signals.filter { $0.kind == kind }, places: places, error: now.plain, range: rangeOfSteps
    ).best, found.error <= TimeLimits.shareOfMotion * now.labelled {
      if let rate = found.rate(from: start), let steady = error(of: kind, rate: rate),
        3 * steady.frames >= now.frames, steady.value <= limit, steady.isFollowed
      {
        take(.rate(rate), steady.value, steady.frames, factor: TimeLimits.alternative)
      } else {
        let error = found.error * now.value / now.plain
        take(.steps(found.last), error, found.frames, factor: TimeLimits.alternative)
      }
    }
    return best
  }

  /// The shift of the least error, and what of it is not the tracker's own lag of less than a frame.
  ///
  /// Of equally good shifts the smaller is taken; nil where that is no shift, at the end of the range, or where two opposite
  /// ones are as good.
  private static func shift(
    _ errors: [Double?], about: (Int) -> [Double?]
  ) -> (best: Int, whole: Int)? {
    let range = errors.count / 2
    guard range > 0, let now = errors[range] else { return nil }
    let minima = errors.indices.dropFirst().dropLast().filter { index in
      guard let at = errors[index], let before = errors[index - 1], let after = errors[index + 1]
      else { return false }
      return at <= before && at <= after
    }
    guard let least = minima.compactMap({ errors[$0] }).min() else { return nil }
    let good = minima.filter {
      (errors[$0] ?? .infinity) <= max(TimeLimits.unlike * least, 0.02 * now)
    }
    .map { $0 - range }
    guard let best = good.min(by: { abs($0) < abs($1) }), best != 0, !good.contains(-best)
    else { return nil }
    let squares = about(best).map { error in error.map { $0 * $0 } ?? 0 }
    let estimate =
      Double(best) + CrossCorrelation.vertex(-squares[0], -squares[1], -squares[2])
    let whole = TimeLimits.whole(estimate)
    return TimeLimits.isShift(whole, estimate: estimate) ? (best, whole) : nil
  }

  /// The frames that are the farthest off as things are.
  func worst(_ count: Int) -> [Int] {
    guard let kind = signals.first?.kind else { return overlaps.worst(count) }
    var errors = [Double](repeating: 0, count: frames.count)
    for signals in signals where signals.kind == kind {
      for (labelled, given) in zip(signals.labelled, signals.given) {
        for index in frames.indices where !(given[index] - labelled[index]).isNaN {
          errors[index] += abs(given[index] - labelled[index]) / signals.scale
        }
      }
    }
    return frames.indices.sorted { (errors[$1], $0) < (errors[$0], $1) }.prefix(count)
      .map { frames[$0] }
  }
}
