internal import FaceCore
package import Foundation
package import Platform

/// A detector's output in the format of WIDER FACE's evaluation: one text file per image.
package struct WIDERDetections: DatasetFormat {
  package let name = "wider-detections"
  package let summary = "WIDER-style detections: a folder of EVENT/NAME.txt, rows x y w h score"
  package let usesImageFolder = false

  package init() {}

  /// A folder whose first text file begins with its own name and a count.
  package func recognises(_ source: URL) -> String? {
    guard source.isFolder,
      let files = try? SourceFiles.files(in: source, extensions: ["txt"]), let first = files.first,
      let lines = SourceFiles.head(of: source.appendingPathComponent(first))?
        .split(maxSplits: 2, whereSeparator: \.isNewline), lines.count > 1,
      Self.imageName(of: first, firstLine: String(lines[0])) != nil,
      DelimitedText.wholeNumber(lines[1]) != nil
    else { return nil }
    return "a folder of \(files.count) text files that begin with their name and a count"
  }

  /// Reads each folder's files in order of their names; frames are named `EVENT/NAME.jpg`.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var negative = 0
    for source in sources {
      try SourceFiles.requireFolder(source)
      let paths = try SourceFiles.files(in: source, extensions: ["txt"])
      try SourceFiles.require(paths, ".txt files", in: source)
      for path in paths {
        let url = source.appendingPathComponent(path)
        var file = try DelimitedText(url, limit: 64 << 20, separator: " ")
        let first = try file.next()?.joined(separator: " ") ?? ""
        guard let name = Self.imageName(of: path, firstLine: first) else {
          throw file.wrong("the file's own name as that of the image", found: first)
        }
        let count = try file.nextCount("the number of detections")
        var faces: [FaceLabel] = []
        var rows = 0
        while let words = try file.nextWords() {
          rows += 1
          if let face = try file.detection(words) {
            faces.append(face)
          } else {
            negative += 1
          }
        }
        guard rows == count else {
          throw file.wrong(
            "\(count) rows x y w h score, the count in its second line", found: "\(rows)")
        }
        try sink(ImportedFrame(name: name, image: .none, faces: faces))
      }
    }
    return negative == 0
      ? [] : [.dropped("\(negative) detections with a box of negative size left out")]
  }

  /// `EVENT/NAME.jpg` of `EVENT/NAME.txt`; nil if the first line names another image.
  private static func imageName(of path: String, firstLine line: String) -> String? {
    let name = PathText(line.trimmingCharacters(in: .whitespaces)).name
    let whole = PathText(path).withoutSuffix
    let stem = PathText(whole).name
    if name == stem { return whole + ".jpg" }
    guard SourceFiles.isImage(name), PathText(name).withoutSuffix == stem else {
      return nil
    }
    return whole + name.dropFirst(stem.count)
  }
}

extension DelimitedText {
  /// The face of a row `x y w h score`; nil if the box has a negative side.
  ///
  /// Throws `.wrongData` for other words, with what else they might have been.
  func detection(_ words: [String], orElse other: String = "") throws(FileError) -> FaceLabel? {
    guard words.count == 5 else {
      throw wrong(other + "x y w h score", found: words.joined(separator: " "))
    }
    var numbers: [Double] = []
    for word in words { numbers.append(try number(word, in: "x y w h score")) }
    guard numbers[2] >= 0, numbers[3] >= 0 else { return nil }
    var face = FaceLabel(
      box: BoundingBox(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]))
    face.score = numbers[4]
    return face
  }
}
