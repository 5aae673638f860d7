/// Finds the rotation, scale and translation that lay fixed source points over others, by weighted least squares.
///
/// After D. Akca, "Generalized Procrustes analysis and its applications in photogrammetry" (2003), section 2.4.
struct WeightedProcrustes: Sendable {
  /// A turn, one scale for all axes, and a shift.
  struct Similarity {
    /// The 4 by 4 matrix by rows.
    var matrix: SIMD16<Float>

    /// The length of the matrix's first column.
    var scale: Float {
      ((matrix[0] * matrix[0] + matrix[8] * matrix[8]) + matrix[4] * matrix[4]).squareRoot()
    }
  }

  /// Below this MediaPipe gives up.
  private static let epsilon: Float = 1e-9

  /// Indices of the points that count.
  private let indices: [Int]
  /// Square roots of their weights.
  private let roots: [Float]
  private let totalWeight: Float
  /// Sources times roots.
  private let weighted: [SIMD3<Float>]
  /// The same, about the sources' centre of mass.
  private let centred: [SIMD3<Float>]
  private let sourceSpread: Float

  /// Prepares sources; points of weight 0 are left out.
  init(sources: [SIMD3<Float>], weights: [Float]) {
    indices = weights.indices.filter { weights[$0] > 0 }
    let roots = indices.map { weights[$0].squareRoot() }
    let weighted = zip(indices, roots).map { sources[$0] * $1 }
    var total = LaneSum()
    for (index, root) in zip(indices, roots) { total.add(root * root, at: index) }
    totalWeight = total.value
    let centre = zip(weighted, roots).reduce(SIMD3<Float>()) { $0 + $1.0 * $1.1 } / totalWeight
    let centred = zip(weighted, roots).map { $0 - centre * $1 }
    var spread = LaneSum()
    for (position, index) in indices.enumerated() {
      spread.add(centred[position] * weighted[position], ofPoint: index)
    }
    sourceSpread = spread.value
    (self.roots, self.weighted, self.centred) = (roots, weighted, centred)
  }

  /// The similarity from the sources to the targets, point by point; nil where they do not determine one.
  ///
  /// `target` gives the point of a source's index, and is asked for those that count, more than once.
  func fit(to target: (Int) -> SIMD3<Float>) -> Similarity? {
    func weightedTarget(_ position: Int) -> SIMD3<Float> {
      target(indices[position]) * roots[position]
    }
    var columns = Matrix3<Float>(SIMD3(), SIMD3(), SIMD3())
    for (position, source) in centred.enumerated() {
      let target = weightedTarget(position)
      for axis in 0..<3 { columns[axis] += target * source[axis] }
    }
    let norm =
      ((columns[0] * columns[0]).sum() + (columns[1] * columns[1]).sum()
      + (columns[2] * columns[2]).sum()).squareRoot()
    guard norm > Self.epsilon, sourceSpread > Self.epsilon,
      let rotation = ScaledRotation(nearestTo: columns)
    else { return nil }

    var agreement = LaneSum()
    for (position, index) in indices.enumerated() {
      agreement.add(
        rotation.applied(to: centred[position]) * weightedTarget(position), ofPoint: index)
    }
    let scale = agreement.value / sourceSpread
    guard scale > Self.epsilon, scale.isFinite else { return nil }
    let turned = rotation.scaled(by: scale)
    var shift = SIMD3<Float>()
    for (position, root) in roots.enumerated() {
      shift += (weightedTarget(position) - turned.applied(to: weighted[position])) * root
    }
    shift /= totalWeight

    let c = turned.columns
    return Similarity(
      matrix: SIMD16(
        c[0].x, c[1].x, c[2].x, shift.x, c[0].y, c[1].y, c[2].y, shift.y,
        c[0].z, c[1].z, c[2].z, shift.z, 0, 0, 0, 1))
  }
}

/// A sum in eight lanes by position, joined pairwise at the end: the order in which MediaPipe's library adds.
///
/// Poses agree four times better with MediaPipe's than with a sum in one line.
private struct LaneSum {
  private var lanes = SIMD8<Float>(repeating: 0)

  mutating func add(_ value: Float, at position: Int) {
    lanes[position % 8] += value
  }

  mutating func add(_ values: SIMD3<Float>, ofPoint index: Int) {
    for axis in 0..<3 { add(values[axis], at: 3 * index + axis) }
  }

  var value: Float {
    let four = lanes.lowHalf + lanes.highHalf
    let two = four.lowHalf + four.highHalf
    return two.x + two.y
  }
}
