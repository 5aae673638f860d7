import Tensor
import Testing

/// Kernels of every level against plain loops over small whole numbers, which are exact in any order.
@Suite struct KernelTests {
  static func wholeNumbers(_ count: Int, seed: Int) -> [Float] {
    (0..<count).map { Float(($0 * 7 + seed * 13) * ($0 + 3) % 11 - 5) }
  }

  struct Sizes: CustomTestStringConvertible {
    var pixels: Int
    var depth: Int
    var channels: Int
    var residual: Int?
    var hasSlopes: Bool { channels % 2 == pixels % 2 }
    var testDescription: String {
      "\(pixels)x\(depth)x\(channels) residual \(residual ?? 0)\(hasSlopes ? " slopes" : "")"
    }
  }

  static let sizes: [Sizes] = [1, 3, 4, 7, 8, 9, 16, 31, 64, 65, 130].flatMap { pixels in
    [1, 2, 4, 5, 8, 11, 16, 17, 24, 31, 36, 48, 50, 64, 97, 100].map { channels in
      Sizes(
        pixels: pixels, depth: 1 + (pixels + channels) % 9, channels: channels,
        residual: channels % 3 == 0 ? nil : max(1, channels - channels % 4 * 3))
    }
  }

  @Test(arguments: sizes, Kernels.available.map(\.level))
  func `a pointwise convolution is a matrix product with bias, residual, clamp and slopes`(
    _ s: Sizes, _ level: Kernels.Level
  ) throws {
    let kernels = try #require(Kernels(level: level))
    let input = KernelTests.wholeNumbers(s.pixels * s.depth, seed: 1)
    let matrix = KernelTests.wholeNumbers(s.depth * s.channels, seed: 2)
    let bias = KernelTests.wholeNumbers(s.channels, seed: 3)
    let residual = s.residual.map { KernelTests.wholeNumbers(s.pixels * $0, seed: 4) }
    let slopes = KernelTests.wholeNumbers(s.channels, seed: 8)
    let clamp = Clamp(low: -20, high: 30)
    var expected: [Float] = []
    for pixel in 0..<s.pixels {
      for channel in 0..<s.channels {
        var sum = bias[channel]
        for k in 0..<s.depth {
          sum += input[pixel * s.depth + k] * matrix[k * s.channels + channel]
        }
        if let residual, let count = s.residual, channel < count {
          sum += residual[pixel * count + channel]
        }
        sum = min(max(sum, -20), 30)
        expected.append(sum < 0 && s.hasSlopes ? sum * slopes[channel] : sum)
      }
    }
    let window = try #require(
      Window(input: (1, s.pixels), kernel: (1, 1), stride: (1, 1), padding: .none))
    let packed = kernels.pack(matrix, depth: s.depth, channels: s.channels)
    let narrow = s.pixels == 1 ? kernels.narrow(packed) : nil
    #expect((narrow != nil) == (s.pixels == 1 && level != .baseline))
    let biases = FloatStorage(bias)
    let slopeStorage = FloatStorage(slopes)
    let residuals = residual.map { FloatStorage($0) }
    for weights in [packed, narrow].compactMap(\.self) {
      // One float more than the output, to see a write beyond it.
      var found = [Float](repeating: 99, count: expected.count + 1)
      withExtendedLifetime((weights, biases, residuals, slopeStorage)) {
        kernels.convolve(
          input, window: window, inputChannels: s.depth, packed: weights.pointer,
          areNarrow: weights === narrow, bias: biases.pointer, residual: residuals?.pointer,
          residualChannels: s.residual ?? 0, slopes: s.hasSlopes ? slopeStorage.pointer : nil,
          into: &found, outputChannels: s.channels, rows: 0..<1, clamp: clamp)
      }
      #expect(found == expected + [99])
    }
  }

  /// The greatest number of 16 bits is 65504, the least one above 0 is 2^-24, and 1 is followed by 1 + 2^-10.
  @Test(arguments: Kernels.available.dropFirst().map(\.level))
  func `weights become narrow only if each of them stays the same number`(
    _ level: Kernels.Level
  ) throws {
    let kernels = try #require(Kernels(level: level))
    func isNarrow(_ weight: Float, at place: Int) -> Bool {
      var matrix = KernelTests.wholeNumbers(3 * 21, seed: 5)
      matrix[place] = weight
      return kernels.narrow(kernels.pack(matrix, depth: 3, channels: 21)) != nil
    }
    for place in [0, 20, 31, 62] {
      for weight in [0, -0.0, 65504, -0x1p-24, 0x3p-24, 1 + 0x1p-10, .infinity] as [Float] {
        #expect(isNarrow(weight, at: place), "\(weight)")
      }
      for weight in [0.1, 65520, 0x1p-25, 1 + 0x1p-11, .nan] as [Float] {
        #expect(!isNarrow(weight, at: place), "\(weight)")
      }
    }
  }

  @Test(
    arguments: Kernels.available.map(\.level),
    [(1, 1, 16), (2, 5, 17), (9, 3, 40), (13, 20, 64), (8, 7, 5), (25, 97, 24), (97, 4, 1)])
  func `mixing rows is a matrix product from the left with a bias a row`(
    _ level: Kernels.Level, _ sizes: (rows: Int, depth: Int, columns: Int)
  ) throws {
    let kernels = try #require(Kernels(level: level))
    let (rows, depth, columns) = sizes
    let matrix = FloatStorage(KernelTests.wholeNumbers(rows * depth, seed: 1))
    let values = FloatStorage(KernelTests.wholeNumbers(depth * columns, seed: 2))
    let bias = FloatStorage(KernelTests.wholeNumbers(rows, seed: 3))
    let residual = FloatStorage(KernelTests.wholeNumbers(rows * columns, seed: 4))
    for hasResidual in [false, true] {
      let expected = (0..<rows * columns).map { index -> Float in
        let (row, column) = index.quotientAndRemainder(dividingBy: columns)
        let sum = (0..<depth).reduce(bias.pointer[row]) {
          $0 + matrix.pointer[row * depth + $1] * values.pointer[$1 * columns + column]
        }
        return min(max(sum + (hasResidual ? residual.pointer[index] : 0), -20), 30)
      }
      var found = [Float](repeating: 99, count: expected.count + 1)
      kernels.mix(
        values.pointer, by: matrix.pointer, rows: rows, depth: depth, columns: columns,
        bias: bias.pointer, residual: hasResidual ? residual.pointer : nil, into: &found,
        clamp: Clamp(low: -20, high: 30))
      #expect(found == expected + [99])
    }
  }

  @Test(arguments: Kernels.available.map(\.level), [(3, 3), (2, 2), (5, 4), (9, 1)])
  func `a depthwise convolution leaves out what is beside the image, at every width and stride`(
    _ level: Kernels.Level, _ kernel: (height: Int, width: Int)
  ) throws {
    let kernels = try #require(Kernels(level: level))
    for (channels, width, stride) in [(24, 1, 1), (9, 2, 1), (20, 3, 2), (97, 8, 1), (8, 9, 2)] {
      let vertical = Window.samePadding(size: 4, kernel: kernel.height, stride: stride)
      let horizontal = Window.samePadding(size: width, kernel: kernel.width, stride: stride)
      let window = try #require(
        Window(
          input: (4, width), kernel: kernel, stride: (stride, stride),
          padding: Window.Padding(
            top: vertical.before, bottom: vertical.after, left: horizontal.before,
            right: horizontal.after)))
      expectDepthwise(kernels, window, channels: channels)
    }
  }

  @Test(arguments: Kernels.available.map(\.level), [1, 2])
  func `a depthwise convolution of 3x3 makes groups of pixels at either edge`(
    _ level: Kernels.Level, _ stride: Int
  ) throws {
    let kernels = try #require(Kernels(level: level))
    for width in 2...14 {
      for (left, right) in [(0, 0), (1, 0), (0, 1), (1, 1)] where width + left + right >= 3 {
        let window = try #require(
          Window(
            input: (3, width), kernel: (3, 3), stride: (stride, stride),
            padding: Window.Padding(top: 1, bottom: 1, left: left, right: right)))
        expectDepthwise(kernels, window, channels: 20)
      }
    }
  }

  /// Expects what plain loops over whole numbers give.
  private func expectDepthwise(_ kernels: Kernels, _ window: Window, channels: Int) {
    let (height, width) = (window.inputHeight, window.inputWidth)
    let input = KernelTests.wholeNumbers(height * width * channels, seed: 5)
    let weights = FloatStorage(
      KernelTests.wholeNumbers(window.kernelHeight * window.kernelWidth * channels, seed: 6))
    let bias = FloatStorage(KernelTests.wholeNumbers(channels, seed: 7))
    let zeros = FloatStorage(count: width * channels) { _ in }
    var expected: [Float] = []
    for y in 0..<window.outputHeight {
      for x in 0..<window.outputWidth {
        for channel in 0..<channels {
          var sum = bias.pointer[channel]
          for ky in 0..<window.kernelHeight {
            for kx in 0..<window.kernelWidth {
              let row = y * window.strideHeight - window.padding.top + ky
              let column = x * window.strideWidth - window.padding.left + kx
              guard 0..<height ~= row, 0..<width ~= column else { continue }
              sum +=
                input[(row * width + column) * channels + channel]
                * weights.pointer[(ky * window.kernelWidth + kx) * channels + channel]
            }
          }
          expected.append(sum)
        }
      }
    }
    var found = [Float](repeating: 99, count: expected.count + 1)
    kernels.depthwise(
      input, window: window, channels: channels, weights: weights.pointer, bias: bias.pointer,
      zeros: zeros.pointer, slopes: nil, into: &found, rows: 0..<window.outputHeight,
      clamp: .none)
    #expect(found == expected + [99], "\(channels) channels, \(window)")
  }

  @Test(arguments: Kernels.available.map(\.level), [1, 4, 6, 8, 16, 19, 24, 33])
  func `rows of a depthwise convolution can be made one at a time`(
    _ level: Kernels.Level, _ channels: Int
  ) throws {
    let kernels = try #require(Kernels(level: level))
    let window = try #require(
      Window(
        input: (6, 7), kernel: (3, 3), stride: (1, 2),
        padding: Window.Padding(top: 1, bottom: 1, left: 1, right: 1)))
    let input = KernelTests.wholeNumbers(6 * 7 * channels, seed: 5)
    let weights = FloatStorage(KernelTests.wholeNumbers(9 * channels, seed: 6))
    let bias = FloatStorage(KernelTests.wholeNumbers(channels, seed: 7))
    let zeros = FloatStorage(count: 7 * channels) { _ in }
    let slopes = FloatStorage(KernelTests.wholeNumbers(channels, seed: 8).map { $0 + 0.5 })
    let row = window.outputWidth * channels
    var whole = [Float](repeating: .nan, count: window.outputHeight * row)
    var pieces = whole
    func run(_ rows: Range<Int>, into output: UnsafeMutablePointer<Float>) {
      kernels.depthwise(
        input, window: window, channels: channels, weights: weights.pointer, bias: bias.pointer,
        zeros: zeros.pointer, slopes: slopes.pointer, into: output, rows: rows, clamp: .none)
    }
    run(0..<window.outputHeight, into: &whole)
    pieces.withUnsafeMutableBufferPointer { buffer in
      for y in 0..<window.outputHeight {
        if let base = buffer.baseAddress { run(y..<y + 1, into: base + y * row) }
      }
    }
    #expect(whole == pieces)
    var sum = bias.pointer[0]
    for ky in 1..<3 {
      for kx in 1..<3 {
        sum += input[((ky - 1) * 7 + kx - 1) * channels] * weights.pointer[(ky * 3 + kx) * channels]
      }
    }
    #expect(whole[0] == (sum < 0 ? sum * slopes.pointer[0] : sum))
  }

  @Test func `levels are those of this CPU, weakest first`() throws {
    #expect(Kernels.available.first?.level == .baseline)
    #expect(
      Kernels.available.map(\.lanes) == [4, 8, 16].prefix(Kernels.available.count).map { $0 })
    #expect(try #require(Kernels.fitting(channels: 2)).level == .baseline)
    #expect(try #require(Kernels.fitting(channels: 1024)).level == Kernels.available.last?.level)
    #expect(try #require(Kernels.covering(channels: 8)).level == Kernels.available.last?.level)
  }
}
