import Tensor

/// Neighbouring convolutions with few channels, row by row through planes.
///
/// A vector holds pixels of one channel, so it is full however few channels there are, and what lies between two
/// layers stays in cache: each layer computes a row as soon as the rows under it are there, or all rows at once where the
/// image is small. Every float is computed by the same operations in the same order as in separate steps; of pointwise
/// weights that are 0 for the most part only the others are multiplied.
struct PlaneChainStep: Step {
  /// A layer, the rows that it reads and those that it adds. Rows 0 are the chain's first ones, rows i + 1 the output of
  /// layer i.
  struct Layer: Sendable {
    let convolution: Convolution
    let source: Int
    var residual: Int?
    /// Whether weights of 0 are left out.
    var isSparse = false
  }

  enum Convolution: Sendable {
    /// With weights [depth, channels].
    case pointwise(Conv2D, FloatStorage)
    /// 3x3, of stride 1, padded by one.
    case depthwise(DepthwiseConv2D)

    var isDepthwise: Bool { if case .depthwise = self { true } else { false } }

    var step: any Step {
      switch self {
      case .pointwise(let step, _): step
      case .depthwise(let step): step
      }
    }
  }

  /// Makes the first rows; nil where they are the input's.
  let head: PlaneHead?
  let layers: [Layer]
  let kernels: Kernels
  var inputs: [Int]
  private let height: Int
  private let width: Int
  private let lines: PlaneLines
  private let rings: [PlaneRing]
  private let chain: PlaneLayers
  let scratchCount: Int
  /// Multiply-adds whose weight is 0, which are left out.
  private let omitted: Int

  /// With `isWhole`, all rows of an image are one line; without, its width is a multiple of the lanes.
  init(
    head: PlaneHead?, layers: [Layer], inputChannels: Int, isWhole: Bool = false, kernels: Kernels
  ) {
    self.head = head
    self.layers = layers
    self.kernels = kernels
    let first = head?.step.outputShape ?? layers[0].convolution.step.outputShape
    let (height, width) = (first[1], first[2])
    (self.height, self.width) = (height, width)
    outputShape = layers.last?.convolution.step.outputShape ?? first
    inputs = [head?.step.inputs[0] ?? layers[0].convolution.step.inputs[0]]
    let channels =
      [head?.step.outputShape[3] ?? inputChannels]
      + layers.map { $0.convolution.step.outputShape[3] }
    if isWhole {
      lines = PlaneLines(rows: height, columns: width)
      (rings, scratchCount) = Self.wholeImages(layers, channels, lines)
    } else {
      lines = PlaneLines(
        count: height, width: width, step: PlaneHead.planeStep(width), margin: PlaneHead.margin)
      (rings, scratchCount) = Self.rings(
        layers, channels, lines, rowsAtOnce: head?.rowsAtOnce ?? 1,
        from: Self.zeroCount(lines) + (head?.scratchCount ?? 0))
    }
    let works = layers.map { [lines] in $0.work(planeStep: lines.step) }
    chain = PlaneLayers(works, rings: rings, lines: lines)
    omitted = zip(works, channels.dropFirst()).reduce(0) { sum, layer in
      sum + height * width
        * (layer.0.sparse.map { layer.0.depth * layer.1 - $0.count } ?? 0)
    }
  }

  /// Memory of all rows of each layer, shared by those that are never needed together, and the floats of all.
  private static func wholeImages(
    _ layers: [Layer], _ channels: [Int], _ lines: PlaneLines
  ) -> (rings: [PlaneRing], count: Int) {
    let layout = ArenaLayout(
      channels.enumerated().map { index, channels in
        let last = layers.lastIndex { $0.source == index || $0.residual == index }
        return ArenaLayout.Request(
          key: index, count: channels * lines.step, life: index...max(index, (last ?? index) + 1))
      })
    let rings = channels.enumerated().map { index, channels in
      var ring = PlaneRing(channels: channels, delay: 0)
      ring.offset = lines.step + (layout.offsets[index] ?? 0)
      return ring
    }
    return (rings, lines.step + layout.count + lines.margin)
  }

