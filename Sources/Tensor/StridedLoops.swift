/// Nested loops over the elements of a gapless row-major array and the positions of two others that belong to each.
package struct StridedLoops: Sendable {
  /// One loop, with its strides in the two other arrays.
  package struct Axis: Sendable, Hashable {
    /// Steps of the loop.
    package var size: Int
    /// Floats from one step to the next in the first of the other arrays.
    package var first: Int
    /// Floats from one step to the next in the second of the other arrays.
    package var second: Int

    /// Makes a loop.
    package init(size: Int, first: Int, second: Int = 0) {
      self.size = size
      self.first = first
      self.second = second
    }
  }

  /// The outer loops, outermost first.
  private let outer: [Axis]
  /// The innermost loop.
  package let run: Axis

  /// Plans loops over `axes`, outermost first; loops that can be walked as one are joined.
  package init(_ axes: [Axis]) {
    var loops: [Axis] = []
    for axis in axes where axis.size > 1 {
      if let last = loops.last, last.first == axis.first * axis.size,
        last.second == axis.second * axis.size
      {
        loops[loops.count - 1] = Axis(
          size: last.size * axis.size, first: axis.first, second: axis.second)
      } else {
        loops.append(axis)
      }
    }
    run = loops.popLast() ?? Axis(size: 1, first: 1, second: 1)
    outer = loops
  }

  /// Plans loops over a shape that two arrays broadcast to.
  package init(over shape: Shape, _ first: Shape, _ second: Shape) {
    let strides = (first.strides(broadcastTo: shape), second.strides(broadcastTo: shape))
    self.init(
      shape.dimensions.indices.map {
        Axis(size: shape[$0], first: strides.0[$0], second: strides.1[$0])
      })
  }

  /// The loop around the innermost one.
  package var rows: Axis { outer.last ?? Axis(size: 1, first: 0) }

  /// Calls `body` with the positions in all three arrays where each innermost loop starts, in order.
  package func forEachRun(_ body: (_ start: Int, _ first: Int, _ second: Int) -> Void) {
    var start = 0
    visit(outer[...], of: run.size, start: &start, first: 0, second: 0, body)
  }

  /// Calls `body` with the positions where each loop over `rows` starts, in order.
  package func forEachPlane(_ body: (_ start: Int, _ first: Int, _ second: Int) -> Void) {
    var start = 0
    visit(
      outer.dropLast(), of: rows.size * run.size, start: &start, first: 0, second: 0, body)
  }

  private func visit(
    _ loops: ArraySlice<Axis>, of count: Int, start: inout Int, first: Int, second: Int,
    _ body: (Int, Int, Int) -> Void
  ) {
    guard let axis = loops.first else {
      body(start, first, second)
      start += count
      return
    }
    for step in 0..<axis.size {
      visit(
        loops.dropFirst(), of: count, start: &start, first: first + step * axis.first,
        second: second + step * axis.second, body)
    }
  }
}

extension Shape {
  /// Floats between neighbours along each dimension of a gapless row-major array.
  package var strides: [Int] {
    var strides = dimensions
    var stride = 1
    for axis in dimensions.indices.reversed() {
      strides[axis] = stride
      stride *= dimensions[axis]
    }
    return strides
  }

  /// The shape that both broadcast to by NumPy's rules, aligned at the last dimension; nil if they don't.
  package func broadcast(with other: Shape) -> Shape? {
    let rank = max(self.rank, other.rank)
    var result: [Int] = []
    for axis in 0..<rank {
      let mine = axis < rank - self.rank ? 1 : self[axis - (rank - self.rank)]
      let others = axis < rank - other.rank ? 1 : other[axis - (rank - other.rank)]
      guard mine == others || mine == 1 || others == 1 else { return nil }
      result.append(max(mine, others))
    }
    return Shape(result)
  }

  /// Strides along the dimensions of a shape that this one broadcasts to, 0 where it repeats.
  package func strides(broadcastTo shape: Shape) -> [Int] {
    let own = strides
    return (0..<shape.rank).map { axis in
      let mine = axis - (shape.rank - rank)
      return mine < 0 || dimensions[mine] == 1 ? 0 : own[mine]
    }
  }
}
