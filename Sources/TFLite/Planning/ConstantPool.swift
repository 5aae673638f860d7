import Tensor

/// The constant floats that steps or outputs read at run time, each tensor's once.
struct ConstantPool {
  private let storages: [Int: FloatStorage]

  init(_ graph: Graph) {
    var storages: [Int: FloatStorage] = [:]
    for tensor in graph.items.flatMap(\.step.inputs) + graph.outputs where storages[tensor] == nil {
      if case .constant(let constant) = graph.values[tensor] {
        storages[tensor] = constant.floats ?? constant.centered
      }
    }
    self.storages = storages
  }

  /// The floats of a constant tensor; nil for one that is computed.
  func storage(of tensor: Int) -> FloatStorage? { storages[tensor] }
}
