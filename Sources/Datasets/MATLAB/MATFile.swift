internal import CZlib
internal import Foundation
internal import HDF5
internal import Platform

/// A MAT-file of version 5, each of its variables validated before libmatio reads any.
struct MATFile {
  /// The file's name, for messages.
  let name: String
  /// Names of the variables that can be read, in the order of the file.
  private(set) var variables: [String] = []
  /// Names of variables of classes that are not read, such as structures.
  private(set) var otherVariables: [String] = []
  private let isBigEndian: Bool
  private let header: [UInt8]
  /// One complete validated element per variable, never compressed.
  private var elements: [String: [UInt8]] = [:]

  /// Maximum bytes of a file and of its decompressed variables.
  static let limit = 128 << 20

  /// Reads and validates a file; throws `.wrongData` for another version and for impossible lengths.
  init(_ url: URL) throws(FileError) {
    try self.init(SourceFiles.bytes(of: url, limit: Self.limit), name: url.relativePath)
  }

  /// Validates the bytes of a file.
  init(_ bytes: [UInt8], name: String) throws(FileError) {
    self.name = name
    isBigEndian = try Self.version(of: bytes, name: name)
    header = Array(bytes.prefix(MATFormat.Header.byteCount))
    let file = MATBytes(bytes: bytes, isBigEndian: isBigEndian, file: name)
    var position = MATFormat.Header.byteCount
    var room = Self.limit
    var cells = 1 << 18
    while position < bytes.count {
      let element = try file.element(at: position, in: position..<bytes.count)
      switch element.kind {
      case .compressed:
        let inflated = try Self.inflated(bytes[element.body], atMost: room, file, position)
        room -= inflated.count
        try add(MATBytes(bytes: inflated, isBigEndian: isBigEndian, file: name), &cells)
      case .matrix:
        let whole = Array(bytes[position..<element.end])
        room -= whole.count
        try add(MATBytes(bytes: whole, isBigEndian: isBigEndian, file: name), &cells)
      default:
        throw file.wrong(position, "a variable", found: "an element of type \(element.kind)")
      }
      position = element.end
    }
  }

  /// Whether the file is big-endian; throws unless the header is that of version 5.
  private static func version(of bytes: [UInt8], name: String) throws(FileError) -> Bool {
    func wrong(_ found: String) -> FileError {
      FileError.wrongData("cannot read \(name): expected MAT version 5, found \(found)")
    }
    guard !bytes.isEmpty else { throw wrong("an empty file") }
    let isHDF5 =
      HDF5Format.begins(bytes)
      || HDF5Format.begins(bytes.dropFirst(HDF5Format.smallestUserBlock))
    let mark = bytes.dropFirst(MATFormat.Header.markPosition).prefix(4)
    guard !isHDF5, !mark.elementsEqual(MATFormat.Header.version73) else {
      throw wrong("version 7.3, which is HDF5: read it as hdf5, with a mapping")
    }
    guard bytes.count >= MATFormat.Header.byteCount else { throw wrong("\(bytes.count) bytes") }
    if mark.elementsEqual(MATFormat.Header.littleEndian) { return false }
    if mark.elementsEqual(MATFormat.Header.bigEndian) { return true }
    throw wrong(bytes.prefix(4).contains(0) ? "version 4 or another file" : "another file")
  }

  private mutating func add(_ bytes: MATBytes, _ cells: inout Int) throws(FileError) {
    let whole = 0..<bytes.bytes.count
    let element = try bytes.element(at: 0, in: whole)
    guard element.kind == .matrix, element.end == whole.upperBound else {
      throw bytes.wrong(0, "one array in a variable", found: "another element")
    }
    var validate = MATValidator(bytes, cellsLeft: cells)
    let (variable, isRead) = try validate.validate(element.body)
    cells = validate.cellsLeft
    guard isRead else { return otherVariables.append(variable) }
    // MATLAB keeps what its objects and function handles refer to in one array without a name.
    guard !variable.isEmpty else { return }
    guard elements.updateValue(bytes.bytes, forKey: variable) == nil else {
      throw FileError.wrongData(
        "cannot read \(name): expected each variable once, found '\(variable)' twice")
    }
    variables.append(variable)
  }

  /// Decompresses a variable, whose first tag gives its length.
  private static func inflated(
    _ packed: ArraySlice<UInt8>, atMost limit: Int, _ file: MATBytes, _ position: Int
  ) throws(FileError) -> [UInt8] {
    let tagBytes = MATFormat.Tag.byteCount
    guard let start = Inflating.bytes(packed, atMost: tagBytes), start.count == tagBytes else {
      throw file.wrong(position, "a compressed variable", found: "a broken stream")
    }
    let tag = MATBytes(bytes: start, isBigEndian: file.isBigEndian, file: file.file)
    let count = Int(tag.word(at: 4)) + tagBytes
    // Deflate expands a byte to at most 1032.
    guard count <= limit, count <= packed.count * 1032 else {
      throw file.wrong(
        position, "at most \(min(limit, packed.count * 1032)) bytes in a compressed variable",
        found: "\(count)")
    }
    guard let bytes = Inflating.bytes(packed, atMost: count + 1), bytes.count == count else {
      throw file.wrong(position, "a compressed variable of \(count) bytes", found: "another length")
    }
    return bytes
  }

  /// Whether there is a variable that can be read.
  func has(_ variable: String) -> Bool { elements[variable] != nil }

  /// The variables of those names, all required, read by libmatio.
  func read(_ names: [String]) throws(FileError) -> [String: MATValue] {
    var copy = header
    for variable in names {
      guard let element = elements[variable] else {
        let found = otherVariables.contains(variable) ? "one of another class" : "none"
        throw FileError.wrongData(
          "cannot read '\(variable)' in \(name): expected a variable of numbers, text or cells, "
            + "found \(found)")
      }
      copy += element
    }
    return try MatioFile.values(of: names, in: copy, name: name)
  }

  /// A matrix of numbers with those extents, nil being any; throws if it is anything else.
  func matrix(
    _ variable: String, rows: Int? = nil, columns: Int? = nil
  ) throws(FileError) -> MATArray {
    guard case .numbers(let array)? = try read([variable])[variable] else {
      throw wrong(variable, expected: "numbers", found: "text or cells")
    }
    try require(array, variable, rows: rows, columns: columns)
    return array
  }

  /// Throws unless an array has those extents, nil being any.
  func require(
    _ array: MATArray, _ variable: String, rows: Int?, columns: Int?
  ) throws(FileError) {
    guard rows ?? array.rows == array.rows, columns ?? array.columns == array.columns else {
      throw wrong(
        variable,
        expected: "\(rows.map(String.init) ?? "N") x \(columns.map(String.init) ?? "N") numbers",
        found: "\(array.rows) x \(array.columns)")
    }
  }

  /// An error about the contents of a variable.
  func wrong(_ variable: String, expected: String, found: String) -> FileError {
    FileError.wrongData(
      "cannot read '\(variable)' in \(name): expected \(expected), found \(found)")
  }
}

/// Decompresses zlib.
private enum Inflating {
  /// The first `limit` decompressed bytes of a stream; nil if it breaks before.
  static func bytes(_ packed: ArraySlice<UInt8>, atMost limit: Int) -> [UInt8]? {
    var stream = z_stream()
    guard
      inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { inflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: limit)
    var input = Array(packed)
    // Safety: the stream's pointers are to `input` and `output`, which outlive the one call to inflate.
    let status = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        return inflate(&stream, Z_SYNC_FLUSH)
      }
    }
    guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { return nil }
    output.removeLast(Int(stream.avail_out))
    return output
  }
}
