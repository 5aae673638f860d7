internal import FaceCore
package import Foundation
package import Platform

/// A landmark method's output on COFW-68, in the format of the benchmark: four lines per face.
package struct COFW68Results: DatasetFormat {
  package let name = "cofw68-results"
  package let summary = "COFW68 results: 4 lines per face: number, 68 x, 68 y, 68 states"
  package let usesImageFolder = false
  package let settings = ImportSetting.ofPoints

  package init() {}

  private static let count = LandmarkScheme.ibug68.count
  private static let facts = ["x", "y", "occlusion states"]

  /// A text file that begins with a line of one number and two lines of 68 numbers.
  package func recognises(_ source: URL) -> String? {
    guard let lines = SourceFiles.head(of: source)?.split(whereSeparator: \.isNewline),
      lines.count >= 3, Int(lines[0].trimmingCharacters(in: .whitespaces)) != nil
    else { return nil }
    for line in lines[1...2] {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard words.count == Self.count, words.allSatisfy({ Double($0) != nil }) else { return nil }
    }
    return "an image number, then lines of \(Self.count) numbers"
  }

  /// Reads each file's faces in order; frames are named by the number, as `COFW68` names them.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var hidden = 0
    for source in sources {
      var file = try DelimitedText(source, limit: 256 << 20, separator: " ")
      var seen: Set<Int> = []
      while let words = try file.nextWords() {
        guard words.count == 1, let number = Int(words[0]), number >= 0 else {
          throw file.wrong("the number of an image, alone", found: words.joined(separator: " "))
        }
        guard seen.insert(number).inserted else {
          throw file.wrong("each image once", found: "\(number) again")
        }
        var rows: [[Double]] = []
        for fact in Self.facts { rows.append(try Self.row(of: fact, in: &file)) }
        guard rows[2].allSatisfy({ $0 == 0 || $0 == 1 }) else {
          throw file.wrong("\(Self.count) zeros and ones", found: "others")
        }
        let base = Double(options.indexBase)
        let points = zip(rows[0], rows[1]).map { Point(x: $0 - base, y: $1 - base) }
        guard
          let landmarks = Landmarks(
            scheme: .ibug68, points: points,
            visibility: rows[2].map { $0 == 1 ? .occluded : .visible }),
          let box = BoundingBox(around: points)
        else { throw file.wrong("\(Self.count) points", found: "others") }
        hidden += rows[2].count { $0 == 1 }
        try sink(
          ImportedFrame(
            name: "\(number)", image: .none,
            faces: [FaceLabel(box: box, landmarks: [landmarks])]))
      }
    }
    var remarks: [ImportRemark] = [
      .assumed("coordinates taken as \(options.indexBase)-based (--index-base)"),
      .assumed("boxes are the tight boxes of the points"),
    ]
    remarks.assume("no point is marked as occluded", if: hidden == 0)
    return remarks
  }

  private static func row(
    of fact: String, in file: inout DelimitedText
  ) throws(FileError) -> [Double] {
    let words = try file.nextWords() ?? []
    guard words.count == count else {
      throw file.wrong("\(count) \(fact)", found: "\(words.count) words")
    }
    return try words.map { (word) throws(FileError) in try file.number(word, in: fact) }
  }
}
