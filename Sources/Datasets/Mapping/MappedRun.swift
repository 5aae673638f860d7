internal import FaceCore
internal import Foundation
internal import Platform

/// The import of one mapped file.
struct MappedRun {
  private let mapping: JSONNode
  private let file: MappedFile
  private let folder: URL
  private let options: ImportOptions
  private let groups: MappedGroups?
  private let isRepeated: Bool
  private var sequences: MappedSequences
  /// The numbers of names in paths, those of earlier files included.
  private(set) var words: MappedWords
  private var assumptions: [String] = []
  private var lost = Lost()

  /// What is left out, or not there.
  struct Lost {
    /// Faces without a valid box or without points, boxes without a size, and places for faces that have none.
    var (boxes, points, sizes, empty) = (0, 0, 0, 0)
    /// Poses without their translation, and values of pixels outside the range.
    var (translations, clipped) = (0, 0)
  }

  /// Prepares the import of a file; names of image files are relative to `folder`, and `words` are of the file before.
  init(
    _ mapping: JSONNode, _ file: MappedFile, folder: URL, _ options: ImportOptions,
    after words: MappedWords?
  ) throws(FileError) {
    (self.mapping, self.file, self.folder, self.options) = (mapping, file, folder, options)
    let images = mapping["images"]
    isRepeated = try images["repeat"].flag()
    guard !isRepeated || !mapping["faces"]["image"].isGiven else {
      throw mapping["faces"]["image"].wrong("no 'image' where images.repeat is true")
    }
    groups = try MappedGroups(mapping, in: file)
    self.words = try MappedWords(
      groups?.attributes ?? [], besides: mapping["faces"]["attributes"], after: words)
    sequences = try MappedSequences(
      images, in: file, hasSequences: groups?.hasSequences ?? false,
      framesPerSecond: options.framesPerSecond ?? 30)
  }

  /// Sends all images with their faces, and returns assumptions and losses.
  mutating func send(to sink: FrameSink) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    if let groups {
      remarks += try groups.forEach { (group) throws(FileError) in
        file.enter(group)
        try sendRows(to: sink)
      }
    } else {
      try sendRows(to: sink)
    }
    return (assumptions + words.assumptions).map { .assumed("\(file.title): \($0)") } + remarks
      + self.remarks
  }

  private var remarks: [ImportRemark] {
    var remarks: [ImportRemark] = []
    if sequences.countsFrames {
      remarks.assume("taken as \(options.framesPerSecond ?? 30) frames per second (--fps)")
    }
    remarks.drop(lost.boxes, "faces left out whose box has a NaN or a negative size")
    remarks.dropNothing(lost.sizes)
    remarks.drop(lost.translations, "translations of heads left out")
    remarks.drop(lost.clipped, "values of pixels outside of 'range' clipped")
    remarks.drop(sequences.stopped, "images left out whose time does not rise")
    remarks.assume(lost.empty, "places for faces are empty")
    remarks.assume(lost.points, "faces without points")
    return remarks.map { $0.about(file.title) }
  }

  /// Sends the images of the current group, or of the whole file.
  private mutating func sendRows(to sink: FrameSink) throws(FileError) {
    let images = try MappedImages(mapping["images"], in: file, folder: folder)
    let names = images.names
    guard isRepeated || Set(names).count == names.count else {
      throw FileError.wrongData(
        "cannot read \(mapping.source): expected each image's name once in '\(images.source)', found "
          + "one again (\"repeat\": true makes its rows faces of one image)")
    }
    let faces = try MappedFaces(
      mapping["faces"], in: file, imageNames: names, rowsOf: images.source,
      angleFactor: options.angleFactor)
    try sequences.enter(count: names.count, rowsOf: images.source)
    let splits = try splits(count: names.count)
    let attributes = try file.group.map { (group) throws(FileError) in
      try words.attributes(of: group)
    }
    for (row, faceRows) in plan(names, faces.images) {
      guard let position = try sequences.position(row) else { continue }
      var image = ImportedFrame.Image.none
      var size: ImageSize?
      if !options.isLabelsOnly || faces.needsSize {
        (image, size) = try images.image(row)
        if options.isUpright, case .encoded(let bytes) = image {
          size = SourceFiles.imageSize(of: bytes, isUpright: true)
        }
        if size == nil, faces.needsSize, let url = image.file {
          size = try SourceFiles.imageSize(of: url, isUpright: options.isUpright)
          guard size != nil else {
            throw FileError.wrongData(
              "cannot import \(url.relativePath): expected a JPEG or PNG, found neither"
            )
          }
        }
      }
      var labels: [FaceLabel] = []
      for face in faceRows {
        guard var label = try faces.face(face, size: size, &lost) else { continue }
        if let attributes { label.attributes.merge(attributes) { own, _ in own } }
        labels.append(label)
      }
      var frame = ImportedFrame(
        name: images.name(row), image: image, faces: labels,
        timestampMicroseconds: position.microseconds, begins: position.begins)
      if faces.needsSize { frame.statedSize = size }
      frame.isSizeOfImage = faces.needsSize
      frame.splits = splits.filter { $0.value.contains(row) }.map(\.key)
      if let split = sequences.split(row), !frame.splits.contains(split) {
        frame.splits.append(split)
      }
      frame.splits.sort()
      try sink(frame)
    }
    if assumptions.isEmpty { assumptions = [faces.assumption] }
    lost.translations += faces.translations
    lost.clipped += images.clipped
  }

  private func splits(count: Int) throws(FileError) -> [String: Set<Int>] {
    guard let object = mapping["splits"].given else { return [:] }
    var splits: [String: Set<Int>] = [:]
    for name in try object.keys() {
      let entry = object[name]
      guard DatasetLayout.isTableName(name) else {
        throw entry.wrong("a name of letters and digits with an object")
      }
      try entry.requireKeys(["path", "base"], optional: ["columns"])
      let base = try entry["base"].number()
      let table = try file.table(entry)
      var rows: Set<Int> = []
      for index in 0..<table.rows {
        let number = try table.single(index)
        guard let row = Int(exactly: number - base), (0..<count).contains(row),
          rows.insert(row).inserted
        else {
          throw file.wrong(
            table.path, "each of \(count) images from \(base.plainText) at most once",
            found: number.plainText)
        }
      }
      splits[name] = rows
    }
    return splits
  }

  /// The rows of the images, each with the rows of its faces.
  private func plan(_ names: [String], _ images: [Int]?) -> [(image: Int, faces: [Int])] {
    if let images {
      var byImage = [[Int]](repeating: [], count: names.count)
      for (face, image) in images.enumerated() { byImage[image].append(face) }
      return byImage.enumerated().map { ($0, $1) }
    }
    guard isRepeated else { return names.indices.map { ($0, [$0]) } }
    var rows = OrderedGroups<String, Int>()
    for (row, name) in names.enumerated() { rows.add(row, to: name) }
    return rows.keys.map { (rows[$0][0], rows[$0]) }
  }
}

