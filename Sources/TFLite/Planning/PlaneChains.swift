import Tensor

/// Which convolutions run through planes.
package struct PlaneChains: Sendable, Hashable {
  /// Floats of the largest map of a chain from which on it is used: what does not fit the first levels of cache.
  package var leastCount = 65_536
  /// Share of the multiply-adds that vectors of channels would spend on lanes without a channel, from which on planes
  /// are faster.
  package var leastEmptyShare = 0.01
  /// Floats of the largest map from which on planes are faster although vectors of channels are full, if there are
  /// enough pointwise convolutions.
  package var leastFullCount = 131_072
  /// How many pointwise convolutions for each depthwise one are enough: that one is slower in planes, where its taps are
  /// in other lanes, the more so the longer vectors are.
  package var leastPointwise = 2
  /// The same with vectors of at most eight floats.
  package var leastPointwiseOfShort = 1
  /// Share of a pointwise convolution's weights that are 0, from which on it is faster to leave them out.
  package var leastZeroShare = 0.5
  /// Share of the multiply-adds that can be left out, from which on planes are faster whatever the maps are.
  package var leastOmittedShare = 0.25
  /// Width from which on each row of an image is a line of its own; smaller images are one line as a whole.
  package var leastRow = 48

  /// The usual limits.
  package init() {}

  /// Whether a step is a convolution whose weights are 0 for the most part.
  fileprivate func leaveOutZeros(of step: any Step, in graph: Graph) -> Bool {
    guard let step = step as? Conv2D, step.window.isPointwise,
      case .constant(let constant) = graph.values[step.filter], let weights = constant.floats
    else { return false }
    let values = UnsafeBufferPointer(start: weights.pointer, count: weights.count)
    return Double(values.count { $0 == 0 }) >= leastZeroShare * Double(values.count)
  }

  fileprivate func pay(_ chain: PlaneChainStep, count: Int) -> Bool {
    if chain.omittedShare >= leastOmittedShare { return true }
    guard count >= leastCount else { return false }
    let pointwise = chain.kernels.lanes > 8 ? leastPointwise : leastPointwiseOfShort
    return chain.emptyShare >= leastEmptyShare
      || (count >= leastFullCount
        && chain.pointwiseCount >= pointwise * chain.depthwiseCount)
  }
}

extension Fusion {
  /// Joins convolutions whose maps have few channels.
  mutating func joinPlaneChains(_ limits: PlaneChains) {
    var position = 0
    while position < steps.count {
      if let chain = planeChain(from: position, limits) {
        let positions = chain.positions
        for earlier in positions.dropLast() { steps[earlier] = nil }
        if let last = positions.last, let item = steps[last] {
          steps[last] = Graph.Item(step: chain.step, output: item.output)
          position = last
        }
      }
      position += 1
    }
  }

