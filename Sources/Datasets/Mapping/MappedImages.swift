internal import FaceCore
internal import Foundation
internal import HDF5
internal import Imaging
internal import Platform

/// The images of a mapped file, one per row, in any supported storage form.
final class MappedImages {
  private enum Store {
    case pixels(HDF5Dataset, PixelLayout)
    case cells([String?], PixelLayout)
    case sequences(HDF5Dataset)
    case blob(HDF5Dataset, offsets: [UInt64])
    /// Files of equal length, zeros after the end of each; all of it is one file if `isOne`.
    case padded(HDF5Dataset, isOne: Bool)
    case files(URL)
  }

  private struct PixelLayout {
    /// Whether an array is one image rather than a row for each.
    let isWhole: Bool
    /// H, W and C in the order of the file.
    let order: String
    let low: Double
    let high: Double
    /// The channels that are red, green and blue; nil if there are exactly one or three.
    let channels: [Int]?
  }

  /// The given name of each image, or that of its row.
  let names: [String]
  /// Path of the array that has one row per image, for messages.
  let source: String
  /// Number of values outside the range, which are clipped.
  private(set) var clipped = 0

  private let file: MappedFile
  private let store: Store
  private let isNamed: Bool

  /// Maximum bytes of one encoded image.
  private static let imageLimit = 256 << 20
  /// Maximum values of one image, all of whose channels are read.
  private static let valueLimit = 1 << 26
  /// Maximum bytes of one image and of the values that it is made of.
  private static let memoryLimit = 192 << 20

  /// Names of image files are relative to `folder`.
  init(
    _ object: JSONNode, in file: MappedFile, folder: URL
  ) throws(FileError) {
    self.file = file
    let names = try object["names"].given.map { (node) throws(FileError) in
      try file.isImage
        ? file.texts(node.text(), count: 1, as: Self.path(object)) : file.texts(node.text())
    }
    source = try file.place(of: file.path(Self.path(object)))
    let count: Int?
    do {
      if let pixels = object["pixels"].given {
        try pixels.requireKeys(optional: ["path", "layout", "range", "channels"])
        (store, count) = try Self.pixels(pixels, in: file)
      } else if object["bytes"].isGiven {
        (store, count) = try Self.bytes(object, in: file)
      } else {
        let named = try object["folder"].given?.text()
        store = .files(
          named.map { SourceFiles.url(of: file.group?.filled($0) ?? $0, in: folder) } ?? folder)
        count = nil
      }
    } catch {
      throw FileError(reading: error)
    }
    if let found = names?.count, let count, found != count {
      throw file.wrong(
        try object["names"].given?.text() ?? "", "\(count) names as in '\(source)'",
        found: "\(found)")
    }
    if let count { try file.requireFew(count, of: source) }
    isNamed = names != nil
    self.names = names ?? (0..<(count ?? 0)).map { "\($0)" }
  }

  /// The path in the mapping of what there is one of for each image.
  static func path(_ object: JSONNode) throws(FileError) -> String {
    if let pixels = object["pixels"].given { return try pixels["path"].text() }
    if let bytes = object["bytes"].given { return try bytes.text() }
    guard let names = object["names"].given else {
      throw object.wrong("the key pixels, bytes or names", found: "none")
    }
    return try names.text()
  }

  /// The name of the image of a row in the dataset.
  func name(_ row: Int) -> String {
    guard let group = file.group else {
      return isNamed ? names[row] : "\(file.title)/\(names[row])"
    }
    if group.isImage { return group.name }
    return (isNamed ? "" : "\(file.title)/") + "\(group.name)/\(names[row])"
  }