/// The words of paths that are attributes of faces, and the numbers of those that are names.
struct MappedWords {
  private let words: [String]
  private var codes: [String: [String: Int]] = [:]
  private var hasNumbers: Set<String> = []

  /// Names that a remark shows.
  private static let shown = 8

  /// Takes words, which are no names of `attributes`, and the numbers that names have in earlier files.
  init(
    _ words: [String], besides attributes: JSONNode, after earlier: MappedWords?
  ) throws(FileError) {
    self.words = words
    codes = earlier?.codes ?? [:]
    hasNumbers = earlier?.hasNumbers ?? []
    if let word = words.first(where: { attributes[$0].isGiven }) {
      throw attributes[word].wrong("no attribute '\(word)' where {\(word)} is in a path")
    }
  }

  /// The numbers of a group's words; others than numbers count from 0 as they come.
  mutating func attributes(of group: MappedGroup) throws(FileError) -> [String: Double] {
    var numbers: [String: Double] = [:]
    for word in words {
      let value = group.values[word] ?? ""
      if codes[word] == nil, let number = Double(value), number.isFinite {
        hasNumbers.insert(word)
        numbers[word] = number
      } else {
        guard !hasNumbers.contains(word) else {
          throw FileError.wrongData(
            "cannot read {\(word)}: expected numbers, or names that are none, found "
              + "'\(value.prefix(60))' in '\(group.name.prefix(100))' after numbers")
        }
        let code = codes[word]?[value] ?? codes[word]?.count ?? 0
        codes[word, default: [:]][value] = code
        numbers[word] = Double(code)
      }
    }
    return numbers
  }

  /// What the numbers of names are.
  var assumptions: [String] {
    codes.sorted { $0.key < $1.key }.map { word, names in
      let known = names.sorted { $0.value < $1.value }
      let list = known.prefix(Self.shown).map { "\($0.value) is '\($0.key.prefix(40))'" }
      return "attribute \(word): " + list.joined(separator: ", ")
        + (known.count > Self.shown ? " and so on to \(known.count - 1)" : "")
    }
  }
}
