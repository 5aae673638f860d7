import FaceCore
import Testing

@Suite("Points on planes")
struct PinholeCameraTests {
  /// Half a metre above the floor, looking down, the image's right along x and its top along -z.
  private let camera = PinholeCamera(
    position: SIMD3(2, 0.5, 3), right: SIMD3(1, 0, 0), up: SIMD3(0, 0, -1), back: SIMD3(0, 1, 0),
    focalLength: SIMD2(1000, 500), principalPoint: Point(x: 320, y: 240))
  private let floor = Plane(point: SIMD3(7, 0, -7), normal: SIMD3(0, -3, 0))

  @Test func `a pixel to the right is to the right, a pixel further down is towards the viewer`() {
    #expect(camera.hit(Point(x: 320, y: 240), on: floor) == SIMD3(2, 0, 3))
    #expect(camera.hit(Point(x: 420, y: 240), on: floor) == SIMD3(2.05, 0, 3))
    #expect(camera.hit(Point(x: 320, y: 340), on: floor) == SIMD3(2, 0, 3.1))
  }

  @Test
  func `planes behind, parallel to and through the camera are not hit, nor is one by no number`() {
    let middle = Point(x: 320, y: 240)
    let up = SIMD3<Double>(0, 1, 0)
    #expect(camera.hit(middle, on: Plane(point: SIMD3(0, 1, 0), normal: up)) == nil)
    #expect(camera.hit(middle, on: Plane(point: SIMD3(0, 0.5, 0), normal: up)) == nil)
    #expect(camera.hit(middle, on: Plane(point: .zero, normal: SIMD3(1, 0, 0))) == nil)
    #expect(camera.hit(middle, on: Plane(point: .zero, normal: .zero)) == nil)
    #expect(camera.hit(Point(x: .nan, y: 0), on: floor) == nil)
    #expect(camera.hit(Point(x: .infinity, y: 0), on: floor) == nil)
    #expect(camera.hit(middle, on: Plane(point: SIMD3(0, .nan, 0), normal: up)) == nil)
  }
}