  private static func bytes(
    _ object: JSONNode, in file: MappedFile
  ) throws -> (Store, count: Int) {
    let path = try object["bytes"].text()
    let dataset = try file.dataset(path)
    let shape = dataset.shape
    if dataset.elementType == .bytes {
      let isOne = file.isImage && shape.reduce(1, *) == 1
      guard shape.count == 1 || isOne else {
        throw file.wrong(path, "one dimension", found: MappedTable.text(shape))
      }
      return (.sequences(dataset), isOne ? 1 : shape[0])
    }
    guard let key = try object["offsets"].given?.text() else {
      guard dataset.elementType == .u8, shape.count == (file.isImage ? 1 : 2) else {
        throw file.wrong(
          dataset.path,
          file.isImage
            ? "the bytes of one file, u8 [N] or opaque"
            : "files of variable length, opaque or u8 [N, M], or one after another with 'offsets'",
          found: "\(dataset.elementType) \(MappedTable.text(shape))")
      }
      return (.padded(dataset, isOne: file.isImage), file.isImage ? 1 : shape[0])
    }
    guard !file.isImage else {
      throw object["offsets"].wrong("no 'offsets' where {image} is one file")
    }
    try dataset.require(UInt8.self, shape: [nil])
    let table = try file.file.dataset(
      file.place(of: file.path(key)), holding: UInt64.self, shape: [nil])
    try file.requireFew(table.shape[0], of: table.path)
    let offsets = try table.readByValue(UInt64.self, rows: 0..<table.shape[0])
    let isRising = zip(offsets, offsets.dropFirst()).allSatisfy { $0 <= $1 }
    guard isRising, let last = offsets.last, last <= UInt64(dataset.shape[0]) else {
      throw file.wrong(
        table.path, "offsets that rise up to \(dataset.shape[0])", found: "others")
    }
    return (.blob(dataset, offsets: offsets), offsets.count - 1)
  }

  private static func pixels(
    _ object: JSONNode, in file: MappedFile
  ) throws -> (Store, count: Int) {
    let path = try object["path"].text()
    let place = try file.place(of: file.path(path))
    let cells = try file.cells(at: place)
    let isWhole = cells != nil || file.isImage
    let layout = try object["layout"].text()
    let letters =
      isWhole ? [["H", "W"], ["C", "H", "W"]] : [["H", "N", "W"], ["C", "H", "N", "W"]]
    guard letters.contains(layout.map(String.init).sorted()) else {
      throw object["layout"].wrong(isWhole ? "H, W and C once each" : "N, H, W and C once each")
    }
    let order = file.isMATLAB ? String(layout.reversed()) : layout
    let range = try object["range"].numbers(count: 2)
    guard range[0] < range[1] else { throw object["range"].wrong("a lower and a higher number") }
    let channels = try object["channels"].given?.items(3...3).map { (item) throws(FileError) in
      try item.integer(0...65_535)
    }
    let pixels = PixelLayout(
      isWhole: isWhole, order: order.filter { $0 != "N" }, low: range[0], high: range[1],
      channels: channels)
    if let cells { return (.cells(cells, pixels), cells.count) }
    let dataset = try file.dataset(path)
    guard dataset.shape.count == order.count || isWhole && dataset.shape.count == 2 else {
      throw file.wrong(
        dataset.path, "pixels of \(order.count) dimensions (\(layout))",
        found: "\(dataset.elementType) \(MappedTable.text(dataset.shape))")
    }
    guard isWhole || order.hasPrefix("N") else {
      throw object["layout"].wrong(
        file.isMATLAB ? "N as the last letter" : "N as the first letter")
    }
    return (.pixels(dataset, pixels), isWhole ? 1 : dataset.shape[0])
  }

