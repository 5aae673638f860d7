import Datasets
import FaceCore
import Foundation
import Imaging
import Platform
import Statistics
import TestSupport
import Testing

/// Suites of transformed images, whose positions in the original are known.
@Suite struct ImageTransformationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func image(_ size: ImageSize) -> PixelBuffer {
    var stream = SplitMix64(seed: 3)
    let bytes = (0..<3 * size.width * size.height).map { _ in UInt8(stream.below(256)) }
    return PixelBuffer(width: size.width, height: size.height, bytes: bytes) ?? PixelBuffer()
  }

  private func suite() throws -> (original: PixelBuffer, dataset: DatasetReader) {
    let original = Self.image(ImageSize(width: 47, height: 41))
    let writer = try DatasetWriter(folder.file("d.h5"), name: "d", replacing: true)
    try writer.add(name: "a.png", image: try original.pngBytes(), size: original.size, faces: [])
    try writer.add(name: "none", image: [], size: ImageSize(width: 0, height: 0), faces: [])
    try writer.finish()
    let made = try DatasetWriter(folder.file("s.h5"), name: "s", isLabelled: false, replacing: true)
    let withoutImage = try TransformationSuite(longestSide: 640).run(
      over: try DatasetReader(folder.file("d.h5")), into: made, advance: { _ in },
      isInterrupted: { false })
    try made.finish()
    #expect(withoutImage == 1)
    return (original, try DatasetReader(folder.file("s.h5")))
  }

  /// Pixels of all but a reduced and a half-moved image are those of the original, where the map says.
  @Test func `each pixel of a transformed image is the one of the original that the map names`()
    throws
  {
    let (original, dataset) = try suite()
    #expect(dataset.frameCount == 9 && !dataset.isLabelled)
    let frames = try dataset.frames(0..<9)
    #expect(frames.map(\.name).first == "a/original" && frames.last?.name == "a/repeat")
    let contexts = try dataset.contexts(0..<9)
    #expect(ImageTransformation.isOriginal(contexts[0].attributes))
    for (index, change) in ImageTransformation.allCases.enumerated() {
      let frame = frames[index + 1]
      #expect(ImageTransformation(of: contexts[index + 1].attributes) == change)
      let image = try dataset.image(index + 1).decoded()
      #expect(image.size == frame.size)
      let map = change.source(original.size, transformed: image.size)
      guard change != .scale, change != .shift else { continue }
      var (wrong, seen) = (0, 0)
      for y in 0..<image.height {
        for x in 0..<image.width {
          let at = map(Point(x: Double(x) + 0.5, y: Double(y) + 0.5))
          let (column, row) = (Int(at.x), Int(at.y))
          let here = Array(image.bytes[3 * (y * image.width + x)..<3 * (y * image.width + x) + 3])
          let start = 3 * (row * original.width + column)
          seen += 1
          if here != Array(original.bytes[start..<start + 3]) { wrong += 1 }
        }
      }
      #expect(wrong == 0 && seen >= 36 * 36, "\(change.rawValue): \(wrong) of \(seen)")
    }
  }

  @Test
  func `corners of a reduced image are those of the original, and half a pixel is half a pixel`()
    throws
  {
    let size = ImageSize(width: 100, height: 60)
    let small = ImageSize(width: 70, height: 42)
    let far = ImageTransformation.scale.source(size, transformed: small)(Point(x: 70, y: 42))
    #expect(far == Point(x: 100, y: 60))
    let near = ImageTransformation.shift.source(size, transformed: size)(Point(x: 10.5, y: 20.5))
    #expect(near == Point(x: 10, y: 20))
  }

  @Test func `a suite is not transformed again`() throws {
    _ = try suite()
    let made = try DatasetWriter(folder.file("t.h5"), name: "t", isLabelled: false, replacing: true)
    let error = #expect(throws: FileError.self) {
      try TransformationSuite(longestSide: 640).run(
        over: try DatasetReader(folder.file("s.h5")), into: made, advance: { _ in },
        isInterrupted: { false })
    }
    #expect(error?.description.contains("found a transformed one in frame 0") == true)
  }
}
