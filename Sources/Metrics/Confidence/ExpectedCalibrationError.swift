internal import Foundation

/// A calibration error over bins of confidences, less what chance adds to it.
///
/// The error of the bins, Σ |mean claim − mean outcome| weighed by what they hold, is more than 0 also where claims are
/// right: each bin's difference has the noise of its outcomes, and its magnitude adds up. The expected magnitude of a
/// difference d with a standard error s is s √(2 / π) e^(−d² / 2 s²) + d erf(d / s √2), of a folded normal distribution.
/// The value is the error of differences λ d for which the expected error of the bins, Σ over them, is the one that
/// was found; 0 where noise alone explains it. s² of a bin is the variance of its outcomes over how many there are,
/// with one more of the claimed chance, so that a bin of one has noise too.
///
/// Source: Bröcker 2012 and Kumar, Liang and Ma 2019 for the bias and for taking the variance of bins' outcomes off
/// (which is exact for squared differences alone); Leone, Nelson and Nottingham 1961 for the folded normal. That the
/// expectation is matched for magnitudes is ours; Tests/Oracles/calibration_error.py has it independently.
package struct ExpectedCalibrationError: Sendable, Hashable {
  /// What a bin holds, as sums.
  package struct Bin: Sendable, Hashable {
    /// How many confidences.
    package var count: Int
    /// The sum of the confidences.
    package var confidence: Double
    /// The sum of the outcomes, and of their squares.
    package var outcome, squares: Double

    /// Adds a confidence so many times.
    mutating func add(_ claim: Double, outcome own: Double, times: Int = 1) {
      let weight = Double(times)
      count += times
      confidence += claim * weight
      outcome += own * weight
      squares += own * own * weight
    }

    /// Adds what another holds so many times.
    mutating func add(_ other: Bin, times: Int) {
      let weight = Double(times)
      count += other.count * times
      confidence += other.confidence * weight
      outcome += other.outcome * weight
      squares += other.squares * weight
    }

    /// The magnitude of the summed differences.
    fileprivate var gap: Double { abs(confidence - outcome) }

    /// The standard error of that sum.
    fileprivate var noise: Double {
      let n = Double(count)
      let claim = confidence / n
      let mean = (outcome + claim) / (n + 1)
      return (n * max((squares + claim) / (n + 1) - mean * mean, 0)).squareRoot()
    }
  }

  /// The error of the bins as it is, in [0, 1].
  package let binned: Double
  /// The same less what chance adds, in [0, 1].
  package private(set) var value = 0.0
  /// Of each bin its share of the error, and the standard error of it.
  private let gaps, noises: [Double]

  /// Takes what bins hold; nil where they hold nothing.
  package init?(_ bins: some Sequence<Bin>) {
    let bins = bins.filter { $0.count > 0 }
    let count = Double(bins.reduce(0) { $0 + $1.count })
    guard count > 0 else { return nil }
    noises = bins.map { $0.noise / count }
    let gaps = bins.map { $0.gap / count }
    binned = gaps.reduce(0, +)
    self.gaps = binned > 0 ? gaps : noises
    value = corrected(binned)
  }

  /// Takes what bins of a reliability diagram hold; nil where they hold nothing.
  package init?(_ bins: ReliabilityBins) {
    self.init(
      bins.bins.map { bin in
        bin.members.reduce(into: Bin()) { $0.add($1.confidence, outcome: $1.outcome) }
      })
  }

  /// The error for which an error of these bins is expected; 0 where noise alone is expected to give as much.
  package func corrected(_ binned: Double) -> Double {
    let whole = gaps.reduce(0, +)
    guard whole > 0, binned > expected(0).error else { return 0 }
    // The expected error is convex in λ, and not below the error itself: Newton's steps come from above.
    var scale = binned / whole
    for _ in 0..<60 {
      let (error, slope) = expected(scale)
      let step = (error - binned) / slope
      guard step > 1e-13 * scale else { break }
      scale -= step
    }
    return min(max(scale, 0) * whole, 1)
  }

  /// The expected error of the bins where their differences are so many times the found ones, and its slope.
  private func expected(_ scale: Double) -> (error: Double, slope: Double) {
    var (error, slope) = (0.0, 0.0)
    for (gap, noise) in zip(gaps, noises) {
      let difference = scale * gap
      guard noise > 0 else {
        error += difference
        slope += gap
        continue
      }
      let ratio = difference / noise
      let share = erf(ratio / 2.0.squareRoot())
      let bell: Double = exp(-ratio * ratio / 2)
      error += noise * (2 / Double.pi).squareRoot() * bell + difference * share
      slope += gap * share
    }
    return (error, slope)
  }
}

extension ExpectedCalibrationError.Bin {
  /// Starts with sums of outcomes that are 0 or 1, which are their own squares.
  init(count: Int = 0, confidence: Double = 0, outcome: Double = 0) {
    self.init(count: count, confidence: confidence, outcome: outcome, squares: outcome)
  }
}
