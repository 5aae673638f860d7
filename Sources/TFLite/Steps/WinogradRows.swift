import Tensor

/// Two rows at once of a convolution of stride 2 with five kernel rows, from 7 products of rows in place of 10.
///
/// Even rows of the image meet the three even rows of the kernel, and odd rows the two odd ones, so each kind is a
/// convolution of stride 1. Minimal filtering takes F(2, 3) = 4 and F(2, 2) = 3 products for two rows of it, from sums
/// and differences of rows of the image and of the kernel. Source: S. Winograd, "Arithmetic Complexity of Computations",
/// 1980; A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016.
struct WinogradRows: Sendable {
  /// One row of the image, counted from the first that is read, or two combined, and the kernel that it meets.
  private struct Term {
    let row: Int
    var other: (operation: BinaryOperation, row: Int)?
    /// Factors of the kernel's rows.
    let kernel: [Double]
  }

  /// The terms of four sums a, b, c and d: the first row of the output is a + b + c, the second a - b + d.
  private static let sums = [
    [
      Term(row: 2, other: (.add, 4), kernel: [0.5, 0, 0.5, 0, 0.5]),
      Term(row: 3, kernel: [0, 1, 0, 1, 0]),
    ],
    [Term(row: 4, other: (.subtract, 2), kernel: [0.5, 0, -0.5, 0, 0.5])],
    [
      Term(row: 0, other: (.subtract, 4), kernel: [1, 0, 0, 0, 0]),
      Term(row: 1, other: (.subtract, 3), kernel: [0, 1, 0, 0, 0]),
    ],
    [
      Term(row: 6, other: (.subtract, 2), kernel: [0, 0, 0, 0, 1]),
      Term(row: 5, other: (.subtract, 3), kernel: [0, 0, 0, 1, 0]),
    ],
  ]
  private static let terms = Array(sums.joined())
  /// Where the terms of a, b and c end.
  private static let ends = (
    sums[0].count, sums[0].count + sums[1].count, terms.count - sums[3].count
  )

  /// The weights, all terms one after another.
  private let weights: FloatStorage
  private let work: PlaneWork
  private let offsets: PlaneOffsets
  /// Floats of a row of all planes, and those of them that taps are in.
  private let rowStep: Int
  private let count: Int
  let savedMultiplyAdds: Int

  /// Nil for a convolution of another stride or height. `offsets` are those of the taps of one kernel row.
  init?(_ step: Conv2D, weights: FloatStorage, offsets: [Int], rowStep: Int, count: Int) {
    let rows = step.window.kernelHeight
    guard step.window.strideHeight == 2, rows == Self.terms[0].kernel.count else { return nil }
    let length = weights.count / rows
    self.weights = FloatStorage(
      Self.terms.flatMap { term in
        (0..<length).map { index in
          Float(
            (0..<rows).reduce(0) { sum, row in
              sum + term.kernel[row] * Double(weights.pointer[row * length + index])
            })
        }
      })
    work = PlaneWork(
      depth: Self.terms.count * offsets.count, weights: self.weights, bias: step.bias,
      slopes: step.slopes, clamp: step.clamp)
    self.offsets = PlaneOffsets(
      Self.terms.indices.flatMap { term in offsets.map { term * rowStep + $0 } })
    (self.rowStep, self.count) = (rowStep, count)
    savedMultiplyAdds =
      step.multiplyAccumulates - step.multiplyAccumulates * Self.terms.count / (2 * rows)
  }

  var scratchCount: Int { Self.terms.count * rowStep + PlaneHead.margin }

  /// Makes two rows of the output from the rows of the image that `row` gives.
  func run(
    _ row: (Int) -> UnsafePointer<Float>, scratch: UnsafeMutablePointer<Float>, width: Int,
    into output: (PlaneRow, PlaneRow), channels: Int, _ kernels: Kernels
  ) {
    for (index, term) in Self.terms.enumerated() {
      let to = scratch + index * rowStep
      if let (operation, other) = term.other {
        kernels.combine(
          operation, row(term.row), step: 1, row(other), step: 1, into: to, count: count,
          clamp: .none)
      } else {
        to.update(from: row(term.row), count: count)
      }
    }
    let taps = work.depth / Self.terms.count
    kernels.convolvePlanes(
      UnsafePointer(scratch), offsets: offsets.pointer,
      ends: (Self.ends.0 * taps, Self.ends.1 * taps, Self.ends.2 * taps), width: width, by: work,
      into: output, channels: channels)
  }
}
