import FaceCore
import Foundation
import Imaging
import Platform
import Rendering
import TestSupport
import Testing

@Suite("Drawn meshes")
struct RenderedMeshTests {
  private struct Expected: Decodable {
    let width, height: Int
    let fieldOfView: Double
    let vertices, colors, points: [[Double]]
    let owners, undecided: [Int]
    let pixels: [Double]
    let doubtfulPixels: [Int]

    var mesh: [SIMD3<Float>] { vertices.map { SIMD3($0.map { Float($0) }) } }
    var triangles: [SIMD3<Int32>] {
      (0..<Int32(vertices.count / 3)).map { SIMD3(3 * $0, 3 * $0 + 1, 3 * $0 + 2) }
    }
    var camera: RenderCamera {
      RenderCamera(
        size: ImageSize(width: width, height: height), verticalFieldOfViewDegrees: fieldOfView)
    }
    var lit: LitMesh {
      LitMesh(
        vertices: mesh, triangles: triangles,
        colors: colors.map { SIMD3($0.map { Float($0) }) })
    }
  }

  private let expected: Expected

  init() throws {
    expected = try Oracles.read("rendered_mesh")
  }

  @Test(.tags(.oracle))
  func `points are seen where rays say`() {
    for (vertex, point) in zip(expected.vertices, expected.points) {
      let found = expected.camera.project(SIMD3(vertex))
      #expect(abs(found.x - point[0]) < 1e-6 && abs(found.y - point[1]) < 1e-6)
    }
  }

  @Test(.tags(.oracle))
  func `every sample shows the triangle that its ray meets first`() throws {
    let camera = expected.camera
    let samples = SampleBuffer(expected.mesh, expected.triangles, camera: camera)
    let undecided = Set(expected.undecided)
    var differing = 0
    for row in 0..<camera.size.height * SampleBuffer.perSide {
      for column in 0..<camera.size.width * SampleBuffer.perSide {
        let at = row * camera.size.width * SampleBuffer.perSide + column
        let found = samples.triangle(column: column, row: row) ?? -1
        if found != expected.owners[at], !undecided.contains(at) { differing += 1 }
      }
    }
    #expect(differing == 0)
  }

  @Test(.tags(.oracle))
  func `colors follow the surface in space, and a pixel is the mean of its samples`() {
    let image = HeadImage(
      expected.lit, camera: expected.camera, background: SIMD3(repeating: 0.25), noise: 0, seed: 1)
    let doubtful = Set(expected.doubtfulPixels)
    var largest = 0.0
    for (at, value) in image.pixels.bytes.enumerated() where !doubtful.contains(at / 3) {
      // The background darkens downwards; pixels that show it are left to the samples.
      let isCovered = (0..<16).allSatisfy { sample in
        let (x, y) = (at / 3 % expected.width, at / 3 / expected.width)
        let (column, row) = (4 * x + sample % 4, 4 * y + sample / 4)
        return expected.owners[row * expected.width * 4 + column] >= 0
      }
      if isCovered { largest = max(largest, abs(Double(value) - expected.pixels[at])) }
    }
    // Rounding to whole steps takes half of one; a pixel in one triangle has the color of its middle, not the mean.
    #expect(largest > 0.4 && largest < 1)
  }

  @Test func `the same mesh gives the same bytes, however often and on how many cores`() throws {
    let images = (0..<16).concurrentMap { seed in
      HeadImage(
        expected.lit, camera: expected.camera, background: .one, noise: 2, seed: UInt64(seed / 8)
      )
      .pixels.bytes
    }
    #expect(Set(images).count == 2)
  }

  @Test func `neighbouring triangles share no sample and leave none`() {
    // A fan around the middle that covers the image, with corners at odd positions.
    let rim = (0..<17).map { step -> SIMD3<Float> in
      let angle = 2 * Float.pi * Float(step) / 17
      return SIMD3(30 * cos(angle), 30 * sin(angle), -20)
    }
    let mesh = [SIMD3<Float>(0.37, -0.21, -20)] + rim
    let fan = (0..<17).map { step -> SIMD3<Int32> in
      let next = (step + 1) % 17
      return SIMD3(0, Int32(step + 1), Int32(next + 1))
    }
    let camera = expected.camera
    let whole = SampleBuffer(mesh, fan, camera: camera)
    var covered = 0
    for triangle in fan {
      let alone = SampleBuffer(mesh, [triangle], camera: camera)
      for row in 0..<4 * camera.size.height {
        for column in 0..<4 * camera.size.width
        where alone.triangle(column: column, row: row) != nil {
          covered += 1
        }
      }
    }
    let count = 16 * camera.size.width * camera.size.height
    #expect(covered == count)
    for row in 0..<4 * camera.size.height {
      for column in 0..<4 * camera.size.width {
        #expect(whole.triangle(column: column, row: row) != nil)
      }
    }
  }

  @Test func `what is behind the camera or behind a surface is not seen`() {
    let camera = expected.camera
    let wall = [
      SIMD3<Float>(-9, -9, -20), SIMD3(9, -9, -20), SIMD3(0, 9, -20), SIMD3(0, 0, 5),
      SIMD3(1, 0, 5),
      SIMD3(0, 1, 5),
    ]
    let samples = SampleBuffer(wall, [SIMD3(0, 1, 2), SIMD3(3, 4, 5)], camera: camera)
    #expect(samples.shows(SIMD3(0, 0, -20), camera: camera))
    #expect(samples.shows(SIMD3(0, 0, -20.2), camera: camera))
    #expect(!samples.shows(SIMD3(0, 0, -21), camera: camera))
    #expect(!samples.shows(SIMD3(0, 0, 5), camera: camera))
    #expect(!samples.shows(SIMD3(100, 0, -20), camera: camera))
    let nothing = SampleBuffer(wall, [SIMD3(3, 4, 5)], camera: camera)
    #expect(nothing.triangle(column: 80, row: 64) == nil)
  }
}
