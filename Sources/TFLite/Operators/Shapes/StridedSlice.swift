import Tensor

/// STRIDED_SLICE by constants, with begin, end and shrink masks; of INT32 constants at load.
enum StridedSlice: Operator {
  static let name = "STRIDED_SLICE"
  static let newestVersion = 4

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(4...4)
    let (tensor, value) = try node.value(0, "input")
    var numbers: [Int]?
    if case .constant(let constant) = value { numbers = constant.integers }
    let shape = try numbers == nil ? node.movable(0, "input").shape : value.shape
    let begin = try node.constantIntegers(1, "begin")
    let end = try node.constantIntegers(2, "end")
    let steps = try node.constantIntegers(3, "strides")
    guard begin.count <= shape.rank, end.count == begin.count, steps.count == begin.count else {
      throw node.corrupt(
        "begin \(begin), end \(end) and strides \(steps) of input \(shape), expected equally many "
          + "and at most \(shape.rank)")
    }
    let masks = try Masks(node)
    let strides = shape.strides
    var start = 0
    var sizes: [Int] = []
    var kept: [Int] = []
    for axis in 0..<shape.rank {
      let size = shape[axis]
      guard axis < begin.count else {
        sizes.append(size)
        kept.append(size)
        continue
      }
      let step = steps[axis]
      guard step != 0 else { throw node.corrupt("stride 0 along axis \(axis)") }
      // With a negative step, the position before the first element ends the walk.
      let positions = step > 0 ? 0...size : -1...size - 1
      let first =
        masks.begin.contains(axis)
        ? (step > 0 ? 0 : size - 1) : positions.nearest(to: begin[axis], ofSize: size)
      if masks.shrink.contains(axis) {
        guard step > 0, 0..<size ~= first else {
          throw node.corrupt(
            "index \(begin[axis]) with stride \(step) along axis \(axis) of input \(shape), "
              + "expected \(-size) to \(size - 1) with a positive stride")
        }
        sizes.append(1)
      } else {
        let last =
          masks.end.contains(axis)
          ? (step > 0 ? size : -1) : positions.nearest(to: end[axis], ofSize: size)
        let count = (last - first + step - step.signum()) / step
        guard count > 0 else {
          throw node.unsupported(
            "no elements along axis \(axis) of input \(shape) from \(begin[axis]) to \(end[axis]) "
              + "by \(step), expected 1 or more")
        }
        sizes.append(count)
        kept.append(count)
      }
      start += first * strides[axis]
    }
    let result = try node.shape(kept)
    let distances = strides.indices.map { strides[$0] * ($0 < steps.count ? steps[$0] : 1) }
    if let numbers {
      var positions = [start]
      for (size, distance) in zip(sizes, distances) {
        positions = positions.flatMap { first in (0..<size).map { first + $0 * distance } }
      }
      return .constant(Constant(shape: result, integers: positions.map { numbers[$0] }))
    }
    let step = try StridedCopyStep(
      node, of: tensor, from: start, sizes: sizes, strides: distances, shape: result)
    return step.isIdentity(ofCount: shape.count)
      ? .alias(of: tensor, shape: result) : try node.moving(step)
  }
}

/// Sets of axes.
private struct Masks {
  let begin: Mask
  let end: Mask
  let shrink: Mask

  struct Mask {
    let bits: Int32
    func contains(_ axis: Int) -> Bool { bits >> Int32(axis) & 1 == 1 }
  }

  init(_ node: Node) throws(ModelError) {
    let options = try node.requiredOptions(.stridedSlice)
    typealias Field = TFLiteSchema.StridedSliceOptions
    begin = Mask(bits: try options.integer(Field.beginMask, default: 0))
    end = Mask(bits: try options.integer(Field.endMask, default: 0))
    shrink = Mask(bits: try options.integer(Field.shrinkAxisMask, default: 0))
    for (field, name) in [(Field.ellipsisMask, "ellipsis"), (Field.newAxisMask, "new axis")] {
      let bits = try options.integer(field, default: Int32(0))
      guard bits == 0 else { throw node.unsupported("\(name) mask \(bits), expected 0") }
    }
    guard try !options.flag(Field.offset) else {
      throw node.unsupported("end as an offset from begin, expected a position")
    }
  }
}

extension ClosedRange<Int> {
  /// The index, counted from the end if negative, clamped to the bounds.
  fileprivate func nearest(to index: Int, ofSize size: Int) -> Int {
    Swift.min(Swift.max(index < 0 ? index + size : index, lowerBound), upperBound)
  }
}
