internal import FaceCore
package import Foundation
package import Platform

/// A folder of images with one `.pts` file each, as 300-W and Helen are distributed.
package struct PointsFolder: DatasetFormat {
  /// Name on the command line.
  package let name = "pts"
  /// One-line summary of what it reads.
  package let summary =
    "a folder of images, one .pts file per image: 68 points, header or not"
  /// The source has its images, or none.
  package let usesImageFolder = false

  private static let schemes: [LandmarkScheme] = [
    .ibug68, .mediapipe478, .lapa106, .aflw21, .aflw19,
  ]

  /// Makes the format.
  package init() {}

  /// The options that have an effect.
  package let settings: Set<ImportSetting> = [.indexBase]

  /// A folder with a `.pts` file somewhere in it.
  package func recognises(_ source: URL) -> String? {
    guard source.isFolder,
      let files = try? SourceFiles.files(in: source, extensions: ["pts"]), !files.isEmpty
    else { return nil }
    return "a folder with \(files.count) .pts files"
  }

  /// Reads each `.pts` file together with the image of the same name.
  package func read(
    _ sources: [URL], options: ImportOptions,
    into sink: (ImportedFrame) throws(FileError) -> Void
  ) throws(FileError) -> [ImportRemark] {
    var withoutImage = 0
    var withoutPoints = 0
    var splits: [String: Int] = [:]
    for source in sources {
      try SourceFiles.requireFolder(source)
      let images = try SourceFiles.files(in: source, extensions: SourceFiles.imageExtensions)
      let byStem = Dictionary(grouping: images) { PathText($0).withoutSuffix }
      let files = try SourceFiles.files(in: source, extensions: ["pts"])
      guard !files.isEmpty else {
        throw FileError(
          .wrongData, "cannot import \(source.relativePath): expected .pts files, found none")
      }
      var used = 0
      for file in files {
        guard let matches = byStem[PathText(file).withoutSuffix] else {
          withoutImage += 1
          continue
        }
        let url = source.appendingPathComponent(file)
        guard matches.count == 1 else {
          throw FileError(
            .wrongData,
            "cannot import \(url.relativePath): expected one image of that name, found "
              + matches.joined(separator: " and "))
        }
        used += 1
        let bytes = try SourceFiles.bytes(of: url, limit: 1 << 20)
        let points = try PointsFile.points(
          in: ByteOrderMark.text(bytes), name: url.relativePath, indexBase: options.indexBase)
        var frame = ImportedFrame(
          name: matches[0], image: source.appendingPathComponent(matches[0]),
          faces: [try face(points, name: url.relativePath)])
        frame.splits = FolderSplit.names(of: matches[0])
        for split in frame.splits { splits[split, default: 0] += 1 }
        try sink(frame)
      }
      withoutPoints += images.count - used
    }
    var remarks: [ImportRemark] = [
      .assumed("coordinates taken as \(options.indexBase)-based (--index-base)"),
      .assumed("boxes are the tight boxes of the points"),
    ]
    remarks += FolderSplit.remarks(splits)
    if withoutImage > 0 {
      remarks.append(.dropped("\(withoutImage) .pts files without an image left out"))
    }
    if withoutPoints > 0 {
      remarks.append(.dropped("\(withoutPoints) images without a .pts file left out"))
    }
    return remarks
  }

  private func face(_ points: [Point], name: String) throws(FileError) -> FaceLabel {
    guard let scheme = Self.schemes.first(where: { $0.count == points.count }),
      let landmarks = Landmarks(scheme: scheme, points: points),
      let box = BoundingBox(around: points)
    else {
      let known = Self.schemes.map { "\($0.count)" }.joined(separator: " or ")
      throw FileError(
        .wrongData, "cannot read \(name): expected \(known) points, found \(points.count)")
    }
    return FaceLabel(box: box, landmarks: [landmarks])
  }
}

/// The text of a `.pts` file.
enum PointsFile {
  /// Points in pixels from 0, from `x y` lines with or without the `version`/`n_points` header.
  static func points(
    in text: String, name: String, indexBase: Int
  ) throws(FileError) -> [Point] {
    var points: [Point] = []
    var promised: Int?
    var isOpen = false
    var isClosed = false
    var number = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      let words = line.split(whereSeparator: \.isWhitespace)
      guard let first = words.first else { continue }
      func wrong(_ expected: String) -> FileError {
        FileError(
          .wrongData,
          "cannot read \(name), line \(number): expected \(expected), found "
            + "'\(line.prefix(60))'")
      }
      if isClosed { throw wrong("nothing after '}'") }
      switch first {
      case "{":
        guard !isOpen, words.count == 1, points.isEmpty else {
          throw wrong("one '{', alone and before the points")
        }
        isOpen = true
      case "}":
        guard isOpen, words.count == 1 else { throw wrong("'{' before '}', alone in its line") }
        isClosed = true
      case _ where first.hasPrefix("version"): continue
      case _ where first.hasPrefix("n_points"):
        let value = line.split(separator: ":").last.map { String($0) } ?? ""
        guard let count = Int(value.filter { !$0.isWhitespace }), (1...100_000).contains(count)
        else { throw wrong("n_points: COUNT") }
        promised = count
      default:
        guard words.count == 2, let x = Double(words[0]), let y = Double(words[1]),
          x.isFinite, y.isFinite
        else { throw wrong("two numbers") }
        points.append(Point(x: x - Double(indexBase), y: y - Double(indexBase)))
      }
    }
    if isOpen, !isClosed {
      throw FileError(
        .wrongData, "cannot read \(name): expected '}' at the end, found \(points.count) points")
    }
    if let promised, promised != points.count {
      throw FileError(
        .wrongData, "cannot read \(name): expected \(promised) points, found \(points.count)")
    }
    guard !points.isEmpty else {
      throw FileError(.wrongData, "cannot read \(name): expected points, found none")
    }
    return points
  }
}
