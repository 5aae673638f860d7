import Tensor

/// Neighbouring convolutions with few channels, row by row through planes.
///
/// A vector holds pixels of one channel, so it is full however few channels there are, and what lies between two
/// layers stays in cache: each layer computes a row as soon as the rows under it are there. Every float is computed by
/// the same operations in the same order as in separate steps.
struct PlaneChainStep: Step {
  /// A layer, the rows that it reads and those that it adds. Rows 0 are the chain's first ones, rows i + 1 the output of
  /// layer i.
  struct Layer: Sendable {
    let convolution: Convolution
    let source: Int
    var residual: Int?
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
  private let rings: [PlaneRing]
  private let chain: PlaneLayers
  let scratchCount: Int

  init(head: PlaneHead?, layers: [Layer], inputChannels: Int, kernels: Kernels) {
    self.head = head
    self.layers = layers
    self.kernels = kernels
    let first = head?.step.outputShape ?? layers[0].convolution.step.outputShape
    (height, width) = (first[1], first[2])
    outputShape = layers.last?.convolution.step.outputShape ?? first
    inputs = [head?.step.inputs[0] ?? layers[0].convolution.step.inputs[0]]
    var rings = [PlaneRing(channels: head?.step.outputShape[3] ?? inputChannels, delay: 0)]
    var rowsAtOnce = [1]
    for layer in layers {
      rings.append(
        PlaneRing(
          channels: layer.convolution.step.outputShape[3],
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
    let step = PlaneHead.planeStep(width)
    var offset = step + (head?.scratchCount ?? 0)
    for index in rings.indices {
      rings[index].offset = offset
      offset += rings[index].count * rings[index].channels * step
    }
    self.rings = rings
    chain = PlaneLayers(
      layers.map(\.work), rings: rings, height: height, width: width, step: step,
      margin: PlaneHead.margin)
    scratchCount = offset
  }

  private var steps: [any Step] { (head.map { [$0.step] } ?? []) + layers.map(\.convolution.step) }
  private var planeStep: Int { PlaneHead.planeStep(width) }
  let outputShape: Shape
  var multiplyAccumulates: Int { steps.reduce(0) { $0 + $1.multiplyAccumulates } }
  var constantCount: Int { steps.reduce(0) { $0 + $1.constantCount } }
  var summary: String {
    let window = head?.step.window
    let before = window.map { "\(Conv2D.name) \($0.kernelHeight)x\($0.kernelWidth) " } ?? ""
    let after = layers.isEmpty ? "" : (head == nil ? "" : "+ ") + "\(layers.count) layers "
    return before + after + "in planes \(kernels.name)"
  }

  func run(_ memory: StepMemory) {
    memory.scratch.update(repeating: 0, count: planeStep)
    for ring in rings {
      for plane in 0..<ring.count * ring.channels {
        let start = memory.scratch + ring.offset + plane * planeStep + PlaneHead.margin
        start[-1] = 0
        start[width] = 0
      }
    }
    head?.begin(memory.scratch + planeStep)
    let (first, last) = (rings[0], rings[rings.count - 1])
    for time in 0..<height + last.delay {
      if time < height {
        let row = row(time, of: first, memory)
        if let head {
          head.run(
            time, of: memory.inputs[0], scratch: memory.scratch + planeStep, into: row, kernels)
        } else {
          kernels.transpose(
            memory.inputs[0] + time * width * first.channels, rowStep: first.channels, rows: width,
            columns: first.channels, into: row.floats, resultStep: planeStep)
        }
      }
      kernels.advance(chain, memory: memory.scratch, time: time)
      let y = time - last.delay
      guard y >= 0 else { continue }
      kernels.transpose(
        UnsafePointer(row(y, of: last, memory).floats), rowStep: planeStep, rows: last.channels,
        columns: width, into: memory.output + y * width * last.channels)
    }
  }

  private func row(_ y: Int, of ring: PlaneRing, _ memory: StepMemory) -> PlaneRow {
    PlaneRow(
      memory.scratch + ring.offset + (y & (ring.count - 1)) * ring.channels * planeStep
        + PlaneHead.margin, step: planeStep)
  }

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
  fileprivate var work: PlaneWork {
    var work: PlaneWork
    switch convolution {
    case .pointwise(let step, let matrix):
      work = step.planeWork(matrix)
      work.residualChannels = step.residualChannels ?? 0
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