  /// Rings of the rows of each layer that later layers still read, and the floats of all.
  private static func rings(
    _ layers: [Layer], _ channels: [Int], _ lines: PlaneLines, rowsAtOnce first: Int,
    from start: Int
  ) -> (rings: [PlaneRing], count: Int) {
    var rings = [PlaneRing(channels: channels[0], delay: 0, count: first)]
    var rowsAtOnce = [first]
    for (layer, channels) in zip(layers, channels.dropFirst()) {
      rings.append(
        PlaneRing(
          channels: channels,
          delay: max(
            rings[layer.source].delay + layer.lead, layer.residual.map { rings[$0].delay } ?? 0),
          count: layer.rowsAtOnce))
      rowsAtOnce.append(layer.rowsAtOnce)
      let delay = rings[rings.count - 1].delay
      let reads = [(layer.source, layer.margin)] + (layer.residual.map { [($0, 0)] } ?? [])
      for (read, margin) in reads {
        let needed = delay - rings[read].delay + margin + rowsAtOnce[read]
        while rings[read].count < needed { rings[read].count *= 2 }
      }
    }
    var offset = start
    for index in rings.indices {
      rings[index].offset = offset
      offset += rings[index].count * rings[index].channels * lines.step
    }
    return (rings, offset + lines.margin)
  }

  /// Zeros that the memory begins with: a line and what follows it.
  private static func zeroCount(_ lines: PlaneLines) -> Int { lines.step + lines.margin }

  private var steps: [any Step] { (head.map { [$0.step] } ?? []) + layers.map(\.convolution.step) }
  let outputShape: Shape
  private var allMultiplyAccumulates: Int { steps.reduce(0) { $0 + $1.multiplyAccumulates } }
  var multiplyAccumulates: Int { allMultiplyAccumulates - omitted - (head?.savedMultiplyAdds ?? 0) }
  var constantCount: Int { steps.reduce(0) { $0 + $1.constantCount } }
  var summary: String {
    let window = head?.step.window
    let before = window.map { "\(Conv2D.name) \($0.kernelHeight)x\($0.kernelWidth) " } ?? ""
    let count = layers.count == 1 ? "1 layer " : "\(layers.count) layers "
    let after = layers.isEmpty ? "" : (head == nil ? "" : "+ ") + count
    return before + after + "in planes \(kernels.name)" + (omitted > 0 ? ", sparse" : "")
  }

  func run(_ memory: StepMemory) {
    guard lines.rows == 0 else { return runWhole(memory) }
    let headMemory = memory.scratch + Self.zeroCount(lines)
    memory.scratch.update(repeating: 0, count: Self.zeroCount(lines))
    for ring in rings {
      for plane in 0..<ring.count * ring.channels {
        let start = memory.scratch + ring.offset + plane * lines.step + lines.margin
        start[-1] = 0
        start[width] = 0
      }
    }
    head?.begin(headMemory)
    let (first, last) = (rings[0], rings[rings.count - 1])
    for time in 0..<height + last.delay {
      if time < height {
        let row = row(time, of: first, memory)
        if let head {
          if time % head.rowsAtOnce == 0 {
            head.run(
              time, of: memory.inputs[0], scratch: headMemory,
              into: (row, self.row(time + 1, of: first, memory)), kernels)
          }
        } else {
          take(time, of: memory.inputs[0], into: row.floats)
        }
      }
      kernels.advance(chain, memory: memory.scratch, time: time)
      let y = time - last.delay
      if y >= 0 { give(y, from: row(y, of: last, memory).floats, to: memory.output) }
    }
  }

  private func runWhole(_ memory: StepMemory) {
    for plane in 0...scratchCount / lines.step {
      (memory.scratch + plane * lines.step).update(repeating: 0, count: lines.margin)
    }
    let first = memory.scratch + rings[0].offset + lines.margin
    for y in 0..<height { take(y, of: memory.inputs[0], into: first + y * (width + 1)) }
    let end = height * (width + 1)
    for plane in 0..<rings[0].channels {
      let line = first + plane * lines.step
      for y in 0..<height { line[y * (width + 1) + width] = 0 }
      (line + end).update(repeating: 0, count: lines.width - end)
    }
    kernels.advance(chain, memory: memory.scratch, time: 0)
    let last = memory.scratch + rings[rings.count - 1].offset + lines.margin
    for y in 0..<height { give(y, from: last + y * (width + 1), to: memory.output) }
  }

