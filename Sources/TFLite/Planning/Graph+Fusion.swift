import Tensor

extension Graph {
  /// Fuses paddings, additions, activations and slopes with the steps that produce their inputs.
  mutating func fuse(bands: RowBands, planes: PlaneChains) {
    var fusion = Fusion(graph: self)
    fusion.joinNormalizations()
    fusion.foldTranspositions()
    fusion.absorbPaddings()
    fusion.absorbAdditions()
    fusion.absorbClamps()
    fusion.absorbSlopes()
    fusion.joinPlaneChains(planes)
    fusion.joinRowBands(bands)
    items = fusion.steps.compactMap { $0 }
  }
}

/// Steps by index; nil for a step that was fused with another.
struct Fusion {
  var steps: [Graph.Item?]
  let graph: Graph
  private var producers: [Int: Int] = [:]
  /// Number of steps and outputs that read the floats of a tensor, by the tensor that owns them.
  var uses: [Int: Int] = [:]

  init(graph: Graph) {
    self.graph = graph
    steps = graph.items
    for (position, item) in graph.items.enumerated() {
      producers[item.output] = position
      for input in item.step.inputs { uses[graph.root(input), default: 0] += 1 }
    }
    for output in graph.outputs { uses[graph.root(output), default: 0] += 1 }
  }

  private func producer(of tensor: Int) -> (position: Int, step: any Step)? {
    guard let position = producers[graph.root(tensor)], let item = steps[position] else {
      return nil
    }
    return (position, item.step)
  }

  /// The step that makes a tensor, if exactly `count` steps or outputs read that tensor.
  func producer(of tensor: Int, uses count: Int) -> (position: Int, step: any Step)? {
    uses[graph.root(tensor)] == count ? producer(of: tensor) : nil
  }

  /// The step that makes a tensor, if nothing else reads that tensor.
  func soleProducer(of tensor: Int) -> (position: Int, step: any Step)? {
    producer(of: tensor, uses: 1)
  }

  private mutating func stopUsing(_ tensor: Int) {
    let owner = graph.root(tensor)
    uses[owner, default: 1] -= 1
    guard uses[owner] == 0, let position = producers[owner], let item = steps[position] else {
      return
    }
    steps[position] = nil
    for input in item.step.inputs { stopUsing(input) }
  }

  /// Stores a fused step at the index of the later of the two steps.
  mutating func replace(
    at position: Int, with step: any Step, takenOver producer: Int
  ) {
    guard let later = steps[position] else { return }
    steps[producer] = nil
    steps[position] = Graph.Item(step: step, output: later.output)
  }

  mutating func absorbPaddings() {
    for position in steps.indices {
      guard let item = steps[position], let input = item.step.inputs.first,
        let pad = producer(of: input)?.step as? Pad, let padding = pad.spatialPadding,
        graph.values[input]?.shape == pad.outputShape,
        var fused = item.step.absorbing(padding: padding, inputShape: pad.inputShape)
      else { continue }
      fused.inputs[0] = pad.inputs[0]
      uses[graph.root(pad.inputs[0]), default: 0] += 1
      steps[position] = Graph.Item(step: fused, output: item.output)
      stopUsing(input)
    }
  }

  mutating func absorbAdditions() {
    for position in steps.indices {
      guard let add = steps[position]?.step as? BinaryStep, add.operation == .add,
        add.inputShapes[0] == add.inputShapes[1]
      else { continue }
      for (sum, other) in [(0, 1), (1, 0)] {
        if absorb(add, at: position, sum: add.inputs[sum], other: add.inputs[other]) { break }
      }
    }
  }

  private mutating func absorb(_ add: BinaryStep, at position: Int, sum: Int, other: Int) -> Bool {
    guard graph.root(sum) != graph.root(other), let producer = soleProducer(of: sum),
      producer.step.outputShape == add.outputShape, add.outputShape.rank > 0
    else { return false }
    var residual = other
    var channels = add.outputShape[add.outputShape.rank - 1]
    let pad = soleProducer(of: other)
    if let pad, let step = pad.step as? Pad, step.onlyExtendsChannels,
      step.outputShape == add.outputShape
    {
      residual = step.inputs[0]
      channels = step.inputShape[step.inputShape.rank - 1]
    }
    guard var fused = producer.step.absorbing(residual: residual, channels: channels) else {
      return false
    }
    if add.clamp != .none {
      guard let clamped = fused.absorbing(clamp: add.clamp) else { return false }
      fused = clamped
    }
    if residual != other, let pad { steps[pad.position] = nil }
    replace(at: position, with: fused, takenOver: producer.position)
    return true
  }

  mutating func absorbClamps() {
    for position in steps.indices {
      guard let relu = steps[position]?.step as? ClampStep,
        let producer = soleProducer(of: relu.inputs[0]),
        producer.step.outputShape == relu.outputShape,
        let fused = producer.step.absorbing(clamp: relu.clamp)
      else { continue }
      replace(at: position, with: fused, takenOver: producer.position)
    }
  }

  mutating func absorbSlopes() {
    for position in steps.indices {
      guard let prelu = steps[position]?.step as? BinaryStep, prelu.operation == .slope,
        prelu.clamp == .none, prelu.inputShapes[1].dimensions.last == prelu.inputShapes[1].count,
        case .constant(let constant) = graph.values[prelu.inputs[1]], let slopes = constant.floats,
        let producer = soleProducer(of: prelu.inputs[0]),
        producer.step.outputShape == prelu.outputShape,
        let fused = producer.step.absorbing(slopes: slopes)
      else { continue }
      replace(at: position, with: fused, takenOver: producer.position)
    }
  }
}
