import Foundation
import Tensor
import Testing

/// Elementwise kernels of every level against plain loops and against double precision.
@Suite struct ElementwiseTests {
  static let levels = Kernels.available.map(\.level)

  static func numbers(_ count: Int, seed: Int) -> [Float] {
    (0..<count).map { Float(($0 * 37 + seed * 11) % 101 - 50) / 7 }
  }

  static let operations: [(BinaryOperation, @Sendable (Float, Float) -> Float)] = [
    (.add, { $0 + $1 }), (.subtract, { $0 - $1 }), (.multiply, { $0 * $1 }), (.divide, { $0 / $1 }),
    (.squaredDifference, { ($0 - $1) * ($0 - $1) }), (.slope, { $0 < 0 ? $0 * $1 : $0 }),
  ]

  @Test(arguments: levels, [1, 3, 4, 7, 8, 15, 16, 17, 33, 64, 100])
  func `pairs are combined one by one, and either side may repeat`(
    _ level: Kernels.Level, _ count: Int
  ) throws {
    let kernels = try #require(Kernels(level: level))
    let a = ElementwiseTests.numbers(count, seed: 1)
    let b = ElementwiseTests.numbers(count, seed: 2).map { $0 == 0 ? 1 : $0 }
    for (operation, reference) in ElementwiseTests.operations {
      for (aStep, bStep) in [(1, 1), (0, 1), (1, 0), (0, 0)] {
        for clamp in [Clamp.none, .relu6] {
          let expected = (0..<count).map {
            min(max(reference(a[$0 * aStep], b[$0 * bStep]), clamp.low), clamp.high)
          }
          // One float more than the output, to see a write beyond it.
          var found = [Float](repeating: 99, count: count + 1)
          kernels.combine(
            operation, a, step: aStep, b, step: bStep, into: &found, count: count, clamp: clamp)
          #expect(found == expected + [99], "\(operation) \(aStep) \(bStep)")
        }
      }
    }
  }

  @Test(arguments: levels)
  func `what is not a number stays so through every limit`(_ level: Kernels.Level) throws {
    let kernels = try #require(Kernels(level: level))
    let values = [Float](repeating: .nan, count: 19)
    for clamp in [Clamp.none, .relu, .relu6] {
      var found = [Float](repeating: 0, count: 19)
      kernels.combine(
        .add, values, step: 1, [1], step: 0, into: &found, count: 19, clamp: clamp)
      #expect(found.allSatisfy { $0.isNaN })
    }
  }

  @Test(arguments: levels)
  func `roots are rounded correctly and signs flip exactly`(_ level: Kernels.Level) throws {
    let kernels = try #require(Kernels(level: level))
    let values =
      ElementwiseTests.numbers(200, seed: 3).map { abs($0) + 0.01 } + [0x1p-126, 3e38, 1]
    func map(_ operation: UnaryOperation) -> [Float] {
      var found = [Float](repeating: 99, count: values.count + 1)
      kernels.map(operation, values, into: &found, count: values.count)
      #expect(found.last == 99)
      return found.dropLast()
    }
    #expect(map(.negate) == values.map { -$0 })
    #expect(map(.squareRoot) == values.map { $0.squareRoot() })
    #expect(map(.reciprocalSquareRoot) == values.map { 1 / $0.squareRoot() })
  }

  /// An exponential, a sum and a division, each within one unit in the last place, are within four
  /// together.
  @Test(arguments: levels)
  func `the logistic function is accurate from end to end`(_ level: Kernels.Level) throws {
    let kernels = try #require(Kernels(level: level))
    let values = (-4000...4000).map { Float($0) / 46 } + [-.infinity, .infinity, 0, -0]
    var found = [Float](repeating: .nan, count: values.count)
    kernels.map(.logistic, values, into: &found, count: values.count)
    for (x, y) in zip(values, found) {
      let expected = Float(1 / (1 + exp(-Double(x))))
      #expect(abs(y - expected) <= 4 * expected.ulp, "logistic(\(x)) = \(y), expected \(expected)")
    }
  }

  /// Whole numbers are exact in any order.
  @Test(arguments: levels, [1, 2, 7, 16, 17, 31, 64, 97, 146])
  func `a sum has every number once`(_ level: Kernels.Level, _ count: Int) throws {
    let kernels = try #require(Kernels(level: level))
    let values = KernelTests.wholeNumbers(count, seed: 9)
    #expect(kernels.sum(values, count: count) == values.reduce(0, +))
  }
}

