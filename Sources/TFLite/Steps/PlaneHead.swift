import Tensor

/// The convolution that a chain of planes begins with: it takes few channels of a larger image apart.
///
/// With stride s, pixels x, x + s, … of a channel are one plane, so that every tap is a run of neighbouring floats.
struct PlaneHead: Sendable {
  let step: Conv2D
  /// How many rows are made at a time.
  let rowsAtOnce: Int
  private let winograd: WinogradRows?
  private let weights: FloatStorage
  private let work: PlaneWork
  /// Padded rows in the ring, a power of two.
  private let ringCount: Int
  /// Offsets of the taps from the ring's start, one list for each place of the first row in the ring.
  private let offsets: PlaneOffsets

  /// Floats before each plane, and after the last one, of which the taps read.
  static let margin = 16
  /// Floats from one plane to the next.
  static func planeStep(_ width: Int) -> Int { PlaneLines.step(width + margin) }

  /// Nil for a convolution whose taps are not runs of few planes.
  init?(_ step: Conv2D, weights: FloatStorage) {
    let window = step.window
    let stride = window.strideWidth
    let last = (window.kernelWidth - 1 - window.padding.left) / stride
    guard step.isDirect, !window.isPointwise, step.residualChannels == nil,
      step.outputShape[0] == 1, stride * step.inputChannels <= 8,
      window.inputWidth == window.outputWidth * stride, last < Self.margin,
      window.padding.left <= stride
    else { return nil }
    self.step = step
    let planeStep = Self.planeStep(window.outputWidth)
    let rowStep = Self.planes(step) * planeStep
    let row = (0..<window.kernelWidth).flatMap { kx in
      (0..<step.inputChannels).map { channel in
        let column = kx - window.padding.left + stride
        return Self.margin + column / stride - 1
          + (column % stride * step.inputChannels + channel) * planeStep
      }
    }
    winograd = WinogradRows(
      step, weights: weights, offsets: row, rowStep: rowStep,
      count: stride * step.inputChannels * planeStep + Self.margin)
    rowsAtOnce = winograd == nil ? 1 : 2
    var count = 1
    while count < window.kernelHeight + (rowsAtOnce - 1) * window.strideHeight { count *= 2 }
    ringCount = count
    self.weights = weights
    work = step.planeWork(weights)
    offsets = PlaneOffsets(
      (0..<count).flatMap { first in
        (0..<window.kernelHeight).flatMap { ky in row.map { (first + ky) % count * rowStep + $0 } }
      })
  }

  /// Planes of a row, those included that only round up what is transposed.
  private static func planes(_ step: Conv2D) -> Int {
    (step.window.strideWidth * step.inputChannels + 3) / 4 * 4
  }

  private var rowStep: Int { Self.planes(step) * Self.planeStep(step.window.outputWidth) }
  var savedMultiplyAdds: Int { winograd?.savedMultiplyAdds ?? 0 }
  private var ringFloats: Int { ringCount * rowStep + Self.margin }
  var scratchCount: Int { ringFloats + (winograd?.scratchCount ?? 0) }

  func begin(_ ring: UnsafeMutablePointer<Float>) {
    ring.update(repeating: 0, count: ringFloats)
  }

  /// Makes row `y` of the output, or that and the next one; rows are made in order.
  func run(
    _ y: Int, of input: UnsafePointer<Float>, scratch ring: UnsafeMutablePointer<Float>,
    into output: (PlaneRow, PlaneRow), _ kernels: Kernels
  ) {
    let window = step.window
    let top = y * window.strideHeight
    let end = top + window.kernelHeight + (rowsAtOnce - 1) * window.strideHeight
    for row in (y == 0 ? 0 : max(top, end - rowsAtOnce * window.strideHeight))..<end {
      read(
        row - window.padding.top, of: input, into: ring + (row & (ringCount - 1)) * rowStep,
        kernels)
    }
    let (width, channels) = (window.outputWidth, step.outputShape[3])
    if let winograd {
      winograd.run(
        { UnsafePointer(ring + ((top + $0) & (ringCount - 1)) * rowStep) },
        scratch: ring + ringFloats, width: width, into: output, channels: channels, kernels)
    } else {
      kernels.convolvePlanes(
        UnsafePointer(ring), offsets: offsets.pointer + (top & (ringCount - 1)) * step.depth,
        width: width, by: work, into: output.0, channels: channels)
    }
  }

  private func read(
    _ row: Int, of input: UnsafePointer<Float>, into planes: UnsafeMutablePointer<Float>,
    _ kernels: Kernels
  ) {
    let window = step.window
    let count = window.inputWidth * step.inputChannels
    let columns = window.strideWidth * step.inputChannels
    let planeStep = Self.planeStep(window.outputWidth)
    guard 0..<window.inputHeight ~= row else {
      for plane in 0..<columns {
        (planes + plane * planeStep + Self.margin).update(repeating: 0, count: window.outputWidth)
      }
      return
    }
    // Columns beyond the last are those of the next pixels, and go to planes that nothing reads.
    kernels.transpose(
      input + row * count, rowStep: columns, rows: window.outputWidth,
      columns: row == window.inputHeight - 1 ? columns : Self.planes(step),
      into: planes + Self.margin, resultStep: planeStep)
  }
}
