internal import FaceCore
package import Foundation
package import Platform

/// YOLO's text labels and results: a file for each image, boxes in fractions of its size.
package struct YOLOText: DatasetFormat {
  package let name = "yolo"
  package let summary = "YOLO txt: images with NAME.txt: class, box, points, score, track"
  package let settings = ImportSetting.ofPoints.union([.category])
  /// An image without a label file has no faces.
  package let labelsEveryFrame = true
  /// Points have names in `data.yaml`, or a number.
  package let decidesPoints = true

  package init() {}

  /// A folder with images whose label files begin with a class and a box in fractions.
  package func recognises(_ source: URL) -> String? {
    guard source.isFolder, var pairs = try? YOLOFolder(source, images: nil).pairs
    else { return nil }
    let hasImages = !pairs.isEmpty
    if !hasImages {
      pairs = (try? YOLOFolder(source, images: nil, hasImages: false).pairs) ?? []
    }
    let heads = pairs.lazy.compactMap(\.labels).prefix(20).compactMap { SourceFiles.head(of: $0) }
    guard heads.contains(where: Self.hasRow) else { return nil }
    return
      "a folder of \(hasImages ? "images with text files" : "text files alone") of a class and a "
      + "box in fractions"
  }

  /// Whether a line of a text is a class and fractions.
  fileprivate static func hasRow(_ text: String) -> Bool {
    text.split(whereSeparator: \.isNewline).contains(where: isRow)
  }

  /// Whether a line is a class and fractions; `read` names what is wrong with another column.
  private static func isRow(_ line: some StringProtocol) -> Bool {
    let words = line.split(whereSeparator: \.isWhitespace)
    guard words.count >= 4, let category = DelimitedText.wholeNumber(words[0]),
      category >= 0
    else { return false }
    let fractions = words.dropFirst().prefix(4).count {
      $0.contains(".") && (-0.5...1.5).contains(Double($0) ?? 2) || $0 == "0" || $0 == "1"
    }
    return fractions >= 3
  }

  /// Reads each folder; an image without a label file has no faces.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var tally = Tally()
    for source in sources {
      try SourceFiles.requireFolder(source)
      let form = try YOLOPoints(source, options)
      var table = PointTable(
        options, noun: "points", names: form.names, marksMissing: false)
      let description = try YOLODescription(in: source)
      let lists = description?.lists ?? []
      var folder = try YOLOFolder(
        source, images: options.imageFolder, hasImages: options.frameSizeOfVideo == nil,
        lists: lists)
      // A tracker's files are of the dataset's images, which have their sizes.
      let isAlone =
        options.isPredictions && options.imageFolder == nil && options.frameSizeOfVideo == nil
        && folder.pairs.isEmpty
      if isAlone {
        folder = try YOLOFolder(source, images: nil, hasImages: false, lists: lists)
      }
      guard !folder.pairs.isEmpty else {
        throw FileError.wrongData(
          "cannot import \(source.relativePath): expected "
            + (options.frameSizeOfVideo == nil
              ? ".jpg, .jpeg or .png files, found none (--images names their folder, --video the video of "
                + "labels alone)"
              : ".txt files, found none"))
      }
      // A tracker may find nobody, but then it writes no files of other names.
      guard
        folder.pairs.contains(where: { $0.labels != nil })
          || (options.isPredictions && folder.strangers == 0)
      else {
        throw FileError.wrongData(
          "cannot import \(source.relativePath): expected text files with the names of its "
            + "\(folder.pairs.count) images, next to them or in labels instead of images, found "
            + (folder.strangers > 0 ? "\(folder.strangers) of other names" : "none")
            + (options.isPredictions && options.imageFolder != nil
              ? " (without --images they are joined to the frames of the dataset)" : ""))
      }
      let splits =
        try description?.splits(of: folder.pairs.map(\.name), in: source) ?? [:]
      tally.strangers += folder.strangers
      let columns = try YOLOColumns(folder, form)
      let categories = try YOLOCategories(
        folder, chosen: options.categories, used: columns.classes)
      tally.add(categories)
      func rows(_ pair: YOLOFolder.Pair) throws(FileError) -> (rows: [YOLORow], size: ImageSize) {
        guard
          let size =
            if let video = options.frameSizeOfVideo { video } else if isAlone {
              ImageSize(width: 1, height: 1)
            } else {
              try SourceFiles.imageSize(of: pair.image, isUpright: options.isUpright)
            }
        else {
          throw FileError.wrongData(
            "cannot import \(pair.image.relativePath): expected a JPEG or PNG, whose size the "
              + "fractions need, found something else")
        }
        guard let labels = pair.labels else { return ([], size) }
        var rows: [YOLORow] = []
        var file = try DelimitedText(labels, limit: 64 << 20, separator: " ")
        while let words = try file.nextWords() {
          var row = try YOLORow(
            words, in: file, scale: size, columns, isResult: options.isPredictions)
          let number = row.face.category - 1
          row.face.category = try categories.category(ofClass: number, in: file)
          categories.name(&row.face, ofClass: number)
          rows.append(row)
        }
        return (rows, size)
      }
      for pair in folder.pairs.lazy.filter({ $0.labels != nil }).prefix(PointReading.sample)
      where !table.isFull {
        for row in try rows(pair).rows where row.face.category == FaceCategories.face {
          table.sample(row.points)
        }
      }
      for pair in folder.pairs {
        var faces: [FaceLabel] = []
        if pair.labels == nil { tally.unlabelled += 1 }
        let (found, size) = try rows(pair)
        for row in found {
          var face = row.face
          if row.points.contains(where: { $0 != nil }) {
            let order = try table.order(of: row.points, in: pair.labels?.relativePath ?? pair.name)
            face.landmarks = order.landmarks(row.points, row.states).map { [$0] } ?? []
          }
          tally.add(row)
          faces.append(face)
        }
        var frame = ImportedFrame(
          name: isAlone ? pair.name + ".jpg" : pair.name, image: pair.image, faces: faces)
        frame.isRelative = isAlone
        if !isAlone { (frame.statedSize, frame.isSizeOfImage) = (size, true) }
        frame.splits = FolderSplit.names(of: pair.name)
        if frame.splits.isEmpty { frame.splits = splits[pair.name] ?? [] }
        for split in frame.splits { tally.splits[split, default: 0] += 1 }
        try sink(frame)
      }
      tally.points += table.all.map { .assumed($0) }
    }
    return tally.remarks
  }

  /// Counts over all sources, for remarks.
  private struct Tally {
    var (strangers, unlabelled) = (0, 0)
    var splits: [String: Int] = [:]
    private var (scores, identities, outlines) = (0, 0, 0)
    private var hidden = false
    var points: [ImportRemark] = []
    private var order = YOLOBoxOrder()
    private var notes: [String] = []

    mutating func add(_ categories: YOLOCategories) {
      if let note = categories.note, !notes.contains(note) { notes.append(note) }
    }

    mutating func add(_ row: YOLORow) {
      if row.face.score != nil { scores += 1 }
      if row.face.identity != nil { identities += 1 }
      if row.hasFlags { hidden = true }
      if row.isOutline { outlines += 1 }
      order.add(row.numbers)
    }

    var remarks: [ImportRemark] {
      var remarks: [ImportRemark] = [
        .assumed("boxes and points are fractions of the image's width and height")
      ]
      remarks += notes.map { .assumed($0) }
      if let remark = order.remark { remarks.append(remark) }
      remarks.assume(
        outlines, "outlines of segments or turned boxes are taken as their tight boxes")
      remarks += points
      remarks.assume(scores, "rows end with fractions, taken as confidences")
      remarks.assume(
        identities, "rows have whole numbers that are no confidences, taken as identities of tracks"
      )
      remarks += FolderSplit.remarks(splits)
      remarks.assume("point flags are COCO's: 1 hidden, 2 visible", if: hidden)
      remarks.assume(unlabelled, "images without a label file have no faces")
      remarks.drop(strangers, "label files without an image left out")
      return remarks
    }
  }
}

