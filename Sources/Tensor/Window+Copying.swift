// Safety: in both, `input` holds inputHeight * inputWidth * channels floats, and `output` is as large
// as the abstract says; the loops stay inside by construction.
extension Window {
  /// Copies a picture into one of paddedHeight x paddedWidth with zeros around it.
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

  /// Copies what each output pixel's window covers into a row of a [pixels, kernel * channels] matrix.
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

  /// The same window over the picture inside a zero padding of its input; nil if this one pads too.
  package func taking(padding: Padding, from shape: Shape) -> Window? {
    guard self.padding == .none, shape.rank == 4 else { return nil }
    return Window(
      input: (shape[1], shape[2]), kernel: (kernelHeight, kernelWidth),
      stride: (strideHeight, strideWidth), padding: padding)
  }
}
