internal import FaceCore
package import Foundation
package import Platform

/// CelebA's lists: boxes, five points, 40 attributes, identities and the partition, in one file each.
package struct CelebALists: DatasetFormat {
  package let name = "celeba"
  package let summary = "CelebA's lists: boxes, five points, attributes, identity, partition"
  package let settings = ImportSetting.ofPoints

  package init() {}

  /// The lists, by the beginning of their file names.
  private enum List: String, CaseIterable {
    case box = "list_bbox_celeba"
    case points = "list_landmarks_celeba"
    case alignedPoints = "list_landmarks_align_celeba"
    case attributes = "list_attr_celeba"
    case identity = "identity_celeba"
    case partition = "list_eval_partition"

    init?(_ file: URL) {
      let name = file.deletingPathExtension().lastPathComponent.lowercased()
      guard ["txt", "csv"].contains(file.pathExtension.lowercased()),
        let list = Self.allCases.first(where: { $0.rawValue == name })
      else { return nil }
      self = list
    }

    /// Number of values after the image's name; nil if the header determines it.
    var width: Int? {
      switch self {
      case .box: 4
      case .points, .alignedPoints: 10
      case .attributes: nil
      case .identity, .partition: 1
      }
    }

    var hasHeader: Bool { self != .identity && self != .partition }
  }

  private static let splits = ["train", "val", "test"]

  /// A file with a CelebA name, or a folder with one of its lists of faces.
  package func recognises(_ source: URL) -> String? {
    if let list = List(source), !source.isFolder {
      return "a file named as CelebA's \(list.rawValue)"
    }
    guard source.isFolder, let files = try? Self.files(in: source),
      files.contains(where: { $0.list.hasHeader })
    else { return nil }
    return "a folder with CelebA's " + files.map(\.list.rawValue).joined(separator: ", ")
  }

  private static func files(in folder: URL) throws(FileError) -> [(list: List, file: URL)] {
    try SourceFiles.names(below: folder, depth: 3).compactMap { name in
      let file = folder.appendingPathComponent(name)
      return List(file).map { ($0, file) }
    }
  }

  /// Reads all lists together; an image of any of them is a frame with one face.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var lists: [(list: List, file: URL)] = []
    for source in sources {
      if source.isFolder {
        lists += try Self.files(in: source)
      } else if let list = List(source) {
        lists.append((list, source))
      } else {
        throw FileError.wrongData(
          "cannot import \(source.relativePath): expected one of "
            + List.allCases.map { "\($0.rawValue).txt" }.joined(separator: ", "))
      }
    }
    let kinds = Set(lists.map(\.list))
    guard kinds.count == lists.count else {
      throw FileError.wrongData(
        "cannot import \(sources[0].relativePath): expected each list once, found one twice")
    }
    let aligned = try Self.alignedImages(lists, sources[0], options)
    let isAligned = aligned != nil
    var images = aligned ?? Images()
    for (list, file) in lists where list != .alignedPoints && !(isAligned && list == .box) {
      try Self.read(list, file, into: &images)
    }
    guard !images.names.isEmpty else {
      throw FileError.wrongData(
        "cannot import \(sources[0].relativePath): expected lists of CelebA, found none")
    }
    let folder = Self.images(
      named: images.names[0], of: sources[0], isAligned: isAligned, options)
    let first = folder.appendingPathComponent(images.names[0])
    if !isAligned, try Self.isAligned(first) {
      throw FileError.wrongData(
        "cannot import \(first.relativePath): expected an image of the original size, which "
          + "list_bbox_celeba and list_landmarks_celeba are of, found 178 × 218, CelebA's aligned images"
      )
    }
    let isWhole = kinds.isDisjoint(with: [.box, .points, .alignedPoints])
    var counts = Counts()
    for name in images.names {
      guard var image = images[name] else { continue }
      if let points = image.face.landmarks.first, !image.hasBox,
        let tight = BoundingBox(around: points.labelled)
      {
        image.face.box = tight
        image.face.area = tight.area
        counts.tight += 1
      } else if !image.hasBox, isWhole {
        let size = try Self.size(of: folder.appendingPathComponent(name), options, &counts)
        image.face.box = BoundingBox(
          x: 0, y: 0, width: Double(size.width), height: Double(size.height))
        image.face.area = image.face.box.area
        counts.whole += 1
      } else if !image.hasBox {
        counts.boxless += 1
        continue
      }
      if image.face.box.area == 0 { counts.flat += 1 }
      var frame = ImportedFrame(name, in: folder, faces: [image.face])
      if let split = image.split { frame.splits = [Self.splits[split]] }
      try sink(frame)
    }
    return Self.remarks(counts, kinds, isAligned: isAligned)
  }

  private struct Counts {
    var (tight, whole, boxless, flat, unseen) = (0, 0, 0, 0, 0)
  }

  /// The size of an image; that of aligned images for one that need not exist.
  private static func size(
    of url: URL, _ options: ImportOptions, _ counts: inout Counts
  ) throws(FileError) -> ImageSize {
    if options.isLabelsOnly, !url.isThere {
      counts.unseen += 1
      return alignedSize
    }
    guard let size = try SourceFiles.imageSize(of: url, isUpright: options.isUpright) else {
      throw FileError.wrongData(
        "cannot import \(url.relativePath): expected a JPEG or PNG, found something else")
    }
    return size
  }

  private static let alignedSize = ImageSize(width: 178, height: 218)

  private struct Image {
    var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
    var hasBox = false
    var split: Int?
  }

  /// Images in the order of their first mention in the lists.
  private struct Images {
    private(set) var names: [String] = []
    private var byName: [String: Image] = [:]

    subscript(name: String) -> Image? {
      get { byName[name] }
      set {
        if byName[name] == nil { names.append(name) }
        byName[name] = newValue
      }
    }
  }

  private static func read(
    _ list: List, _ url: URL, into images: inout Images
  ) throws(FileError) {
    let isCSV = url.pathExtension.lowercased() == "csv"
    var file = try DelimitedText(url, limit: 256 << 20, separator: isCSV ? "," : " ")
    var promised: Int?
    var names: [String] = []
    if list.hasHeader {
      if !isCSV { promised = try file.nextCount("the number of images") }
      names = try isCSV ? Array((file.header() ?? []).dropFirst()) : file.nextWords() ?? []
    } else if isCSV {
      _ = try file.header()
    }
    let width = list.width ?? names.count
    guard width > 0, width <= 1000, list == .attributes || !list.hasHeader || !names.isEmpty else {
      throw file.wrong("a header of names", found: names.joined(separator: " "))
    }
    var rows = 0
    var seen: Set<String> = []
    while let fields = try file.nextWords() {
      guard fields.count == width + 1, SourceFiles.isImage(fields[0]) else {
        throw file.wrong(
          "an image's name and \(width) numbers", found: fields.joined(separator: " "))
      }
      guard seen.insert(fields[0]).inserted else {
        throw file.wrong("each image once", found: "\(fields[0]) twice")
      }
      let numbers = try file.numbers(fields.dropFirst(), from: 2)
      var image = images[fields[0]] ?? Image()
      try add(list, numbers, names, to: &image, file)
      images[fields[0]] = image
      rows += 1
    }
    guard promised == nil || promised == rows else {
      throw file.wrong("\(promised ?? 0) rows, the count in its first line", found: "\(rows)")
    }
  }

  private static func add(
    _ list: List, _ numbers: [Double], _ names: [String], to image: inout Image,
    _ file: DelimitedText
  ) throws(FileError) {
    func whole(_ range: ClosedRange<Int>) throws(FileError) -> Int {
      guard let number = Int(exactly: numbers[0]), range.contains(number) else {
        throw file.wrong(
          "a whole number of \(range.lowerBound) to \(range.upperBound)", found: "\(numbers[0])")
      }
      return number
    }
    switch list {
    case .box:
      let box = BoundingBox(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
      guard box.isWellFormed else {
        throw file.wrong(
          "a width and height of 0 or more", found: "\(numbers[2]) \(numbers[3])")
      }
      image.face.box = box
      image.face.area = box.area
      image.hasBox = true
    case .points, .alignedPoints:
      let points = (0..<5).map { Point.unlessMissing(x: numbers[2 * $0], y: numbers[2 * $0 + 1]) }
      image.face.landmarks = PointOrder(.five).landmarks(points).map { [$0] } ?? []
    case .attributes:
      for (name, value) in zip(names, numbers) {
        guard value == 1 || value == -1 || value == 0 else {
          throw file.wrong("1 or -1 in \(name)", found: "\(value)")
        }
        guard DatasetLayout.isTableName(name) else {
          throw file.wrong("names of attributes", found: name)
        }
        image.face.attributes[name] = value == 1 ? 1 : 0
      }
    case .identity: image.face.identity = try whole(0...Int(Int32.max))
    case .partition: image.split = try whole(0...2)
    }
  }

  /// The images with their aligned points, which are of other images than boxes and points of the original ones; nil if
  /// the lists are of these.
  private static func alignedImages(
    _ lists: [(list: List, file: URL)], _ source: URL, _ options: ImportOptions
  ) throws(FileError) -> Images? {
    let kinds = Set(lists.map(\.list))
    guard !kinds.contains(.points) else { return nil }
    var images = Images()
    for (list, file) in lists where list == .alignedPoints {
      try read(list, file, into: &images)
    }
    guard kinds.contains(.box) else { return images }
    guard let name = images.names.first else { return nil }
    let folder = Self.images(named: name, of: source, isAligned: true, options)
    return try isAligned(folder.appendingPathComponent(name)) ? images : nil
  }

  /// Whether an image has the size of all aligned ones; of those of the original size none is known to.
  private static func isAligned(_ image: URL) throws(FileError) -> Bool {
    guard image.isThere else { return false }
    return try SourceFiles.imageSize(of: image) == alignedSize
  }

  /// Folder of the images: `--images`, or in one of the folders that CelebA is unpacked to.
  private static func images(
    named name: String, of source: URL, isAligned: Bool, _ options: ImportOptions
  ) -> URL {
    if let folder = options.imageFolder { return folder }
    let own = source.isFolder ? source : source.deletingLastPathComponent()
    let title = isAligned ? "img_align_celeba" : "img_celeba"
    let positions = [own, own.deletingLastPathComponent()].flatMap { position in
      ["", title, "Img/\(title)", "\(title)/\(title)"].map { position.appendingPathComponent($0) }
    }
    return positions.first {
      $0.appendingPathComponent(name).isThere
    } ?? own
  }

  private static func remarks(
    _ counts: Counts, _ kinds: Set<List>, isAligned: Bool
  ) -> [ImportRemark] {
    var remarks: [ImportRemark] = [
      .assumed("coordinates are taken as they are written, from 0"),
      .assumed(
        "read: "
          + List.allCases.filter { kinds.contains($0) && $0 != (isAligned ? .box : .alignedPoints) }
          .map(\.rawValue).joined(separator: ", ")),
    ]
    remarks.assume("an attribute of -1 becomes 0", if: kinds.contains(.attributes))
    remarks.assume(counts.tight, "images without a box get the tight box of their points")
    remarks.assume(
      "no list of boxes or points: \(counts.whole) boxes are the whole images",
      if: counts.whole > 0)
    remarks.assume(
      counts.unseen,
      "images are not there (--labels-only): their boxes are the 178 × 218 pixels of "
        + "CelebA's aligned images")
    remarks.assume(counts.flat, "boxes of width or height 0 are kept")
    remarks.drop(counts.boxless, "images with neither box nor points left out")
    remarks.drop(
      "list_landmarks_align_celeba left out: it is of the aligned images (name it alone, or with "
        + "list_attr_celeba and others)",
      if: kinds.contains(.alignedPoints) && !isAligned)
    remarks.drop(
      "list_bbox_celeba left out: it is of the original images, and these are aligned",
      if: kinds.contains(.box) && isAligned)
    return remarks
  }
}
