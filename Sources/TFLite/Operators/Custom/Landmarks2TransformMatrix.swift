internal import Foundation
import Tensor

/// Landmarks2TransformMatrix, version 2: the location of a crop around some landmarks, as a 4×4 matrix.
///
/// The matrix maps the crop's pixels to the landmarks' units. The crop is upright with two of the
/// landmarks, its sides those of the box around the chosen ones, scaled.
struct Landmarks2TransformMatrix: CustomOperator, Step {
  static let name = "Landmarks2TransformMatrix"
  static let oldestVersion = 2
  static let newestVersion = 2

  var inputs: [Int]
  let outputShape: Shape
  /// The landmarks that the crop holds.
  let subset: [Int]
  /// The landmarks whose connecting line the crop rotates to the target rotation.
  let left, right: Int
  /// Radians.
  let targetRotation: Float
  /// Scale of the box, and the crop's pixels.
  let scale, size: SIMD2<Float>

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(1...1)
    let (tensor, shape) = try node.floats(0, "landmarks")
    guard shape.rank == 3, shape[0] == 1, shape[2] == 3 else {
      throw node.unsupported("landmarks \(shape), expected [1, n, 3]")
    }
    let options = try node.customMap()
    let landmarks = 0...shape[1] - 1
    let sides = 1...16_384
    let subset = try options.integers("subset_idxs", in: landmarks, maximumCount: 4096)
    let scale = SIMD2(try options.float("scale_x"), try options.float("scale_y"))
    guard !subset.isEmpty, scale.x > 0, scale.y > 0 else {
      throw node.corrupt(
        "\(subset.count) landmarks in 'subset_idxs', 'scale_x' \(scale.x) and 'scale_y' "
          + "\(scale.y), expected more than 0 of each")
    }
    return .step(
      Landmarks2TransformMatrix(
        inputs: [tensor], outputShape: try node.shape([1, 4, 4]), subset: subset,
        left: try options.integer("left_rotation_idx", in: landmarks),
        right: try options.integer("right_rotation_idx", in: landmarks),
        targetRotation: try options.float("target_rotation_radians"), scale: scale,
        size: SIMD2(
          Float(try options.integer("output_width", in: sides)),
          Float(try options.integer("output_height", in: sides)))))
  }

  var summary: String { Landmarks2TransformMatrix.name }

  func run(_ memory: StepMemory) {
    let values = memory.inputs[0]
    func landmark(_ index: Int) -> SIMD2<Float> {
      SIMD2(values[3 * index], values[3 * index + 1])
    }
    let line = landmark(right) - landmark(left)
    let rotation = targetRotation - atan2f(line.y, line.x)
    let (c, s) = (cosf(rotation), sinf(rotation))
    func turn(_ point: SIMD2<Float>, _ c: Float, _ s: Float) -> SIMD2<Float> {
      SIMD2(c * point.x - s * point.y, s * point.x + c * point.y)
    }
    var low = turn(landmark(subset[0]), c, s)
    var high = low
    for index in subset.dropFirst() {
      let point = turn(landmark(index), c, s)
      low = pointwiseMin(low, point)
      high = pointwiseMax(high, point)
    }
    let centre = turn((low + high) / 2, c, -s)
    let step = scale * (high - low) / size
    let x = SIMD2(c * step.x, s * step.y)
    let y = SIMD2(-s * step.x, c * step.y)
    let start = size / -2
    let matrix = memory.output
    matrix.update(repeating: 0, count: 16)
    (matrix[0], matrix[1], matrix[3]) = (x.x, x.y, x.x * start.x + x.y * start.y + centre.x)
    (matrix[4], matrix[5], matrix[7]) = (y.x, y.y, y.x * start.x + y.y * start.y + centre.y)
    (matrix[10], matrix[15]) = (1, 1)
  }
}
