internal import FaceCore
package import Imaging
internal import Statistics

/// A mesh with lit colors, ready to be drawn.
package struct LitMesh: Sendable {
  /// Vertices before the camera, in centimetres.
  package var vertices: [SIMD3<Float>]
  /// Triangles by position among the vertices.
  package var triangles: [SIMD3<Int32>]
  /// Light from each vertex, linear red, green and blue.
  package var colors: [SIMD3<Float>]
  /// Discs that are painted on some triangles; nil for none.
  package var discs: Discs?

  /// Makes a mesh; there is a color for each vertex.
  package init(
    vertices: [SIMD3<Float>], triangles: [SIMD3<Int32>], colors: [SIMD3<Float>],
    discs: Discs? = nil
  ) {
    (self.vertices, self.triangles, self.colors) = (vertices, triangles, colors)
    self.discs = discs
  }

  /// Irises: discs by a distance that each vertex has.
  package struct Discs: Sendable {
    /// The distance of each vertex from the disc's centre, in centimetres; 0 in vertices without discs.
    var distances: [Float]
    /// The vertices with discs.
    var vertices: [Range<Int>]
    /// What the light within the disc is multiplied by.
    var color: SIMD3<Float>
  }
}

/// Draws a mesh: perspective, nearest surface, colors interpolated in space, the mean of 16 samples a pixel.
///
/// All sums have a fixed order, so that the same mesh gives the same bytes whatever the processor.
package struct HeadImage: Sendable {
  /// The image.
  package let pixels: PixelBuffer
  /// What each sample shows.
  package let samples: SampleBuffer

  /// Draws before a background that darkens downwards, with noise of a standard deviation in steps of 8 bits.
  package init(
    _ mesh: LitMesh, camera: RenderCamera, background: SIMD3<Float>, noise: Double, seed: UInt64
  ) {
    let samples = SampleBuffer(mesh.vertices, mesh.triangles, camera: camera)
    self.samples = samples
    let shader = SampleShader(mesh: mesh, samples: samples)
    var noise = PixelNoise(deviation: noise, seed: seed)
    let (width, height) = (camera.size.width, camera.size.height)
    var bytes = [UInt8]()
    bytes.reserveCapacity(width * height * 3)
    for y in 0..<height {
      let behind = background * (1.1 - 0.3 * Float(y) / Float(height))
      for x in 0..<width {
        let light = shader.light(x: x, y: y, behind: behind)
        for channel in 0..<3 {
          let step = Int(min(max(light[channel], 0), 1) * 8191 + 0.5)
          let value = LinearColor.encoded[step] + noise.next()
          bytes.append(UInt8(min(max(value, 0), 255) + 0.5))
        }
      }
    }
    pixels = PixelBuffer(width: width, height: height, bytes: bytes) ?? PixelBuffer()
  }
}

/// The light of pixels.
private struct SampleShader {
  let mesh: LitMesh
  let samples: SampleBuffer

  /// The mean light of a pixel's samples; of a pixel that one triangle fills, the light at its centre.
  func light(x: Int, y: Int, behind: SIMD3<Float>) -> SIMD3<Float> {
    let side = SampleBuffer.perSide
    let (left, top) = (x * side, y * side)
    guard samples.columns.contains(left), samples.rows.contains(top) else { return behind }
    let stride = samples.columns.count
    let first = (top - samples.rows.lowerBound) * stride + left - samples.columns.lowerBound
    let triangle = samples.triangles[first]
    var isWhole = true
    for row in 0..<side {
      for column in 0..<side where samples.triangles[first + row * stride + column] != triangle {
        isWhole = false
      }
    }
    if isWhole && triangle < 0 { return behind }
    if isWhole && !hasDisc(triangle) {
      return light(of: triangle, x: Int64(x) * 1024 + 512, y: Int64(y) * 1024 + 512)
    }
    var sum = SIMD3<Float>.zero
    for row in 0..<side {
      for column in 0..<side {
        let triangle = samples.triangles[first + row * stride + column]
        sum +=
          triangle < 0
          ? behind
          : light(
            of: triangle, x: Int64(left + column) * 256 + 128, y: Int64(top + row) * 256 + 128)
      }
    }
    return sum / Float(side * side)
  }

  private func hasDisc(_ triangle: Int32) -> Bool {
    guard let discs = mesh.discs else { return false }
    let vertex = Int(mesh.triangles[Int(triangle)].x)
    for range in discs.vertices where range.contains(vertex) { return true }
    return false
  }

  /// The light of a triangle at a position in steps, with its corners weighted by share and nearness.
  private func light(of triangle: Int32, x: Int64, y: Int64) -> SIMD3<Float> {
    let face = mesh.triangles[Int(triangle)]
    let (a, b, c) = (Int(face.x), Int(face.y), Int(face.z))
    let (p, q, r) = (samples.corners[a], samples.corners[b], samples.corners[c])
    let edges = SIMD3<Float>(
      Float(SampleBuffer.EdgeFunction(q, r).value(x: x, y: y)),
      Float(SampleBuffer.EdgeFunction(r, p).value(x: x, y: y)),
      Float(SampleBuffer.EdgeFunction(p, q).value(x: x, y: y)))
    let near = edges * SIMD3(p.nearness, q.nearness, r.nearness)
    let weights = near / (near.x + near.y + near.z)
    let light =
      weights.x * mesh.colors[a] + weights.y * mesh.colors[b] + weights.z * mesh.colors[c]
    guard let discs = mesh.discs, hasDisc(triangle) else { return light }
    let distances = weights * SIMD3(discs.distances[a], discs.distances[b], discs.distances[c])
    let distance = distances.x + distances.y + distances.z
    if distance < FaceKitEye.pupilRadius { return light * 0.01 }
    return distance < FaceKitEye.irisRadius ? light * discs.color : light
  }
}

/// Noise of a camera: normal numbers from a table of 4096, five for each random number.
private struct PixelNoise {
  private let deviation: Float
  private var random: SplitMix64
  private var bits: UInt64 = 0
  private var left = 0

  private static let table: [Float] = {
    var random = SplitMix64(seed: 0)
    return (0..<2048).flatMap { _ -> [Float] in
      let pair = random.normalPair()
      return [Float(pair.0), Float(pair.1)]
    }
  }()

  init(deviation: Double, seed: UInt64) {
    self.deviation = Float(deviation)
    random = SplitMix64(seed: seed)
  }

  mutating func next() -> Float {
    guard deviation > 0 else { return 0 }
    if left == 0 {
      bits = random.next()
      left = 5
    }
    let index = Int(bits & 4095)
    bits >>= 12
    left -= 1
    return deviation * Self.table[index]
  }
}
