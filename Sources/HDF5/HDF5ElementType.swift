@preconcurrency import CHDF5

/// The type of a dataset's elements; `description` is `u8`, `i64`, `f32`, `string` and so on.
package enum HDF5ElementType: Sendable, Equatable, CustomStringConvertible {
  case i8, u8, i16, u16, i32, u32, i64, u64, f32, f64
  /// UTF-8 text of fixed or variable length.
  case string
  /// Bytes of variable length.
  case bytes
  /// References to objects of the same file.
  case reference
  /// A type that is not read, with libhdf5's class of it.
  case unsupported(String)

  package var description: String {
    switch self {
    case .i8: "i8"
    case .u8: "u8"
    case .i16: "i16"
    case .u16: "u16"
    case .i32: "i32"
    case .u32: "u32"
    case .i64: "i64"
    case .u64: "u64"
    case .f32: "f32"
    case .f64: "f64"
    case .string: "string"
    case .bytes: "variable-length u8"
    case .reference: "object references"
    case .unsupported(let name): name
    }
  }
}

/// A datatype as it lies in the file.
struct StoredType: Sendable, Equatable {
  enum Text: Sendable, Equatable {
    case fixed(padding: H5T_str_t)
    case variable
  }

  let element: HDF5ElementType
  private(set) var byteCount: Int
  let isBigEndian: Bool
  let text: Text?

  /// Classifies the datatype behind an id.
  init(
    _ id: hid_t, _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) {
    byteCount = H5Tget_size(id)
    guard byteCount > 0 else {
      throw operation.failure(.corrupt, libraryMessage: library.takeMessage())
    }
    switch H5Tget_class(id) {
    case H5T_INTEGER, H5T_FLOAT:
      let standard = Self.standardTypes.first { H5Tequal(id, $0.id) > 0 }
      element = standard?.element ?? .unsupported("a number of \(byteCount) bytes, not standard")
      isBigEndian = standard?.isBigEndian ?? false
      text = nil
    case H5T_ENUM:
      let base = try library.handle(H5Tget_super(id), operation)
      let stored = try StoredType(base.id, library, operation)
      // h5py's booleans are an enumeration of two names over i8.
      let number: HDF5ElementType =
        stored.element == .i8 && H5Tget_nmembers(id) == 2 ? .u8 : stored.element
      element = stored.byteCount == byteCount ? number : .unsupported("a damaged enumeration")
      isBigEndian = stored.isBigEndian
      text = nil
    case H5T_BITFIELD where byteCount == 1:
      // PyTables' booleans.
      element = .u8
      isBigEndian = false
      text = nil
    case H5T_STRING:
      isBigEndian = false
      let isVariable = H5Tis_variable_str(id)
      try library.check(isVariable, operation)
      element = .string
      text = isVariable > 0 ? .variable : .fixed(padding: H5Tget_strpad(id))
    case H5T_VLEN:
      let base = try library.handle(H5Tget_super(id), operation)
      let isBytes = try StoredType(base.id, library, operation).element == .u8
      element = isBytes ? .bytes : .unsupported(Self.name(of: H5T_VLEN))
      isBigEndian = false
      text = nil
    case H5T_REFERENCE where H5Tequal(id, H5T_STD_REF_OBJ_g) > 0:
      element = .reference
      isBigEndian = false
      text = nil
    case let other:
      element = .unsupported(Self.name(of: other))
      isBigEndian = false
      text = nil
    }
  }

  /// Whether values are references into a heap.
  var isInHeap: Bool { text == .variable || element == .bytes }

  /// The type as a file lays it out, where values of variable length are references into a heap.
  func asStored(in file: RawFile) -> StoredType {
    guard isInHeap else { return self }
    var stored = self
    stored.byteCount = GlobalHeap.referenceBytes(file)
    return stored
  }

  private static var standardTypes: [(id: hid_t, element: HDF5ElementType, isBigEndian: Bool)] {
    [
      (H5T_IEEE_F32LE_g, .f32, false), (H5T_STD_U8LE_g, .u8, false),
      (H5T_STD_I32LE_g, .i32, false), (H5T_STD_I64LE_g, .i64, false),
      (H5T_IEEE_F64LE_g, .f64, false), (H5T_STD_U64LE_g, .u64, false),
      (H5T_STD_I8LE_g, .i8, false), (H5T_STD_I16LE_g, .i16, false),
      (H5T_STD_U16LE_g, .u16, false), (H5T_STD_U32LE_g, .u32, false),
      (H5T_IEEE_F32BE_g, .f32, true), (H5T_IEEE_F64BE_g, .f64, true),
      (H5T_STD_U8BE_g, .u8, false), (H5T_STD_I8BE_g, .i8, false),
      (H5T_STD_I16BE_g, .i16, true), (H5T_STD_U16BE_g, .u16, true),
      (H5T_STD_I32BE_g, .i32, true), (H5T_STD_U32BE_g, .u32, true),
      (H5T_STD_I64BE_g, .i64, true), (H5T_STD_U64BE_g, .u64, true),
    ]
  }

  private static func name(of typeClass: H5T_class_t) -> String {
    switch typeClass {
    case H5T_TIME: "a time type"
    case H5T_BITFIELD: "a bit field"
    case H5T_OPAQUE: "an opaque type"
    case H5T_COMPOUND: "a compound type"
    case H5T_REFERENCE: "references"
    case H5T_VLEN: "variable-length sequences"
    case H5T_ARRAY: "an array type"
    default: "an unknown type"
    }
  }
}