/// The images of a YOLO folder, each with the label file of its name.
struct YOLOFolder {
  /// An image and its label file; nil if there is none.
  struct Pair {
    var name: String
    var image: URL
    var labels: URL?
  }

  /// The folder.
  let root: URL
  /// In the order of the images' names.
  private(set) var pairs: [Pair] = []
  /// Label files without an image.
  private(set) var strangers = 0

  /// Text files that hold names of classes or notes, not labels.
  private static let plain: Set<String> = [
    "classes.txt", "readme.txt", "requirements.txt", "predefined_classes.txt",
    "readme.dataset.txt", "readme.roboflow.txt",
  ]
  /// Those that hold lists of images, but where they are the labels of an image of such a name.
  private static let usualLists: Set<String> = ["train.txt", "val.txt", "test.txt"]

  /// Labels lie next to the images, or under `labels` with images under `images`; without images each is of its own name.
  ///
  /// Text files of the names `lists` hold no labels, unless their rows are of labels.
  init(
    _ root: URL, images folder: URL?, hasImages: Bool = true, lists: Set<String> = []
  ) throws(FileError) {
    self.root = root
    let location = folder ?? root
    let images = try SourceFiles.files(in: location, extensions: SourceFiles.imageExtensions)
    let lists = lists.union(Self.usualLists)
    let texts = try SourceFiles.files(in: root, extensions: ["txt"]).filter { text in
      let name = PathText(text).name.lowercased()
      guard lists.contains(name) else { return !Self.plain.contains(name) }
      return SourceFiles.head(of: root.appendingPathComponent(text)).map(YOLOText.hasRow) ?? false
    }
    guard hasImages else {
      pairs = texts.map {
        let name = PathText($0).withoutSuffix
        return Pair(
          name: name, image: location.appendingPathComponent(name),
          labels: root.appendingPathComponent($0))
      }
      return
    }
    var byKey: [String: String] = [:]
    for text in texts { byKey[Self.key(text)] = text }
    var used: Set<String> = []
    for image in images {
      let text = byKey[Self.key(image)]
      if let text { used.insert(text) }
      pairs.append(
        Pair(
          name: image, image: location.appendingPathComponent(image),
          labels: text.map { root.appendingPathComponent($0) }))
    }
    strangers = texts.count - used.count
  }

