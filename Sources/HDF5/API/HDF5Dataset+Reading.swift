internal import Platform

extension HDF5Dataset {
  /// Reads rows in row-major order; throws `.wrongLayout` if the type could lose values or rows are out of range.
  package func read<Element: HDF5Element>(
    _ element: Element.Type = Element.self, rows: Range<Int>
  ) throws(HDF5Error) -> [Element] {
    var values: [Element] = []
    try read(rows: rows, into: &values)
    return values
  }

  /// Reads rows into the front of an array to reuse its storage; an array that is too short is replaced.
  package func read<Element: HDF5Element>(
    rows: Range<Int>, into values: inout [Element]
  ) throws(HDF5Error) {
    let operation = operation("read")
    try withReader(operation) { (reader, shape) throws(HDF5Error) in
      guard !shape.isEmpty else {
        throw operation.mismatch(expected: "rows \(rows)", found: "a single value")
      }
      try read(rows, of: shape, into: &values, &reader, operation)
    }
  }

  /// Reads everything, a scalar as one value; throws as `read(_:rows:)` does.
  package func readAll<Element: HDF5Element>(
    _ element: Element.Type = Element.self
  ) throws(HDF5Error) -> [Element] {
    let operation = operation("read")
    var values: [Element] = []
    try withReader(operation) { (reader, shape) throws(HDF5Error) in
      try read(0..<(shape.first ?? 1), of: shape, into: &values, &reader, operation)
    }
    return values
  }

  /// Runs `body` with a reader of rows, and the shape.
  private func withReader<Result>(
    _ operation: Operation, _ body: (inout PartReader, [Int]) throws(HDF5Error) -> Result
  ) throws(HDF5Error) -> Result {
    try file.reading(operation) { () throws(HDF5Error) in
      let layout = try layout(operation)
      let rows = try RowReader(self, layout, operation)
      var reader = PartReader(
        dataset: self, shape: layout.shape, rows: rows, operation: operation)
      return try body(&reader, layout.shape + part.extents)
    }
  }

  private func read<Element: HDF5Element>(
    _ rows: Range<Int>, of shape: [Int], into values: inout [Element],
    _ reader: inout PartReader, _ operation: Operation
  ) throws(HDF5Error) {
    guard canRead(Element.self) else {
      throw operation.mismatch(
        expected: "\(Element.elementType)", found: "\(elementType)")
    }
    let count = try valueCount(rows, of: shape, operation)
    try ExtentCheck.checkRead(
      count, elementBytes: MemoryLayout<Element>.stride, in: file.raw, operation)
    func fill(_ buffer: UnsafeMutableBufferPointer<Element>) throws(HDF5Error) {
      // Safety: stored elements are no wider than `Element` and fit into the front.
      let front = UnsafeMutableRawBufferPointer(buffer)
      try reader.read(
        rows,
        into: UnsafeMutableRawBufferPointer(rebasing: front[..<(count * part.type.byteCount)]))
      ElementConversion.widen(buffer, from: part.type)
    }
    if values.count >= count {
      try values.withMutableBuffer { (buffer) throws(HDF5Error) in
        try fill(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
      }
    } else {
      values = try Array(unsafeCapacity: count) {
        (buffer, initialized) throws(HDF5Error) in
        try fill(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
        initialized = count
      }
    }
  }

  /// Number of values in rows; throws `.wrongLayout` for rows out of range.
  func valueCount(
    _ rows: Range<Int>, of shape: [Int], _ operation: Operation
  ) throws(HDF5Error) -> Int {
    guard rows.lowerBound >= 0, rows.upperBound <= shape.first ?? 1 else {
      throw operation.mismatch(
        expected: "rows \(rows.lowerBound)..<\(rows.upperBound)", found: "\(shape.first ?? 1) rows")
    }
    let extents = [rows.count] + shape.dropFirst()
    guard !extents.contains(0) else { return 0 }
    guard let count = ExtentCheck.product(extents, 1) else {
      throw operation.failure(.refused, "the extents \(shape) overflow")
    }
    return count
  }

  /// Reads rows of text, UTF-8 of fixed or variable length; throws `.wrongLayout` for other types.
  package func readStrings(rows: Range<Int>) throws(HDF5Error) -> [String] {
    try readStrings { _ in rows }
  }

  /// Reads all text, a scalar as one string.
  package func readAllStrings() throws(HDF5Error) -> [String] {
    try readStrings { shape in 0..<(shape.first ?? 1) }
  }

  private func readStrings(rows: ([Int]) -> Range<Int>) throws(HDF5Error) -> [String] {
    let operation = operation("read")
    guard let text = part.type.text else {
      throw operation.mismatch(expected: "string", found: "\(elementType)")
    }
    let bytes = try storedBytes(rows: rows, operation)
    return try StoredText.decode(bytes, part.type, text, file.raw, operation)
  }

  /// The stored bytes of rows.
  func storedBytes(
    rows: ([Int]) -> Range<Int>, _ operation: Operation
  ) throws(HDF5Error) -> [UInt8] {
    try withReader(operation) { (reader, shape) throws(HDF5Error) in
      let rows = rows(shape)
      let count = try valueCount(rows, of: shape, operation)
      // A decoded value takes at least as much memory as its reference.
      try ExtentCheck.checkRead(
        count, elementBytes: max(part.type.byteCount, 16), in: file.raw, operation)
      var bytes = [UInt8](repeating: 0, count: count * part.type.byteCount)
      try bytes.withMutableBuffer { (buffer) throws(HDF5Error) in
        try reader.read(rows, into: UnsafeMutableRawBufferPointer(buffer))
      }
      return bytes
    }
  }
}

extension StoredText {
  /// The strings in consecutive fields or references.
  static func decode(
    _ bytes: [UInt8], _ type: StoredType, _ text: StoredType.Text, _ file: RawFile,
    _ operation: Operation
  ) throws(HDF5Error) -> [String] {
    let starts = stride(from: 0, to: bytes.count, by: type.byteCount)
    var strings: [String] = []
    strings.reserveCapacity(bytes.count / type.byteCount)
    switch text {
    case .fixed(let isSpacePadded):
      for start in starts {
        let field = bytes[start..<start + type.byteCount]
        strings.append(try decode(field: field, isSpacePadded: isSpacePadded, operation))
      }
    case .variable:
      guard type.byteCount == GlobalHeap.referenceBytes(file) else {
        throw operation.failure(.corrupt, "its references have \(type.byteCount) bytes")
      }
      var heap = try GlobalHeap(file, operation)
      for start in starts {
        strings.append(try heap.string(bytes[start..<start + type.byteCount]))
      }
    }
    return strings
  }
}
