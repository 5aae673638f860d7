internal import FaceCore
internal import Foundation

/// An eyeball, which turns about its centre; the meshes of the coefficients move its lids alone.
struct FaceKitEye: Sendable {
  let vertices: Range<Int>
  /// In the neutral mesh, in centimetres.
  let centre: SIMD3<Double>
  /// The mean of its vertices in the neutral mesh, in centimetres.
  private let mean: SIMD3<Double>
  /// How far the cornea looks outward in the neutral mesh, in radians.
  private let outward: Double
  /// 1 for the subject's left eye, else -1.
  private let side: Double
  private let lookIn, lookOut, lookUp, lookDown: Blendshape

  /// How far the eye turns where a coefficient is 1, in degrees.
  private static let turnDegrees = (aside: 30.0, up: 25.0, down: 30.0)
  /// Radii of iris and pupil, in centimetres from the axis.
  static let irisRadius: Float = 0.6
  static let pupilRadius: Float = 0.2

  /// The subject's left eye, then the right one.
  static func both(in neutral: [SIMD3<Float>]) -> [FaceKitEye] {
    [
      FaceKitEye(
        FaceKitLayout.eyeLeft, of: neutral, side: 1, lookIn: .eyeLookInLeft,
        lookOut: .eyeLookOutLeft, lookUp: .eyeLookUpLeft, lookDown: .eyeLookDownLeft),
      FaceKitEye(
        FaceKitLayout.eyeRight, of: neutral, side: -1, lookIn: .eyeLookInRight,
        lookOut: .eyeLookOutRight, lookUp: .eyeLookUpRight, lookDown: .eyeLookDownRight),
    ]
  }

  private init(
    _ vertices: Range<Int>, of neutral: [SIMD3<Float>], side: Double, lookIn: Blendshape,
    lookOut: Blendshape, lookUp: Blendshape, lookDown: Blendshape
  ) {
    self.vertices = vertices
    self.side = side
    // The centre of the sphere that fits the back of the eyeball, and the cornea's apex.
    centre = SIMD3(side * 3.105, 3.604, 7.890)
    outward = atan2(side * (3.2375 - 3.105), 9.648 - 7.890)
    mean = Self.mean(of: neutral, vertices)
    (self.lookIn, self.lookOut, self.lookUp, self.lookDown) = (lookIn, lookOut, lookUp, lookDown)
  }

  private static func mean(of mesh: [SIMD3<Float>], _ vertices: Range<Int>) -> SIMD3<Double> {
    var sum = SIMD3<Double>.zero
    for vertex in vertices { sum += SIMD3<Double>(mesh[vertex]) }
    return sum / Double(vertices.count)
  }

  /// Turns the eyeball of a person's mesh straight ahead, and from there as the 52 coefficients say.
  func turn(_ mesh: inout [SIMD3<Float>], by coefficients: [Float]) {
    func level(_ shape: Blendshape) -> Double {
      let level = Double(coefficients[shape.index])
      return level.isFinite ? level * .pi / 180 : 0
    }
    let turn = Self.turnDegrees
    let aside = (level(lookOut) - level(lookIn)) * turn.aside * side
    let up = level(lookUp) * turn.up - level(lookDown) * turn.down
    let rows = HeadRotation.rows([
      (axis: 1, radians: aside), (axis: 0, radians: -up), (axis: 1, radians: -outward),
    ])
    let centre = centre + Self.mean(of: mesh, vertices) - mean
    for vertex in vertices {
      mesh[vertex] = SIMD3<Float>(centre + rows.turned(SIMD3<Double>(mesh[vertex]) - centre))
    }
  }

  /// The distance of each of its vertices in the neutral mesh from the axis that looks ahead, in centimetres; 10 behind the centre.
  func axisDistances(in neutral: [SIMD3<Float>]) -> [Float] {
    var turned = neutral
    turn(&turned, by: [Float](repeating: 0, count: Blendshape.allCases.count))
    return vertices.map { vertex in
      let offset = SIMD3<Double>(turned[vertex]) - centre
      guard offset.z > 0 else { return 10 }
      return Float((offset.x * offset.x + offset.y * offset.y).squareRoot())
    }
  }
}
