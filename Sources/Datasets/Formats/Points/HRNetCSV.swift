internal import FaceCore
package import Foundation
package import Platform

/// The CSV that HRNet's face landmark code trains with: an image's name, scale, centre and points per row.
package struct HRNetCSV: DatasetFormat {
  package let name = "hrnet"
  package let summary = "HRNet-style CSV: image_name, scale, center, and 68, 98, 29 or other points"
  package let settings = ImportSetting.ofPoints.union([.indexBase])
  /// Points have a number only.
  package let decidesPoints = true

  package init() {}

  private static let start = ["image_name", "scale", "center_w", "center_h"]

  /// A CSV file with HRNet's first columns.
  package func recognises(_ source: URL) -> String? {
    guard NamedColumns.head(of: source).starts(with: Self.start) else { return nil }
    return "a CSV file whose header begins with image_name, scale, center_w, center_h"
  }

  /// Reads each file; rows of one image become its faces, and names are relative to the file.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var other = 0
    var table = PointTable(options, noun: "points")
    for source in sources where !table.isFull {
      try rows(of: source, options, atMost: PointReading.sample) { table.sample($2) }
    }
    for source in sources {
      var groups = OrderedGroups<String, FaceLabel>()
      try rows(of: source, options) { (name, numbers, points) throws(FileError) in
        let order = try table.order(of: points, in: source.relativePath)
        guard let landmarks = order.landmarks(points),
          let box = BoundingBox(around: landmarks.labelled)
        else {
          groups.add(nil, to: name)
          return
        }
        let base = Double(options.indexBase)
        if !Self.isTight(box, scale: numbers[0], x: numbers[1] - base, y: numbers[2] - base) {
          other += 1
        }
        groups.add(FaceLabel(box: box, landmarks: [landmarks]), to: name)
      }
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      for name in groups.keys {
        try sink(ImportedFrame(name, in: folder, faces: groups[name]))
      }
    }
    var remarks: [ImportRemark] = [
      .assumed("coordinates taken as \(options.indexBase)-based (--index-base)"),
      .assumed("boxes are the tight boxes of the points"),
    ]
    remarks += table.remarks
    remarks.drop(other, "faces whose scale or center is not that of the points: both left out")
    return remarks
  }

  /// Passes each row's image, its numbers and its points.
  private func rows(
    of source: URL, _ options: ImportOptions, atMost limit: Int = .max,
    into use: (String, [Double], [Point?]) throws(FileError) -> Void
  ) throws(FileError) {
    var file = try DelimitedText(source, limit: 256 << 20)
    let count = try header(&file)
    let base = Double(options.indexBase)
    var rows = 0
    while rows < limit, let fields = try file.next() {
      rows += 1
      guard fields.count == 4 + 2 * count else {
        throw file.wrong("\(4 + 2 * count) fields", found: "\(fields.count)")
      }
      guard !fields[0].isEmpty else { throw file.wrong("the name of an image", found: "") }
      let numbers = try file.numbers(fields.dropFirst(), from: 2)
      let points = (0..<count).map {
        Point.unlessMissing(x: numbers[3 + 2 * $0], y: numbers[4 + 2 * $0], base: base)
      }
      try use(fields[0], numbers, points)
    }
  }

  /// Whether scale (of 200 pixels) and center are those of a box, to 3 % and a pixel.
  private static func isTight(_ box: BoundingBox, scale: Double, x: Double, y: Double) -> Bool {
    let side = max(box.width, box.height)
    return abs(200 * scale - side) <= max(0.03 * side, 2)
      && abs(box.x + box.width / 2 - x) <= 1 && abs(box.y + box.height / 2 - y) <= 1
  }

  /// The number of points.
  private func header(_ file: inout DelimitedText) throws(FileError) -> Int {
    guard let fields = try file.header() else {
      throw FileError.wrongData("cannot read \(file.name): expected a header, found an empty file")
    }
    guard fields.starts(with: Self.start) else {
      throw file.wrong(
        "a header that begins with \(Self.start.joined(separator: ","))",
        found: fields.prefix(4).joined(separator: ","))
    }
    guard fields.count > 4, fields.count.isMultiple(of: 2) else {
      throw file.wrong("two columns a point", found: "\(fields.count - 4) columns")
    }
    for (index, field) in fields.dropFirst(4).enumerated() {
      let name = "original_\(index / 2)_\(index % 2 == 0 ? "x" : "y")"
      guard field == name else {
        throw file.wrong("'\(name)' in column \(index + 5)", found: field)
      }
    }
    return (fields.count - 4) / 2
  }
}
