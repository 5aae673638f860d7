internal import FaceCore
package import Foundation
internal import Imaging
package import Platform

/// `fer2013.csv`: expressions with the pixels of their grey images, 48 by 48.
package struct FER2013: DatasetFormat {
  package let name = "fer2013"
  package let summary = "fer2013.csv: expression, grey pixels, and usage, which becomes a split"
  package let usesImageFolder = false

  package init() {}

  /// The expressions in the order of their numbers, in the words of FER+.
  private static let words = [
    "anger", "disgust", "fear", "happiness", "sadness", "surprise", "neutral",
  ]
  /// Width and height of an image.
  private static let side = 48

  /// A CSV file with columns `emotion` and `pixels`.
  package func recognises(_ source: URL) -> String? {
    guard source.pathExtension.lowercased() == "csv",
      NamedColumns.head(of: source, has: ["emotion", "pixels"])
    else { return nil }
    return "a CSV file with columns emotion and pixels"
  }

  /// Reads each file, one image per row; images are named by row from `fer0000000.png` on, as in FER+, of several files
  /// below the name of theirs.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var usages = UsageSplits()
    let titles = SourceFiles.Titles(sources)
    for source in sources {
      let folder = sources.count > 1 ? "\(titles[source])/" : ""
      var file = try DelimitedText(source, limit: 1 << 30)
      let columns = try NamedColumns(&file)
      try columns.require(["emotion", "pixels"], in: file)
      var row = 0
      while let fields = try columns.next(&file) {
        let name = "\(folder)fer\(row.padded(to: 7)).png"
        row += 1
        guard let text = columns.text("emotion", in: fields),
          let emotion = DelimitedText.wholeNumber(text),
          Self.words.indices.contains(emotion)
        else {
          throw file.wrong(
            "an emotion of 0 to \(Self.words.count - 1)",
            found: columns.text("emotion", in: fields) ?? "")
        }
        let side = Double(Self.side)
        var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: side, height: side))
        face.expression = Self.words[emotion]
        var frame = ImportedFrame(
          name: name,
          image: .encoded(
            try Self.image(columns.text("pixels", in: fields) ?? "", name: name, file)),
          faces: [face])
        if let usage = columns.text("Usage", in: fields) {
          frame.splits = usages.splits(of: usage)
        }
        try sink(frame)
      }
      guard row > 0 else {
        throw FileError.wrongData("cannot read \(file.name): expected rows of images, found none")
      }
    }
    let remarks: [ImportRemark] = [
      .assumed(
        "emotions 0 to 6 are " + Self.words.joined(separator: ", ")
          + "; the box is the whole image, 48 by 48"),
      .assumed("grey pixels become PNG images"),
    ]
    return remarks + usages.remarks
  }

  /// The PNG of 48 by 48 grey values from 0 to 255.
  private static func image(
    _ text: String, name: String, _ file: DelimitedText
  ) throws(FileError) -> [UInt8] {
    var pixels: [UInt8] = []
    pixels.reserveCapacity(side * side)
    var (value, hasDigits) = (0, false)
    for byte in text.utf8 {
      if (0x30...0x39).contains(byte), value <= 255 {
        value = value * 10 + Int(byte) - 0x30
        hasDigits = true
        continue
      }
      guard byte == 0x20 || byte == 0x09, value <= 255 else {
        throw file.wrong("grey values of 0 to 255 in pixels", found: String(text.prefix(60)))
      }
      if hasDigits { pixels.append(UInt8(value)) }
      (value, hasDigits) = (0, false)
    }
    guard value <= 255 else {
      throw file.wrong("grey values of 0 to 255 in pixels", found: "\(value)")
    }
    if hasDigits { pixels.append(UInt8(value)) }
    guard pixels.count == side * side else {
      throw file.wrong("\(side * side) values in pixels", found: "\(pixels.count)")
    }
    let image = PixelBuffer(width: side, height: side, bytes: pixels.flatMap { [$0, $0, $0] })
    do throws(ImageError) {
      return try image?.pngBytes() ?? []
    } catch {
      throw FileError(.inputOutput, "cannot make \(name): \(error.description)")
    }
  }
}
