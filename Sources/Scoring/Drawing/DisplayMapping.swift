internal import FaceCore
internal import Platform

/// How the captured image fills a display: turned as the interface is, scaled until no part of the display is empty,
/// and centred, as `ARFrame.displayTransform(for:viewportSize:)` does.
struct DisplayMapping: Sendable {
  /// How the interface is turned, in the words of `UIInterfaceOrientation`; `landscapeRight` is as captured.
  enum Orientation: String, CaseIterable {
    case portrait, portraitUpsideDown, landscapeLeft, landscapeRight
  }

  private let orientation: Orientation
  private let width: Double, height: Double
  /// Points of the display per pixel of the image, and how far its corner is from that of the display.
  private let scale: Double, inset: Point

  /// Reads the sizes of the display in points and of the captured image in pixels, and how the interface is turned.
  init(_ node: JSONNode) throws(FileError) {
    try node.requireKeys(["size", "image", "orientation"])
    func sides(_ key: String) throws(FileError) -> (width: Double, height: Double) {
      let sides = try DrawingReader.numbers(node[key], count: 2)
      guard sides.allSatisfy({ $0 > 0 }) else {
        throw node[key].wrong("a width and a height over 0")
      }
      return (sides[0], sides[1])
    }
    let display = try sides("size")
    (width, height) = try sides("image")
    orientation = try node["orientation"].choice(Orientation.self)
    let isUpright = [.portrait, .portraitUpsideDown].contains(orientation)
    let turned = isUpright ? (width: height, height: width) : (width: width, height: height)
    scale = max(display.width / turned.width, display.height / turned.height)
    inset = Point(
      x: (display.width - scale * turned.width) / 2,
      y: (display.height - scale * turned.height) / 2)
  }

  /// The pixel of the captured image that is shown at a point of the display.
  func pixel(at point: Point) -> Point {
    let (x, y) = ((point.x - inset.x) / scale, (point.y - inset.y) / scale)
    return switch orientation {
    case .landscapeRight: Point(x: x, y: y)
    case .landscapeLeft: Point(x: width - x, y: height - y)
    case .portrait: Point(x: y, y: height - x)
    case .portraitUpsideDown: Point(x: width - y, y: x)
    }
  }
}