  /// The image of a row, and its size if it is known without opening a file.
  func image(
    _ row: Int
  ) throws(FileError) -> (image: ImportedFrame.Image, size: ImageSize?) {
    do {
      switch store {
      case .files(let folder): return (.file(SourceFiles.url(of: names[row], in: folder)), nil)
      case .sequences(let dataset):
        let bytes = try dataset.readByteSequences(rows: row..<row + 1).first ?? []
        return (.encoded(bytes), try ImageHeader(of: bytes[...]).size)
      case .blob(let dataset, let offsets):
        let range = Int(clamping: offsets[row])..<Int(clamping: offsets[row + 1])
        guard range.count <= Self.imageLimit else {
          throw file.wrong(source, "images of at most \(Self.imageLimit) bytes", found: "more")
        }
        let bytes = try dataset.read(UInt8.self, rows: range)
        return (.encoded(bytes), try ImageHeader(of: bytes[...]).size)
      case .padded(let dataset, let isOne):
        let count = isOne ? dataset.shape[0] : dataset.shape[1]
        guard count <= Self.imageLimit else {
          throw file.wrong(source, "images of at most \(Self.imageLimit) bytes", found: "\(count)")
        }
        let stored = try dataset.read(UInt8.self, rows: isOne ? 0..<count : row..<row + 1)
        // Neither JPEG nor PNG ends with a zero.
        let bytes = Array(stored.prefix((stored.lastIndex { $0 != 0 } ?? -1) + 1))
        return (.encoded(bytes), try ImageHeader(of: bytes[...]).size)
      case .pixels(let dataset, let layout):
        let buffer = try pixels(row, dataset, layout)
        return (.encoded(try buffer.pngBytes()), buffer.size)
      case .cells(let cells, let layout):
        guard let cell = cells[row] else {
          throw file.wrong(source, "a reference to a cell in row \(row)", found: "another")
        }
        let buffer = try pixels(row, file.cell(cell), layout)
        return (.encoded(try buffer.pngBytes()), buffer.size)
      }
    } catch {
      throw FileError(reading: error) {
        file.wrong(source, "an image in row \(row)", found: "\($0)")
      }
    }
  }

  private func pixels(
    _ row: Int, _ dataset: HDF5Dataset, _ layout: PixelLayout
  ) throws -> PixelBuffer {
    let shape = layout.isWhole ? dataset.shape : Array(dataset.shape.dropFirst())
    // A grey image among colored ones has no channels.
    let letters = shape.count == 2 ? layout.order.filter { $0 != "C" } : layout.order
    var extents: [Character: (count: Int, stride: Int)] = [:]
    var stride = 1
    for (letter, count) in zip(letters, shape).reversed() {
      extents[letter] = (count, stride)
      stride = stride.clampedProduct(with: max(count, 1))
    }
    let isPlain = dataset.elementType == .u8 && layout.low == 0 && layout.high == 255
    let pixels = (extents["H"]?.count ?? 0).clampedProduct(with: extents["W"]?.count ?? 0)
    guard letters.count == shape.count, let height = extents["H"], let width = extents["W"],
      stride <= Self.valueLimit, pixels <= Self.valueLimit,
      3 * pixels + (isPlain ? 1 : 9) * stride <= Self.memoryLimit
    else {
      throw file.wrong(
        dataset.path,
        "pixels of \(layout.order.count) dimensions, at most \(Self.valueLimit) values and "
          + "\(Self.memoryLimit) bytes of memory",
        found: MappedTable.text(shape))
    }
    let planes = extents["C"] ?? (1, 0)
    let channels = layout.channels ?? [0, 1, 2]
    guard
      planes.count == 1 || planes.count == 3 && channels.allSatisfy({ $0 < 3 })
        || layout.channels != nil && channels.allSatisfy({ $0 < planes.count })
    else {
      throw file.wrong(
        source, "1 or 3 channels, or 'channels' that names three of them", found: "\(planes.count)")
    }
    let plan = PixelOrder(
      height: height.count, width: width.count, rowStride: height.stride,
      columnStride: width.stride,
      channelStrides: channels.map { planes.count == 1 ? 0 : $0 * planes.stride })
    let rows = layout.isWhole ? 0..<(shape.first ?? 0) : row..<row + 1
    if isPlain {
      let bytes = try dataset.read(UInt8.self, rows: rows)
      return try plan.buffer { bytes[$0] }
    }
    let values = try dataset.readByValue(Double.self, rows: rows)
    let bytes = values.map { value -> UInt8 in
      let level = ((value - layout.low) / (layout.high - layout.low) * 255).rounded()
      if (0...255).contains(level) { return UInt8(level) }
      clipped += 1
      return level > 255 ? 255 : 0
    }
    return try plan.buffer { bytes[$0] }
  }
}
