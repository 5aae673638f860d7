/// A sliding window over the rows and columns of one [height, width, channels] image.
package struct Window: Sendable, Hashable {
  /// Rows of the input.
  package var inputHeight: Int
  /// Columns of the input.
  package var inputWidth: Int
  /// Rows of the window.
  package var kernelHeight: Int
  /// Columns of the window.
  package var kernelWidth: Int
  /// Input rows between two output rows.
  package var strideHeight: Int
  /// Input columns between two output columns.
  package var strideWidth: Int
  /// Positions around the input that the window may cover.
  package var padding: Padding
  /// Rows of the output.
  package private(set) var outputHeight: Int
  /// Columns of the output.
  package private(set) var outputWidth: Int

  /// Rows and columns added around an image.
  package struct Padding: Sendable, Hashable {
    /// Rows above.
    package var top: Int
    /// Rows below.
    package var bottom: Int
    /// Columns before.
    package var left: Int
    /// Columns after.
    package var right: Int

    /// Makes a padding.
    package init(top: Int, bottom: Int, left: Int, right: Int) {
      self.top = top
      self.bottom = bottom
      self.left = left
      self.right = right
    }

    /// Nothing added.
    package static let none = Padding(top: 0, bottom: 0, left: 0, right: 0)
  }

  /// Makes a window; nil if a size is below 1, padding is negative, or the window does not fit.
  package init?(
    input: (height: Int, width: Int), kernel: (height: Int, width: Int),
    stride: (height: Int, width: Int), padding: Padding
  ) {
    let sizes = [
      input.height, input.width, kernel.height, kernel.width, stride.height, stride.width,
    ]
    let paddings = [padding.top, padding.bottom, padding.left, padding.right]
    guard sizes.allSatisfy({ 1...Shape.maximumCount ~= $0 }),
      paddings.allSatisfy({ 0...Shape.maximumCount ~= $0 })
    else { return nil }
    let spareHeight = input.height + padding.top + padding.bottom - kernel.height
    let spareWidth = input.width + padding.left + padding.right - kernel.width
    guard spareHeight >= 0, spareWidth >= 0 else { return nil }
    (inputHeight, inputWidth) = input
    (kernelHeight, kernelWidth) = kernel
    (strideHeight, strideWidth) = stride
    self.padding = padding
    outputHeight = spareHeight / stride.height + 1
    outputWidth = spareWidth / stride.width + 1
  }

  /// TensorFlow's SAME padding along one axis: the output is ⌈size / stride⌉, the odd element goes after.
  package static func samePadding(size: Int, kernel: Int, stride: Int) -> (
    before: Int, after: Int
  ) {
    let output = (size + stride - 1) / stride
    let total = max((output - 1) * stride + kernel - size, 0)
    return (total / 2, total - total / 2)
  }

  /// Whether the output is the input's own pixels, one by one.
  package var isPointwise: Bool {
    kernelHeight == 1 && kernelWidth == 1 && strideHeight == 1 && strideWidth == 1
      && padding == .none
  }

  /// Rows of the input with its padding.
  package var paddedHeight: Int { inputHeight + padding.top + padding.bottom }
  /// Columns of the input with its padding.
  package var paddedWidth: Int { inputWidth + padding.left + padding.right }
}

// Safety: in both, `input` holds inputHeight * inputWidth * channels floats, and `output` is as large
// as documented; the loops stay inside by construction.
extension Window {
  /// Copies an image into one of paddedHeight x paddedWidth with zeros around it.
  package func copyPadded(
    _ input: UnsafePointer<Float>, channels: Int, into output: UnsafeMutablePointer<Float>
  ) {
    let row = inputWidth * channels
    let before = padding.left * channels
    let after = padding.right * channels
    var to = output
    to.update(repeating: 0, count: padding.top * paddedWidth * channels)
    to += padding.top * paddedWidth * channels
    for y in 0..<inputHeight {
      to.update(repeating: 0, count: before)
      (to + before).update(from: input + y * row, count: row)
      (to + (before + row)).update(repeating: 0, count: after)
      to += before + row + after
    }
    to.update(repeating: 0, count: padding.bottom * paddedWidth * channels)
  }

  /// Copies the window of each output pixel into a row of a [pixels, kernel * channels] matrix.
  package func copyPatches(
    _ input: UnsafePointer<Float>, channels: Int, into output: UnsafeMutablePointer<Float>
  ) {
    let run = kernelWidth * channels
    var to = output
    for y in 0..<outputHeight {
      for x in 0..<outputWidth {
        let left = x * strideWidth - padding.left
        let skipped = min(max(-left, 0), kernelWidth)
        let kept = max(min(left + kernelWidth, inputWidth) - (left + skipped), 0)
        for ky in 0..<kernelHeight {
          let row = y * strideHeight - padding.top + ky
          if kept == 0 || row < 0 || row >= inputHeight {
            to.update(repeating: 0, count: run)
          } else {
            let from = input + (row * inputWidth + left + skipped) * channels
            to.update(repeating: 0, count: skipped * channels)
            (to + skipped * channels).update(from: from, count: kept * channels)
            (to + (skipped + kept) * channels)
              .update(repeating: 0, count: (kernelWidth - skipped - kept) * channels)
          }
          to += run
        }
      }
    }
  }

  /// The same window over the image inside a zero padding of its input; nil if this window has padding.
  package func taking(padding: Padding, from shape: Shape) -> Window? {
    guard self.padding == .none, shape.rank == 4 else { return nil }
    return Window(
      input: (shape[1], shape[2]), kernel: (kernelHeight, kernelWidth),
      stride: (strideHeight, strideWidth), padding: padding)
  }
}
