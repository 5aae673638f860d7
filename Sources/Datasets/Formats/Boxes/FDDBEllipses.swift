internal import FaceCore
package import Foundation
package import Platform

/// FDDB's ellipses: an image's name without extension, the number of its faces, and an ellipse for each.
package struct FDDBEllipses: DatasetFormat {
  package let name = "fddb"
  package let summary = "FDDB ellipse lists or their folder; or detections, rows x y w h score"

  package init() {}

  /// Names of an ellipse's attributes: radii and centre in pixels, angle in radians.
  private static let attributes = [
    "ellipse_major", "ellipse_minor", "ellipse_angle", "ellipse_x", "ellipse_y",
  ]

  /// A text file that begins with a name without extension, a count and five or six numbers, or a folder of those.
  package func recognises(_ source: URL) -> String? {
    if source.isFolder {
      let lists = (try? Self.lists(in: source)) ?? []
      return lists.isEmpty ? nil : "a folder with \(lists.count) files *ellipseList.txt"
    }
    let lines = SourceFiles.firstLines(of: source, type: "txt")
    guard lines.count > 2, lines[0].contains("/"), !SourceFiles.isImage(lines[0]),
      DelimitedText.wholeNumber(lines[1]) != nil
    else { return nil }
    let words = lines[2].split(whereSeparator: \.isWhitespace)
    guard words.count == 5 || words.count == 6, words.allSatisfy({ Double($0) != nil }) else {
      return nil
    }
    return "a text file that begins with a name without extension, a count and "
      + "\(words.count == 6 ? "an ellipse" : "a box with a score")"
  }

  private static func lists(in folder: URL) throws(FileError) -> [URL] {
    try SourceFiles.files(in: folder, extensions: ["txt"])
      .filter { $0.hasSuffix("ellipseList.txt") }.map { folder.appendingPathComponent($0) }
  }

  /// Reads each list, a folder's in order of their names; `.jpg` is added to the names of images.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var (ellipses, detections, negative) = (0, 0, 0)
    for source in sources {
      let lists = source.isFolder ? try Self.lists(in: source) : [source]
      try SourceFiles.require(lists, "files *ellipseList.txt", in: source)
      for list in lists {
        var file = try DelimitedText(list, limit: 256 << 20, separator: " ")
        let folder = options.imageFolder ?? list.deletingLastPathComponent()
        var isEmpty = true
        while let fields = try file.next() {
          isEmpty = false
          let name = fields.joined(separator: " ").trimmingCharacters(in: .whitespaces)
          let count = try file.nextCount(
            "the number of faces of \(name.prefix(200))", upTo: 100_000)
          var faces: [FaceLabel] = []
          for row in 0..<count {
            guard let fields = try file.nextWords() else {
              throw file.wrong("\(count) rows for \(name)", found: "the end after \(row)")
            }
            if fields.count == 6 {
              faces.append(try Self.ellipse(fields, file))
              ellipses += 1
            } else if fields.count == 5, !options.isPredictions {
              throw FileError.wrongData(
                "cannot read \(file.name), line \(file.line): expected an ellipse of 6 numbers, found "
                  + "a detection x y w h score ('--of DATASET' makes predictions of it)")
            } else if let face = try file.detection(fields, orElse: "an ellipse of 6 numbers, or ")
            {
              faces.append(face)
              detections += 1
            } else {
              negative += 1
            }
          }
          try sink(ImportedFrame(name + ".jpg", in: folder, faces: faces))
        }
        guard !isEmpty else {
          throw FileError.wrongData(
            "cannot read \(file.name): expected names of images, found an empty file")
        }
      }
    }
    var remarks: [ImportRemark] = [.assumed("images are named without extension: .jpg is added")]
    remarks.assume(
      "boxes are the tight boxes of \(ellipses) ellipses, which are kept as attributes",
      if: ellipses > 0)
    remarks.assume(detections, "rows of five numbers are detections x y w h score")
    remarks.drop(negative, "detections with a box of negative size left out")
    return remarks
  }

  /// The face of `major_radius minor_radius angle x y 1`.
  private static func ellipse(
    _ words: [String], _ file: DelimitedText
  ) throws(FileError) -> FaceLabel {
    var numbers: [Double] = []
    for (word, name) in zip(words, attributes + ["the last column"]) {
      numbers.append(try file.number(word, in: name))
    }
    let (major, minor, angle) = (numbers[0], numbers[1], numbers[2])
    let box = ShapeFaces.box(
      aroundEllipse: Point(x: numbers[3], y: numbers[4]), radii: (major, minor), angle: angle)
    guard major >= 0, minor >= 0, box.isWellFormed else {
      throw file.wrong(
        "radii of 0 or more, an angle in radians and a centre", found: words.joined(separator: " "))
    }
    var face = FaceLabel(box: box, area: .pi * major * minor)
    for (name, value) in zip(attributes, numbers) { face.attributes[name] = value }
    return face
  }
}
