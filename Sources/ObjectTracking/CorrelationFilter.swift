internal import Foundation

/// A filter whose response to a pattern of several planes peaks at the pattern's position (MOSSE, DSST).
///
/// Each frame moves numerator and denominator of the filter a little towards the newest pattern
/// (Danelljan et al. 2014, equations 4 and 5). The response is 1 at displacement 0 for the learnt pattern.
struct CorrelationFilter: Sendable {
  /// The size of pattern and response.
  let transform: Fourier2D
  private let planes: Int
  private let regularization: Float
  private let learningRate: Float
  private let wanted: Fourier2D.Spectrum
  private var numerator = Fourier2D.Spectrum(real: [], imaginary: [])
  private var denominator: [Float] = []

  /// A filter for patterns [height, planes, width] trained for the response `answer`, [height, width].
  init(
    _ transform: Fourier2D, planes: Int, answer: [Float], regularization: Float,
    learningRate: Float
  ) {
    self.transform = transform
    self.planes = planes
    self.regularization = regularization
    self.learningRate = learningRate
    wanted = transform.spectrum(of: answer, planes: 1)
  }

  /// Learns a pattern: the first fully, later ones at the learning rate.
  mutating func learn(_ pattern: Fourier2D.Spectrum) {
    let (width, isFirst) = (transform.frequencies, denominator.isEmpty)
    if isFirst {
      denominator = Array(repeating: 0, count: transform.height * width)
      numerator.real = Array(repeating: 0, count: denominator.count * planes)
      numerator.imaginary = numerator.real
    }
    let new: Float = isFirst ? 1 : learningRate
    let old = 1 - new
    for cell in denominator.indices { denominator[cell] *= old }
    for row in 0..<transform.height {
      for plane in 0..<planes {
        let start = (row * planes + plane) * width
        for k in 0..<width {
          let (x, y) = (pattern.real[start + k], pattern.imaginary[start + k])
          let (wantedX, wantedY) = (wanted.real[row * width + k], wanted.imaginary[row * width + k])
          numerator.real[start + k] =
            old * numerator.real[start + k] + new * (wantedX * x + wantedY * y)
          numerator.imaginary[start + k] =
            old * numerator.imaginary[start + k] + new * (wantedX * y - wantedY * x)
          denominator[row * width + k] += new * (x * x + y * y)
        }
      }
    }
  }

  /// The response to a pattern at every displacement, [height, width], displacement 0 first.
  func answer(to pattern: Fourier2D.Spectrum) -> [Float] {
    let width = transform.frequencies
    var sum = Fourier2D.Spectrum(
      real: Array(repeating: 0, count: denominator.count),
      imaginary: Array(repeating: 0, count: denominator.count))
    for row in 0..<transform.height {
      for plane in 0..<planes {
        let start = (row * planes + plane) * width
        for k in 0..<width {
          let (x, y) = (pattern.real[start + k], pattern.imaginary[start + k])
          let (a, b) = (numerator.real[start + k], numerator.imaginary[start + k])
          sum.real[row * width + k] += a * x + b * y
          sum.imaginary[row * width + k] += a * y - b * x
        }
      }
      for cell in (row * width)..<((row + 1) * width) {
        sum.real[cell] /= denominator[cell] + regularization
        sum.imaginary[cell] /= denominator[cell] + regularization
      }
    }
    return transform.plane(of: sum)
  }

  /// A Gaussian of height 1 around displacement 0, [height, width], that wraps around the edges.
  static func peak(height: Int, width: Int, sigma: Double) -> [Float] {
    (0..<height).flatMap { y in
      (0..<width).map { x in
        let (down, right) = (min(y, height - y), min(x, width - x))
        return Float(exp(-0.5 * Double(down * down + right * right) / (sigma * sigma)))
      }
    }
  }

  /// Hann's window, 0 at both ends.
  static func window(_ count: Int) -> [Float] {
    (0..<count).map {
      count < 2 ? 1 : Float(0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(count - 1)))
    }
  }
}
