@preconcurrency import CHDF5
import Synchronization

/// One dataset of an open file; usable from any thread as long as the file is open.
///
/// Values are row-major; a row is one index of the first dimension with everything below it.
package final class HDF5Dataset: Sendable {
  /// The path inside the file as it was given.
  package let path: String
  package let elementType: HDF5ElementType
  /// Chunk extents in elements; empty where the dataset is not chunked.
  package let chunk: [Int]
  /// Whether rows can be appended without a limit.
  package let isExtendible: Bool
  let file: HDF5File
  let id: hid_t
  let type: StoredType
  private let openedShape: [Int]
  /// What the header said when a read-only file was opened; nil where it may still change.
  private let fixedLayout: StoredLayout?
  let decodedChunks = Mutex(DecodedChunks())

  /// Takes over the id of an open dataset that has been judged.
  init(
    path: String, file: HDF5File, id: hid_t, type: StoredType, shape: [Int], chunk: [Int],
    isExtendible: Bool, fixedLayout: StoredLayout?
  ) {
    self.path = path
    self.file = file
    self.id = id
    self.type = type
    self.chunk = chunk
    self.isExtendible = isExtendible
    self.fixedLayout = fixedLayout
    elementType = type.element
    openedShape = shape
  }

  deinit {
    // Nothing can be done about a failure here.
    try? HDF5Library.locked { library throws(HDF5Error) in file.closeDataset(id, library) }
  }

  /// Extents now; empty for a scalar, `[0]` for a null dataspace. After `close()`, what they were when opened.
  package var shape: [Int] {
    let operation = operation("measure")
    return
      (try? file.withOpenFile(operation) { library throws(HDF5Error) in
        try currentShape(library, operation)
      }) ?? openedShape
  }

  func operation(_ verb: String) -> Operation { Operation(verb, path, in: file.path) }

  func currentShape(
    _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> [Int] {
    guard file.isWritable else { return openedShape }
    let space = try library.handle(H5Dget_space(id), operation)
    return try Self.shape(of: space.id, library, operation)
  }

  static func shape(
    of space: hid_t, _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> [Int] {
    guard H5Sget_simple_extent_type(space) != H5S_NULL else { return [0] }
    let rank = H5Sget_simple_extent_ndims(space)
    try library.check(rank, operation)
    var extents = [hsize_t](repeating: 0, count: max(Int(rank), 1))
    try library.check(H5Sget_simple_extent_dims(space, &extents, nil), operation)
    var shape: [Int] = []
    for extent in extents.prefix(Int(rank)) {
      guard let extent = Int(exactly: extent) else {
        throw operation.failure(.refused, "an extent of \(extent) is beyond any file")
      }
      shape.append(extent)
    }
    return shape
  }

  /// The layout as it is on disk now.
  func layout(
    _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> StoredLayout {
    if let fixedLayout { return fixedLayout }
    try library.check(H5Fflush(file.id, H5F_SCOPE_LOCAL), operation, .cannotWrite)
    let paths = ObjectPath(file: file, operation: operation)
    let resolved = try paths.require(path, library)
    let address = UInt64(try paths.info(ofResolved: resolved, library).addr)
    let layout = try StoredLayout(
      ObjectHeader(at: address, in: file.raw, operation), in: file.raw, operation)
    try ExtentCheck.check(layout, elementBytes: type.byteCount, in: file.raw, operation)
    return layout
  }

  /// Throws `.wrongLayout` unless type and shape are as expected; nil in `shape` is any extent.
  package func require<Element: HDF5Element>(
    _ element: Element.Type, shape expected: [Int?]
  ) throws(HDF5Error) {
    try require(Element.elementType, isReadable: canRead(Element.self), shape: expected)
  }

  /// Throws `.wrongLayout` unless the dataset holds text of this shape; nil is any extent.
  package func requireStrings(shape expected: [Int?]) throws(HDF5Error) {
    try require(.string, isReadable: elementType == .string, shape: expected)
  }

  /// Throws `.wrongLayout` unless the type is judged readable and the shape as expected; nil is any extent.
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

  /// Found extents, with the letter where expectation and finding agree that it is free.
  private static func pattern(_ shape: [Int], likening expected: [Int?]) -> String {
    let isFree = shape.count == expected.count
    return pattern(
      shape.enumerated().map { index, extent in
        isFree && expected[index] == nil ? nil : extent
      })
  }
}
