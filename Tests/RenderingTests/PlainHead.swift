import FaceCore
import Rendering

/// A head of as many vertices as ICT-FaceKit's, shaped like a shield: z = 10 - x²/8 - y²/24, in centimetres.
enum PlainHead {
  private static let side = 163

  static let kit = FaceKit(
    neutral: neutral, triangles: triangles,
    identities: [
      neutral.map { SIMD3(0.05 * $0.x, 0, 0) }, neutral.map { SIMD3(0, 0.03 * $0.y, 0.2) },
    ],
    expressions: Blendshape.allCases.map { shape in
      guard shape != .neutral else { return [] }
      return neutral.indices.map {
        $0 % Blendshape.allCases.count == shape.index ? SIMD3(0, 0.25, 0.5) : .zero
      }
    })

  /// What a coefficient of 1 adds to the vertices whose number has the rest of its position.
  static let delta = SIMD3<Float>(0, 0.25, 0.5)

  private static let neutral: [SIMD3<Float>] = (0..<FaceKitLayout.vertexCount).map { index in
    let (row, column) = (min(index / side, side - 1), index % side)
    let x = -8 + 16 * Float(column) / Float(side - 1)
    let y = -12 + 24 * Float(row) / Float(side - 1)
    return SIMD3(x, y, 10 - x * x / 8 - y * y / 24)
  }

  private static let triangles: [SIMD3<Int32>] = (0..<side - 1).flatMap { row in
    (0..<side - 1).flatMap { column -> [SIMD3<Int32>] in
      let corner = Int32(row * side + column)
      let above = corner + Int32(side)
      return [SIMD3(corner, corner + 1, above + 1), SIMD3(corner, above + 1, above)]
    }
  }
}
