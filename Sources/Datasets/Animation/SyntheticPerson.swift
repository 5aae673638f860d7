internal import FaceCore
internal import Foundation
internal import Imaging
internal import Statistics

/// A person who is made from a portrait: another shape of the face, other light and color.
///
/// Amounts are normally distributed and kept within two standard deviations. Shapes differ as real faces do
/// (`FaceShape.modes`); how far light and color differ is a choice. Skin, age, hair and expression stay those of the
/// portrait.
struct SyntheticPerson: Sendable {
  /// Amounts of the shape's modes in standard deviations.
  let shape: [Double]
  /// Factor on the linear light; the standard deviation of its logarithm is .25.
  let exposure: Double
  /// Factors on the light of red, green and blue; .08 each.
  let color: [Double]
  /// How much brighter the right edge of the face's box is than its centre; .15.
  let slope: Double

  /// The person of a number; the same for the same seed.
  init(_ number: Int, seed: UInt64) {
    var generator = SplitMix64(seed: seed, draw: number)
    /// By Box and Muller, again where it is further out.
    func draw(_ deviation: Double) -> Double {
      while true {
        let length = (-2 * log(Double.random(in: 0..<1, using: &generator).nextUp)).squareRoot()
        let value = length * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
        if abs(value) <= 2 { return value * deviation }
      }
    }
    shape = FaceShape.modes.map { _ in draw(1) }
    exposure = exp(draw(0.25))
    color = (0..<3).map { _ in exp(draw(0.08)) }
    slope = draw(0.15)
  }

  /// The image with this person's shape and light in place of a face's.
  func image(of portrait: PixelBuffer, face: BoundingBox) throws(ImageError) -> PixelBuffer {
    let shape = FaceShape(of: face, amounts: shape)
    var image = try portrait.warped(
      to: portrait.size, source: { shape.source(of: $0) }, border: .replicate)
    let middle = face.x + face.width / 2
    // Three values a pixel, in the order of `color`.
    var value = 0
    image.mapLight { x, _, light in
      defer { value = (value + 1) % 3 }
      let across = (Double(x) + 0.5 - middle) / (face.width / 2)
      return light * exposure * color[value] * (1 + slope * min(max(across, -2), 2))
    }
    return image
  }

  /// The label of a face in that image.
  func label(_ label: FaceLabel, face: BoundingBox) -> FaceLabel {
    let shape = FaceShape(of: face, amounts: shape)
    let box = label.box
    func distance(_ first: Point, _ second: Point) -> Double {
      let (first, second) = (shape(first), shape(second))
      return hypot(first.x - second.x, first.y - second.y)
    }
    let (middleX, middleY) = (box.x + box.width / 2, box.y + box.height / 2)
    let width = distance(Point(x: box.x, y: middleY), Point(x: box.maxX, y: middleY))
    let height = distance(Point(x: middleX, y: box.y), Point(x: middleX, y: box.maxY))
    return label.moved(
      scaleX: box.width > 0 ? width / box.width : 1,
      scaleY: box.height > 0 ? height / box.height : 1
    ) { shape($0) }
  }
}
