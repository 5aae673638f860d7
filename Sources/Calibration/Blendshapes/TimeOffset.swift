internal import FaceCore
internal import Metrics
package import Records

/// By how much a recording's clock must be moved to fit a video's, from what both say of one face.
///
/// Over each offset in the range, the changes of the coefficients over 0.1 s are correlated, means per
/// coefficient, sums over all of them; between samples of 1/60 s a parabola tells. Refused unless
///
/// - the largest correlation is 0.3 or more and not at the end of the range,
/// - no other more than 0.25 s away exceeds 0.8 of it,
/// - half of the coefficients or more, each for itself, are at their largest within 1/15 s of it,
/// - and there, both overlap by 5 s and by half of the shorter of them.
package struct TimeOffset: Sendable, Hashable, Codable {
  /// Seconds to add to the recording's times.
  package var seconds: Double
  /// Standard error of `seconds`, from the coefficients one by one; nil for one coefficient or where it was given.
  @Nullable package var standardError: Double?
  /// The correlation there; nil where the offset was given.
  @Nullable package var correlation: Double?
  /// The largest correlation elsewhere; nil where the offset was given.
  @Nullable package var secondCorrelation: Double?
  /// How many coefficients by themselves say the same.
  package var agreeing: Int
  /// The coefficients that were compared, by name.
  package var channels: [String]

  /// An offset that is known.
  package init(given seconds: Double) {
    self.init(
      seconds: seconds, standardError: nil, correlation: nil, secondCorrelation: nil, agreeing: 0,
      channels: [])
  }

  private init(
    seconds: Double, standardError: Double?, correlation: Double?, secondCorrelation: Double?,
    agreeing: Int, channels: [String]
  ) {
    self.seconds = seconds
    self.standardError = standardError
    self.correlation = correlation
    self.secondCorrelation = secondCorrelation
    self.agreeing = agreeing
    self.channels = channels
  }

  /// The least correlation.
  package static let leastCorrelation = 0.3
  /// The largest share of it that another offset may reach.
  package static let mostRival = 0.8
  /// Seconds that both must overlap.
  package static let leastOverlap = 5.0
  /// The longest recording, in seconds.
  package static let mostSeconds = 3600.0
  private static let rate = 60.0
  /// The change is that over ± 3 samples, 0.1 s.
  private static let span = 3
  /// Samples around the peak that are the peak's own.
  private static let lobe = 15
  /// Samples by which a coefficient's own peak may miss the common one.
  private static let agreement = 4.0
  /// A coefficient whose change has a smaller standard deviation says nothing.
  private static let leastChange = 1e-3
  /// Coefficients besides jaw and eyelids that are compared: those that move most.
  private static let mostOthers = 3

  /// Finds the offset of a recording of up to `range` seconds either way; throws where it is ambiguous, and says why.
  package init(
    of recording: BlendshapeCurve, to predictions: BlendshapeCurve, range: Double = 30
  ) throws(CalibrationError) {
    guard let first = recording.seconds.first, let start = predictions.seconds.first,
      min(recording.duration, predictions.duration) >= Self.leastOverlap
    else {
      throw .unjoined(
        "expected \(Int(Self.leastOverlap)) s or more of faces, found "
          + "\(recording.duration.text(decimals: 1)) s in the recording and "
          + "\(predictions.duration.text(decimals: 1)) s in the predictions")
    }
    guard max(recording.duration, predictions.duration) <= Self.mostSeconds else {
      throw .unjoined(
        "expected \(Int(Self.mostSeconds)) s at most, found "
          + "\(max(recording.duration, predictions.duration).text(decimals: 1)) s")
    }
    guard range.isFinite, range > 0 else {
      throw .unjoined("expected a range of more than 0 s, found \(range)")
    }
    let moving = Self.moving(recording, predictions)
    guard !moving.isEmpty else {
      throw .unjoined("no coefficient moves in both recording and predictions")
    }
    let earlier = moving.map(\.earlier)
    let later = moving.map(\.later)
    let delays = Self.delays(
      earlier[0].count, later[0].count, origin: start - first, range: range)
    guard delays.count > 2 else {
      throw .unjoined("no offset within \(range.text(decimals: 1)) s leaves enough overlap")
    }
    func curve(_ later: [[Double]], _ earlier: [[Double]]) -> [Double] {
      delays.map { CrossCorrelation.correlation(of: later, behind: earlier, by: $0) ?? 0 }
    }
    let joint = curve(later, earlier)
    let peak = Self.peak(joint)
    let height = joint[peak]
    func shown(_ index: Int) -> String {
      (start - first + Double(delays[delays.startIndex + index]) / Self.rate).text(decimals: 2)
    }
    guard height >= Self.leastCorrelation else {
      throw .unjoined(
        "the largest correlation is \(height.text(decimals: 2)) (at \(shown(peak)) s), "
          + "\(Self.leastCorrelation) is needed")
    }
    guard peak > 0, peak < joint.count - 1 else {
      throw .unjoined(
        "the correlation is largest at the end of the range (\(shown(peak)) s); give a larger one")
    }
    let rivals = joint.indices.filter { abs($0 - peak) > Self.lobe }
    let rival = rivals.max { joint[$0] < joint[$1] }
    if let rival, joint[rival] > Self.mostRival * height {
      throw .unjoined(
        "two offsets fit: \(shown(peak)) s (correlation \(height.text(decimals: 2))) and "
          + "\(shown(rival)) s (\(joint[rival].text(decimals: 2)))")
    }
    let own = zip(later, earlier).map { Self.place(curve([$0], [$1])) }
    let place = Self.place(joint)
    let agreeing = own.filter { abs($0 - place) <= Self.agreement }
    guard 2 * agreeing.count >= own.count else {
      throw .unjoined(
        "\(agreeing.count) of \(own.count) coefficients by themselves say \(shown(peak)) s, half of them "
          + "are needed")
    }
    self.init(
      seconds: start - first + (Double(delays.lowerBound) + place) / Self.rate,
      standardError: Self.standardError(agreeing.map { ($0 - place) / Self.rate }),
      correlation: height, secondCorrelation: rival.map { joint[$0] },
      agreeing: agreeing.count, channels: moving.map(\.shape.rawValue))
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
      let earlier = recording.changes(of: shape, rate: rate, span: span)
      let later = predictions.changes(of: shape, rate: rate, span: span)
      let (one, other) = (deviation(earlier), deviation(later))
      guard one >= leastChange, other >= leastChange else { return nil }
      return Moving(shape: shape, earlier: earlier, later: later, strength: one * other)
    }
    let telling: Set<Blendshape> = [.jawOpen, .eyeBlinkLeft, .eyeBlinkRight]
    let others = all.filter { !telling.contains($0.shape) }.sorted { $0.strength > $1.strength }
    return all.filter { telling.contains($0.shape) } + others.prefix(mostOthers)
  }

  private static func deviation(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return 0 }
    let n = Double(values.count)
    let mean = values.reduce(0, +) / n
    return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / n).squareRoot()
  }

  /// Samples by which the predictions may trail, of those offsets that leave enough overlap.
  private static func delays(
    _ earlier: Int, _ later: Int, origin: Double, range: Double
  ) -> Range<Int> {
    let overlap = max(Int(leastOverlap * rate), min(earlier, later) / 2)
    let low = max(Int(((-range - origin) * rate).rounded(.up)), overlap - earlier)
    let high = min(Int(((range - origin) * rate).rounded(.down)), later - overlap)
    return low..<max(low, high + 1)
  }

  private static func peak(_ curve: [Double]) -> Int {
    curve.indices.max { curve[$0] < curve[$1] } ?? 0
  }

  /// Where a curve is largest, between samples.
  private static func place(_ curve: [Double]) -> Double {
    let peak = peak(curve)
    guard peak > 0, peak < curve.count - 1 else { return Double(peak) }
    return Double(peak) + CrossCorrelation.vertex(curve[peak - 1], curve[peak], curve[peak + 1])
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
