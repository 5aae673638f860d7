@preconcurrency internal import CMatio
internal import FaceCore
internal import Foundation
internal import Platform
internal import Synchronization

/// An open MAT-file. Only this type calls libmatio, which is not thread-safe.
struct MatioFile: ~Copyable {
  private let handle: OpaquePointer
  private let name: String

  private static let lock = Mutex(())

  /// Reads variables from a copy of the file that contains only validated data.
  static func values(
    of variables: [String], in bytes: [UInt8], name: String
  ) throws(FileError) -> [String: MATValue] {
    try lock.withLock { (_) throws(FileError) in
      let file = try MatioFile(bytes, name: name)
      var values: [String: MATValue] = [:]
      for variable in variables { values[variable] = try file.value(of: variable) }
      return values
    }
  }

  private init(_ bytes: [UInt8], name: String) throws(FileError) {
    let copy = FileManager.default.temporaryDirectory
      .appendingPathComponent("facegauge-\(UUID().uuidString).mat")
    defer { try? copy.remove() }
    do {
      try copy.write(bytes, isNew: true)
    } catch {
      throw FileError(.inputOutput, "cannot copy \(name): \(error.systemReason)")
    }
    // libmatio writes its error messages to the standard error, and ends the process for some.
    Mat_LogInitFunc("facegauge") { _, _ in }
    guard let handle = Mat_Open(copy.systemPath, Int32(MAT_ACC_RDONLY.rawValue)) else {
      throw FileError.wrongData("cannot read \(name): libmatio does not open it")
    }
    self.handle = handle
    self.name = name
  }

  deinit { Mat_Close(handle) }

  private func value(of variable: String) throws(FileError) -> MATValue {
    guard let read = Mat_VarRead(handle, variable) else {
      throw FileError.wrongData("cannot read '\(variable)' in \(name): libmatio does not read it")
    }
    let owned = MatioVariable(pointer: read)
    return try convert(owned.pointer.pointee, variable)
  }

  private func convert(
    _ found: matvar_t, _ variable: String
  ) throws(FileError) -> MATValue {
    func wrong(_ expected: String, _ found: String) -> FileError {
      FileError.wrongData(
        "cannot read '\(variable)' in \(name): expected \(expected), found \(found)")
    }
    if found.class_type == MAT_C_EMPTY {
      return .numbers(MATArray(rows: 0, columns: 0, values: []))
    }
    guard found.rank == 2, let extents = found.dims, found.isComplex == 0 else {
      throw wrong("2 dimensions", "\(found.rank)")
    }
    // Safety: libmatio allocates `rank` extents.
    let (rows, columns) = (extents[0], extents[1])
    let (count, overflow) = rows.multipliedReportingOverflow(by: columns)
    guard !overflow, count <= Int(Int32.max) else {
      throw wrong("fewer values", "\(rows) x \(columns)")
    }
    if found.class_type == MAT_C_CELL {
      return .cells(try cells(found, count: Int(count), variable))
    }
    guard let size = Self.byteCount(of: found.data_type), Int(found.data_size) == size,
      count == 0 || (found.data != nil && found.nbytes == Int(count) * size)
    else { throw wrong("\(count) values", "\(found.nbytes) bytes") }
    guard found.class_type == MAT_C_CHAR else {
      return .numbers(
        MATArray(
          rows: Int(rows), columns: Int(columns), values: Self.numbers(found, count: Int(count))))
    }
    guard rows <= 1 || columns == 0 else { throw wrong("one row of text", "\(rows) rows") }
    let units = Self.numbers(found, count: Int(count)).map(Int.init)
    return .text(
      size == 1
        ? String(decoding: units.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        : String(decoding: units.map { UInt16(truncatingIfNeeded: $0) }, as: UTF16.self))
  }

  private func cells(
    _ found: matvar_t, count: Int, _ variable: String
  ) throws(FileError) -> [MATValue] {
    guard count > 0 else { return [] }
    guard let data = found.data, found.nbytes == count * MemoryLayout<UnsafeRawPointer>.size else {
      throw FileError.wrongData(
        "cannot read '\(variable)' in \(name): expected \(count) cells, found \(found.nbytes) bytes"
      )
    }
    // Safety: a cell array's data are `count` pointers to variables, which may be null.
    let cells = data.assumingMemoryBound(to: UnsafeMutablePointer<matvar_t>?.self)
    var values: [MATValue] = []
    values.reserveCapacity(count)
    for index in 0..<count {
      guard let cell = cells[index] else {
        values.append(.numbers(MATArray(rows: 0, columns: 0, values: [])))
        continue
      }
      values.append(try convert(cell.pointee, "\(variable){\(index + 1)}"))
    }
    return values
  }

  private static func byteCount(of type: matio_types) -> Int? {
    switch type {
    case MAT_T_INT8, MAT_T_UINT8, MAT_T_UTF8: 1
    case MAT_T_INT16, MAT_T_UINT16, MAT_T_UTF16: 2
    case MAT_T_INT32, MAT_T_UINT32, MAT_T_SINGLE: 4
    case MAT_T_INT64, MAT_T_UINT64, MAT_T_DOUBLE: 8
    default: nil
    }
  }

  /// `count` values of a variable whose type and bytes were checked.
  private static func numbers(_ found: matvar_t, count: Int) -> [Double] {
    guard let data = found.data else { return [] }
    func all<Number>(_: Number.Type, _ convert: (Number) -> Double) -> [Double] {
      // Safety: the caller made sure that `data` has `count` values of this size.
      let raw = UnsafeRawPointer(data)
      return (0..<count).map {
        convert(raw.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Number>.size, as: Number.self))
      }
    }
    return switch found.data_type {
    case MAT_T_INT8: all(Int8.self, Double.init)
    case MAT_T_UINT8, MAT_T_UTF8: all(UInt8.self, Double.init)
    case MAT_T_INT16: all(Int16.self, Double.init)
    case MAT_T_UINT16, MAT_T_UTF16: all(UInt16.self, Double.init)
    case MAT_T_INT32: all(Int32.self, Double.init)
    case MAT_T_UINT32: all(UInt32.self, Double.init)
    case MAT_T_SINGLE: all(Float.self, Double.init)
    case MAT_T_INT64: all(Int64.self, Double.init)
    case MAT_T_UINT64: all(UInt64.self, Double.init)
    default: all(Double.self) { $0 }
    }
  }
}

/// A variable that libmatio allocated.
private struct MatioVariable: ~Copyable {
  let pointer: UnsafeMutablePointer<matvar_t>

  // Safety: the pointer came from Mat_VarRead and is freed only here.
  deinit { Mat_VarFree(pointer) }
}
