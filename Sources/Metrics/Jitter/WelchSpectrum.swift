internal import Foundation

/// Power over frequency of evenly sampled signals, by Welch's method.
///
/// As `scipy.signal.welch` with its defaults: segments of 256 samples (or all, if fewer) that overlap by
/// half, each without its mean, periodic Hann window, one-sided density, mean over segments.
struct WelchSpectrum: Sendable {
  /// In samples.
  let segment: Int
  /// Density at k / segment of the sampling rate, for k = 0 … segment / 2, summed over the signals
  /// and with a sampling rate of 1.
  let densities: [Double]

  /// Needs signals of one length, 2 samples or more.
  init(_ signals: [[Double]]) {
    let count = signals.first?.count ?? 0
    let segment = min(256, count)
    self.segment = segment
    let angles = (0..<segment).map { 2 * Double.pi * Double($0) / Double(segment) }
    let (cosines, sines) = (angles.map { cos($0) }, angles.map { sin($0) })
    let window = cosines.map { 0.5 - 0.5 * $0 }
    let scale = 1 / window.reduce(0.0) { $0 + $1 * $1 }
    var sums = [Double](repeating: 0, count: segment / 2 + 1)
    let starts = Array(stride(from: 0, through: count - segment, by: segment - segment / 2))
    for signal in signals {
      for start in starts {
        let part = signal[start..<(start + segment)]
        let mean = part.reduce(0, +) / Double(segment)
        let windowed = zip(part, window).map { ($0 - mean) * $1 }
        for k in sums.indices {
          var (real, imaginary, turn) = (0.0, 0.0, 0)
          for value in windowed {
            real += value * cosines[turn]
            imaginary += value * sines[turn]
            turn += k
            if turn >= segment { turn -= segment }
          }
          let sides: Double = k > 0 && 2 * k < segment ? 2 : 1
          sums[k] += sides * scale * (real * real + imaginary * imaginary)
        }
      }
    }
    densities = sums.map { $0 / Double(starts.count) }
  }

  /// Power of all frequencies but 0, and of those above a share of the sampling rate.
  func power(above cutoff: Double) -> (whole: Double, above: Double) {
    var (whole, above) = (0.0, 0.0)
    for (k, density) in densities.enumerated().dropFirst() {
      whole += density / Double(segment)
      if Double(k) / Double(segment) > cutoff { above += density / Double(segment) }
    }
    return (whole, above)
  }
}
