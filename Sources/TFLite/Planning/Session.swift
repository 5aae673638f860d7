package import Tensor

/// Runs a shared model for one worker: its working memory and the steps bound to it.
///
/// Not Sendable: make one per worker. After `init`, neither `run` nor reading or writing allocates.
package final class Session: InferenceSession {
  /// The model that it runs.
  package let model: Model
  private let arena: Arena
  private let memories: [StepMemory]
  // Safety: holds every step's input pointers in a row; allocated in `init`, freed in `deinit`.
  private let inputPointers: UnsafeMutablePointer<UnsafePointer<Float>>

  /// Allocates the working memory and binds every step to it.
  package init(_ model: Model) {
    self.model = model
    arena = Arena(count: model.arenaCount)
    let base = arena.pointer
    // Safety: the layout gives each tensor its floats inside the arena; constants live in the model.
    func pointer(_ position: Model.Position) -> UnsafePointer<Float> {
      switch position {
      case .arena(let offset): UnsafePointer(base + offset)
      case .constant(let storage): storage.pointer
      }
    }
    let count = model.stepInputs.reduce(0) { $0 + $1.count }
    inputPointers = .allocate(capacity: count)
    var next = inputPointers
    var memories: [StepMemory] = []
    for (index, inputs) in model.stepInputs.enumerated() {
      memories.append(
        StepMemory(
          inputs: UnsafePointer(next), output: base + model.stepOutputs[index],
          scratch: base + model.scratchOffsets[index]))
      for input in inputs {
        next.initialize(to: pointer(input))
        next += 1
      }
    }
    self.memories = memories
  }

  deinit { inputPointers.deallocate() }

  package func withInput<R, E: Error>(
    _ index: Int = 0, _ body: (inout MutableTensorView) throws(E) -> R
  ) throws(E) -> R {
    // Safety: the input's floats are in the arena, and nothing else touches them during the call.
    var view = MutableTensorView(
      unsafe: UnsafeMutableBufferPointer(
        start: arena.pointer + model.inputOffsets[index], count: model.inputs[index].shape.count))
    return try body(&view)
  }

  /// Runs every step in order.
  package func run() {
    for index in memories.indices { model.steps[index].run(memories[index]) }
  }

  /// Runs every step in order and adds each one's time to `durations`, one element per step of the plan.
  package func run(addingTimesTo durations: inout [Duration]) {
    let clock = ContinuousClock()
    var start = clock.now
    for index in memories.indices {
      model.steps[index].run(memories[index])
      let end = clock.now
      durations[index] += end - start
      start = end
    }
  }

  package func withOutput<R, E: Error>(
    _ index: Int, _ body: (TensorView) throws(E) -> R
  ) throws(E) -> R {
    let count = model.outputs[index].shape.count
    // Safety: the output's floats stay in the arena or in the model for as long as the session lives.
    let start =
      switch model.outputPositions[index] {
      case .arena(let offset): UnsafePointer(arena.pointer + offset)
      case .constant(let storage): storage.pointer
      }
    return try body(TensorView(unsafe: UnsafeBufferPointer(start: start, count: count)))
  }

  /// A copy of an output of the last run.
  package func output(_ index: Int) -> [Float] {
    withOutput(index) { Array($0) }
  }
}
