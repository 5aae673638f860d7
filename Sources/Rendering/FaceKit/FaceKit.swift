internal import FaceCore
package import Foundation
package import Platform

/// ICT-FaceKit's morphable head: a neutral mesh in centimetres, what each coefficient and each identity adds to it.
///
/// x is to the subject's left, y up, z ahead.
package struct FaceKit: Sendable {
  /// The neutral mesh.
  package let neutral: [SIMD3<Float>]
  /// The triangles that are drawn.
  package let triangles: [SIMD3<Int32>]
  /// What each identity adds at weight 1, one number a vertex.
  package let identities: [[SIMD3<Float>]]
  /// What each coefficient adds at 1, in the order of `Blendshape`.
  private let expressions: [SparseShape]
  /// How the vertices are painted.
  let paint: FaceKitPaint
  private let eyes: [FaceKitEye]
  /// The vertices that a face's box encloses.
  let faceRegion: [Int]

  /// Vertices that a coefficient moves.
  private struct SparseShape: Sendable {
    var vertices: [Int32] = []
    var deltas: [SIMD3<Float>] = []
  }

  /// Takes meshes of `FaceKitLayout.vertexCount` vertices, and what each identity and each coefficient adds.
  package init(
    neutral: [SIMD3<Float>], triangles: [SIMD3<Int32>], identities: [[SIMD3<Float>]],
    expressions: [[SIMD3<Float>]]
  ) {
    (self.neutral, self.identities) = (neutral, identities)
    self.triangles = triangles.filter { triangle in
      !FaceKitLayout.undrawn.contains { $0.contains(Int(triangle.x)) }
    }
    self.expressions = expressions.map { deltas in
      let moved = deltas.indices.filter { deltas[$0] != .zero }
      return SparseShape(vertices: moved.map { Int32($0) }, deltas: moved.map { deltas[$0] })
    }
    eyes = FaceKitEye.both(in: neutral)
    faceRegion = FaceKitLayout.faceRegion(of: neutral)
    paint = FaceKitPaint(neutral: neutral, eyes: eyes)
  }

  /// Reads the meshes of a folder, and so many identities; throws for a file that is missing or is no such mesh.
  package init(folder: URL, identities count: Int) throws(FileError) {
    let base = try Self.mesh("generic_neutral_mesh", in: folder, withTriangles: true)
    let neutral = base.vertices
    let names = FaceKitFile.identities.prefix(count).map(\.mesh)
    let identities = try names.concurrentMap { (name) throws(FileError) in
      zip(try Self.mesh(name, in: folder).vertices, neutral).map { $0 - $1 }
    }
    let expressions = try Blendshape.allCases.concurrentMap { (shape) throws(FileError) in
      var sum = [SIMD3<Float>](repeating: .zero, count: neutral.count)
      for name in FaceKitLayout.meshes(of: shape) {
        let mesh = try Self.mesh(name, in: folder)
        for vertex in sum.indices { sum[vertex] += mesh.vertices[vertex] - neutral[vertex] }
      }
      return sum
    }
    self.init(
      neutral: neutral, triangles: base.triangles, identities: identities,
      expressions: expressions)
  }

  private static func mesh(
    _ name: String, in folder: URL, withTriangles: Bool = false
  ) throws(FileError) -> OBJMesh {
    let url = folder.appendingPathComponent(name + ".obj")
    let mesh = try OBJMesh(url, withTriangles: withTriangles)
    guard mesh.vertices.count == FaceKitLayout.vertexCount else {
      throw FileError(
        url.relativePath, at: "", expected: "a mesh of \(FaceKitLayout.vertexCount) vertices",
        found: "\(mesh.vertices.count)")
    }
    return mesh
  }

  /// The mesh of a person without expression: neutral + Σ weight · identity.
  package func vertices(weights: [Float]) -> [SIMD3<Float>] {
    var vertices = neutral
    for (weight, identity) in zip(weights, identities) {
      for vertex in vertices.indices { vertices[vertex] += weight * identity[vertex] }
    }
    return vertices
  }

  /// A person's mesh with an expression: Σ coefficient · delta, and the eyeballs turned as rigid bodies.
  ///
  /// `coefficients` are those of `Blendshape`, of any size.
  package func vertices(
    of person: [SIMD3<Float>], coefficients: [Float]
  ) -> [SIMD3<Float>] {
    var vertices = person
    for (shape, level) in zip(expressions, coefficients) where level != 0 && level.isFinite {
      for (vertex, delta) in zip(shape.vertices, shape.deltas) {
        vertices[Int(vertex)] += level * delta
      }
    }
    for eye in eyes { eye.turn(&vertices, by: coefficients) }
    return vertices
  }
}
