internal import FaceCore
package import Foundation
package import Platform

/// RetinaFace's labels of WIDER: `label.txt`, and `labelv2.txt` with sizes of images and corners of boxes.
package struct RetinaFaceList: DatasetFormat {
  package let name = "retinaface"
  package let summary = "RetinaFace label.txt, labelv2.txt: '# image' lines, boxes, five points"
  package let settings = ImportSetting.ofPoints

  package init() {}

  /// Valid counts of numbers in a row: the box; plus five points of three numbers; plus one more number.
  private static let (box, points, whole) = (4, 19, 20)
  /// The count of a detection's: the box and its score.
  private static let scored = 5

  /// A text file whose first line is `#` and an image's name.
  package func recognises(_ source: URL) -> String? {
    guard let line = SourceFiles.firstLines(of: source, type: "txt").first,
      let header = Header(String(line))
    else { return nil }
    return "a text file that begins with '# image'"
      + (header.size == nil ? "" : " and the image's size")
  }

  /// An image's line: its name, and its size in `labelv2.txt`.
  private struct Header {
    let name: String
    let size: (width: Int, height: Int)?

    init?(_ line: String) {
      guard line.hasPrefix("#") else { return nil }
      let words = line.dropFirst().split(whereSeparator: \.isWhitespace)
      if words.count >= 3, let width = DelimitedText.wholeNumber(words[words.count - 2]),
        let height = DelimitedText.wholeNumber(words[words.count - 1]), width > 0, height > 0,
        SourceFiles.isImage(words.dropLast(2).joined(separator: " "))
      {
        name = words.dropLast(2).joined(separator: " ")
        size = (width, height)
      } else {
        name = words.joined(separator: " ")
        size = nil
      }
      guard SourceFiles.isImage(name) else { return nil }
    }
  }

  private struct Counts {
    var (corners, sizes) = (0, 0)
    var (pointless, extra, flat, negative) = (0, 0, 0, 0)
  }

  /// Reads each list; image names are relative to it.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var counts = Counts()
    for source in sources {
      var file = try DelimitedText(source, limit: 256 << 20, separator: " ")
      let folder = Self.folder(of: source, options)
      var open: (header: Header, faces: [FaceLabel])?
      func close() throws(FileError) {
        guard let done = open else { return }
        var frame = ImportedFrame(done.header.name, in: folder, faces: done.faces)
        frame.statedSize = done.header.size.map { ImageSize(width: $0.width, height: $0.height) }
        try sink(frame)
      }
      while let words = try file.nextWords() {
        if words[0].hasPrefix("#") {
          try close()
          let line = words.joined(separator: " ")
          guard let header = Header(line) else {
            throw file.wrong("'# ' and the name of an image", found: line)
          }
          if header.size != nil { counts.sizes += 1 }
          if let before = open?.header, (before.size == nil) != (header.size == nil) {
            throw file.wrong(
              before.size == nil
                ? "an image without size, as before: boxes are left, top, width, height"
                : "an image and its width and height, as before: boxes are left, top, right, bottom",
              found: line)
          }
          open = (header, [])
          continue
        }
        guard let header = open?.header else {
          throw file.wrong("'# ' and the name of an image", found: words.joined(separator: " "))
        }
        let isScored = words.count == Self.scored && options.isPredictions
        let numbers = isScored ? Array(words.dropLast()) : words
        if var face = try Self.face(numbers, hasCorners: header.size != nil, file, &counts) {
          if isScored { face.score = try file.number(words[Self.box], in: "the score") }
          open?.faces.append(face)
        }
      }
      guard open != nil else {
        throw FileError.wrongData("cannot read \(file.name): expected lines '# image', found none")
      }
      try close()
    }
    return Self.remarks(counts)
  }

  /// Folder of the images: that of the list, or `images` next to it, as published.
  private static func folder(of source: URL, _ options: ImportOptions) -> URL {
    let own = source.deletingLastPathComponent()
    let images = own.appendingPathComponent("images")
    return options.imageFolder ?? (images.isFolder ? images : own)
  }

  private static func face(
    _ words: [String], hasCorners: Bool, _ file: DelimitedText, _ counts: inout Counts
  ) throws(FileError) -> FaceLabel? {
    guard [box, points, whole].contains(words.count) else {
      throw file.wrong(
        "4 numbers of a box, 19 with five points, 20 with one more, or 5 of a prediction's box and "
          + "score (--of)",
        found: "\(words.count) numbers")
    }
    let numbers = try file.numbers(words, from: 1)
    let (width, height) =
      hasCorners
      ? (numbers[2] - numbers[0], numbers[3] - numbers[1]) : (numbers[2], numbers[3])
    if hasCorners { counts.corners += 1 }
    guard width >= 0, height >= 0 else {
      counts.negative += 1
      return nil
    }
    var face = FaceLabel(
      box: BoundingBox(x: numbers[0], y: numbers[1], width: width, height: height))
    guard face.box.isWellFormed else {
      throw file.wrong("a box of finite numbers", found: words.prefix(4).joined(separator: " "))
    }
    if face.box.area == 0 {
      face.isIgnored = true
      counts.flat += 1
    }
    if words.count == whole {
      face.attributes["column_20"] = numbers[19]
      counts.extra += 1
    }
    guard words.count >= points else { return face }
    let positions = stride(from: 4, to: points, by: 3).map { index -> Point? in
      let point = Point(x: numbers[index], y: numbers[index + 1])
      return point == Point(x: -1, y: -1) ? nil : point
    }
    if let landmarks = PointOrder(.five).landmarks(positions) {
      face.landmarks = [landmarks]
    } else {
      counts.pointless += 1
    }
    return face
  }

  private static func remarks(_ counts: Counts) -> [ImportRemark] {
    var remarks: [ImportRemark] = [
      .assumed("coordinates are taken as they are written, from 0"),
      .assumed(
        counts.sizes > 0
          ? "lines with the image's size: boxes are left, top, right, bottom"
          : "lines without the image's size: boxes are left, top, width, height"),
      .assumed("points are labelled where they are not -1, and count as visible"),
    ]
    remarks.assume(counts.pointless, "faces have no labelled point")
    remarks.assume(
      "the 20th number of \(counts.extra) rows is kept as attribute column_20",
      if: counts.extra > 0)
    remarks.assume(counts.flat, "boxes of width or height 0 are kept and to be ignored")
    remarks.drop(counts.negative, "boxes of negative size left out")
    return remarks
  }
}
