import FaceCore
import Foundation
import Imaging
import Testing

@Suite struct DrawingTests {
  /// The sum of a white shape's coverage on black, in square pixels.
  func area(of image: PixelBuffer) -> Double {
    Double(image.bytes.reduce(0) { $0 + Int($1) }) / 765
  }

  /// Coverage by distance is exact on straight edges and off by a small share on curves and corners: 2 %.
  @Test func `shapes cover the area that geometry gives them`() {
    var disc = PixelBuffer(width: 60, height: 60)
    disc.fillCircle(centre: Point(x: 30.3, y: 29.6), radius: 12.5, color: .white)
    #expect(abs(area(of: disc) / (Double.pi * 12.5 * 12.5) - 1) < 0.02)

    var ring = PixelBuffer(width: 60, height: 60)
    ring.strokeCircle(centre: Point(x: 30, y: 30), radius: 20, color: .white, thickness: 3)
    #expect(abs(area(of: ring) / (2 * Double.pi * 20 * 3) - 1) < 0.02)

    var line = PixelBuffer(width: 60, height: 60)
    line.strokeLine(
      from: Point(x: 8.2, y: 11), to: Point(x: 51, y: 40.7), color: .white, thickness: 3)
    let length = hypot(51 - 8.2, 40.7 - 11)
    #expect(abs(area(of: line) / (length * 3 + Double.pi * 1.5 * 1.5) - 1) < 0.02)

    var box = PixelBuffer(width: 60, height: 60)
    box.stroke(BoundingBox(x: 10.25, y: 12, width: 30, height: 20.5), color: .white, thickness: 2)
    #expect(abs(area(of: box) / (2 * (30 + 20.5) * 2) - 1) < 0.02)
  }

  @Test func `an outline lies on the box's edges and leaves its inside alone`() {
    var image = PixelBuffer(width: 40, height: 40, color: RGB(9, 9, 9))
    image.stroke(
      BoundingBox(x: 10, y: 8, width: 20, height: 15), color: RGB(255, 0, 0), thickness: 2)
    for (x, y) in [(9, 15), (10, 15), (29, 15), (30, 15), (20, 7), (20, 8), (20, 22), (20, 23)] {
      #expect(image[x, y] == RGB(255, 0, 0), "\(x), \(y)")
    }
    for (x, y) in [(20, 15), (11, 9), (8, 15), (31, 15), (20, 6), (20, 24)] {
      #expect(image[x, y] == RGB(9, 9, 9), "\(x), \(y)")
    }
  }

  @Test func `an edge in the middle of a pixel covers half of it`() {
    var image = PixelBuffer(width: 10, height: 10)
    image.strokeLine(
      from: Point(x: -5, y: 5), to: Point(x: 15, y: 5), color: .white, thickness: 3)
    #expect((0..<10).map { image[4, $0].red } == [0, 0, 0, 128, 255, 255, 128, 0, 0, 0])
  }

  @Test func `a box fills the pixels whose centres it holds`() {
    var image = PixelBuffer(width: 6, height: 5)
    image.fill(BoundingBox(x: 1.5, y: 0.51, width: 2, height: 2), with: .white)
    for y in 0..<5 {
      for x in 0..<6 {
        #expect((image[x, y] == .white) == ((1...2).contains(x) && (1...2).contains(y)))
      }
    }
  }

  @Test func `what lies outside, is empty or is not a number leaves an image whole`() {
    let far = 1e300
    var image = PixelBuffer(width: 8, height: 8)
    for value in [far, -far, .nan, .infinity] {
      image.stroke(BoundingBox(x: value, y: 0, width: 3, height: 3), color: .white)
      image.fill(BoundingBox(x: value, y: 0, width: 3, height: 3), with: .white)
      image.fillCircle(centre: Point(x: value, y: 2), radius: 2, color: .white)
      image.drawText("a", at: Point(x: value, y: 0))
    }
    image.strokeLine(
      from: Point(x: -9, y: -9), to: Point(x: -3, y: -30), color: .white, thickness: 1)
    image.fill(BoundingBox(x: 1, y: 1, width: -4, height: 2), with: .white)
    #expect(image == PixelBuffer(width: 8, height: 8))
    var empty = PixelBuffer()
    empty.fill(.white)
    empty.fillCircle(centre: Point(x: 0, y: 0), radius: 5, color: .white)
    #expect(empty == PixelBuffer())
  }

  @Test func `a label shows its glyphs in a halo`() {
    let size = PixelBuffer.textSize("1.", scale: 1)
    #expect(size == ImageSize(width: 13, height: 10))
    var image = PixelBuffer(width: size.width, height: size.height, color: RGB(90, 90, 90))
    image.drawText("1.", at: Point(x: 0, y: 0))
    let seen = (0..<size.height).map { y in
      String(
        (0..<size.width).map { x in
          image[x, y] == .white ? "#" : image[x, y] == .black ? "o" : "."
        })
    }
    #expect(
      seen == [
        "..ooo........",
        ".oo#o........",
        ".o##o........",
        ".oo#o........",
        "..o#o........",
        "..o#o..oooo..",
        ".oo#oo.o##o..",
        ".o###o.o##o..",
        ".ooooo.oooo..",
        ".............",
      ])
  }

  @Test func `glyphs differ from one another, and a strange sign is a box`() {
    func drawn(_ character: Character) -> PixelBuffer {
      let size = PixelBuffer.textSize("x", scale: 2)
      var image = PixelBuffer(width: size.width, height: size.height)
      image.drawText(String(character), at: Point(x: 0, y: 0), scale: 2)
      return image
    }
    let characters = (32..<127).compactMap { Unicode.Scalar($0) }.map(Character.init)
      .filter { !"$^`{}~".contains($0) }
    #expect(Set(characters.map(drawn)).count == characters.count)
    #expect(drawn("é") == drawn("猫"))
    #expect(!characters.map(drawn).contains(drawn("猫")))
  }

  @Test func `pixels outside an image read as the nearest one`() throws {
    let image = try #require(
      PixelBuffer(width: 2, height: 1, bytes: [1, 2, 3, 4, 5, 6]))
    #expect(image[-5, 9] == RGB(1, 2, 3))
    #expect(image[7, -1] == RGB(4, 5, 6))
    #expect(PixelBuffer(width: 2, height: 1, bytes: [1]) == nil)
    #expect(PixelBuffer(width: -1, height: -1, bytes: [1, 2, 3]) == nil)
    #expect(PixelBuffer(width: .max, height: 3, bytes: []) == nil)
  }
}