  /// Row `y` of the input into planes.
  private func take(
    _ y: Int, of input: UnsafePointer<Float>, into planes: UnsafeMutablePointer<Float>
  ) {
    let channels = rings[0].channels
    kernels.transpose(
      input + y * width * channels, rowStep: channels, rows: width, columns: channels,
      into: planes, resultStep: lines.step)
  }

  /// Planes into row `y` of the output.
  private func give(
    _ y: Int, from planes: UnsafeMutablePointer<Float>, to output: UnsafeMutablePointer<Float>
  ) {
    let channels = rings[rings.count - 1].channels
    kernels.transpose(
      UnsafePointer(planes), rowStep: lines.step, rows: channels, columns: width,
      into: output + y * width * channels)
  }

  private func row(_ y: Int, of ring: PlaneRing, _ memory: StepMemory) -> PlaneRow {
    PlaneRow(
      memory.scratch + ring.offset + (y & (ring.count - 1)) * ring.channels * lines.step
        + lines.margin, step: lines.step)
  }

  /// Share of the multiply-adds whose weight is 0, which are left out.
  var omittedShare: Double { Double(omitted) / Double(allMultiplyAccumulates) }
  /// Channels of the largest map.
  var mostChannels: Int { rings.map(\.channels).max() ?? 0 }
  var depthwiseCount: Int { layers.count { $0.convolution.isDepthwise } }
  var pointwiseCount: Int { layers.count - depthwiseCount }

  /// Share of the multiply-adds that vectors of channels would spend on lanes without a channel.
  var emptyShare: Double {
    let (used, spent) = steps.reduce((0, 0)) { sums, step in
      let channels = step.outputShape[3]
      let depth = step.multiplyAccumulates / step.outputShape.count
      let vectors = (channels + kernels.lanes - 1) / kernels.lanes
      return (sums.0 + depth * channels, sums.1 + depth * vectors * kernels.lanes)
    }
    return 1 - Double(used) / Double(spent)
  }
}

/// Where taps are, in floats.
final class PlaneOffsets: Sendable {
  // Safety: written only inside `init`; valid while the object lives.
  nonisolated(unsafe) private let buffer: UnsafeMutableBufferPointer<Int>

  init(_ offsets: [Int]) {
    buffer = .allocate(capacity: max(offsets.count, 1))
    _ = buffer.initialize(fromContentsOf: offsets)
  }

  deinit { buffer.deallocate() }

  var pointer: UnsafePointer<Int> { UnsafePointer(buffer.baseAddress.unsafelyUnwrapped) }
}

extension Conv2D {
  /// Its part in a chain, with the weights [depth, channels].
  func planeWork(_ matrix: FloatStorage) -> PlaneWork {
    PlaneWork(depth: depth, weights: matrix, bias: bias, slopes: slopes, clamp: clamp)
  }
}

extension PlaneChainStep.Layer {
  fileprivate func work(planeStep: Int) -> PlaneWork {
    var work: PlaneWork
    switch convolution {
    case .pointwise(let step, let matrix):
      work = step.planeWork(matrix)
      work.residualChannels = step.residualChannels ?? 0
      if isSparse {
        work.sparse = SparseWeights(matrix, channels: step.outputShape[3], step: planeStep)
      }
    case .depthwise(let step):
      work = PlaneWork(
        depth: 1, weights: step.weights, bias: step.bias, slopes: step.slopes, clamp: step.clamp)
      work.isDepthwise = true
    }
    work.source = source
    work.residual = residual
    return work
  }

  /// Rows above and below that it reads.
  fileprivate var margin: Int { convolution.isDepthwise ? 1 : 0 }
  /// Rows that it makes at a time, which share what they read.
  fileprivate var rowsAtOnce: Int { convolution.isDepthwise ? 2 : 1 }
  /// How many rows its input is ahead.
  fileprivate var lead: Int { margin + rowsAtOnce - 1 }
}
