@preconcurrency import CHDF5

/// A Swift number type of datasets; reading converts only without loss.
package protocol HDF5Element: Sendable, BitwiseCopyable, Equatable {
  /// The element's name in error messages and its type in files that are written.
  static var elementType: HDF5ElementType { get }
  /// The stored types that it represents without loss.
  static var losslessSources: [HDF5ElementType] { get }
  static var zero: Self { get }
  init(_ source: some BinaryInteger)
  init(_ source: Float)
  /// The same bytes in the other order.
  var withBytesReversed: Self { get }
}

extension HDF5Element where Self: FixedWidthInteger {
  package var withBytesReversed: Self { byteSwapped }
}

extension UInt8: HDF5Element {
  package static var elementType: HDF5ElementType { .u8 }
  package static var losslessSources: [HDF5ElementType] { [.u8] }
}

extension Int8: HDF5Element {
  package static var elementType: HDF5ElementType { .i8 }
  package static var losslessSources: [HDF5ElementType] { [.i8] }
}

extension UInt16: HDF5Element {
  package static var elementType: HDF5ElementType { .u16 }
  package static var losslessSources: [HDF5ElementType] { [.u16, .u8] }
}

extension Int16: HDF5Element {
  package static var elementType: HDF5ElementType { .i16 }
  package static var losslessSources: [HDF5ElementType] { [.i16, .i8, .u8] }
}

extension UInt32: HDF5Element {
  package static var elementType: HDF5ElementType { .u32 }
  package static var losslessSources: [HDF5ElementType] { [.u32, .u16, .u8] }
}

extension Int32: HDF5Element {
  package static var elementType: HDF5ElementType { .i32 }
  package static var losslessSources: [HDF5ElementType] { [.i32, .i16, .i8, .u16, .u8] }
}

extension UInt64: HDF5Element {
  package static var elementType: HDF5ElementType { .u64 }
  package static var losslessSources: [HDF5ElementType] { [.u64, .u32, .u16, .u8] }
}

extension Int64: HDF5Element {
  package static var elementType: HDF5ElementType { .i64 }
  package static var losslessSources: [HDF5ElementType] {
    [.i64, .i32, .i16, .i8, .u32, .u16, .u8]
  }
}

extension Float: HDF5Element {
  package static var elementType: HDF5ElementType { .f32 }
  package static var losslessSources: [HDF5ElementType] {
    [.f32, .f16, .bf16, .i16, .i8, .u16, .u8]
  }
  package var withBytesReversed: Float { Float(bitPattern: bitPattern.byteSwapped) }
}

extension Double: HDF5Element {
  package static var elementType: HDF5ElementType { .f64 }
  package static var losslessSources: [HDF5ElementType] {
    [.f64, .f32, .f16, .bf16, .i32, .i16, .i8, .u32, .u16, .u8]
  }
  package var withBytesReversed: Double { Double(bitPattern: bitPattern.byteSwapped) }
}

extension HDF5ElementType {
  /// libhdf5's ids of the type in memory and in a file; nil for text and unsupported types.
  ///
  /// Memory has this machine's byte order. Files are little-endian everywhere: the same values give the same bytes.
  func types(_ library: borrowing HDF5Library) -> (memory: hid_t, file: hid_t)? {
    switch self {
    case .i8: (H5T_NATIVE_INT8_g, H5T_STD_I8LE_g)
    case .u8: (H5T_NATIVE_UINT8_g, H5T_STD_U8LE_g)
    case .i16: (H5T_NATIVE_INT16_g, H5T_STD_I16LE_g)
    case .u16: (H5T_NATIVE_UINT16_g, H5T_STD_U16LE_g)
    case .i32: (H5T_NATIVE_INT32_g, H5T_STD_I32LE_g)
    case .u32: (H5T_NATIVE_UINT32_g, H5T_STD_U32LE_g)
    case .i64: (H5T_NATIVE_INT64_g, H5T_STD_I64LE_g)
    case .u64: (H5T_NATIVE_UINT64_g, H5T_STD_U64LE_g)
    case .f32: (H5T_NATIVE_FLOAT_g, H5T_IEEE_F32LE_g)
    case .f64: (H5T_NATIVE_DOUBLE_g, H5T_IEEE_F64LE_g)
    case .f16, .bf16, .string, .bytes, .reference, .compound, .unsupported: nil
    }
  }
}

/// Converts stored elements at the start of a buffer into `Target` values that fill it.
enum ElementConversion {
  /// `stored` must be one of `Target.losslessSources`, `values` hold its bytes at the start.
  static func widen<Target: HDF5Element>(
    _ values: UnsafeMutableBufferPointer<Target>, from stored: StoredType
  ) {
    if stored.element == Target.elementType {
      guard stored.isBigEndian == isLittleEndianMachine else { return }
      for index in values.indices { values[index] = values[index].withBytesReversed }
      return
    }
    switch stored.element {
    case .u8: widen(values, from: UInt8.self, stored) { Target($0) }
    case .i8: widen(values, from: Int8.self, stored) { Target($0) }
    case .u16: widen(values, from: UInt16.self, stored) { Target($0) }
    case .i16: widen(values, from: Int16.self, stored) { Target($0) }
    case .u32: widen(values, from: UInt32.self, stored) { Target($0) }
    case .i32: widen(values, from: Int32.self, stored) { Target($0) }
    case .f16: widen(values, from: UInt16.self, stored) { Target(Float(Float16(bitPattern: $0))) }
    case .bf16:
      widen(values, from: UInt16.self, stored) { Target(Float(bitPattern: UInt32($0) << 16)) }
    case .f32: widen(values, from: Float.self, stored) { Target($0) }
    case .u64, .i64, .f64, .string, .bytes, .reference, .compound, .unsupported: return
    }
  }

  private static var isLittleEndianMachine: Bool { Int(littleEndian: 1) == 1 }

  private static func widen<Source: HDF5Element, Target: HDF5Element>(
    _ values: UnsafeMutableBufferPointer<Target>, from _: Source.Type, _ stored: StoredType,
    _ convert: (Source) -> Target
  ) {
    // Safety: sources are no wider than targets, and going backwards overwrites only converted ones.
    let bytes = UnsafeRawBufferPointer(values)
    for index in values.indices.reversed() {
      let source = bytes.loadUnaligned(
        fromByteOffset: index * MemoryLayout<Source>.stride, as: Source.self)
      let isSwapped = stored.isBigEndian == isLittleEndianMachine
      values[index] = convert(isSwapped ? source.withBytesReversed : source)
    }
  }
}
