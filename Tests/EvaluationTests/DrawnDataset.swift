import Datasets
import FaceCore
import Foundation
import HDF5
import Imaging
import TestSupport

/// Images that a test draws: even grounds, and cartoon faces that the detector takes for real ones.
enum DrawnDataset {
  /// An image with its labels; `isBroken` cuts the JPEG off in the middle.
  struct Image {
    var faces: [FaceLabel] = []
    var drawn: [Point] = []
    var shade: UInt8 = 90
    var isBroken = false
  }

  static let size = ImageSize(width: 256, height: 192)

  /// Writes the images as `dataset.h5` of a folder.
  static func write(_ images: [Image], in folder: TemporaryFolder) throws -> URL {
    let url = folder.file("dataset.h5")
    let writer = try DatasetWriter(url, name: "drawn", replacing: true)
    for (index, image) in images.enumerated() {
      try writer.add(
        name: "image \(index)", image: jpeg(image), size: size, faces: image.faces)
    }
    try writer.finish()
    return url
  }

  /// Writes the images as one sequence of that kind; its frames and length may be told wrong, or nothing of sequences.
  static func write(
    _ images: [Image], asOne kind: SequenceKind, sequence: (Int) -> Int32 = { _ in 0 },
    count claimed: Int32? = nil, hasSequences: Bool = true, in folder: TemporaryFolder
  ) throws -> URL {
    let url = folder.file("\(kind.rawValue).h5")
    let encoded = try images.map(jpeg)
    let count = Int32(images.count)
    let faces = images.enumerated().flatMap { index, image in
      image.faces.map { (Int32(index), $0.box) }
    }
    let file = try HDF5File.create(url.path)
    try file.setAttribute("format", of: "/", to: "facegauge.dataset")
    try file.setAttribute("version", of: "/", to: 1)
    func put<Element: HDF5Element>(
      _ path: String, _ values: [Element], row: [Int] = []
    ) throws {
      let rows = values.count / row.reduce(1, *)
      try file.createDataset(path, of: Element.self, shape: [rows] + row).write(values, atRow: 0)
    }
    func put(_ path: String, text: String) throws {
      try file.createStringDataset(path, shape: [1]).writeStrings([text], atRow: 0)
    }
    try put("images/bytes", encoded.flatMap { $0 })
    try put(
      "images/offsets",
      encoded.reduce(into: [UInt64(0)]) { $0.append($0[$0.count - 1] + UInt64($1.count)) })
    try put(
      "images/size", encoded.flatMap { _ in [Int32(size.width), Int32(size.height)] }, row: [2])
    try put("frames/timestamp_us", encoded.indices.map(Int64.init))
    if hasSequences {
      try put("frames/sequence", encoded.indices.map(sequence))
      try put("sequences/first", [Int32(0)])
      try put("sequences/count", [claimed ?? count])
      try put("sequences/name", text: "all")
      try put("sequences/kind", text: kind.rawValue)
    }
    try put("faces/frame", faces.map(\.0))
    try put(
      "faces/box", faces.flatMap { [$0.1.x, $0.1.y, $0.1.width, $0.1.height].map(Float.init) },
      row: [4])
    try file.close()
    return url
  }

  /// Faces at changing positions, labelled by the box that `face(at:)` draws.
  static func faces(_ count: Int) -> [Image] {
    (0..<count).map { index in
      let centre = Point(x: 70 + Double(index * 13 % 110), y: 80 + Double(index * 7 % 30))
      return Image(
        faces: [FaceLabel(box: box(at: centre))], drawn: [centre],
        shade: UInt8(60 + index * 11 % 100))
    }
  }

  static func box(at centre: Point) -> BoundingBox {
    BoundingBox(x: centre.x - 34, y: centre.y - 30, width: 68, height: 74)
  }

  static func jpeg(_ image: Image) throws -> [UInt8] {
    var pixels = PixelBuffer(
      width: size.width, height: size.height,
      color: RGB(image.shade, image.shade, image.shade))
    for centre in image.drawn { draw(at: centre, on: &pixels) }
    let bytes = try pixels.jpegBytes(quality: 92)
    return image.isBroken ? Array(bytes.prefix(bytes.count - bytes.count / 2)) : bytes
  }

  private static func draw(at centre: Point, on pixels: inout PixelBuffer) {
    func ellipse(_ x: Double, _ y: Double, _ a: Double, _ b: Double, _ color: RGB) {
      for row in Int(-b)...Int(b) {
        let half = a * (1 - Double(row * row) / (b * b)).squareRoot()
        pixels.fill(
          BoundingBox(
            x: centre.x + x - half, y: centre.y + y + Double(row), width: 2 * half, height: 1),
          with: color)
      }
    }
    ellipse(0, 0, 42, 56, RGB(40, 28, 20))
    ellipse(0, 8, 36, 46, RGB(222, 176, 148))
    for side in [-1.0, 1] {
      ellipse(side * 15, -11, 9, 2, RGB(70, 45, 35))
      ellipse(side * 15, -3, 8, 4, RGB(245, 245, 245))
      ellipse(side * 15, -3, 4, 4, RGB(30, 20, 15))
    }
    ellipse(0, 14, 5, 9, RGB(196, 148, 122))
    ellipse(0, 22, 8, 3, RGB(168, 116, 96))
    ellipse(0, 36, 14, 4, RGB(165, 70, 70))
  }
}
