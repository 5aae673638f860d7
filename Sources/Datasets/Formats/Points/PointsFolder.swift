internal import FaceCore
package import Foundation
package import Platform

/// A folder of images with one `.pts` file each, as 300-W and Helen are distributed.
package struct PointsFolder: DatasetFormat {
  package let name = "pts"
  package let summary = "a folder of images, one .pts file per image: points, header or not"
  package let usesImageFolder = false
  package let settings = ImportSetting.ofPoints.union([.indexBase])
  /// Points have a number only.
  package let decidesPoints = true

  package init() {}

  /// A folder with a `.pts` file somewhere in it.
  package func recognises(_ source: URL) -> String? {
    let files = SourceFiles.filesIfFolder(source, extensions: ["pts"])
    return files.isEmpty ? nil : "a folder with \(files.count) .pts files"
  }

  /// Reads each `.pts` file together with the image of the same name.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var (withoutImage, withoutPoints) = (0, 0)
    var files: [(points: URL, image: String, folder: URL)] = []
    var splits: [String: Int] = [:]
    for source in sources {
      try SourceFiles.requireFolder(source)
      let images = try SourceFiles.files(in: source, extensions: SourceFiles.imageExtensions)
      var names = try SourceFiles.files(in: source, extensions: ["pts"])
      if names.isEmpty { names = try SourceFiles.files(in: source, extensions: ["txt"]) }
      try SourceFiles.require(names, ".pts files", in: source)
      let pairs = Self.pairs(names, images)
      for name in names {
        let url = source.appendingPathComponent(name)
        let isOfVideo = options.frameSizeOfVideo != nil
        if isOfVideo || options.isPredictions && images.isEmpty {
          files.append((url, PathText(name).withoutSuffix + (isOfVideo ? "" : ".jpg"), source))
          continue
        }
        guard let found = pairs.images[name] else {
          withoutImage += 1
          continue
        }
        guard found.count == 1 else {
          throw FileError.wrongData(
            "cannot import \(url.relativePath): expected one image of that name, found "
              + found.joined(separator: " and "))
        }
        files.append((url, found[0], source))
      }
      withoutPoints += pairs.withoutPoints
    }
    func points(_ file: URL) throws(FileError) -> [Point?] {
      let written = try PointsFile.points(
        in: ByteOrderMark.text(try SourceFiles.bytes(of: file, limit: 1 << 20)),
        name: file.relativePath)
      let base = options.indexBase(of: written.compactMap(\.self).flatMap { [$0.x, $0.y] })
      return written.map { point in point.map { Point(x: $0.x - base, y: $0.y - base) } }
    }
    var table = PointTable(options, noun: "points")
    var negated = NegatedPoints(indexBase: options.indexBase)
    for file in files.prefix(PointReading.sample) { negated.look(at: try points(file.points)) }
    for file in files.prefix(PointReading.sample) {
      table.sample(negated.read(try points(file.points)).points)
    }
    for file in files {
      let own = negated.take(try points(file.points))
      let order = try table.order(of: own.points, in: file.points.relativePath)
      var faces: [FaceLabel] = []
      if let landmarks = order.landmarks(own.points, own.states),
        let box = BoundingBox(around: landmarks.labelled)
      {
        faces = [FaceLabel(box: box, landmarks: [landmarks])]
      }
      var frame = ImportedFrame(file.image, in: file.folder, faces: faces)
      frame.splits = FolderSplit.names(of: file.image)
      for split in frame.splits { splits[split, default: 0] += 1 }
      try sink(frame)
    }
    var remarks: [ImportRemark] = [
      .assumed("coordinates taken as \(options.indexBase)-based (--index-base)"),
      .assumed("boxes are the tight boxes of the points"),
    ]
    remarks += table.remarks
    remarks += negated.remarks
    remarks += FolderSplit.remarks(splits)
    remarks.drop(withoutImage, ".pts files without an image left out")
    remarks.drop(withoutPoints, "images without a .pts file left out")
    return remarks
  }

  /// The images of files of points, and how many images have none: those of the same path, or of a folder next to theirs where
  /// none has that.
  ///
  /// Of several such folders, as of images and of masks, that of images counts.
  private static func pairs(
    _ names: [String], _ images: [String]
  ) -> (images: [String: [String]], withoutPoints: Int) {
    func matched(_ key: (String) -> String) -> (images: [String: [String]], withoutPoints: Int) {
      var known = Dictionary(grouping: images) { key(PathText($0).withoutSuffix) }
      var found: [String: [String]] = [:]
      let keys = names.map { name in
        let stem = PathText(name).withoutSuffix
        return key(SourceFiles.isImage(stem) ? PathText(stem).withoutSuffix : stem)
      }
      for (name, key) in zip(names, keys) { found[name] = known[key] }
      for key in keys { known[key] = nil }
      return (found, known.count)
    }
    let own = matched { $0 }
    guard own.images.isEmpty else { return own }
    var near = matched { path in
      let parts = path.split(separator: "/")
      return (parts.dropLast(2) + parts.suffix(1)).joined(separator: "/")
    }
    near.images = near.images.mapValues { found in
      let shown = found.filter { path in
        let folder = path.split(separator: "/").dropLast().last?.lowercased() ?? ""
        return ["image", "img", "picture", "photo"].contains { folder.hasPrefix($0) }
      }
      return shown.count == 1 ? shown : found
    }
    return near
  }
}

/// The text of a `.pts` file.
enum PointsFile {
  /// Points as they are written, from `x y` lines with or without the `version`/`n_points` header or a count before them; nil
  /// for one at -1, -1 or NaN, NaN.
  static func points(in text: String, name: String) throws(FileError) -> [Point?] {
    var points: [Point?] = []
    var promised: Int?
    var isOpen = false
    var isClosed = false
    var number = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      let words = line.split(whereSeparator: \.isWhitespace)
      guard let first = words.first else { continue }
      func wrong(_ expected: String) -> FileError {
        FileError.wrongData(
          "cannot read \(name), line \(number): expected \(expected), found '\(line.prefix(60))'")
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
      case _ where words.count == 1 && points.isEmpty && promised == nil && !isOpen:
        guard let count = Int(first), (1...100_000).contains(count) else {
          throw wrong("two numbers")
        }
        promised = count
      default:
        if words.count == 2, words.allSatisfy({ $0.lowercased() == "nan" }) {
          points.append(nil)
          continue
        }
        guard words.count == 2, let x = Double(words[0]), let y = Double(words[1]),
          x.isFinite, y.isFinite
        else { throw wrong("two numbers") }
        points.append(Point.unlessMissing(x: x, y: y))
      }
    }
    if isOpen, !isClosed {
      throw FileError.wrongData(
        "cannot read \(name): expected '}' at the end, found \(points.count) points")
    }
    if let promised, promised != points.count {
      throw FileError.wrongData(
        "cannot read \(name): expected \(promised) points, found \(points.count)")
    }
    guard !points.isEmpty else {
      throw FileError.wrongData("cannot read \(name): expected points, found none")
    }
    return points
  }
}
