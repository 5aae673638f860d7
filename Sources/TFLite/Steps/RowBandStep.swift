import Tensor

/// A depthwise convolution, the pointwise one after it, and the convolution before it where there is one, over bands of rows.
///
/// What lies between them stays in the first levels of cache; every float is computed by the same operations as in
/// three steps.
struct RowBandStep: Step {
  /// Before the depthwise convolution.
  let expansion: Conv2D?
  let depthwise: DepthwiseConv2D
  /// Pointwise.
  let projection: Conv2D
  /// Rows of the output in a band; the last band may have fewer.
  let bandRows: Int
  /// The first one's input, and the residual of the last.
  var inputs: [Int]

  init(
    _ expansion: Conv2D?, _ depthwise: DepthwiseConv2D, _ projection: Conv2D, cacheBytes: Int
  ) {
    self.expansion = expansion
    self.depthwise = depthwise
    self.projection = projection
    inputs = [expansion?.inputs[0] ?? depthwise.inputs[0]] + projection.inputs.dropFirst()
    let window = depthwise.window
    func bytes(_ rows: Int) -> Int {
      4 * depthwise.outputShape[3]
        * (rows * window.outputWidth
          + (expansion == nil ? 0 : Self.rows(under: rows, window) * window.inputWidth))
    }
    bandRows = (1...window.outputHeight).last { bytes($0) <= cacheBytes } ?? 1
  }

  /// Rows of the input under so many neighbouring rows of the output.
  private static func rows(under rows: Int, _ window: Window) -> Int {
    min((rows - 1) * window.strideHeight + window.kernelHeight, window.inputHeight)
  }

  private var parts: [any Step] {
    let last: [any Step] = [depthwise, projection]
    return expansion.map { [$0] + last } ?? last
  }
  var outputShape: Shape { projection.outputShape }
  var multiplyAccumulates: Int { parts.reduce(0) { $0 + $1.multiplyAccumulates } }
  var constantCount: Int { parts.reduce(0) { $0 + $1.constantCount } }
  var summary: String {
    let window = expansion?.window
    let before = window.map { "\(Conv2D.name) \($0.kernelHeight)x\($0.kernelWidth)+" } ?? ""
    return before + "\(DepthwiseConv2D.name)+\(Conv2D.name) 1x1 direct \(projection.kernels.name), "
      + "bands of \(bandRows) row\(bandRows == 1 ? "" : "s")"
  }

  /// Floats of a row between the steps.
  private var expandedRow: Int { depthwise.window.inputWidth * depthwise.outputShape[3] }
  private var filteredRow: Int { depthwise.window.outputWidth * depthwise.outputShape[3] }
  private var expandedCount: Int {
    let count =
      expansion == nil ? 0 : Self.rows(under: bandRows, depthwise.window) * expandedRow
    return (count + 15) / 16 * 16
  }
  var scratchCount: Int { expandedCount + bandRows * filteredRow }

  func run(_ memory: StepMemory) {
    let window = depthwise.window
    let filtered = memory.scratch + expandedCount
    let (height, width) = (window.outputHeight, window.outputWidth)
    // The rows of the expansion that are in the scratch memory.
    var kept = 0..<0
    for first in stride(from: 0, to: height, by: bandRows) {
      let rows = first..<min(first + bandRows, height)
      var input = memory.inputs[0]
      if let expansion {
        let top = max(first * window.strideHeight - window.padding.top, 0)
        let bottom = min(
          (rows.upperBound - 1) * window.strideHeight - window.padding.top + window.kernelHeight,
          window.inputHeight)
        let shared = max(kept.upperBound - top, 0)
        if shared > 0, top > kept.lowerBound {
          let from = memory.scratch + (top - kept.lowerBound) * expandedRow
          memory.scratch.update(from: from, count: shared * expandedRow)
        }
        if top + shared < bottom {
          expansion.convolve(
            input, residual: nil, into: memory.scratch + shared * expandedRow,
            rows: top + shared..<bottom)
        }
        kept = top..<max(bottom, top + shared)
        // The depthwise kernel counts rows from the image's first one.
        input = UnsafePointer(memory.scratch) - top * expandedRow
      }
      depthwise.depthwise(input, into: filtered, rows: rows)
      let residual = projection.residualChannels.map {
        memory.inputs[1] + first * width * $0
      }
      // The projection's rows are the scratch memory's own.
      projection.convolve(
        UnsafePointer(filtered) - first * filteredRow, residual: residual,
        into: memory.output + first * width * outputShape[3], rows: rows)
    }
  }
}

/// Which convolutions run over bands of rows.
package struct RowBands: Sendable, Hashable {
  /// Bytes between two of the steps, from which on bands are used: what does not fit the first level of cache.
  package var leastBytes = 65_536
  /// Bytes of a band's rows between the steps.
  package var cacheBytes = 24_576

  /// The usual limits.
  package init() {}
}

extension Fusion {
  /// Joins convolutions with large maps between them, so that these never leave the cache.
  mutating func joinRowBands(_ bands: RowBands) {
    for position in steps.indices {
      guard let projection = steps[position]?.step as? Conv2D, projection.isDirect,
        projection.window.isPointwise, projection.outputShape[0] == 1,
        let middle = soleProducer(of: projection.inputs[0]),
        let depthwise = middle.step as? DepthwiseConv2D
      else { continue }
      var expansion: (position: Int, step: Conv2D)?
      if let producer = soleProducer(of: depthwise.inputs[0]), let step = producer.step as? Conv2D,
        step.isDirect, step.window.padding == .none, step.residualChannels == nil
      {
        expansion = (producer.position, step)
      }
      let window = depthwise.window
      let largest =
        depthwise.outputShape[3]
        * max(
          window.outputHeight * window.outputWidth,
          expansion == nil ? 0 : window.inputHeight * window.inputWidth)
      guard 4 * largest >= bands.leastBytes else { continue }
      let step = RowBandStep(
        expansion?.step, depthwise, projection, cacheBytes: bands.cacheBytes)
      if let expansion { steps[expansion.position] = nil }
      replace(at: position, with: step, takenOver: middle.position)
    }
  }
}
