internal import FaceCore
package import Foundation
package import Platform

/// WIDER FACE's list of boxes: an image's name, the number of its faces, and a row for each.
package struct WIDERList: DatasetFormat {
  package let name = "wider"
  package let summary = "WIDER FACE's wider_face_val_bbx_gt.txt: boxes with attributes"

  package init() {}

  /// The columns after the box, with the largest value of each.
  private static let columns: [(name: String, largest: Double)] = [
    ("blur", 2), ("expression", 1), ("illumination", 1), ("invalid", 1), ("occlusion", 2),
    ("pose", 1),
  ]

  /// A text file that begins with an image's name, a count and a row of ten numbers.
  package func recognises(_ source: URL) -> String? {
    let lines = SourceFiles.firstLines(of: source, type: "txt")
    guard lines.count > 2, SourceFiles.isImage(lines[0]),
      DelimitedText.wholeNumber(lines[1]) != nil
    else { return nil }
    let words = lines[2].split(whereSeparator: \.isWhitespace)
    guard words.count == 10, words.allSatisfy({ Double($0) != nil }) else { return nil }
    return "a text file that begins with an image's name, a count and ten numbers"
  }

  /// Reads each list; image names are relative to it.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var (invalid, flat, empty, fillers) = (0, 0, 0, 0)
    for source in sources {
      var file = try DelimitedText(source, limit: 256 << 20, separator: " ")
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      var isEmpty = true
      while let fields = try file.next() {
        isEmpty = false
        let name = fields.joined(separator: " ").trimmingCharacters(in: .whitespaces)
        guard SourceFiles.isImage(name) else {
          throw file.wrong("the name of an image", found: name)
        }
        let count = try file.nextCount("the number of faces of \(name)", upTo: 1_000_000)
        guard count <= DatasetLayout.maxRowsOfFrame else {
          throw file.wrong(
            "at most \(DatasetLayout.maxRowsOfFrame) faces of \(name)", found: "\(count)")
        }
        var faces: [FaceLabel] = []
        for row in 0..<count {
          guard let words = try file.nextWords() else {
            throw file.wrong("\(count) rows for \(name)", found: "the end after \(row)")
          }
          let face = try Self.face(words, file)
          if face.attributes["invalid"] == 1 {
            invalid += 1
          } else if face.isIgnored {
            flat += 1
          }
          faces.append(face)
        }
        if count == 0 {
          empty += 1
          var ahead = file
          if let words = try ahead.nextWords(), Self.isFiller(words) {
            file = ahead
            fillers += 1
          }
        }
        try sink(ImportedFrame(name, in: folder, faces: faces))
      }
      guard !isEmpty else {
        throw FileError.wrongData(
          "cannot read \(file.name): expected names of images, found an empty file")
      }
    }
    var remarks: [ImportRemark] = [
      .assumed("coordinates are taken as they are written, from 0")
    ]
    remarks.assume(invalid, "invalid faces are to be ignored")
    remarks.assume(flat, "boxes of width or height 0 are kept and to be ignored")
    remarks.assume(empty, "images without faces; the row of zeros after \(fillers) is no face")
    return remarks
  }

  private static func isFiller(_ words: [String]) -> Bool {
    words.count == 4 + columns.count && words.allSatisfy { Double($0) == 0 }
  }

  private static func face(
    _ words: [String], _ file: DelimitedText
  ) throws(FileError) -> FaceLabel {
    guard words.count == 4 + columns.count else {
      throw file.wrong(
        "x y w h \(columns.map(\.name).joined(separator: " "))",
        found: words.joined(separator: " "))
    }
    var numbers: [Double] = []
    for (index, word) in words.enumerated() {
      numbers.append(
        try file.number(word, in: index < 4 ? "the box" : columns[index - 4].name))
    }
    let box = BoundingBox(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    guard box.isWellFormed else {
      throw file.wrong(
        "a width and height of 0 or more", found: words[2...3].joined(separator: " "))
    }
    var face = FaceLabel(box: box)
    for (column, value) in zip(columns, numbers.dropFirst(4)) {
      guard value >= 0, value <= column.largest, value == value.rounded() else {
        throw file.wrong(
          "a whole number to \(Int(column.largest)) in \(column.name)", found: "\(value)")
      }
      face.attributes[column.name] = value
    }
    face.isIgnored = face.attributes["invalid"] == 1 || box.area == 0
    return face
  }
}
