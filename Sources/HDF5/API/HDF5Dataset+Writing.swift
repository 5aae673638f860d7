@preconcurrency import CHDF5
internal import Platform

extension HDF5Dataset {
  /// Overwrites whole rows from `row` on; throws `.cannotWrite` if they do not fit or the disk is full.
  package func write<Element: HDF5Element>(
    _ values: [Element], atRow row: Int
  ) throws(HDF5Error) {
    let operation = operation("write")
    try withWriting(Element.elementType, operation) { library throws(HDF5Error) in
      try write(values, atRow: row, library, operation)
    }
  }

  /// Adds whole rows at the end; throws `.cannotWrite` without adding any.
  package func append<Element: HDF5Element>(_ values: [Element]) throws(HDF5Error) {
    let operation = operation("append to")
    try withWriting(Element.elementType, operation) { library throws(HDF5Error) in
      try extend(by: values.count, library, operation) { row throws(HDF5Error) in
        try write(values, atRow: row, library, operation)
      }
    }
  }

  /// Overwrites rows of text of variable length; throws `.cannotWrite`.
  package func writeStrings(_ strings: [String], atRow row: Int) throws(HDF5Error) {
    let operation = operation("write")
    try withWriting(.string, operation) { library throws(HDF5Error) in
      try write(strings, atRow: row, library, operation)
    }
  }

  /// Adds rows of text at the end; throws `.cannotWrite`.
  package func appendStrings(_ strings: [String]) throws(HDF5Error) {
    let operation = operation("append to")
    try withWriting(.string, operation) { library throws(HDF5Error) in
      try extend(by: strings.count, library, operation) { row throws(HDF5Error) in
        try write(strings, atRow: row, library, operation)
      }
    }
  }

  private func withWriting(
    _ element: HDF5ElementType, _ operation: Operation,
    _ body: (borrowing HDF5Library) throws(HDF5Error) -> Void
  ) throws(HDF5Error) {
    try file.requireWritable(operation)
    guard element == elementType, element != .string || type.text == .variable else {
      let fixed = type.text == nil ? "\(elementType)" : "string of fixed length"
      throw operation.mismatch(expected: fixed, found: "\(element) values")
    }
    try file.withOpenFile(operation) { library throws(HDF5Error) in
      forgetDecodedRows()
      try file.abandoningOnRefusal { () throws(HDF5Error) in try body(library) }
    }
  }

  private func extend(
    by count: Int, _ library: borrowing HDF5Library, _ operation: Operation,
    write: (_ row: Int) throws(HDF5Error) -> Void
  ) throws(HDF5Error) {
    let shape = try currentShape(library, operation)
    guard isExtendible, let rows = shape.first else {
      throw operation.failure(.cannotWrite, "its number of rows is fixed")
    }
    let added = try rowCount(count, of: shape, operation)
    guard added > 0 else { return }
    let extended = ([rows + added] + shape.dropFirst()).map { hsize_t($0) }
    try library.check(H5Dset_extent(id, extended), operation, .cannotWrite)
    do throws(HDF5Error) {
      try write(rows)
    } catch {
      H5Dset_extent(id, shape.map { hsize_t($0) })
      throw error
    }
  }

  private func rowCount(
    _ count: Int, of shape: [Int], _ operation: Operation
  ) throws(HDF5Error) -> Int {
    let perRow = shape.dropFirst().reduce(1, *)
    guard perRow > 0 ? count % perRow == 0 : count == 0 else {
      throw operation.failure(
        .cannotWrite, expected: "whole rows of \(perRow) values", found: "\(count) values")
    }
    return perRow > 0 ? count / perRow : 0
  }

  private func write<Element: HDF5Element>(
    _ values: [Element], atRow row: Int, _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) {
    guard let memoryType = Element.elementType.types(library)?.memory else { return }
    try values.withBuffer { (buffer) throws(HDF5Error) in
      try write(
        buffer.baseAddress, count: values.count, memoryType, atRow: row, library, operation)
    }
  }

  private func write(
    _ strings: [String], atRow row: Int, _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) {
    let memoryType = try library.variableTextType(operation)
    try CStrings.with(strings, operation) { pointers throws(HDF5Error) in
      try write(
        pointers.baseAddress, count: strings.count, memoryType.id, atRow: row, library, operation)
    }
  }

  private func write(
    _ values: UnsafeRawPointer?, count: Int, _ memoryType: hid_t, atRow row: Int,
    _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) {
    let shape = try currentShape(library, operation)
    let rows = shape.isEmpty ? count : try rowCount(count, of: shape, operation)
    guard row >= 0, rows <= (shape.first ?? 1) - row else {
      throw operation.failure(
        .cannotWrite, expected: "rows up to \(shape.first ?? 1)", found: "\(rows) at row \(row)")
    }
    guard rows > 0 else { return }
    let fileSpace = try library.handle(H5Dget_space(id), operation)
    if !shape.isEmpty {
      let start = [hsize_t(row)] + shape.dropFirst().map { _ in 0 }
      let extents = ([rows] + shape.dropFirst()).map { hsize_t($0) }
      try library.check(
        H5Sselect_hyperslab(fileSpace.id, H5S_SELECT_SET, start, nil, extents, nil), operation)
    }
    var valueCount = hsize_t(count)
    let memorySpace = try library.handle(H5Screate_simple(1, &valueCount, nil), operation)
    // Safety: `values` holds `count` elements of `memoryType`, as many as are selected.
    try library.check(
      H5Dwrite(id, memoryType, memorySpace.id, fileSpace.id, 0, values), operation, .cannotWrite)
  }
}

extension HDF5Library {
  /// Variable-length UTF-8, which h5py reads as `str`.
  borrowing func variableTextType(_ operation: Operation) throws(HDF5Error) -> Handle {
    let type = try handle(H5Tcopy(H5T_C_S1_g), operation)
    try check(H5Tset_size(type.id, Int(bitPattern: UInt.max)), operation)
    try check(H5Tset_cset(type.id, H5T_CSET_UTF8), operation)
    return type
  }
}

/// Swift strings as the pointers that libhdf5 takes.
enum CStrings {
  /// Throws `.cannotWrite` for a string with a NUL in it, which the format cannot hold.
  static func with(
    _ strings: [String], _ operation: Operation,
    _ body: (UnsafeBufferPointer<UnsafePointer<UInt8>>) throws(HDF5Error) -> Void
  ) throws(HDF5Error) {
    var bytes: [UInt8] = []
    var starts: [Int] = []
    for string in strings {
      guard !string.utf8.contains(0) else {
        throw operation.failure(.cannotWrite, "a string holds a NUL")
      }
      starts.append(bytes.count)
      bytes += string.utf8
      bytes.append(0)
    }
    try bytes.withBuffer { (buffer) throws(HDF5Error) in
      // Safety: the pointers are used only while `bytes` is kept alive and unmoved.
      let pointers = buffer.baseAddress.map { base in starts.map { base + $0 } } ?? []
      try pointers.withBuffer { (pointers) throws(HDF5Error) in
        try body(pointers)
      }
    }
  }
}
