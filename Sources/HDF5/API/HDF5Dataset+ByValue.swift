extension HDF5File {
  /// Opens a dataset of numbers that `readByValue` can turn into `Element`s; nil in `shape` is any extent.
  ///
  /// Integers accept any integer type, floats any number type; throws as `dataset(_:)` does.
  package func dataset<Element: HDF5Element>(
    _ path: String, holding element: Element.Type, shape: [Int?]
  ) throws(HDF5Error) -> HDF5Dataset {
    let dataset = try dataset(path)
    try dataset.require(
      Element.elementType, isReadable: dataset.canReadByValue(element), shape: shape)
    return dataset
  }
}

extension HDF5Dataset {
  /// Reads rows of any integer type; throws `.wrongLayout` for a value that does not fit.
  package func readByValue<Integer: HDF5Element & FixedWidthInteger>(
    _ element: Integer.Type = Integer.self, rows: Range<Int>
  ) throws(HDF5Error) -> [Integer] {
    try convert(rows, signed: { Integer(exactly: $0) }, unsigned: { Integer(exactly: $0) })
  }

  /// Reads rows of any number type; throws `.wrongLayout` for an integer that a `Double` cannot represent.
  package func readByValue(
    _ element: Double.Type = Double.self, rows: Range<Int>
  ) throws(HDF5Error) -> [Double] {
    try convert(rows, signed: { Double(exactly: $0) }, unsigned: { Double(exactly: $0) })
  }

  fileprivate func canReadByValue<Element: HDF5Element>(_ element: Element.Type) -> Bool {
    switch elementType {
    case .i8, .u8, .i16, .u16, .i32, .u32, .i64, .u64: true
    case .f16, .bf16, .f32, .f64, .string, .bytes, .reference, .compound, .unsupported:
      canRead(element)
    }
  }

  private func convert<Element: HDF5Element>(
    _ rows: Range<Int>, signed: (Int64) -> Element?, unsigned: (UInt64) -> Element?
  ) throws(HDF5Error) -> [Element] {
    guard !canRead(Element.self), canReadByValue(Element.self) else {
      return try read(Element.self, rows: rows)
    }
    return elementType == .u64
      ? try convert(try read(UInt64.self, rows: rows), from: rows, with: unsigned)
      : try convert(try read(Int64.self, rows: rows), from: rows, with: signed)
  }

  private func convert<Source: HDF5Element & BinaryInteger, Element: HDF5Element>(
    _ values: [Source], from rows: Range<Int>, with narrow: (Source) -> Element?
  ) throws(HDF5Error) -> [Element] {
    var converted: [Element] = []
    converted.reserveCapacity(values.count)
    for value in values {
      guard let element = narrow(value) else {
        let row = rows.lowerBound + converted.count / (values.count / rows.count)
        throw operation("read").mismatch(
          expected: "\(Element.elementType) values", found: "\(value) in row \(row)")
      }
      converted.append(element)
    }
    return converted
  }
}