  /// A path without extension and without its folders `images` and `labels`.
  private static func key(_ path: String) -> String {
    PathText(PathText(path).withoutSuffix).components
      .filter { !["images", "labels"].contains($0) }.joined(separator: "/")
  }
}

/// Maps the classes of a YOLO folder to categories.
struct YOLOCategories {
  /// The classes that are faces; nil where nothing tells them from others.
  private let categories: FaceCategories?
  /// The assumption for a remark; nil if a class is named face.
  private(set) var note: String?

  /// Reads the names from `classes.txt`, `obj.names` or a YAML file; without names the only class is a face, or 0.
  init(_ folder: YOLOFolder, chosen: [String], used: Set<Int>) throws(FileError) {
    let names = try Self.names(in: folder.root)
    var known = names.enumerated().map { COCOFile.Category(id: $0.offset, name: $0.element) }
    guard !names.isEmpty || !chosen.isEmpty || (used.count == 1 && used != [0]) else {
      note = "class 0 is a face: there are no names of classes"
      categories = nil
      return
    }
    if names.isEmpty {
      let numbers = used.union(chosen.compactMap { Int($0) }.filter(YOLORow.classes.contains))
      known = numbers.sorted().map { COCOFile.Category(id: $0) }
    }
    let found = try FaceCategories(chosen, of: known, used: used, in: folder.root.relativePath)
    categories = found
    let face = found.faces[0]
    let name = face.name.isEmpty ? "" : " '\(face.name.prefix(40))'"
    if let remark = found.remark {
      note = remark.text
    } else if known.count == 1, chosen.isEmpty {
      note = "the only class, \(face.id)\(name), is taken as faces"
    } else if chosen.isEmpty, face.name.lowercased() != "face" {
      note = "the only class in use, \(face.id)\(name), is taken as faces"
    } else if !names.isEmpty {
      note = "class \(face.id)\(name) is taken as faces"
    }
  }

  /// The category of a class; throws for several classes of which none is known to be a face.
  func category(ofClass number: Int, in file: DelimitedText) throws(FileError) -> Int {
    guard let categories else {
      guard number == 0 else {
        throw file.wrong(
          "class 0, as there are no names of classes, or --category with the number of the class "
            + "that is a face", found: "\(number)")
      }
      return FaceCategories.face
    }
    if categories.isFace(number) { return FaceCategories.face }
    return number == 0 ? categories.faces[0].id + 1 : number + 1
  }

  /// Gives a face the name of its class where several are faces.
  func name(_ face: inout FaceLabel, ofClass number: Int) { categories?.name(&face, of: number) }

  private static func names(in root: URL) throws(FileError) -> [String] {
    for position in [root, root.appendingPathComponent("labels"), root.deletingLastPathComponent()]
    {
      for file in ["classes.txt", "obj.names"] {
        let url = position.appendingPathComponent(file)
        guard url.isThere else { continue }
        let text = ByteOrderMark.text(try SourceFiles.bytes(of: url, limit: 1 << 20))
        let names = text.split(whereSeparator: \.isNewline)
          .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        if !names.isEmpty { return names }
      }
      if let names = try YOLODescription(in: position)?.names, !names.isEmpty { return names }
    }
    return []
  }
}
