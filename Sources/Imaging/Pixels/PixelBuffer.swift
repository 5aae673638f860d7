package import FaceCore

/// A color with 8 bits per channel.
package struct RGB: Sendable, Hashable {
  /// Red, green and blue, 0 to 255.
  package var red, green, blue: UInt8

  /// Makes a color from its channels.
  package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Black.
  package static let black = RGB(0, 0, 0)
  /// White.
  package static let white = RGB(255, 255, 255)
}

/// An RGB8 image: rows from the top, three bytes per pixel, no gaps.
package struct PixelBuffer: Sendable, Hashable {
  /// Width in pixels.
  package private(set) var width: Int
  /// Height in pixels.
  package private(set) var height: Int
  /// `height * width * 3` bytes, row by row, each pixel red, green, blue.
  package private(set) var bytes: [UInt8]
  /// The size of the image in its file: its own, or a larger one where a JPEG was decoded smaller.
  package private(set) var originalSize: ImageSize
  /// How many pixels of the original lie along the side of one pixel: 1, or 2, 4 or 8 where a JPEG was decoded smaller.
  package private(set) var reduction: Int

  /// An image of no pixels, for a decoder to fill.
  package init() {
    width = 0
    height = 0
    bytes = []
    originalSize = ImageSize(width: 0, height: 0)
    reduction = 1
  }

  /// An image of one color; negative sides count as 0.
  package init(width: Int, height: Int, color: RGB = .black) {
    self.init()
    resize(width: width, height: height)
    fill(color)
  }

  /// An image of given bytes, or nil if their count is not `width * height * 3`.
  package init?(width: Int, height: Int, bytes: [UInt8]) {
    guard width >= 0, height >= 0 else { return nil }
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, bytes.count % 3 == 0, bytes.count / 3 == pixels else { return nil }
    self.init()
    (self.width, self.height, self.bytes) = (width, height, bytes)
    originalSize = size
  }

  /// Width and height together.
  package var size: ImageSize { ImageSize(width: width, height: height) }

  /// The color at a column and row; outside the image that of the nearest pixel; black for an empty image.
  package subscript(x: Int, y: Int) -> RGB {
    guard !bytes.isEmpty else { return .black }
    let at = (min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)) * 3
    return RGB(bytes[at], bytes[at + 1], bytes[at + 2])
  }

  /// Changes the size and keeps the storage if it is large enough; the pixels are then arbitrary.
  package mutating func resize(width: Int, height: Int) {
    self.width = max(width, 0)
    self.height = max(height, 0)
    originalSize = size
    reduction = 1
    let count = self.width * self.height * 3
    if bytes.count > count {
      bytes.removeLast(bytes.count - count)
    } else if bytes.count < count {
      bytes.append(contentsOf: repeatElement(0, count: count - bytes.count))
    }
  }

  /// Takes the size that an original has after a reduction, rounded up, and keeps the storage as `resize(width:height:)` does.
  mutating func resize(to original: ImageSize, reducedBy reduction: Int) {
    resize(
      width: (original.width + reduction - 1) / reduction,
      height: (original.height + reduction - 1) / reduction)
    originalSize = original
    self.reduction = reduction
  }

  /// Passes the bytes to a closure that may modify them.
  package mutating func withMutableBytes<Result>(
    _ body: (UnsafeMutableBufferPointer<UInt8>) -> Result
  ) -> Result {
    bytes.withUnsafeMutableBufferPointer { body($0) }
  }

  /// Paints every pixel.
  package mutating func fill(_ color: RGB) {
    fill(
      BoundingBox(x: 0, y: 0, width: Double(width), height: Double(height)), with: color)
  }

  /// Paints the pixels whose centres lie in a box; parts outside the image are clipped.
  package mutating func fill(_ box: BoundingBox, with color: RGB) {
    let columns = Self.centres(from: box.x, to: box.maxX, below: width)
    let rows = Self.centres(from: box.y, to: box.maxY, below: height)
    let stride = width * 3
    withMutableBytes { bytes in
      for y in rows {
        for x in columns {
          let at = y * stride + x * 3
          bytes[at] = color.red
          bytes[at + 1] = color.green
          bytes[at + 2] = color.blue
        }
      }
    }
  }

  /// The columns or rows, of `count`, whose centres are between two positions; none for a NaN.
  package static func centres(from low: Double, to high: Double, below count: Int) -> Range<Int> {
    guard low < high else { return 0..<0 }
    let first = min(max((low - 0.5).rounded(.up), 0), Double(count))
    let end = min(max((high - 0.5).rounded(.up), 0), Double(count))
    return Int(first)..<Int(end)
  }
}