  /// The longest chain that begins with a step and pays; nil without one.
  private func planeChain(
    from start: Int, _ limits: PlaneChains
  ) -> (step: PlaneChainStep, positions: [Int])? {
    guard let first = steps[start], let shape = PlaneShape(first.step.outputShape) else {
      return nil
    }
    let isWhole = shape.width < limits.leastRow && beginsSparse(start, limits)
    let width = isWhole ? shape.height * (shape.width + 1) : shape.width
    guard let kernels = graph.kernels.kernels(covering: width),
      isWhole || width.isMultiple(of: kernels.lanes)
    else { return nil }
    var head: PlaneHead?
    var layers: [PlaneChainStep.Layer] = []
    var positions: [Int] = []
    /// Rows by the tensor whose floats they are.
    var known: [Int: Int] = [:]
    /// How often layers read rows.
    var reads = [0]
    var inputChannels = first.step.outputShape[3]
    var longest: (layers: Int, positions: Int)?
    for position in start..<steps.count {
      guard let item = steps[position] else { continue }
      if positions.isEmpty {
        if !isWhole, let step = item.step as? Conv2D, let weights = step.matrix(of: graph),
          let found = PlaneHead(step, weights: weights)
        {
          head = found
          known[graph.root(item.output)] = 0
          positions = [position]
          continue
        }
        guard let input = item.step.inputs.first else { return nil }
        known[graph.root(input)] = 0
        inputChannels = (item.step as? Conv2D)?.inputChannels ?? inputChannels
      }
      guard PlaneShape(item.step.outputShape) == shape,
        var layer = layer(item.step, known)
      else { break }
      layer.isSparse = limits.leaveOutZeros(of: item.step, in: graph)
      if isWhole, !layer.isSparse, !layer.convolution.isDepthwise { break }
      layers.append(layer)
      positions.append(position)
      reads[layer.source] += 1
      if let residual = layer.residual { reads[residual] += 1 }
      reads.append(0)
      known[graph.root(item.output)] = layers.count
      // Nothing outside of the chain may read what it keeps to itself; rows 0 of an input are read by others too.
      let isClosed = known.allSatisfy { tensor, rows in
        rows == layers.count || (rows == 0 && head == nil) || uses[tensor] == reads[rows]
      }
      // A depthwise convolution at the end would be taken from the pointwise one that it shares bands of rows with.
      if isClosed, !layer.convolution.isDepthwise { longest = (layers.count, positions.count) }
    }
    guard let longest else { return nil }
    let joined = layers.prefix(longest.layers)
    guard
      joined.contains(where: \.isSparse)
        || joined.count >= 2 && joined.contains(where: \.convolution.isDepthwise)
    else { return nil }
    let step = PlaneChainStep(
      head: head, layers: Array(joined), inputChannels: inputChannels, isWhole: isWhole,
      kernels: kernels)
    return limits.pay(step, count: step.mostChannels * shape.width * shape.height)
      ? (step, Array(positions.prefix(longest.positions))) : nil
  }

  /// Whether the first pointwise convolution from a step on has weights that are 0 for the most part.
  private func beginsSparse(_ start: Int, _ limits: PlaneChains) -> Bool {
    let next = steps[start...].lazy.compactMap { $0?.step }.prefix(2)
    let pointwise = next.first { ($0 as? Conv2D)?.window.isPointwise == true }
    return pointwise.map { limits.leaveOutZeros(of: $0, in: graph) } ?? false
  }

  private func layer(_ step: any Step, _ known: [Int: Int]) -> PlaneChainStep.Layer? {
    guard let source = known[graph.root(step.inputs[0])] else { return nil }
    if let step = step as? DepthwiseConv2D {
      return step.isPlane ? .init(convolution: .depthwise(step), source: source) : nil
    }
    guard let step = step as? Conv2D, step.window.isPointwise, step.isDirect,
      let weights = step.matrix(of: graph)
    else { return nil }
    var layer = PlaneChainStep.Layer(convolution: .pointwise(step, weights), source: source)
    if step.residualChannels != nil {
      guard let residual = known[graph.root(step.inputs[1])] else { return nil }
      layer.residual = residual
    }
    return layer
  }
}

/// Rows and columns of one image.
private struct PlaneShape: Equatable {
  let height: Int
  let width: Int

  init?(_ shape: Shape) {
    guard shape.rank == 4, shape[0] == 1 else { return nil }
    (height, width) = (shape[1], shape[2])
  }
}

extension DepthwiseConv2D {
  /// Whether rows of planes can be its input.
  fileprivate var isPlane: Bool {
    window.kernelHeight == 3 && window.kernelWidth == 3 && window.strideHeight == 1
      && window.strideWidth == 1
      && window.padding == Window.Padding(top: 1, bottom: 1, left: 1, right: 1)
  }
}

extension Conv2D {
  /// The weights [depth, channels], not packed; nil where they are not at hand.
  fileprivate func matrix(of graph: Graph) -> FloatStorage? {
    guard case .constant(let constant) = graph.values[filter], let values = constant.floats else {
      return nil
    }
    return FloatStorage(Self.transposed(values, rows: outputShape[3], columns: depth))
  }
}
