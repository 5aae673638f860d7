import Tensor

/// Elements of a tensor in another order, or some of them.
struct StridedCopyStep: Step {
  let name: String
  var inputs: [Int]
  let outputShape: Shape
  /// Position of the first element that is copied.
  private let start: Int
  private let loops: StridedLoops
  let kernels: Kernels

  /// A copy from `start` on, of `sizes` elements along each axis, `strides` floats apart in the input.
  init(
    _ node: Node, of tensor: Int, from start: Int, sizes: [Int], strides: [Int], shape: Shape
  ) throws(ModelError) {
    name = node.name
    inputs = [tensor]
    outputShape = shape
    self.start = start
    loops = StridedLoops(
      zip(sizes, strides).map { StridedLoops.Axis(size: $0, first: $1) })
    kernels = try node.kernels(forCount: loops.run.size)
  }

  /// Whether the copy would be all of `count` elements in their own order.
  func isIdentity(ofCount count: Int) -> Bool {
    start == 0 && loops.run.size == count && (loops.run.first == 1 || count == 1)
  }

  /// Sizes of the matrix that it transposes, where it does that and nothing else.
  var transposed: (rows: Int, columns: Int)? {
    let (run, rows) = (loops.run, loops.rows)
    guard start == 0, rows.first == 1, run.first == rows.size, run.size > 1,
      run.size * rows.size == outputShape.count
    else { return nil }
    return (run.size, rows.size)
  }

  var summary: String { name }

  func run(_ memory: StepMemory) {
    let input = memory.inputs[0] + start
    let run = loops.run
    let rows = loops.rows
    if rows.first == 1, run.first != 1 {
      loops.forEachPlane { start, position, _ in
        kernels.transpose(
          input + position, rowStep: run.first, rows: run.size, columns: rows.size,
          into: memory.output + start)
      }
      return
    }
    loops.forEachRun { start, position, _ in
      let to = memory.output + start
      let from = input + position
      if run.first == 1 {
        to.update(from: from, count: run.size)
      } else {
        for index in 0..<run.size { to[index] = from[index * run.first] }
      }
    }
  }
}
