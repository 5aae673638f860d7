/// The type of a dataset's elements; `description` is `u8`, `i64`, `f32`, `string` and so on.
package enum HDF5ElementType: Sendable, Equatable, CustomStringConvertible {
  case i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64
  /// UTF-8 text of fixed or variable length.
  case string
  /// Bytes of variable length.
  case bytes
  /// References to objects of the same file.
  case reference
  /// Fields, each of a type of its own.
  case compound
  /// A type that is not read, with its name.
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
    case .f16: "f16"
    case .bf16: "bf16"
    case .f32: "f32"
    case .f64: "f64"
    case .string: "string"
    case .bytes: "variable-length u8"
    case .reference: "object references"
    case .compound: "a compound type"
    case .unsupported(let name): name
    }
  }
}

/// A datatype as stored in the file.
struct StoredType: Sendable, Equatable {
  enum Text: Sendable, Equatable {
    case fixed(isSpacePadded: Bool)
    case variable
  }

  let element: HDF5ElementType
  let byteCount: Int
  let isBigEndian: Bool
  let text: Text?

  private init(
    _ element: HDF5ElementType, _ byteCount: Int, isBigEndian: Bool = false, text: Text? = nil
  ) {
    self.element = element
    self.byteCount = byteCount
    self.isBigEndian = isBigEndian
    self.text = text
  }

  /// The stored type of written values: little-endian numbers, and text of variable length.
  init(writing element: HDF5ElementType, elementBytes: Int, in file: RawFile) {
    self =
      element == .string
      ? StoredType(.string, GlobalHeap.referenceBytes(file), text: .variable)
      : StoredType(element, elementBytes)
  }

  /// Classifies a datatype; values of variable length are references into a heap.
  init(_ type: DatatypeMessage, in file: RawFile) {
    let byteCount = type.byteCount
    switch type.content {
    case .integer(let isSigned):
      let sizes: [HDF5ElementType] = isSigned ? [.i8, .i16, .i32, .i64] : [.u8, .u16, .u32, .u64]
      self.init(
        sizes[byteCount.trailingZeroBitCount], byteCount, isBigEndian: type.isBigEndian)
    case .float:
      self.init(byteCount == 4 ? .f32 : .f64, byteCount, isBigEndian: type.isBigEndian)
    case .halfFloat: self.init(.f16, byteCount, isBigEndian: type.isBigEndian)
    case .brainFloat: self.init(.bf16, byteCount, isBigEndian: type.isBigEndian)
    case .unusualNumber:
      self.init(.unsupported("a number of \(byteCount) bytes, not standard"), byteCount)
    case .enumeration(let base, let memberCount):
      let stored = StoredType(base, in: file)
      // h5py's booleans are an enumeration of two names over i8.
      let isFlag = stored.element == .i8 && memberCount == 2
      self.init(isFlag ? .u8 : stored.element, byteCount, isBigEndian: stored.isBigEndian)
    case .bitField:
      // PyTables' booleans.
      self.init(.u8, byteCount)
    case .string(let isSpacePadded):
      self.init(.string, byteCount, text: .fixed(isSpacePadded: isSpacePadded))
    case .variableString, .sequence:
      guard byteCount == GlobalHeap.referenceBytes(file) else {
        self.init(.unsupported("references of \(byteCount) bytes"), byteCount)
        return
      }
      self.init(ofReferences: type.content, byteCount, in: file)
    case .reference(let toObject):
      self.init(toObject ? .reference : .unsupported("references"), byteCount)
    case .opaque: self.init(.unsupported("an opaque type"), byteCount)
    case .array: self.init(.unsupported("an array type"), byteCount)
    case .compound: self.init(.compound, byteCount)
    case .other(let name):
      self.init(.unsupported(name), byteCount)
    }
  }

  private init(
    ofReferences content: DatatypeMessage.Content, _ byteCount: Int, in file: RawFile
  ) {
    guard case .sequence(let base) = content else {
      self.init(.string, byteCount, text: .variable)
      return
    }
    let isBytes = StoredType(base, in: file).element == .u8
    self.init(isBytes ? .bytes : .unsupported("variable-length sequences"), byteCount)
  }

  /// One byte of opaque values.
  static let byte = StoredType(.u8, 1)

  /// Whether values are references into a heap.
  var isInHeap: Bool { text == .variable || element == .bytes }
}
