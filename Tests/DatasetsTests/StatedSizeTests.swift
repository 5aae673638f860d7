import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// The sizes of images that are not imported.
@Suite struct StatedSizeTests {
  private typealias Source = PredictionsImportTests.Source

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let stored = ImageSize(width: 40, height: 30)
  private static let box = BoundingBox(x: 4, y: 3, width: 8, height: 6)

  private static func frame(_ box: BoundingBox, stated: ImageSize? = nil) -> ImportedFrame {
    var frame = ImportedFrame(
      name: "a.jpg", image: .encoded(Sample.jpeg(40, 30)), faces: [FaceLabel(box: box)])
    frame.statedSize = stated
    return frame
  }

  private func labels(_ frame: ImportedFrame, _ options: ImportOptions) throws -> DatasetReader {
    let url = folder.file("labels.h5")
    let writer = try DatasetWriter(url, name: "labels", replacing: true)
    let plan = DatasetImport(
      format: Source(frames: [frame]), sources: [folder.file("source")], options: options,
      isStrict: false)
    _ = try plan.run(into: writer, advance: { _ in }, isInterrupted: { false })
    return try DatasetReader(url)
  }

  @Test(
    arguments: [
      (ImageSize(width: 40, height: 30), ImageSize(width: 40, height: 30)),
      // Sizes that no image can have are not kept.
      (ImageSize(width: 100_000, height: 100_000), ImageSize(width: 0, height: 0)),
      (ImageSize(width: 0, height: 30), ImageSize(width: 0, height: 0)),
      (nil, ImageSize(width: 0, height: 0)),
    ] as [(ImageSize?, ImageSize)])
  func `labels alone keep the sizes of images that their source states`(
    stated: ImageSize?, kept: ImageSize
  ) throws {
    let frame = Self.frame(Self.box, stated: stated)
    let alone = try labels(frame, ImportOptions(isLabelsOnly: true))
    let writer = try DatasetWriter(folder.file("copy.h5"), name: "copy", replacing: true)
    _ = try DatasetSubset().run(
      over: alone, into: writer, advance: { _ in }, isInterrupted: { false })
    try writer.finish()
    for dataset in [alone, try DatasetReader(folder.file("copy.h5"))] {
      let found = try dataset.frames(0..<1)[0]
      #expect(found.size == kept && found.hasNoImage && dataset.withoutImageCount == 1)
      #expect(try DatasetValidation(of: dataset).findings.allSatisfy { !$0.isError })
    }
    var fractions = Self.frame(BoundingBox(x: 0.1, y: 0.1, width: 0.2, height: 0.2))
    fractions.isRelative = true
    let plan = PredictionsImport(
      format: Source(frames: [fractions]), sources: [folder.file("source")],
      options: ImportOptions(), isStrict: false)
    func run() throws {
      _ = try plan.run(
        for: alone, sha256: "ab", into: folder.file("predictions.h5"), replacing: true,
        advance: { _ in }, isInterrupted: { false })
    }
    guard kept == Self.stored else {
      #expect(throws: FileError.self) { try run() }
      return
    }
    try run()
    let placed = try PredictionsReader(folder.file("predictions.h5")).predictions(0..<1)[0]
    #expect(placed.faces.first?.box == Self.box)
    #expect(placed.size == Self.stored)
  }

  @Test func `an image's own size is kept, not the stated one`() throws {
    let frame = Self.frame(Self.box, stated: ImageSize(width: 80, height: 60))
    let found = try labels(frame, ImportOptions()).frames(0..<1)[0]
    #expect(found.size == Self.stored && !found.hasNoImage)
  }
}
