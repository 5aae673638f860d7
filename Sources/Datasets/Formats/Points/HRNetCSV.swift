internal import FaceCore
package import Foundation
package import Platform

/// The CSV that HRNet's face landmark code trains with: an image's name, scale, centre and points per row.
package struct HRNetCSV: DatasetFormat {
  /// Name on the command line.
  package let name = "hrnet"
  /// One-line summary of what it reads.
  package let summary =
    "HRNet-style CSV: image_name, scale, center, and 68, 98 or 29 points"

  /// Makes the format.
  package init() {}

  /// The options that have an effect.
  package let settings: Set<ImportSetting> = [.indexBase]

  private static let start = ["image_name", "scale", "center_w", "center_h"]
  private static let schemes: [LandmarkScheme] = [.ibug68, .wflw98, .cofw29]

  /// A CSV file with HRNet's first columns.
  package func recognises(_ source: URL) -> String? {
    guard NamedColumns.head(of: source).starts(with: Self.start) else { return nil }
    return "a CSV file whose header begins with image_name, scale, center_w, center_h"
  }

  /// Reads each file; rows of one image become its faces, and names are relative to the file.
  package func read(
    _ sources: [URL], options: ImportOptions,
    into sink: (ImportedFrame) throws(FileError) -> Void
  ) throws(FileError) -> [ImportRemark] {
    var other = 0
    for source in sources {
      var groups = FaceGroups()
      var file = DelimitedText(
        try SourceFiles.bytes(of: source, limit: 256 << 20), name: source.relativePath)
      let scheme = try header(&file)
      while let fields = try file.next() {
        guard fields.count == 4 + 2 * scheme.count else {
          throw file.wrong("\(4 + 2 * scheme.count) fields", found: "\(fields.count)")
        }
        guard !fields[0].isEmpty else { throw file.wrong("the name of an image", found: "") }
        var numbers: [Double] = []
        for (column, field) in fields.enumerated().dropFirst() {
          numbers.append(try file.number(field, in: "column \(column + 1)"))
        }
        let base = Double(options.indexBase)
        let points = (0..<scheme.count).map {
          Point(x: numbers[3 + 2 * $0] - base, y: numbers[4 + 2 * $0] - base)
        }
        guard let box = BoundingBox(around: points),
          let landmarks = Landmarks(scheme: scheme, points: points)
        else { throw file.wrong("points of \(scheme.name)", found: fields[0]) }
        if !Self.isTight(box, scale: numbers[0], x: numbers[1] - base, y: numbers[2] - base) {
          other += 1
        }
        groups.add(FaceLabel(box: box, landmarks: [landmarks]), to: fields[0])
      }
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      for name in groups.names {
        try sink(
          ImportedFrame(
            name: name, image: folder.appendingPathComponent(name), faces: groups[name]))
      }
    }
    var remarks: [ImportRemark] = [
      .assumed("coordinates taken as \(options.indexBase)-based (--index-base)"),
      .assumed("boxes are the tight boxes of the points"),
    ]
    if other > 0 {
      remarks.append(
        .dropped("\(other) faces whose scale or center is not that of the points: both left out"))
    }
    return remarks
  }

  /// Whether scale (of 200 pixels) and center are those of a box, to 3 % and a pixel.
  private static func isTight(_ box: BoundingBox, scale: Double, x: Double, y: Double) -> Bool {
    let side = max(box.width, box.height)
    return abs(200 * scale - side) <= max(0.03 * side, 2)
      && abs(box.x + box.width / 2 - x) <= 1 && abs(box.y + box.height / 2 - y) <= 1
  }

  private func header(_ file: inout DelimitedText) throws(FileError) -> LandmarkScheme {
    guard let fields = try file.header() else {
      throw FileError(
        .wrongData, "cannot read \(file.name): expected a header, found an empty file")
    }
    guard fields.starts(with: Self.start) else {
      throw file.wrong(
        "a header that begins with \(Self.start.joined(separator: ","))",
        found: fields.prefix(4).joined(separator: ","))
    }
    guard let scheme = Self.schemes.first(where: { 4 + 2 * $0.count == fields.count }) else {
      throw file.wrong("columns of 68, 98 or 29 points", found: "\(fields.count - 4) columns")
    }
    for (index, field) in fields.dropFirst(4).enumerated() {
      let name = "original_\(index / 2)_\(index % 2 == 0 ? "x" : "y")"
      guard field == name else {
        throw file.wrong("'\(name)' in column \(index + 5)", found: field)
      }
    }
    return scheme
  }
}
