internal import FaceCore
package import Foundation
internal import HDF5
internal import Imaging
package import Platform

/// COFW's own MAT-files, which are HDF5: images, boxes, 29 points and their occlusion.
package struct COFW: DatasetFormat {
  package let name = "cofw"
  package let summary = "COFW_train_color.mat, COFW_test_color.mat: images, boxes, 29 points"
  package let usesImageFolder = false
  package let settings = ImportSetting.ofPoints.union([.indexBase])

  package init() {}

  /// The names of the variables in the file of training and of test.
  private static let layouts = [
    (images: "IsTr", boxes: "bboxesTr", points: "phisTr"),
    (images: "IsT", boxes: "bboxesT", points: "phisT"),
  ]

  /// An HDF5 file with COFW's points.
  package func recognises(_ source: URL) -> String? {
    guard source.pathExtension.lowercased() == "mat", !source.isFolder,
      let file = try? HDF5File.open(source.path),
      let layout = Self.layouts.first(where: { (try? file.exists($0.points)) == true })
    else { return nil }
    return "a MAT-file of version 7.3 with \(layout.points)"
  }

  /// Reads each file; pixels become PNG files.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var grey = 0
    for source in sources {
      try SourceFiles.requireFile(source)
      do {
        grey += try Self.read(source, options, into: sink)
      } catch {
        throw FileError(reading: error) {
          .wrongData("cannot import \(source.relativePath): \($0)")
        }
      }
    }
    var remarks: [ImportRemark] = [
      .assumed("coordinates taken as \(options.indexBase)-based (--index-base)"),
      .assumed("pixels are stored as PNG, MATLAB's columns turned into rows"),
    ]
    remarks.assume(grey, "images are grey")
    return remarks
  }

  private static func read(
    _ source: URL, _ options: ImportOptions, into sink: FrameSink
  ) throws -> Int {
    let file = try HDF5File.open(source.path, named: source.relativePath)
    guard let layout = try layouts.first(where: { try file.exists($0.points) }) else {
      throw FileError.wrongData(
        "cannot import \(source.relativePath): expected phisTr or phisT, found neither")
    }
    let images = try file.dataset(layout.images)
    let references = try images.readReferences()
    // MATLAB's N x 87 is 87 x N here.
    let points = try file.dataset(
      layout.points, holding: Double.self, shape: [87, references.count])
    let boxes = try file.dataset(layout.boxes, holding: Double.self, shape: [4, references.count])
    let numbers = try points.readByValue(Double.self, rows: 0..<87)
    let sides = try boxes.readByValue(Double.self, rows: 0..<4)
    let paths = try file.membersByReference(of: MappedFile.references)
    let base = Double(options.indexBase)
    let count = references.count
    let stem = source.deletingPathExtension().lastPathComponent
    var grey = 0
    for (index, reference) in references.enumerated() {
      func wrong(_ expected: String, _ found: String) -> FileError {
        FileError.wrongData(
          "cannot read '\(layout.images){\(index + 1)}' in \(source.relativePath): expected "
            + "\(expected), found \(found)")
      }
      guard let reference, let path = paths[reference] else {
        throw wrong("a reference into \(MappedFile.references)", "another")
      }
      let box = BoundingBox(
        x: sides[index] - base, y: sides[count + index] - base, width: sides[2 * count + index],
        height: sides[3 * count + index])
      let positions = (0..<29).map {
        Point.unlessMissing(
          x: numbers[$0 * count + index], y: numbers[(29 + $0) * count + index], base: base)
      }
      let states = (0..<29).map { numbers[(58 + $0) * count + index] }
      guard states.allSatisfy({ $0 == 0 || $0 == 1 }),
        let landmarks = PointOrder(.cofw29).landmarks(
          positions, states.map { $0 == 1 ? .occluded : .visible })
      else { throw wrong("29 states of 0 or 1", "others") }
      var image = ImportedFrame.Image.none
      if !options.isLabelsOnly {
        let pixels = try Self.pixels(file, path)
        if pixels.isGrey { grey += 1 }
        image = .encoded(try pixels.buffer.pngBytes())
      }
      try sink(
        ImportedFrame(
          name: "\(stem)/\(index + 1)", image: image,
          faces: [FaceLabel(box: box, landmarks: [landmarks])]))
    }
    return grey
  }

  /// A MATLAB image of height x width (x 3), which HDF5 stores as (3 x) width x height.
  private static func pixels(
    _ file: HDF5File, _ path: String
  ) throws -> (buffer: PixelBuffer, isGrey: Bool) {
    let dataset = try file.dataset(path)
    let isGrey = dataset.shape.count == 2
    try dataset.require(UInt8.self, shape: isGrey ? [nil, nil] : [3, nil, nil])
    let bytes = try dataset.readAll(UInt8.self)
    let strides = isGrey ? dataset.shape : Array(dataset.shape.dropFirst())
    let order = PixelOrder(
      height: strides[1], width: strides[0], rowStride: 1, columnStride: strides[1],
      channelStrides: isGrey ? [0, 0, 0] : [0, 1, 2].map { $0 * strides[0] * strides[1] })
    return (try order.buffer { bytes[$0] }, isGrey)
  }
}
