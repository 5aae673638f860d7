internal import FaceCore
package import Foundation
package import Platform

/// WFLW's lists: per row 98 points, optionally a box and attributes, and the image's name.
package struct WFLWList: DatasetFormat {
  package let name = "wflw"
  package let summary = "WFLW list txt: 98 points per face, with or without box and attributes"
  package let settings = ImportSetting.ofPoints

  package init() {}

  private static let scheme = LandmarkScheme.wflw98
  private static let attributes = [
    "pose", "expression", "illumination", "make-up", "occlusion", "blur",
  ]
  /// Number of columns of points and a name, without and with box and attributes.
  private static let (plain, full) = (2 * scheme.count + 1, 2 * scheme.count + 11)

  /// A text file whose first line has the numbers of a face and an image's name.
  package func recognises(_ source: URL) -> String? {
    guard let line = SourceFiles.firstLines(of: source, type: "txt").first else { return nil }
    let words = line.split(whereSeparator: \.isWhitespace)
    guard [Self.plain, Self.full].contains(words.count), let last = words.last,
      SourceFiles.isImage(last), words.dropLast().allSatisfy({ Double($0) != nil })
    else { return nil }
    return "a text file whose first line has \(words.count - 1) numbers and an image's name"
  }

  /// Reads each list; rows of one image become its faces, and names are relative to the list.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var (flat, withoutBox) = (0, 0)
    for source in sources {
      var groups = OrderedGroups<String, FaceLabel>()
      var file = try DelimitedText(source, limit: 256 << 20, separator: " ")
      var columns: Int?
      while let words = try file.nextWords() {
        guard let name = words.last else { continue }
        guard words.count == columns ?? words.count, [Self.plain, Self.full].contains(words.count)
        else {
          throw file.wrong(
            columns.map { "\($0) columns as before" }
              ?? "\(Self.full) columns (98 points, box, 6 attributes, name) or \(Self.plain) "
              + "(98 points, name)", found: "\(words.count)")
        }
        columns = words.count
        let face = try Self.face(words, file)
        if face.box.area == 0 { flat += 1 }
        if words.count == Self.plain { withoutBox += 1 }
        groups.add(face, to: name)
      }
      guard columns != nil else {
        throw FileError.wrongData(
          "cannot read \(file.name): expected rows of faces, found an empty file")
      }
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      for name in groups.keys {
        try sink(ImportedFrame(name, in: folder, faces: groups[name]))
      }
    }
    var remarks: [ImportRemark] = [
      .assumed("coordinates are taken as they are written, from 0")
    ]
    remarks.assume(withoutBox, "rows without a box get the tight box of their points")
    remarks.assume(flat, "boxes of width or height 0 are kept")
    return remarks
  }

  private static func face(
    _ words: [String], _ file: DelimitedText
  ) throws(FileError) -> FaceLabel {
    let numbers = try file.numbers(words.dropLast(), from: 1)
    let points = (0..<scheme.count).map {
      Point.unlessMissing(x: numbers[2 * $0], y: numbers[2 * $0 + 1])
    }
    guard let landmarks = PointOrder(scheme).landmarks(points),
      let tight = BoundingBox(around: landmarks.labelled)
    else { throw file.wrong("98 points", found: words.joined(separator: " ")) }
    guard words.count == full else { return FaceLabel(box: tight, landmarks: [landmarks]) }
    let rest = Array(numbers.dropFirst(2 * scheme.count))
    let box = BoundingBox(
      x: rest[0], y: rest[1], width: rest[2] - rest[0], height: rest[3] - rest[1])
    guard box.isWellFormed else {
      throw file.wrong(
        "a box x_min y_min x_max y_max",
        found: words[2 * scheme.count..<2 * scheme.count + 4]
          .joined(separator: " "))
    }
    var face = FaceLabel(box: box, landmarks: [landmarks])
    for (name, value) in zip(attributes, rest.dropFirst(4)) {
      guard value == 0 || value == 1 else {
        throw file.wrong("0 or 1 in \(name)", found: "\(value)")
      }
      face.attributes[name] = value
    }
    return face
  }
}
