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

    var step: any Step {
      switch self {
      case .pointwise(let step, _): step
      case .depthwise(let step): step
      }
    }
  }

  /// Rows of one layer that later layers still read, in a ring.
  private struct Rows: Sendable {
    let channels: Int
    /// How many rows later than rows 0 it is computed.
    let delay: Int
    /// A power of two.
    var count = 1
    /// Floats from the start of the scratch memory.
    var offset = 0
  }

  /// Makes the first rows; nil where they are the input's.
  let head: PlaneHead?
  let layers: [Layer]
  let kernels: Kernels
  var inputs: [Int]
  private let height: Int
  private let width: Int
  private let rows: [Rows]
  private let works: [PlaneWork]
  private let offsets: PlaneOffsets
  let scratchCount: Int

  init(head: PlaneHead?, layers: [Layer], inputChannels: Int, kernels: Kernels) {
    self.head = head
    self.layers = layers
    self.kernels = kernels
    let first = head?.step.outputShape ?? layers[0].convolution.step.outputShape
    (height, width) = (first[1], first[2])
    outputShape = layers.last?.convolution.step.outputShape ?? first
    inputs = [head?.step.inputs[0] ?? layers[0].convolution.step.inputs[0]]
    var rows = [Rows(channels: head?.step.outputShape[3] ?? inputChannels, delay: 0)]
    for layer in layers {
      let margin = layer.margin
      rows.append(
        Rows(
          channels: layer.convolution.step.outputShape[3],
          delay: max(
            rows[layer.source].delay + margin, layer.residual.map { rows[$0].delay } ?? 0)))
      let delay = rows[rows.count - 1].delay
      for (read, margin) in [(layer.source, margin)] + (layer.residual.map { [($0, 0)] } ?? []) {
        let needed = delay - rows[read].delay + margin + 1
        while rows[read].count < needed { rows[read].count *= 2 }
      }
    }
    let step = PlaneHead.planeStep(width)
    var offset = step + (head?.scratchCount ?? 0)
    for index in rows.indices {
      rows[index].offset = offset
      offset += rows[index].count * rows[index].channels * step
    }
    self.rows = rows
    works = layers.map(PlaneWork.init)
    offsets = PlaneOffsets((0..<(rows.map(\.channels).max() ?? 0)).map { $0 * step })
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
    let zeros = PlaneRow(memory.scratch + PlaneHead.margin, step: 0)
    for row in rows {
      for plane in 0..<row.count * row.channels {
        let start = memory.scratch + row.offset + plane * planeStep + PlaneHead.margin
        start[-1] = 0
        start[width] = 0
      }
    }
    head?.begin(memory.scratch + planeStep)
    func row(_ index: Int, _ y: Int) -> PlaneRow {
      guard 0..<height ~= y else { return zeros }
      let slot = (y & (rows[index].count - 1)) * rows[index].channels * planeStep
      return PlaneRow(
        memory.scratch + rows[index].offset + slot + PlaneHead.margin, step: planeStep)
    }
    let last = rows.count - 1
    for time in 0..<height + rows[last].delay {
      if time < height {
        if let head {
          head.run(
            time, of: memory.inputs[0], scratch: memory.scratch + planeStep, into: row(0, time),
            kernels)
        } else {
          let channels = rows[0].channels
          kernels.transpose(
            memory.inputs[0] + time * width * channels, rowStep: channels, rows: width,
            columns: channels, into: row(0, time).floats, resultStep: planeStep)
        }
      }
      for (index, work) in works.enumerated() {
        let y = time - rows[index + 1].delay
        guard 0..<height ~= y else { continue }
        let output = row(index + 1, y)
        if work.isDepthwise {
          kernels.filterPlanes(
            (row(work.source, y - 1), row(work.source, y), row(work.source, y + 1)), width: width,
            weights: work.weights, bias: work.bias, slopes: work.slopes, into: output,
            channels: rows[index + 1].channels, clamp: work.clamp)
        } else {
          kernels.convolvePlanes(
            UnsafePointer(row(work.source, y).floats), offsets: offsets.pointer, depth: work.depth,
            width: width, weights: work.weights, bias: work.bias,
            residual: work.residual.map { row($0, y) }, residualChannels: work.residualChannels,
            slopes: work.slopes, into: output, channels: rows[index + 1].channels,
            clamp: work.clamp)
        }
      }
      let y = time - rows[last].delay
      guard y >= 0 else { continue }
      kernels.transpose(
        UnsafePointer(row(last, y).floats), rowStep: planeStep, rows: rows[last].channels,
        columns: width, into: memory.output + y * width * rows[last].channels)
    }
  }

  /// Channels of the largest map.
  var mostChannels: Int { rows.map(\.channels).max() ?? 0 }
  /// The most channels of a depthwise convolution; nil where there is none.
  var filteredChannels: Int? {
    zip(works, rows.dropFirst()).filter(\.0.isDepthwise).map(\.1.channels).max()
  }
}

/// What a layer computes a row from, without references to count.
// Safety: the pointers are into the storage of the layer, which lives as long as the step.
struct PlaneWork: Sendable {
  let isDepthwise: Bool
  let source: Int
  let residual: Int?
  let depth: Int
  let residualChannels: Int
  let clamp: Clamp
  nonisolated(unsafe) let weights: UnsafePointer<Float>
  nonisolated(unsafe) let bias: UnsafePointer<Float>
  nonisolated(unsafe) let slopes: UnsafePointer<Float>?

  init(_ layer: PlaneChainStep.Layer) {
    source = layer.source
    residual = layer.residual
    switch layer.convolution {
    case .pointwise(let step, let matrix):
      (isDepthwise, depth) = (false, step.depth)
      residualChannels = step.residualChannels ?? 0
      clamp = step.clamp
      (weights, bias, slopes) = (matrix.pointer, step.bias.pointer, step.slopes?.pointer)
    case .depthwise(let step):
      (isDepthwise, depth, residualChannels) = (true, 1, 0)
      clamp = step.clamp
      (weights, bias, slopes) = (step.weights.pointer, step.bias.pointer, step.slopes?.pointer)
    }
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

extension PlaneChainStep.Layer {
  /// Rows above and below that it reads.
  fileprivate var margin: Int {
    if case .depthwise = convolution { 1 } else { 0 }
  }
}
