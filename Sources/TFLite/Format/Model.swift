package import Tensor

/// A TFLite model, validated and planned at load; any number of sessions may share it.
package struct Model: InferenceModel {
  /// One step of the plan, for tables and records.
  package struct StepSummary: Sendable, Hashable {
    /// The operator and the kernel that runs it, such as `CONV_2D 1x1 sgemm`.
    package let name: String
    /// Shape of its output.
    package let outputShape: Shape
    /// Multiply-accumulates in one run.
    package let multiplyAccumulates: Int
    /// Bytes of inputs, constants and output that one run reads or writes at least once.
    package let bytes: Int
  }

  package let inputs: [InferencePort]
  package let outputs: [InferencePort]
  let steps: [any Step]
  /// First float of each input in the arena.
  let inputOffsets: [Int]
  let outputPositions: [Position]
  let stepInputs: [[Position]]
  private let inputCounts: [Int]
  let stepOutputs: [Int]
  let scratchOffsets: [Int]
  let arenaCount: Int

  /// Location of the floats of a tensor.
  enum Position: Sendable {
    case arena(Int)
    case constant(FloatStorage)
  }

  /// Multiply-accumulates of one run.
  package var multiplyAccumulates: Int { steps.reduce(0) { $0 + $1.multiplyAccumulates } }
  /// Working memory of one session.
  package var arenaBytes: Int { arenaCount * 4 }
  /// The steps of one run, in order.
  package var plan: [StepSummary] {
    zip(steps, inputCounts).map { step, inputCount in
      StepSummary(
        name: step.summary, outputShape: step.outputShape,
        multiplyAccumulates: step.multiplyAccumulates,
        bytes: 4 * (inputCount + step.constantCount + step.outputShape.count))
    }
  }

  /// Reads and plans a `.tflite` file; throws for the first corrupt or unsupported part.
  package init(
    bytes: ArraySlice<UInt8>, kernels: KernelChoice = .automatic, bands: RowBands = RowBands(),
    planes: PlaneChains = PlaneChains()
  ) throws(ModelError) {
    let file = try ModelFile(bytes)
    var graph = try Graph(file, kernels: kernels)
    graph.fuse(bands: bands, planes: planes)
    let constants = ConstantPool(graph)
    func ports(_ tensors: [Int]) throws(ModelError) -> [InferencePort] {
      var ports: [InferencePort] = []
      for tensor in tensors {
        guard let shape = graph.values[tensor]?.shape else {
          throw ModelError(.corrupt, "output tensor \(tensor) is never computed")
        }
        ports.append(InferencePort(name: file.tensors[tensor].name, shape: shape))
      }
      return ports
    }
    inputs = try ports(file.inputs)
    outputs = try ports(file.outputs)
    steps = graph.items.map(\.step)
    let layout = try Model.layout(graph)
    arenaCount = layout.count
    func position(_ tensor: Int) -> Position {
      constants.storage(of: tensor).map { .constant($0) }
        ?? .arena(layout.offsets[graph.root(tensor)] ?? 0)
    }
    inputOffsets = graph.inputs.map { layout.offsets[$0] ?? 0 }
    outputPositions = graph.outputs.map(position)
    inputCounts = graph.items.map { item in
      item.step.inputs.reduce(0) { $0 + (graph.values[$1]?.shape.count ?? 0) }
    }
    stepInputs = graph.items.map { $0.step.inputs.map(position) }
    stepOutputs = graph.items.map { layout.offsets[$0.output] ?? 0 }
    scratchOffsets = graph.items.indices.map { layout.offsets[-1 - $0] ?? 0 }
  }
}

extension Model {
  /// Reads and plans a `.tflite` file with the fastest kernels; throws for the first corrupt or unsupported part.
  package init(bytes: [UInt8]) throws(ModelError) {
    try self.init(bytes: bytes[...])
  }

  /// Allocates a session's working memory.
  package func makeSession() -> any InferenceSession { Session(self) }

  /// Reads a `.tflite` file, or the named member of a `.task` bundle, and plans it.
  package static func load(
    path: String, member: String, kernels: KernelChoice = .automatic
  ) throws(ModelError) -> Model {
    let bundle = try ModelBundle(path: path)
    let bytes = bundle.isSingleModel ? bundle.bytes[...] : try bundle.member(member)
    do {
      return try Model(bytes: bytes, kernels: kernels)
    } catch {
      throw error.during(
        bundle.isSingleModel
          ? "cannot load '\(path)'" : "cannot load '\(member)' in '\(path)'")
    }
  }

  private static func layout(_ graph: Graph) throws(ModelError) -> ArenaLayout {
    var lives: [Int: ClosedRange<Int>] = [:]
    func extend(_ tensor: Int, to step: Int) {
      let owner = graph.root(tensor)
      lives[owner] = lives[owner].map { $0.lowerBound...max($0.upperBound, step) } ?? step...step
    }
    for input in graph.inputs { extend(input, to: -1) }
    for (index, item) in graph.items.enumerated() {
      extend(item.output, to: index)
      for input in item.step.inputs { extend(input, to: index) }
    }
    for output in graph.outputs { extend(output, to: graph.items.count) }
    var requests: [ArenaLayout.Request] = []
    for (tensor, life) in lives {
      switch graph.values[tensor] {
      case .activation(let shape), .quantized(let shape, _):
        requests.append(ArenaLayout.Request(key: tensor, count: shape.count, life: life))
      case .constant, nil: continue
      }
    }
    for (index, item) in graph.items.enumerated() where item.step.scratchCount > 0 {
      requests.append(
        ArenaLayout.Request(
          key: -1 - index, count: item.step.scratchCount, life: index...index))
    }
    guard requests.allSatisfy({ $0.count <= Shape.maximumCount }) else {
      throw ModelError(.unsupported, "a step needs more than 256 MiB of working memory")
    }
    let layout = ArenaLayout(requests)
    guard layout.count <= Shape.maximumCount else {
      throw ModelError(
        .unsupported, "the model needs \(layout.count * 4) bytes of working memory, at most 256 MiB"
      )
    }
    return layout
  }
}
