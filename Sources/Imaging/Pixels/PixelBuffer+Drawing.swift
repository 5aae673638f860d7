package import FaceCore
internal import Foundation

extension PixelBuffer {
  /// Draws the outline of a box, centred on its edges, antialiased.
  package mutating func stroke(_ box: BoundingBox, color: RGB, thickness: Double = 2) {
    let (halfWidth, halfHeight) = (box.width / 2, box.height / 2)
    let (x, y) = (box.x + halfWidth, box.y + halfHeight)
    paint(around: box, reach: thickness / 2, color: color) { px, py in
      let dx = abs(px - x) - halfWidth
      let dy = abs(py - y) - halfHeight
      let outside = hypot(max(dx, 0), max(dy, 0))
      return abs(outside + min(max(dx, dy), 0)) - thickness / 2
    }
  }

  /// Draws a straight line with round ends, antialiased.
  package mutating func strokeLine(
    from start: Point, to end: Point, color: RGB, thickness: Double = 2
  ) {
    guard let box = BoundingBox(around: [start, end]) else { return }
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    let squared = dx * dx + dy * dy
    let reach = thickness / 2 + 1
    // Only the part of the line near a row of pixels: the box of a long slanted line is mostly empty.
    let sides = { (row: Double) -> (Double, Double) in
      guard dy != 0 else { return (box.x, box.maxX) }
      let above = start.x + dx * min(max((row - reach - start.y) / dy, 0), 1)
      let below = start.x + dx * min(max((row + reach - start.y) / dy, 0), 1)
      return (min(above, below), max(above, below))
    }
    paint(around: box, reach: thickness / 2, color: color, sides: sides) { px, py in
      let along = ((px - start.x) * dx + (py - start.y) * dy) / max(squared, .leastNormalMagnitude)
      let t = min(max(along, 0), 1)
      return hypot(px - start.x - t * dx, py - start.y - t * dy) - thickness / 2
    }
  }

  /// Draws a filled circle, antialiased.
  package mutating func fillCircle(centre: Point, radius: Double, color: RGB) {
    let box = BoundingBox(x: centre.x, y: centre.y, width: 0, height: 0)
    paint(around: box, reach: radius, color: color) { px, py in
      hypot(px - centre.x, py - centre.y) - radius
    }
  }

  /// Draws the outline of a circle, centred on its edge, antialiased.
  package mutating func strokeCircle(
    centre: Point, radius: Double, color: RGB, thickness: Double = 2
  ) {
    let box = BoundingBox(x: centre.x, y: centre.y, width: 0, height: 0)
    paint(around: box, reach: radius + thickness / 2, color: color) { px, py in
      abs(hypot(px - centre.x, py - centre.y) - radius) - thickness / 2
    }
  }

  /// Blends a color into the pixels near a box, by the signed distance of their centres to a shape's edge.
  ///
  /// `sides` are the columns between which the shape has its middle line near a row's centre; nil is the box.
  private mutating func paint(
    around box: BoundingBox, reach: Double, color: RGB,
    sides: ((_ row: Double) -> (Double, Double))? = nil, distance: (Double, Double) -> Double
  ) {
    let (width, height) = (width, height)
    func columns(from left: Double, to right: Double) -> Range<Int> {
      Self.pixels(from: left - reach - 1, to: right + reach + 1, below: width)
    }
    let all = columns(from: box.x, to: box.maxX)
    let rows = Self.pixels(from: box.y - reach - 1, to: box.maxY + reach + 1, below: height)
    let stride = width * 3
    let paint = SIMD3(Double(color.red), Double(color.green), Double(color.blue))
    withMutableBytes { bytes in
      for y in rows {
        let own = sides.map { $0(Double(y) + 0.5) }
        for x in own.map({ columns(from: $0.0, to: $0.1) }) ?? all {
          let coverage = 0.5 - distance(Double(x) + 0.5, Double(y) + 0.5)
          guard coverage > 0 else { continue }
          let share = min(coverage, 1)
          for channel in 0..<3 {
            let at = y * stride + x * 3 + channel
            let old = Double(bytes[at])
            bytes[at] = UInt8(old + (paint[channel] - old) * share + 0.5)
          }
        }
      }
    }
  }

  /// The columns or rows, of `count`, that lie between two positions at least in part; none for a NaN.
  package static func pixels(from low: Double, to high: Double, below count: Int) -> Range<Int> {
    guard low < high else { return 0..<0 }
    let first = min(max(low.rounded(.down), 0), Double(count))
    let end = min(max(high.rounded(.up), 0), Double(count))
    return Int(first)..<Int(end)
  }
}
