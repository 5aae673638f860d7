internal import FaceCore

/// Checks that head poses are rotations times one positive scale.
struct PoseCheck: DatasetCheck {
  private var rotations = ChecklistLine(
    "poses-rotate", .warning, holds: "head poses are rotations",
    what: "head pose that is no rotation", of: "head poses")
  var lines: [ChecklistLine] { [rotations] }

  /// Tolerance for products of columns, relative to the squared scale.
  private static let tolerance: Float = 1e-3

  mutating func look(at checked: CheckedFrame) {
    for (index, face) in checked.faces.enumerated() {
      guard let pose = face.pose else { continue }
      rotations.look()
      guard let reason = Self.objection(to: pose) else { continue }
      rotations.note("\(checked.position), face \(index): \(reason)")
    }
  }

  private static func objection(to pose: HeadPose) -> String? {
    let columns = (0..<3).map { column in
      SIMD3<Float>(pose.matrix[column], pose.matrix[4 + column], pose.matrix[8 + column])
    }
    func dot(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> Float { (a * b).sum() }
    let squares = columns.map { dot($0, $0) }
    let scale = squares.reduce(0, +) / 3
    guard scale > 0, scale.isFinite else { return "its scale is \(scale.squareRoot())" }
    let limit = tolerance * scale
    guard squares.allSatisfy({ abs($0 - scale) <= limit }) else {
      return "its axes have the lengths "
        + squares.map { "\($0.squareRoot())" }.joined(separator: ", ")
    }
    let angles = [
      dot(columns[0], columns[1]), dot(columns[1], columns[2]), dot(columns[2], columns[0]),
    ]
    guard angles.allSatisfy({ abs($0) <= limit }) else { return "its axes are not at right angles" }
    let (a, b) = (columns[0], columns[1])
    let cross = SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    return dot(cross, columns[2]) > 0 ? nil : "it mirrors"
  }
}
