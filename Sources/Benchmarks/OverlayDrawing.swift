import FaceCore
import Imaging

extension Layer {
  /// Drawing a face of about 400 pixels, 900 triangles with edges of 20, on an image of 640 × 480.
  static func overlay() -> Layer {
    let size = ImageSize(width: 640, height: 480)
    let points: [SIMD3<Float>] = (0..<478).map { index in
      SIMD3(60 + 20 * Float(index % 26) + 0.3, 40 + 20 * Float(index / 26) + 0.6, 0)
    }
    let triangles: [SIMD3<Int32>] = (0..<451).filter { $0 % 26 != 25 }.flatMap { index in
      let i = Int32(index)
      return [SIMD3(i, i + 1, i + 26), SIMD3(i + 1, i + 27, i + 26)]
    }
    let face = FacePrediction(
      region: .whole, isTracked: false, detectionScore: nil, presence: 0.9,
      scheme: .mediapipe478, points: points, blendshapes: nil, pose: nil)
    let frame = FramePrediction(
      frame: 0, size: size, stageNanoseconds: [], detections: [], candidates: [], faces: [face],
      rejected: [])
    let ground = PixelBuffer(width: size.width, height: size.height, color: RGB(18, 20, 26))
    let variants: [(name: String, parts: Set<FaceOverlay.Part>)] = [
      ("contours", [.contours]), ("contours and mesh", [.contours, .mesh]),
    ]
    return Layer(
      name: "overlay 640x480",
      variants: variants.map { variant in
        let overlay = FaceOverlay(variant.parts, triangles: triangles)
        return Variant(name: variant.name) {
          var image = ground
          overlay.draw(frame, on: &image)
        }
      })
  }
}
