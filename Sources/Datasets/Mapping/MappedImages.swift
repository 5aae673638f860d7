internal import FaceCore
internal import Foundation
internal import HDF5
internal import Imaging
internal import Platform

/// The images of a mapped file, one per row, in any supported storage form.
final class MappedImages {
  private enum Store {
    case pixels(HDF5Dataset, PixelLayout)
    case sequences(HDF5Dataset)
    case blob(HDF5Dataset, offsets: [UInt64])
    case files(URL)
  }

  private struct PixelLayout {
    /// Whether the dataset holds references, each to the array of one image.
    let isCells: Bool
    /// H, W and C in the order of the file.
    let order: String
    let low: Double
    let high: Double
    /// The channels that are red, green and blue; nil if there are exactly one or three.
    let channels: [Int]?
  }

  /// Name of each image.
  let names: [String]
  /// Path of the array that has one row per image, for messages.
  let source: String
  /// Number of values outside the range, which are clipped.
  private(set) var clipped = 0

  private let file: MappedFile
  private let path: String
  private let store: Store
  private var references: [HDF5Reference?] = []

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
      try file.texts(node.text())
    }
    var count: Int?
    do {
      if let pixels = object["pixels"].given {
        try pixels.requireKeys(optional: ["path", "layout", "range", "channels"])
        let path = try pixels["path"].text()
        self.path = path
        let dataset = try file.dataset(path)
        let isCells = dataset.elementType == .reference
        if isCells { references = try file.references(dataset) }
        store = try Self.pixels(pixels, dataset, isCells: isCells, in: file)
        count = isCells ? references.count : dataset.shape.first
      } else if let path = try object["bytes"].given?.text() {
        self.path = path
        let dataset = try file.dataset(path)
        if dataset.elementType == .bytes {
          guard dataset.shape.count == 1 else {
            throw file.wrong(path, "one dimension", found: MappedTable.text(dataset.shape))
          }
          store = .sequences(dataset)
          count = dataset.shape[0]
        } else {
          try dataset.require(UInt8.self, shape: [nil])
          let key = try object["offsets"].text()
          let table = try file.file.dataset(key, holding: UInt64.self, shape: [nil])
          try file.requireFew(table.shape[0], of: key)
          let offsets = try table.readByValue(UInt64.self, rows: 0..<table.shape[0])
          let isRising = zip(offsets, offsets.dropFirst()).allSatisfy { $0 <= $1 }
          guard isRising, let last = offsets.last, last <= UInt64(dataset.shape[0]) else {
            throw file.wrong(
              key, "offsets that rise up to \(dataset.shape[0])", found: "others")
          }
          store = .blob(dataset, offsets: offsets)
          count = offsets.count - 1
        }
      } else {
        guard names != nil else {
          throw object.wrong("the key pixels, bytes or names", found: "none")
        }
        path = try object["names"].given?.text() ?? ""
        let named = try object["folder"].given?.text()
        store = .files(named.map { folder.appendingPathComponent($0) } ?? folder)
      }
    } catch let error as HDF5Error {
      throw FileError(reading: error)
    } catch let error as FileError {
      throw error
    } catch {
      throw FileError(.wrongData, "\(error)")
    }
    if let names, let count, names.count != count {
      throw file.wrong(
        try object["names"].given?.text() ?? "", "\(count) names as in '\(path)'",
        found: "\(names.count)")
    }
    if let count { try file.requireFew(count, of: path) }
    source = path
    self.names = names ?? (0..<(count ?? 0)).map { "\(file.title)/\($0)" }
  }

  private static func pixels(
    _ object: JSONNode, _ dataset: HDF5Dataset, isCells: Bool, in file: MappedFile
  ) throws(FileError) -> Store {
    let layout = try object["layout"].text()
    let letters =
      isCells ? [["H", "W"], ["C", "H", "W"]] : [["H", "N", "W"], ["C", "H", "N", "W"]]
    guard letters.contains(layout.map(String.init).sorted()) else {
      throw object["layout"].wrong(isCells ? "H, W and C once each" : "N, H, W and C once each")
    }
    let order = file.isMATLAB ? String(layout.reversed()) : layout
    if !isCells {
      guard dataset.shape.count == order.count else {
        throw file.wrong(
          dataset.path, "pixels of \(order.count) dimensions (\(layout))",
          found: "\(dataset.elementType) \(MappedTable.text(dataset.shape))")
      }
      guard order.hasPrefix("N") else {
        throw object["layout"].wrong(
          file.isMATLAB ? "N as the last letter" : "N as the first letter")
      }
    }
    let range = try object["range"].numbers(count: 2)
    guard range[0] < range[1] else { throw object["range"].wrong("a lower and a higher number") }
    let channels = try object["channels"].given?.items(3...3).map { (item) throws(FileError) in
      try item.integer(0...65_535)
    }
    return .pixels(
      dataset,
      PixelLayout(
        isCells: isCells, order: order.filter { $0 != "N" }, low: range[0], high: range[1],
        channels: channels))
  }

  /// The image of a row, and its size if it is known without opening a file.
  func image(
    _ row: Int
  ) throws(FileError) -> (image: ImportedFrame.Image, size: ImageSize?) {
    do {
      switch store {
      case .files(let folder): return (.file(folder.appendingPathComponent(names[row])), nil)
      case .sequences(let dataset):
        let bytes = try dataset.readByteSequences(rows: row..<row + 1).first ?? []
        return (.encoded(bytes), try ImageHeader(of: bytes.span).size)
      case .blob(let dataset, let offsets):
        let range = Int(clamping: offsets[row])..<Int(clamping: offsets[row + 1])
        guard range.count <= Self.imageLimit else {
          throw file.wrong(path, "images of at most \(Self.imageLimit) bytes", found: "more")
        }
        let bytes = try dataset.read(UInt8.self, rows: range)
        return (.encoded(bytes), try ImageHeader(of: bytes.span).size)
      case .pixels(let dataset, let layout):
        let buffer = try pixels(row, layout.isCells ? cell(row) : dataset, layout)
        return (.encoded(try buffer.pngBytes()), buffer.size)
      }
    } catch let error as HDF5Error {
      throw FileError(reading: error)
    } catch let error as FileError {
      throw error
    } catch {
      throw file.wrong(path, "an image in row \(row)", found: "\(error)")
    }
  }

  private func cell(_ row: Int) throws -> HDF5Dataset {
    guard let reference = references[row], let path = file.cells[reference] else {
      throw file.wrong(path, "a reference to a cell in row \(row)", found: "another")
    }
    let dataset = try file.file.dataset(path)
    try file.decode(dataset.decodedByteCount, of: path)
    return dataset
  }

  private func pixels(
    _ row: Int, _ dataset: HDF5Dataset, _ layout: PixelLayout
  ) throws -> PixelBuffer {
    let shape = layout.isCells ? dataset.shape : Array(dataset.shape.dropFirst())
    // A grey image among colored ones has no channels.
    let letters = shape.count == 2 ? layout.order.filter { $0 != "C" } : layout.order
    var extents: [Character: (count: Int, stride: Int)] = [:]
    var stride = 1
    for (letter, count) in zip(letters, shape).reversed() {
      extents[letter] = (count, stride)
      let (next, overflow) = stride.multipliedReportingOverflow(by: max(count, 1))
      stride = overflow ? Int.max : next
    }
    let isPlain = dataset.elementType == .u8 && layout.low == 0 && layout.high == 255
    let pixels = (extents["H"]?.count ?? 0).multipliedReportingOverflow(
      by: extents["W"]?.count ?? 0)
    guard letters.count == shape.count, let height = extents["H"], let width = extents["W"],
      stride <= Self.valueLimit, !pixels.overflow, pixels.partialValue <= Self.valueLimit,
      3 * pixels.partialValue + (isPlain ? 1 : 9) * stride <= Self.memoryLimit
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
        path, "1 or 3 channels, or 'channels' that names three of them", found: "\(planes.count)")
    }
    let plan = PixelOrder(
      height: height.count, width: width.count, rowStride: height.stride,
      columnStride: width.stride,
      channelStrides: channels.map { planes.count == 1 ? 0 : $0 * planes.stride })
    let rows = layout.isCells ? 0..<(shape.first ?? 0) : row..<row + 1
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
