import Tensor

/// A piece of work, such as a layer of a model by its sizes, and the ways to do it.
struct Layer {
  /// One way to do the work.
  struct Variant {
    let name: String
    let work: () -> Void
  }

  let name: String
  let variants: [Variant]

  /// Layers that take most of the time, from large and shallow to small and deep; and drawing.
  static func all() -> [Layer] {
    [
      pointwise("landmarks 128x128, 8 to 16", pixels: 128 * 128, depth: 8, channels: 16),
      pointwise("landmarks 64x64, 16 to 32", pixels: 64 * 64, depth: 16, channels: 32),
      pointwise("landmarks 32x32, 64 to 64", pixels: 32 * 32, depth: 64, channels: 64),
      pointwise("landmarks 8x8, 128 to 128", pixels: 64, depth: 128, channels: 128),
      pointwise("detector 64x64, 24 to 24", pixels: 64 * 64, depth: 24, channels: 24),
      pointwise("blendshapes mixer 96x256, 256", pixels: 96, depth: 256, channels: 256),
      depthwise("depthwise 64x64, 32 channels", side: 64, channels: 32),
      depthwise("depthwise 16x16, 96 channels", side: 16, channels: 96),
      overlay(),
    ].compactMap { $0 }
  }

  private static func numbers(_ count: Int) -> [Float] {
    (0..<count).map { Float($0 % 17) / 17 - 0.4 }
  }

  private static func pointwise(
    _ name: String, pixels: Int, depth: Int, channels: Int
  ) -> Layer? {
    guard
      let window = Window(input: (1, pixels), kernel: (1, 1), stride: (1, 1), padding: .none)
    else { return nil }
    let input = FloatStorage(numbers(pixels * depth))
    let matrix = numbers(depth * channels)
    let weights = FloatStorage(matrix)
    let bias = FloatStorage(numbers(channels))
    let output = Output(pixels * channels)
    let product = Variant(name: "sgemm") {
      BLAS.multiply(
        input.pointer, weights.pointer, into: output.pointer, rows: pixels, depth: depth,
        columns: channels)
    }
    let direct = Kernels.available.map { kernels in
      let packed = kernels.pack(matrix, depth: depth, channels: channels)
      return Variant(name: "direct \(kernels.name)") {
        kernels.convolve(
          input.pointer, window: window, inputChannels: depth, packed: packed.pointer,
          bias: bias.pointer, residual: nil, residualChannels: 0, slopes: nil,
          into: output.pointer, outputChannels: channels, rows: 0..<1, clamp: .none)
      }
    }
    return Layer(name: "pointwise \(name)", variants: [product] + direct)
  }

  private static func depthwise(_ name: String, side: Int, channels: Int) -> Layer? {
    let padding = Window.Padding(top: 1, bottom: 1, left: 1, right: 1)
    guard
      let window = Window(
        input: (side, side), kernel: (3, 3), stride: (1, 1), padding: padding)
    else { return nil }
    let input = FloatStorage(numbers(side * side * channels))
    let weights = FloatStorage(numbers(9 * channels))
    let bias = FloatStorage(numbers(channels))
    let zeros = FloatStorage(count: side * channels) { _ in }
    let output = Output(side * side * channels)
    return Layer(
      name: name,
      variants: Kernels.available.map { kernels in
        Variant(name: kernels.name) {
          kernels.depthwise(
            input.pointer, window: window, channels: channels, weights: weights.pointer,
            bias: bias.pointer, zeros: zeros.pointer, slopes: nil, into: output.pointer,
            rows: 0..<side, clamp: .none)
        }
      })
  }
}

/// Floats that kernels write to, and a vector beyond.
private final class Output {
  // Safety: allocated in `init` with 64 bytes beyond its floats, freed in `deinit`.
  let pointer: UnsafeMutablePointer<Float>

  init(_ count: Int) {
    pointer = .allocate(capacity: count + 16)
    pointer.initialize(repeating: 0, count: count + 16)
  }

  deinit { pointer.deallocate() }
}
