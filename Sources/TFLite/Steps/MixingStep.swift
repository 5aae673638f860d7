import Tensor

/// A pointwise convolution between two transpositions: it mixes the rows of a matrix, column by column.
///
/// The token mixing of an MLP-Mixer is two of them. As matrix · values they need no transposition.
struct MixingStep: Step {
  var inputs: [Int]
  let outputShape: Shape
  /// Rows of the output and of the input, and columns of both.
  let rows: Int
  let depth: Int
  let columns: Int
  /// [rows, depth]
  let matrix: FloatStorage
  /// One per row of the output.
  let bias: FloatStorage
  let kernels: Kernels
  var clamp: Clamp

  var multiplyAccumulates: Int { rows * depth * columns }
  var constantCount: Int { rows * (depth + 1) }
  var summary: String { "ROW_MIXING \(kernels.name)" }

  func absorbing(clamp: Clamp) -> (any Step)? {
    self.clamp == .none ? changed { $0.clamp = clamp } : nil
  }

  func absorbing(residual tensor: Int, channels: Int) -> (any Step)? {
    guard clamp == .none, inputs.count == 1, channels == columns,
      outputShape.dimensions.last == columns
    else { return nil }
    return changed { $0.inputs.append(tensor) }
  }

  func run(_ memory: StepMemory) {
    kernels.mix(
      memory.inputs[0], by: matrix.pointer, rows: rows, depth: depth, columns: columns,
      bias: bias.pointer, residual: inputs.count > 1 ? memory.inputs[1] : nil,
      into: memory.output, clamp: clamp)
  }
}

extension Fusion {
  /// Replaces pointwise convolutions between two transpositions by products from the left.
  mutating func foldTranspositions() {
    for position in steps.indices {
      guard let last = steps[position]?.step as? StridedCopyStep, let sizes = last.transposed,
        sizes.rows >= MixingStep.fewestColumns
      else { continue }
      fold(endingAt: position, last, columns: sizes.rows)
    }
  }

  private mutating func fold(endingAt position: Int, _ last: StridedCopyStep, columns: Int) {
    var convolutions: [(position: Int, step: Conv2D)] = []
    var tensor = last.inputs[0]
    while let producer = soleProducer(of: tensor) {
      if let step = producer.step as? Conv2D, step.isMixing(columns: columns) {
        convolutions.insert((producer.position, step), at: 0)
        tensor = step.inputs[0]
        continue
      }
      guard let first = producer.step as? StridedCopyStep, let found = first.transposed,
        found.columns == columns, !convolutions.isEmpty
      else { return }
      let mixing = convolutions.indices.compactMap { index in
        let isLast = index == convolutions.count - 1
        return convolutions[index].step.mixing(
          index == 0 ? first.inputs[0] : convolutions[index].step.inputs[0], columns: columns,
          shape: isLast ? last.outputShape : nil, of: graph)
      }
      guard mixing.count == convolutions.count else { return }
      steps[producer.position] = nil
      for (index, step) in mixing.enumerated() {
        let isLast = index == mixing.count - 1
        let place = convolutions[index].position
        if isLast {
          replace(at: position, with: step, takenOver: place)
        } else if let output = steps[place]?.output {
          steps[place] = Graph.Item(step: step, output: output)
        }
      }
      return
    }
  }
}

extension MixingStep {
  /// Below it, a transposition costs less than vectors that are mostly unused.
  fileprivate static let fewestColumns = 16
}

extension Conv2D {
  /// Whether it is a matrix product over so many pixels and nothing else that a transposition would disturb.
  fileprivate func isMixing(columns: Int) -> Bool {
    isDirect && window.isPointwise && pixels == columns && outputShape[0] == 1 && slopes == nil
      && residualChannels == nil
  }

  /// The same with rows and columns exchanged on both sides; nil where the weights are not at hand.
  fileprivate func mixing(
    _ input: Int, columns: Int, shape: Shape?, of graph: Graph
  ) -> MixingStep? {
    guard case .constant(let constant) = graph.values[filter], let matrix = constant.floats,
      let kernels = graph.kernels.kernels(covering: columns),
      let shape = shape ?? Shape([1, 1, outputShape[3], columns])
    else { return nil }
    return MixingStep(
      inputs: [input], outputShape: shape, rows: outputShape[3], depth: inputChannels,
      columns: columns, matrix: matrix, bias: bias, kernels: kernels, clamp: clamp)
  }
}
