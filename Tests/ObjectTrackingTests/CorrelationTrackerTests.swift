import FaceCore
import Imaging
import ObjectTracking
import Statistics
import TestSupport
import Testing

/// A clip of Tests/Oracles/correlation_tracker.py: the first box, and the images.
private struct MadeClip {
  var first: BoundingBox
  var images: [PixelBuffer] = []

  init(_ number: Int, frames: Int = 4) {
    var stream = SplitMix64(seed: UInt64(9000 + number))
    func below(_ count: Int) -> Int { Int(stream.next() % UInt64(count)) }
    func rule() -> [Int] {
      (0..<3).flatMap { _ in [below(25) - 12, below(25) - 12, below(7) - 3, below(512)] }
    }
    let (width, height) = (60 + below(80), 60 + below(80))
    let (ground, object) = (rule(), rule())
    var (w, h) = (14 + below(40), 14 + below(40))
    var (x0, y0) = (below(width - 10), below(height - 10))
    first = BoundingBox(x: Double(x0), y: Double(y0), width: Double(w), height: Double(h))
    for _ in 0..<frames {
      var image = PixelBuffer(width: width, height: height)
      image.withMutableBytes { bytes in
        for y in 0..<height {
          for x in 0..<width {
            let isInside = x >= x0 && x < x0 + w && y >= y0 && y < y0 + h
            let (u, v) = isInside ? (Self.part(x - x0, w), Self.part(y - y0, h)) : (x, y)
            for channel in 0..<3 {
              bytes[(y * width + x) * 3 + channel] = Self.texture(
                isInside ? object : ground, channel, u, v)
            }
          }
        }
      }
      images.append(image)
      (x0, y0) = (x0 + below(9) - 4, y0 + below(9) - 4)
      (w, h) = (w + below(3) - 1, h + below(3) - 1)
    }
  }

  private static func part(_ position: Int, _ side: Int) -> Int { position * 48 / side }

  private static func texture(_ rule: [Int], _ channel: Int, _ x: Int, _ y: Int) -> UInt8 {
    let at = 4 * channel
    let wave =
      (rule[at] * x + rule[at + 1] * y + ((rule[at + 2] * x * y) >> 5) + rule[at + 3]) & 511
    let grain =
      (x * 73_856_093 ^ y * 19_349_663 ^ (rule[at + 3] + channel) * 83_492_791) >> 5 & 31
    return UInt8((wave < 256 ? wave : 511 - wave) * 3 / 4 + grain)
  }
}

@Suite("Following an object by its looks")
struct CorrelationTrackerTests {
  private struct Expected: Decodable {
    struct Case: Decodable, Sendable {
      let number: Int
      let sights: [[Double]]
    }
    let cases: [Case]
  }

  @Test func `boxes and confidences of made-up clips equal NumPy's from the papers' formulas`()
    throws
  {
    let cases = try Oracles.read("correlation_tracker", as: Expected.self).cases
    #expect(cases.count >= 100)
    var (boxes, confidences) = (0.0, 0.0)
    // Without optimization a clip takes most of a second.
    #if DEBUG
      let shown = cases.prefix(25)
    #else
      let shown = cases[...]
    #endif
    for expected in shown {
      let clip = MadeClip(expected.number)
      var tracker = try #require(CorrelationTracker(following: clip.first, in: clip.images[0]))
      for (image, numbers) in zip(clip.images.dropFirst(), expected.sights) {
        let sight = tracker.follow(into: image)
        let box = [sight.box.x, sight.box.y, sight.box.width, sight.box.height]
        let off = zip(box, numbers).map { abs($0 - $1) }.max() ?? 0
        #expect(off < 1e-6, "clip \(expected.number): \(box), expected \(numbers)")
        boxes = max(boxes, off)
        confidences = max(confidences, abs(sight.confidence - numbers[4]))
      }
    }
    // A gradient half-way between two directions goes to one or the other by its last bit: noise of 3e-8 on
    // the patches changes NumPy's own confidences by up to 0.07.
    #expect(confidences < 0.01, "boxes \(boxes), confidences \(confidences)")
  }

  @Test func `the same images give the same bits`() throws {
    let clip = MadeClip(3, frames: 3)
    func sights() throws -> [CorrelationTracker.Sight] {
      var tracker = try #require(CorrelationTracker(following: clip.first, in: clip.images[0]))
      return clip.images.dropFirst().map { tracker.follow(into: $0) }
    }
    #expect(try sights() == sights())
  }

  @Test func `boxes without area, without numbers or far off, and empty images are refused`() {
    let image = PixelBuffer(width: 64, height: 48)
    let sound = BoundingBox(x: 10, y: 10, width: 20, height: 20)
    #expect(CorrelationTracker(following: sound, in: image) != nil)
    #expect(CorrelationTracker(following: sound, in: PixelBuffer()) == nil)
    for (x, width) in [(10.0, 0.0), (.nan, 20), (10, .infinity), (2e6, 20), (10, -5), (10, 2e6)] {
      let box = BoundingBox(x: x, y: 10, width: width, height: 20)
      #expect(CorrelationTracker(following: box, in: image) == nil, "\(box)")
    }
  }

  @Test func `whatever the box, even ground gives finite boxes in reach`() throws {
    let image = PixelBuffer(width: 64, height: 48, color: RGB(90, 90, 90))
    for box in [
      BoundingBox(x: 10, y: 10, width: 20, height: 20),
      BoundingBox(x: -500, y: 900, width: 3, height: 700),
      BoundingBox(x: 0, y: 0, width: 0.01, height: 0.01),
      BoundingBox(x: 0, y: 0, width: 900_000, height: 2),
      BoundingBox(x: 63, y: 47, width: 1000, height: 1000),
    ] {
      var tracker = try #require(CorrelationTracker(following: box, in: image))
      let sight = tracker.follow(into: image)
      #expect(sight.box.isWellFormed && sight.confidence.isFinite, "\(box): \(sight)")
      #expect((0...1).contains(sight.confidence))
      #expect(sight.box.x + sight.box.width / 2 >= 0 && sight.box.x + sight.box.width / 2 <= 64)
      #expect(tracker.follow(into: PixelBuffer()).confidence == 0)
    }
  }
}
