internal import FaceCore
internal import Metrics
package import Platform
internal import Records
internal import Statistics

/// By how much a recording's clock must be moved to fit a video's, from the coefficients of one
/// face in both.
///
/// Over each offset in the range, and rates of the clock up to 0.3 % off, the changes of the coefficients over
/// 0.1 s are correlated, sums over all of them; between samples of 1/60 s a parabola tells. Refused unless
///
/// - the largest correlation is 0.3 or more and not at the end of the range,
/// - no other more than 0.25 s away exceeds 0.7 of it,
/// - half of the coefficients or more, each for itself, are at their largest within 1/15 s of it,
/// - each half of the recording, made of every second stretch, is itself at its largest within 0.25 s of it,
/// - a line fitted in one half lowers the squared error of the other, both ways,
/// - and there, both overlap by 5 s and by half of the shorter of them.
package struct TimeOffset: Sendable, Hashable, Codable {
  /// Seconds to add to the recording's times, at its second 0.
  package var seconds: Double
  /// Standard error of `seconds`, from the coefficients one by one; nil for one coefficient or where it was given.
  @Nullable package var standardError: Double?
  /// The correlation there; nil where the offset was given.
  @Nullable package var correlation: Double?
  /// The largest correlation elsewhere; nil where the offset was given.
  @Nullable package var secondCorrelation: Double?
  /// How many coefficients give the same offset on their own.
  package var agreeing: Int
  /// The coefficients that were compared, by name.
  package var channels: [String]
  /// By how much the video's clock runs faster, as a share; 0 where it cannot be told from 0, nil where it was given.
  package var rate: Double?
  /// Standard error of the rate; nil where the recording is too short to have one.
  package var rateStandardError: Double?

  /// An offset that is known.
  package init(given seconds: Double) {
    self.seconds = seconds
    agreeing = 0
    channels = []
  }

  /// The recording's time at a moment of the video, in seconds.
  package func recordingTime(at second: Double) -> Double {
    (second - seconds) / (1 + (rate ?? 0))
  }

  /// The minimum correlation.
  package static let minCorrelation = 0.3
  /// The largest share of it that another offset may reach.
  package static let maxRival = 0.7
  /// Seconds that both must overlap.
  package static let minOverlap = 5.0
  /// The longest recording, in seconds.
  package static let maxSeconds = 3600.0
  private static let sampleRate = 60.0
  /// The change is that over ± 3 samples, 0.1 s.
  private static let span = 3
  /// Samples by which a coefficient's own peak may miss the common one.
  private static let agreement = 4.0
  /// A coefficient whose change has a smaller standard deviation is ignored.
  private static let minChange = 1e-3
  /// Coefficients that are compared in addition to jaw and eyelids: those that move most.
  private static let maxOthers = 3

  /// Finds the offset of a recording of up to `range` seconds either way; throws with the reason if it is ambiguous.
  package init(
    of recording: BlendshapeCurve, to predictions: BlendshapeCurve, range: Double = 30
  ) throws(CalibrationError) {
    guard let first = recording.seconds.first, let start = predictions.seconds.first,
      min(recording.duration, predictions.duration) >= Self.minOverlap
    else {
      throw .unjoined(
        "expected \(Int(Self.minOverlap)) s or more of faces, found "
          + "\(recording.duration.text(decimals: 1)) s in the recording and "
          + "\(predictions.duration.text(decimals: 1)) s in the predictions")
    }
    guard max(recording.duration, predictions.duration) <= Self.maxSeconds else {
      throw .unjoined(
        "expected at most \(Int(Self.maxSeconds)) s, found "
          + "\(max(recording.duration, predictions.duration).text(decimals: 1)) s")
    }
    guard range.isFinite, range > 0 else {
      throw .unjoined("expected a range of more than 0 s, found \(range)")
    }
    let moving = Self.moving(recording, predictions)
    guard !moving.isEmpty else {
      throw .unjoined("no coefficient moves in both recording and predictions")
    }
    let samples = moving[0].earlier.count
    let delays = Self.delays(
      samples, moving[0].later.count, origin: start - first, range: range)
    guard delays.count > 2 else {
      throw .unjoined("no offset within \(range.text(decimals: 1)) s leaves enough overlap")
    }
    let products = SegmentProducts(
      earlier: moving.map(\.earlier), later: moving.map(\.later), delays: delays)
    let joints = products.joints()
    var (rate, joint) = joints[0]
    var top = joint.max() ?? 0
    for (other, curve) in joints {
      guard let found = curve.max(), found > top else { continue }
      (top, rate, joint) = (found, other, curve)
    }
    let peak = ClockCurve.peak(joint)
    let height = joint[peak]
    func shown(_ index: Int) -> String {
      (start - first + Double(delays[delays.startIndex + index]) / Self.sampleRate)
        .text(decimals: 2)
    }
    guard height >= Self.minCorrelation else {
      throw .unjoined(
        "expected a correlation of \(Self.minCorrelation) or more at some offset, found "
          + "\(height.text(decimals: 4)) at most (at \(shown(peak)) s)")
    }
    guard peak > 0, peak < joint.count - 1 else {
      throw .unjoined(
        "the correlation is largest at the end of the range (\(shown(peak)) s); give a larger one")
    }
    let rival = products.rival(of: peak, rate: rate, among: joints)
    if let rival, rival.correlation > Self.maxRival * height {
      throw .unjoined(
        "two offsets fit: \(shown(peak)) s (correlation \(height.text(decimals: 2))) and "
          + "\(shown(rival.index)) s (\(rival.correlation.text(decimals: 2)))")
    }
    let halves = [0, 1].map { ClockCurve.peak(products.joint(rate: rate, half: $0)) }
    guard halves.allSatisfy({ abs($0 - peak) <= SegmentProducts.lobe }) else {
      throw .unjoined(
        "the halves of the recording disagree: alternate stretches give \(shown(halves[0])) s and "
          + "\(shown(halves[1])) s")
    }
    guard products.predictsHeldOut(at: peak, rate: rate) else {
      throw .unjoined(
        "at \(shown(peak)) s one half of the recording does not predict the other: a line fitted there "
          + "does not lower the error")
    }
    let own = moving.indices.map { ClockCurve.top(products.joint(rate: rate, channel: $0)) }
    let position = ClockCurve.top(joint)
    let agreeing = own.filter { abs($0 - position) <= Self.agreement }
    guard 2 * agreeing.count >= own.count else {
      throw .unjoined(
        "\(agreeing.count) of \(own.count) coefficients alone give \(shown(peak)) s, half of them "
          + "are needed")
    }
    let clock = products.clock(around: peak, rate: rate)
    let middle = Double(samples) / 2
    let isDrifting = clock.map { $0.isShown(over: Double(samples)) } ?? false
    let slope = isDrifting ? clock?.rate ?? 0 : 0
    let delay =
      isDrifting
      ? clock?.delay ?? position
      : rate == 0 ? position : ClockCurve.top(products.joint(rate: 0))
    seconds =
      start - first * (1 + slope)
      + (Double(delays.lowerBound) + delay - slope * middle) / Self.sampleRate
    standardError = Self.standardError(agreeing.map { ($0 - position) / Self.sampleRate })
    correlation = height
    secondCorrelation = rival?.correlation
    self.agreeing = agreeing.count
    channels = moving.map(\.shape.rawValue)
    self.rate = slope
    rateStandardError = clock?.standardError
  }

  private struct Moving {
    let shape: Blendshape
    let earlier, later: [Double]
    let strength: Double
  }

  /// Jaw and eyelids, and the coefficients that move most of the rest.
  private static func moving(
    _ recording: BlendshapeCurve, _ predictions: BlendshapeCurve
  ) -> [Moving] {
    let all = Blendshape.allCases.filter { $0 != .neutral }.compactMap { shape -> Moving? in
      let earlier = recording.changes(of: shape, rate: sampleRate, span: span)
      let later = predictions.changes(of: shape, rate: sampleRate, span: span)
      let (one, other) = (deviation(earlier), deviation(later))
      guard one >= minChange, other >= minChange else { return nil }
      return Moving(shape: shape, earlier: earlier, later: later, strength: one * other)
    }
    let telling: Set<Blendshape> = [.jawOpen, .eyeBlinkLeft, .eyeBlinkRight]
    let others = all.filter { !telling.contains($0.shape) }.sorted { $0.strength > $1.strength }
    return all.filter { telling.contains($0.shape) } + others.prefix(maxOthers)
  }

  private static func deviation(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : (values.squaredDeviations / Double(values.count)).squareRoot()
  }

  /// Samples by which the predictions may trail, of those offsets that leave enough overlap.
  private static func delays(
    _ earlier: Int, _ later: Int, origin: Double, range: Double
  ) -> Range<Int> {
    let overlap = max(Int(minOverlap * sampleRate), min(earlier, later) / 2)
    let low = max(Int(((-range - origin) * sampleRate).rounded(.up)), overlap - earlier)
    let high = min(Int(((range - origin) * sampleRate).rounded(.down)), later - overlap)
    return low..<max(low, high + 1)
  }

  /// 1.4826 times the median of the deviations' sizes, over √n.
  private static func standardError(_ deviations: [Double]) -> Double? {
    guard deviations.count > 1 else { return nil }
    let sizes = deviations.map(\.magnitude).sorted()
    let middle = sizes.count / 2
    let median = sizes.count % 2 == 1 ? sizes[middle] : (sizes[middle - 1] + sizes[middle]) / 2
    return 1.4826 * median / Double(deviations.count).squareRoot()
  }
}
