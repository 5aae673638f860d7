internal import Foundation

/// One light from a direction, and an even one from everywhere.
package struct RenderLight: Sendable, Hashable {
  /// Where the light is, in degrees to the right of the camera.
  package var azimuth = 0.0
  /// Where the light is, in degrees above the camera.
  package var elevation = 30.0
  /// The share of the light that comes from everywhere, 0 to 1.
  package var ambient = 0.45
  /// The factor on all light; at 1 a white surface that faces the light is white.
  package var intensity = 1.0

  /// The light from each vertex of a mesh: color · (ambient + (1 − ambient) · max(0, normal · direction)).
  func lit(
    _ colors: [SIMD3<Float>], of mesh: [SIMD3<Float>], _ triangles: [SIMD3<Int32>]
  ) -> [SIMD3<Float>] {
    let (azimuth, elevation) = (azimuth * .pi / 180, elevation * .pi / 180)
    let direction = SIMD3<Float>(
      Float(cos(elevation) * sin(azimuth)), Float(sin(elevation)),
      Float(cos(elevation) * cos(azimuth)))
    let normals = Self.normals(of: mesh, triangles)
    let (even, directed) = (Float(intensity * ambient), Float(intensity * (1 - ambient)))
    return zip(colors, normals).map { color, normal in
      let length = (normal * normal).sum().squareRoot()
      let cosine = length > 0 ? (normal * direction).sum() / length : 0
      return color * (even + directed * max(0, cosine))
    }
  }

  /// The sum of the normals of each vertex's triangles, by their areas.
  private static func normals(
    of mesh: [SIMD3<Float>], _ triangles: [SIMD3<Int32>]
  ) -> [SIMD3<Float>] {
    var normals = [SIMD3<Float>](repeating: .zero, count: mesh.count)
    for triangle in triangles {
      let (a, b, c) = (Int(triangle.x), Int(triangle.y), Int(triangle.z))
      let (u, v) = (mesh[b] - mesh[a], mesh[c] - mesh[a])
      let normal = SIMD3(
        u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)
      normals[a] += normal
      normals[b] += normal
      normals[c] += normal
    }
    return normals
  }
}
