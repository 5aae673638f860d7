internal import FaceCore
internal import Foundation

extension BlendshapeHead.Mesh {
  /// Distance of the pupils in centimetres that a mean mesh is scaled to.
  ///
  /// The mean of adults: N. A. Dodgson, "Variation and extrema of human interpupillary distance", SPIE 5291 (2004).
  package static let interpupillaryDistance = 6.3
  /// Faces that a mean needs.
  package static let minFaces = 20
  /// The cosine of the angle to the camera above which a face is frontal: 20 degrees.
  private static let frontal: Float = 0.9397
  private static let rounds = 8
  /// Added to the variance of a vertex, in square centimetres, so that no vertex decides alone.
  private static let variance: Float = 0.01

  /// The mean of frontal faces, each 478 landmarks in a unit of its own; nil for fewer than 20 that have a frame.
  ///
  /// Generalized Procrustes analysis: faces are laid over their mean again and again. A vertex weighs the less the
  /// more it varies. x goes along the outer corners of the eyes, y from the chin to the top of the forehead, and the
  /// tip of the nose is where the canonical face has it. Mostly turned faces are used only while too few are frontal.
  package init?(meanOf faces: [[SIMD3<Float>]]) {
    let count = LandmarkScheme.mediapipe478.count
    guard let first = faces.first(where: { $0.count == count && $0.allSatisfy(\.isFinite) }) else {
      return nil
    }
    let all = Array(0..<count)
    var mean = first.map { $0 * SIMD3(1, -1, -1) }
    var weights = [Float](repeating: 1, count: CanonicalFaceMesh.vertexCount)
    var used = 0
    guard Self.settle(&mean) else { return nil }
    for _ in 0..<Self.rounds {
      let frame = HeadFrame(Self(vertices: Self.numbers(mean), weights: weights, faces: 0))
      var (frontal, any) = (Sums(count), Sums(count))
      var values: [Float] = []
      for face in faces where face.count == count && face.allSatisfy(\.isFinite) {
        guard let facing = frame.fill(&values, from: all, point: { face[$0] }) else { continue }
        any.add(values)
        if facing >= Self.frontal { frontal.add(values) }
      }
      let sums = frontal.faces >= Self.minFaces ? frontal : any
      used = sums.faces
      guard used >= Self.minFaces else { return nil }
      mean = sums.means
      weights = sums.variances.prefix(weights.count).map { 1 / ($0 + Self.variance) }
      guard Self.settle(&mean) else { return nil }
    }
    let largest = weights.max() ?? 1
    self.init(
      vertices: Self.numbers(mean).map { $0.rounded(significantDigits: 4) },
      weights: weights.map { ($0 / largest).rounded(significantDigits: 4) }, faces: used)
  }

  /// Turns, scales and moves a mean to the axes, the distance of the pupils and the tip of the nose that meshes have.
  private static func settle(_ points: inout [SIMD3<Float>]) -> Bool {
    func unit(_ vector: SIMD3<Float>) -> SIMD3<Float>? {
      let length = (vector * vector).sum().squareRoot()
      return length > 0 && length.isFinite ? vector / length : nil
    }
    guard let x = unit(points[263] - points[33]) else { return false }
    let up = points[10] - points[152]
    guard let y = unit(up - x * (up * x).sum()) else { return false }
    let z = SIMD3(x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x)
    let pupils = points[473] - points[468]
    let distance = (pupils * pupils).sum().squareRoot()
    guard distance > 0, distance.isFinite else { return false }
    let (scale, nose) = (Float(interpupillaryDistance) / distance, points[4])
    for index in points.indices {
      let offset = (points[index] - nose) * scale
      points[index] =
        SIMD3((offset * x).sum(), (offset * y).sum(), (offset * z).sum())
        + HeadPose.canonicalNoseTip
    }
    return true
  }

  private static func numbers(_ points: [SIMD3<Float>]) -> [Float] {
    points.prefix(CanonicalFaceMesh.vertexCount).flatMap { [$0.x, $0.y, $0.z] }
  }
}

/// Sums of coordinates and of their squares over faces.
private struct Sums {
  private(set) var faces = 0
  private var sums: [Double]
  private var squares: [Double]

  init(_ points: Int) {
    sums = Array(repeating: 0, count: 3 * points)
    squares = sums
  }

  mutating func add(_ values: [Float]) {
    faces += 1
    for (index, value) in values.enumerated() {
      sums[index] += Double(value)
      squares[index] += Double(value) * Double(value)
    }
  }

  var means: [SIMD3<Float>] {
    stride(from: 0, to: sums.count, by: 3).map { at in
      SIMD3(SIMD3(sums[at], sums[at + 1], sums[at + 2]) / Double(faces))
    }
  }

  /// The variance of each point, over its three coordinates.
  var variances: [Float] {
    let n = Double(faces)
    return stride(from: 0, to: sums.count, by: 3).map { at in
      var variance = 0.0
      for index in at..<at + 3 {
        let mean = sums[index] / n
        variance += max(0, squares[index] / n - mean * mean)
      }
      return Float(variance)
    }
  }
}

extension SIMD3<Float> {
  fileprivate var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }
}

extension Float {
  /// The nearest number with so many significant digits; files with it are short.
  package func rounded(significantDigits: Int) -> Float {
    guard self != 0, isFinite else { return self }
    let unit = pow(10, floor(log10(Double(magnitude))) - Double(significantDigits - 1))
    return Float((Double(self) / unit).rounded() * unit)
  }
}
