import FaceCore
import Imaging
import TestSupport
import Testing

@Suite(.enabled(if: Shared.isAvailable, "the golden images are not there"))
struct GoldenOverlayTests {
  @Test(arguments: GoldenFaces.names)
  func `the outlines of real faces are painted at their points and stay on the faces`(
    name: String
  ) throws {
    let (prediction, image) = try GoldenFaces.load(name)
    let drawn = FaceOverlay([.contours]).rendered(prediction, on: image)
    for face in prediction.faces {
      for point in FaceMeshConnections.faceOval.paths[0].map({ face.points[$0] }) {
        let (x, y) = (Int(point.x), Int(point.y))
        guard (0..<image.width).contains(x), (0..<image.height).contains(y) else { continue }
        #expect(drawn[x, y] != image[x, y], "\(x), \(y)")
      }
    }
    let boxes = prediction.faces.compactMap(\.box)
    for pixel in FaceOverlayTests.changed(drawn, from: image) {
      #expect(
        boxes.contains {
          ($0.x - 3...$0.maxX + 3).contains(pixel.x) && ($0.y - 3...$0.maxY + 3).contains(pixel.y)
        }, "\(pixel)")
    }
  }
}
