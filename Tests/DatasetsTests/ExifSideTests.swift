import Datasets
import FaceCore
import Foundation
import HDF5
import Imaging
import Platform
import TestSupport
import Testing

/// Images that Exif turns: labels of either side, and images that are stored upright.
@Suite struct ExifSideTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Imports labels of one image of 40 by 30 stored pixels.
  private func imported(
    _ orientation: UInt8, _ boxes: [BoundingBox], stated: ImageSize? = nil,
    context: FrameContext = FrameContext(), _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> (dataset: DatasetReader, remarks: [String]) {
    var frame = ImportedFrame(
      name: "a.jpg", image: .encoded(RepairedImportTests.jpeg(orientation: orientation)),
      faces: boxes.map { FaceLabel(box: $0) })
    frame.statedSize = stated
    frame.context = context
    var options = ImportOptions()
    change(&options)
    let url = folder.file("out.h5")
    let writer = try DatasetWriter(url, name: "out", replacing: true)
    let remarks = try DatasetImport(
      format: PredictionsImportTests.Source(frames: [frame]), sources: [folder.file("s")],
      options: options, isStrict: false
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    return (
      try DatasetReader(url), remarks.map { ($0.isLoss ? "lost: " : "") + $0.text }
    )
  }

  /// Where a stored pixel is on the screen, by JEITA CP-3451: the stored first row and column are at the named sides.
  private static func shown(_ orientation: UInt8, _ x: Int, _ y: Int) -> (x: Int, y: Int) {
    let (right, bottom) = (39 - x, 29 - y)
    return switch orientation {
    case 2: (right, y)
    case 3: (right, bottom)
    case 4: (x, bottom)
    case 5: (y, x)
    case 6: (bottom, x)
    case 7: (bottom, right)
    case 8: (y, right)
    default: (x, y)
    }
  }

  @Test func `an image with a camera is not turned without it`() throws {
    let camera = FrameContext(intrinsics: [50, 0, 20, 0, 50, 15, 0, 0, 1])
    for (orientation, context) in [(1, camera), (6, FrameContext())] as [(UInt8, FrameContext)] {
      let read = try imported(orientation, [], context: context) {
        ($0.turnsImages, $0.statesNoFaces) = (true, true)
      }
      #expect(read.dataset.frameCount == 1)
    }
    let error = #expect(throws: FileError.self) {
      try imported(6, [], context: camera) { ($0.turnsImages, $0.statesNoFaces) = (true, true) }
    }
    #expect(error?.description.hasPrefix("cannot turn 'a.jpg' upright: expected an image ") == true)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt8>)
  func `images are stored as a viewer shows them, and labels stay`(orientation: UInt8) throws {
    let box = BoundingBox(x: 4, y: 6, width: 8, height: 10)
    let read = try imported(orientation, [box]) { options in
      (options.isUpright, options.turnsImages) = (true, true)
    }
    guard case .encoded(let bytes) = try read.dataset.image(0) else {
      Issue.record("expected an encoded image")
      return
    }
    let upright = try PixelBuffer(decoding: bytes[...])
    let stored = try PixelBuffer(
      decoding: RepairedImportTests.jpeg(orientation: orientation)[...])
    #expect(upright.size == (orientation < 5 ? stored.size : ImageSize(width: 30, height: 40)))
    #expect(try read.dataset.frames(0..<1)[0].size == upright.size)
    for y in 0..<30 {
      for x in 0..<40 {
        let at = Self.shown(orientation, x, y)
        #expect(upright[at.x, at.y] == stored[x, y])
      }
    }
    #expect(try read.dataset.labels(0..<1)[0].map(\.box) == [box])
    #expect(
      read.remarks
        == (orientation == 1
          ? []
          : [
            "1 images are turned upright, as Exif says, and stored as PNG; labels are taken to be for the "
              + "upright images (--apply-exif images)"
          ]))
  }

  static let stored = ImageSize(width: 40, height: 30)
  static let (high, wide) = (
    BoundingBox(x: 2, y: 20, width: 8, height: 18), BoundingBox(x: 20, y: 2, width: 18, height: 8)
  )

  static let sides:
    [(box: BoundingBox, stated: ImageSize?, isUpright: Bool, text: String, isLoss: Bool)] = [
      (wide, nil, false, "1 have boxes that only the stored image holds", false),
      (wide, nil, true, "1 have boxes that only the stored image holds", true),
      (high, nil, false, "1 have boxes that only the upright image holds", true),
      (high, nil, true, "1 have boxes that only the upright image holds", false),
      (wide, stored, false, "1 state the size of the stored image", false),
      (wide, stored, true, "1 state the size of the stored image", true),
    ]

  @Test(arguments: sides.indices)
  func `sizes and boxes tell which side labels are on`(index: Int) throws {
    let (box, stated, isUpright, text, isLoss) = Self.sides[index]
    let read = try imported(6, [box], stated: stated) { $0.isUpright = isUpright }
    let remark = try #require(read.remarks.first { $0.contains("that Exif turns") })
    #expect(remark.contains("of the images that Exif turns \(text)"))
    #expect(remark.hasPrefix("lost: ") == isLoss, "\(remark)")
  }

  @Test func `a box that both sides hold tells nothing, nor does a turn by half`() throws {
    let small = BoundingBox(x: 4, y: 6, width: 8, height: 10)
    for (orientation, box) in [(6, small), (3, Self.high)] as [(UInt8, BoundingBox)] {
      #expect(
        try imported(orientation, [box]).remarks == [
          "1 images carry an Exif rotation; labels are taken to be for the pixels as stored "
            + "(--apply-exif labels: for the upright images)"
        ])
    }
  }

  @Test(arguments: [false, true])
  func `the box of a whole image is that of the pixels that are stored`(turnsImages: Bool) throws {
    for name in ["happy", "sad"] {
      try folder.write(RepairedImportTests.jpeg(orientation: 6), to: "set/\(name)/a.jpg")
    }
    var options = ImportOptions()
    (options.isUpright, options.turnsImages) = (true, turnsImages)
    let writer = try DatasetWriter(folder.file("out.h5"), name: "out", replacing: true)
    _ = try DatasetImport(
      format: ClassFolders(), sources: [folder.file("set")], options: options, isStrict: true
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    let size = turnsImages ? (30.0, 40.0) : (40.0, 30.0)
    #expect(
      try DatasetReader(folder.file("out.h5")).labels(0..<2).flatMap { $0 }.map(\.box)
        == [BoundingBox](
          repeating: BoundingBox(x: 0, y: 0, width: size.0, height: size.1), count: 2))
  }

  @Test(arguments: [false, true])
  func `fractions of a mapping are those of the upright image`(turnsImages: Bool) throws {
    let image = RepairedImportTests.jpeg(orientation: 6)
    let file = try HDF5File.create(folder.file("a.h5").path)
    try file.createDataset("x", of: UInt8.self, shape: [1, image.count]).write(image, atRow: 0)
    try file.createDataset("b", of: Double.self, shape: [1, 4])
      .write([0.5, 0.25, 0.25, 0.5], atRow: 0)
    try file.close()
    let mapping = try folder.write(
      """
      {"schema": "facegauge.hdf5-mapping", "version": 1, "files": ["a.h5"], "images": {"bytes": "x"},
       "faces": {"box": {"form": "xywh", "path": "b", "space": "relative"}}}
      """, to: "mapping.json")
    var options = ImportOptions()
    (options.isUpright, options.turnsImages) = (true, turnsImages)
    let writer = try DatasetWriter(folder.file("out.h5"), name: "out", replacing: true)
    _ = try DatasetImport(
      format: HDF5Mapping(), sources: [mapping], options: options, isStrict: false
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    // Of 30 by 40 pixels; a quarter turn takes them to the stored 40 by 30.
    let box =
      turnsImages
      ? BoundingBox(x: 15, y: 10, width: 7.5, height: 20)
      : BoundingBox(x: 10, y: 7.5, width: 20, height: 7.5)
    #expect(try DatasetReader(folder.file("out.h5")).labels(0..<1)[0].map(\.box) == [box])
  }
}
