internal import FaceCore
internal import Foundation
internal import Imaging

extension Degradation {
  /// Strong light behind the faces: they get darker, their surroundings brighter, and glare veils the image.
  ///
  /// A face is the ellipse of 1.2 times its box, with a soft edge up to 1.5 times. Around it the light rises by half
  /// as many stops as it falls on the face. Glare of 1 % of white per stop lies on everything.
  static let backlight = Degradation(
    "backlight", quantity: "lost light on faces, in stops", values: [1, 2, 3, 4, 5]
  ) { frame, stops in
    let shares = faceShares(of: frame)
    let width = frame.pixels.width
    // Gains of 1,001 shares; neighbours differ by less than 1 %.
    let gains = (0...1000).map { pow(2, stops * (0.5 - 1.5 * Double($0) / 1000)) }
    frame.pixels.mapLight { x, y, light in
      gains[Int((shares[y * width + x] * 1000).rounded())] * light + 0.01 * stops
    }
  }

  /// For each pixel 1 on a face, 0 around it, and between at its soft edge.
  private static func faceShares(of frame: DegradedFrame) -> [Float] {
    let (width, height) = (frame.pixels.width, frame.pixels.height)
    var shares = [Float](repeating: 0, count: width * height)
    for face in frame.faces {
      let (x0, y0) = (face.box.x + face.box.width / 2, face.box.y + face.box.height / 2)
      let (a, b) = (0.6 * face.box.width, 0.6 * face.box.height)
      for y in PixelBuffer.pixels(from: y0 - 1.25 * b, to: y0 + 1.25 * b, below: height) {
        for x in PixelBuffer.pixels(from: x0 - 1.25 * a, to: x0 + 1.25 * a, below: width) {
          let radius = hypot((Double(x) + 0.5 - x0) / a, (Double(y) + 0.5 - y0) / b)
          let t = min(max((1.25 - radius) / 0.25, 0), 1)
          let share = Float(t * t * (3 - 2 * t))
          shares[y * width + x] = max(shares[y * width + x], share)
        }
      }
    }
    return shares
  }
}