/// Kernels over rows and columns.
@Suite struct MatrixKernelTests {
  @Test(
    arguments: ElementwiseTests.levels,
    [(1, 1), (4, 4), (3, 9), (16, 5), (97, 64), (8, 33), (35, 24), (40, 12)])
  func `a transposed matrix has every number in its position`(
    _ level: Kernels.Level, _ size: (rows: Int, columns: Int)
  ) throws {
    let kernels = try #require(Kernels(level: level))
    let (rows, columns) = size
    for step in [columns, columns + 3, -columns] {
      let values = (0..<rows * abs(step)).map(Float.init)
      let first = step < 0 ? (rows - 1) * -step : 0
      var found = [Float](repeating: -1, count: rows * columns + 1)
      values.withUnsafeBufferPointer { buffer in
        if let base = buffer.baseAddress {
          kernels.transpose(base + first, rowStep: step, rows: rows, columns: columns, into: &found)
        }
      }
      let expected = (0..<columns).flatMap { column in
        (0..<rows).map { values[first + $0 * step + column] }
      }
      #expect(found == expected + [-1])
    }
  }

  /// Tolerance: 2e-6 of sums of 100 squares around 10, some ten roundings of each number.
  @Test(arguments: ElementwiseTests.levels, [1, 3, 8, 16, 19, 64, 100])
  func `rows are normalised to the mean 0 and the asked scales`(
    _ level: Kernels.Level, _ channels: Int
  ) throws {
    let kernels = try #require(Kernels(level: level))
    let values = ElementwiseTests.numbers(3 * channels, seed: 4)
    let scales = FloatStorage(ElementwiseTests.numbers(channels, seed: 5))
    var found = [Float](repeating: 99, count: 3 * channels + 1)
    kernels.normalize(values, rows: 3, scales: scales, epsilon: 0.01, into: &found)
    #expect(found.last == 99)
    for row in 0..<3 {
      let numbers = values[row * channels..<(row + 1) * channels].map(Double.init)
      let mean = numbers.reduce(0, +) / Double(channels)
      let variance = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(channels)
      for (channel, number) in numbers.enumerated() {
        let scale = Double(scales.pointer[channel])
        let expected = (number - mean) * scale / (variance + 0.01).squareRoot()
        #expect(abs(Double(found[row * channels + channel]) - expected) <= 2e-6 * 10)
      }
    }
  }
}

@Suite struct StridedLoopsTests {
  @Test func `loops that follow each other without a gap are one`() {
    typealias Axis = StridedLoops.Axis
    let whole = StridedLoops([
      Axis(size: 2, first: 12, second: 0), Axis(size: 1, first: 7), Axis(size: 3, first: 4),
      Axis(size: 4, first: 1),
    ])
    #expect(whole.run == Axis(size: 24, first: 1))
    let repeated = StridedLoops([
      Axis(size: 2, first: 3, second: 0), Axis(size: 3, first: 1, second: 1),
    ])
    #expect(repeated.run == Axis(size: 3, first: 1, second: 1))
    #expect(StridedLoops([]).run.size == 1)
  }

  @Test func `runs come in order with the positions in all arrays`() {
    typealias Axis = StridedLoops.Axis
    var seen: [[Int]] = []
    StridedLoops([
      Axis(size: 2, first: 1, second: 0), Axis(size: 3, first: 2, second: 5),
      Axis(size: 2, first: 0, second: 1),
    ]).forEachRun { seen.append([$0, $1, $2]) }
    #expect(seen == [[0, 0, 0], [2, 2, 5], [4, 4, 10], [6, 1, 0], [8, 3, 5], [10, 5, 10]])
  }

  @Test func `shapes broadcast by NumPy's rules`() throws {
    let column = try #require(Shape([4, 1]))
    let both = try #require(Shape([2, 1, 3]))
    let scalar = try #require(Shape([]))
    let wide = try #require(Shape([40_000, 1]))
    let long = try #require(Shape([40_000]))
    let whole = try #require(Shape([2, 4, 3]))
    #expect(both.broadcast(with: column) == whole)
    #expect(scalar.broadcast(with: long) == long)
    #expect(whole.broadcast(with: long) == nil)
    #expect(wide.broadcast(with: long) == nil)
    #expect(both.strides == [3, 3, 1])
    #expect(column.strides(broadcastTo: whole) == [0, 1, 0])
  }
}
