internal import FaceCore
internal import Metrics

/// Blendshapes over time, on one clock.
package struct BlendshapeCurve: Sendable, Hashable {
  /// Seconds, ascending.
  package private(set) var seconds: [Double] = []
  /// 52 coefficients a moment.
  package private(set) var coefficients: [[Float]] = []

  /// Starts without moments.
  package init() {}

  /// Adds a moment; one that is not after the last, or does not have 52 coefficients, is left out.
  package mutating func add(_ moment: [Float], at second: Double) {
    guard second.isFinite, second > seconds.last ?? -.infinity,
      moment.count == Blendshape.allCases.count
    else { return }
    seconds.append(second)
    coefficients.append(moment)
  }

  /// From the first to the last moment.
  package var duration: Double { (seconds.last ?? 0) - (seconds.first ?? 0) }

  /// The median of the steps, in seconds; nil for fewer than two moments.
  package var usualStep: Double? {
    let steps = zip(seconds, seconds.dropFirst()).map { $1 - $0 }.sorted()
    return steps.isEmpty ? nil : steps[steps.count / 2]
  }

  /// The coefficients at a moment, straight between its neighbours.
  ///
  /// Nil outside, and between neighbours that are further apart than `reach`, in seconds.
  package func coefficients(at second: Double, reach: Double) -> [Float]? {
    guard let (index, share) = position(of: second, reach: reach) else { return nil }
    guard share > 0 else { return coefficients[index] }
    return zip(coefficients[index], coefficients[index + 1]).map { $0 + Float(share) * ($1 - $0) }
  }

  /// The moment before, and how far it is to the one after it, in [0, 1).
  private func position(of second: Double, reach: Double) -> (index: Int, share: Double)? {
    guard let first = seconds.first, let last = seconds.last, second >= first, second <= last
    else { return nil }
    let own = (1..<seconds.count).partitioningIndex { seconds[$0] > second } - 1
    guard seconds[own] < second else { return (own, 0) }
    let step = seconds[own + 1] - seconds[own]
    return step <= reach ? (own, (second - seconds[own]) / step) : nil
  }

  /// How fast a coefficient changes, at an even rate from the first moment on: its rise over ± `span` samples.
  ///
  /// 0 where it is not known.
  func changes(of shape: Blendshape, rate: Double, span: Int) -> [Double] {
    guard let first = seconds.first, let step = usualStep else { return [] }
    let reach = max(3 * step, 0.1)
    var values: [Double] = []
    for sample in 0...Int(duration * rate) {
      guard let (index, share) = position(of: first + Double(sample) / rate, reach: reach) else {
        values.append(.nan)
        continue
      }
      let before = Double(coefficients[index][shape.index])
      values.append(
        share > 0
          ? before + share * (Double(coefficients[index + 1][shape.index]) - before) : before)
    }
    return values.indices.map { index in
      guard index >= span, index + span < values.count else { return 0 }
      let change = values[index + span] - values[index - span]
      return change.isFinite ? change : 0
    }
  }
}
