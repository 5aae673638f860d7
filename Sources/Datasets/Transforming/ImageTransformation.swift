package import FaceCore
package import Imaging

/// A transformation of an image that moves a face in a known way and leaves everything else about it as it is.
package enum ImageTransformation: String, Sendable, CaseIterable {
  case mirror
  case turn90 = "turn-90"
  case turn180 = "turn-180"
  case turn270 = "turn-270"
  case scale, shift, crop
  case `repeat`

  /// What it does, for help.
  package var summary: String {
    switch self {
    case .mirror: "left and right exchanged"
    case .turn90, .turn180, .turn270: "turned clockwise by \(rawValue.dropFirst(5))°"
    case .scale: "reduced to 70 %"
    case .shift: "moved by half a pixel to the right and down"
    case .crop: "a twentieth cut off at each edge"
    case .repeat: "the same image again"
    }
  }

  /// Whether left and right of a face are exchanged.
  package var isMirror: Bool { self == .mirror }

  private static let prefix = "transform."

  /// The frame's attribute, 1 where the image is transformed so and 0 where it is the original.
  package var attribute: String { Self.prefix + rawValue }

  /// The transformation of a frame with those attributes; nil for an original, and for a frame of another dataset.
  package init?(of attributes: [String: Double]) {
    guard let one = Self.allCases.first(where: { attributes[$0.attribute] == 1 }) else {
      return nil
    }
    self = one
  }

  /// Whether a frame with those attributes is an original that others are made of.
  package static func isOriginal(_ attributes: [String: Double]) -> Bool {
    attributes.keys.contains { $0.hasPrefix(prefix) } && Self(of: attributes) == nil
  }

  private func margin(of size: ImageSize) -> (x: Int, y: Int) {
    (size.width / 20, size.height / 20)
  }

  /// Where in the original each position of the transformed image lies, in pixels.
  package func source(_ original: ImageSize, transformed: ImageSize) -> AffineMap {
    let (width, height) = (Double(original.width), Double(original.height))
    switch self {
    case .mirror: return AffineMap((-1, 0, width), (0, 1, 0))
    case .turn90: return AffineMap((0, 1, 0), (-1, 0, height))
    case .turn180: return AffineMap((-1, 0, width), (0, -1, height))
    case .turn270: return AffineMap((0, -1, width), (1, 0, 0))
    case .scale: return .scaling(from: transformed, to: original)
    case .shift: return .translation(x: -0.5, y: -0.5)
    case .crop:
      let margin = margin(of: original)
      return .translation(x: Double(margin.x), y: Double(margin.y))
    case .repeat: return .identity
    }
  }

  /// The transformed image; exact to the bit but for `scale` and `shift`.
  func applied(to image: PixelBuffer) throws(ImageError) -> PixelBuffer {
    if self == .repeat { return image }
    if self == .scale {
      return image.reduced(toFit: max(1, 7 * max(image.width, image.height) / 10))
    }
    var size = image.size
    if self == .turn90 || self == .turn270 { size = size.exchanged }
    if self == .crop {
      let margin = margin(of: size)
      size = ImageSize(width: size.width - 2 * margin.x, height: size.height - 2 * margin.y)
    }
    return try image.warped(
      to: size, source: source(image.size, transformed: size), border: .replicate)
  }
}
