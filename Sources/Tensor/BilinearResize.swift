import CKernels

/// Input positions and weights of each output row and column of a bilinear resize, with half-pixel centres.
package struct BilinearResize: Sendable {
  /// Columns of the input.
  package let inputWidth: Int
  let rows: [fg_tap]
  let columns: [fg_tap]

  /// Plans a resize; edge pixels are repeated beyond the edge.
  package init(
    from input: (height: Int, width: Int), to output: (height: Int, width: Int)
  ) {
    inputWidth = input.width
    rows = BilinearResize.taps(input.height, output.height)
    columns = BilinearResize.taps(input.width, output.width)
  }

  private static func taps(_ input: Int, _ output: Int) -> [fg_tap] {
    let scale = Float(input) / Float(output)
    return (0..<output).map { index in
      let position = (Float(index) + 0.5) * scale - 0.5
      let floor = position.rounded(.down)
      let lower = min(max(Int(floor), 0), input - 1)
      let upper = min(Int(floor) + 1, input - 1)
      return fg_tap(lower: lower, upper: upper, fraction: position - floor)
    }
  }
}
