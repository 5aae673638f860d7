@preconcurrency import CHDF5
import Synchronization

/// One dataset of an open file; usable from any thread as long as the file is open.
///
/// Values are row-major; a row is one index of the first dimension with all its values.
package final class HDF5Dataset: Sendable {
  /// The path inside the file as it was given.
  package let path: String
  package let elementType: HDF5ElementType
  /// Chunk extents in elements; empty if the dataset is not chunked.
  package let chunk: [Int]
  /// Whether rows can be appended without a limit.
  package let isExtendible: Bool
  let file: HDF5File
  /// libhdf5's id in a writable file; negative in a read-only one.
  let id: hid_t
  /// The type of a stored element.
  let type: StoredType
  /// What is read of each element.
  let part: ElementPart
  private let openedShape: [Int]
  /// The layout when a read-only file was opened; nil if it may still change.
  private let fixedLayout: StoredLayout?
  /// Held while rows are decoded that are kept.
  let decoding = Mutex(())
  private let chunkSource = Mutex<(any ChunkSource)?>(nil)

  /// Takes over the id of an open dataset that has been validated.
  init(
    path: String, file: HDF5File, id: hid_t, type: StoredType, part: ElementPart? = nil,
    shape: [Int], chunk: [Int], isExtendible: Bool, fixedLayout: StoredLayout?
  ) {
    let part = part ?? ElementPart(type)
    self.path = path
    self.file = file
    self.id = id
    self.type = type
    self.part = part
    self.chunk = chunk + (chunk.isEmpty ? [] : part.extents)
    self.isExtendible = isExtendible
    self.fixedLayout = fixedLayout
    elementType = part.type.element
    openedShape = shape + part.extents
  }

  deinit {
    forgetDecodedRows()
    // Nothing can be done about a failure here.
    if id < 0 { return }
    try? HDF5Library.locked { library throws(HDF5Error) in file.closeDataset(id, library) }
  }

  /// Extents now; empty for a scalar, `[0]` for a null dataspace. After `close()`, the extents at opening.
  package var shape: [Int] {
    let operation = operation("measure")
    guard file.isWritable else { return openedShape }
    return
      (try? file.withOpenFile(operation) { library throws(HDF5Error) in
        try currentShape(library, operation)
      }) ?? openedShape
  }

  /// Bytes of all values as they are stored, before compression; `Int.max` if the number overflows.
  package var decodedByteCount: Int {
    let shape = shape
    guard !shape.contains(0) else { return 0 }
    return ExtentCheck.product(shape, part.type.byteCount) ?? Int.max
  }

  /// Another part of the same elements, which must be those of a file opened for reading.
  func view(
    _ path: String, _ part: ElementPart, _ operation: Operation
  ) throws(HDF5Error) -> HDF5Dataset {
    guard let fixedLayout else {
      throw operation.failure(.refused, "fields are not read while the file is written")
    }
    return HDF5Dataset(
      path: path, file: file, id: -1, type: type, part: part, shape: fixedLayout.shape,
      chunk: fixedLayout.chunk, isExtendible: isExtendible, fixedLayout: fixedLayout)
  }

  /// What was read of the chunk index before; nil for a writable file, where it may change.
  func takeChunkSource() -> (any ChunkSource)? { chunkSource.withLock { $0 } }

  func keepChunkSource(_ source: (any ChunkSource)?) {
    if !file.isWritable { chunkSource.withLock { $0 = source } }
  }

  func forgetDecodedRows() {
    file.decodedRows.withLock { $0.removeAll(of: ObjectIdentifier(self)) }
  }

  func operation(_ verb: String) -> Operation { Operation(verb, path, in: file.path) }

  func currentShape(
    _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> [Int] {
    let space = try library.handle(H5Dget_space(id), operation)
    let rank = H5Sget_simple_extent_ndims(space.id)
    try library.check(rank, operation)
    var extents = [hsize_t](repeating: 0, count: max(Int(rank), 1))
    try library.check(H5Sget_simple_extent_dims(space.id, &extents, nil), operation)
    return extents.prefix(Int(rank)).map { Int(clamping: $0) }
  }

  /// The current layout on disk; call it inside `file.reading`.
  func layout(_ operation: Operation) throws(HDF5Error) -> StoredLayout {
    if let fixedLayout { return fixedLayout }
    let object = try ObjectPath(file: file, operation: operation).require(path)
    let layout = try StoredLayout(object.header, in: file.raw, operation)
    try ExtentCheck.check(layout, elementBytes: type.byteCount, in: file.raw, operation)
    return layout
  }

  /// Throws `.wrongLayout` unless type and shape are as expected; nil in `shape` is any extent.
  package func require<Element: HDF5Element>(
    _ element: Element.Type, shape expected: [Int?]
  ) throws(HDF5Error) {
    try require(Element.elementType, isReadable: canRead(Element.self), shape: expected)
  }

  /// Throws `.wrongLayout` unless the type is readable and the shape as expected; nil is any extent.
  func require(
    _ element: HDF5ElementType, isReadable: Bool, shape expected: [Int?]
  ) throws(HDF5Error) {
    let shape = shape
    let fits =
      shape.count == expected.count
      && zip(shape, expected).allSatisfy { extent, expected in expected ?? extent == extent }
    guard isReadable, fits else {
      throw operation("read").mismatch(
        expected: "\(element) \(Self.pattern(expected))",
        found: "\(elementType) \(Self.pattern(shape, likening: expected))")
    }
  }

  func canRead<Element: HDF5Element>(_: Element.Type) -> Bool {
    Element.losslessSources.contains(elementType)
  }

  /// Free extents are letters: the first M, the others N, O, P …
  private static func pattern(_ extents: [Int?]) -> String {
    var letters = ["M", "N", "O", "P", "Q"][...]
    return "["
      + extents.map { $0.map(String.init) ?? letters.popFirst() ?? "*" }.joined(separator: ", ")
      + "]"
  }

  /// Found extents, with letters for the free ones of the expectation.
  private static func pattern(_ shape: [Int], likening expected: [Int?]) -> String {
    let isFree = shape.count == expected.count
    return pattern(
      shape.enumerated().map { index, extent in
        isFree && expected[index] == nil ? nil : extent
      })
  }
}
