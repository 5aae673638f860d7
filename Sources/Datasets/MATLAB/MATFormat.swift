/// The numbers of a MAT-file of level 5; each group names its part of MathWorks, "MAT-File Format".
enum MATFormat {
  /// "Level 5 MAT-File Header Format".
  enum Header {
    static let byteCount = 128
    /// The position of the version and the endian indicator.
    static let markPosition = 124
    static let littleEndian: [UInt8] = [0x00, 0x01, 0x49, 0x4D]
    static let bigEndian: [UInt8] = [0x01, 0x00, 0x4D, 0x49]
    /// Version 7.3, whose files are HDF5.
    static let version73: [UInt8] = [0x00, 0x02, 0x49, 0x4D]
  }

  /// "Data Element Format": a tag of type and size; in a small element both are in one word.
  enum Tag {
    static let byteCount = 8
    static let smallByteCount = 4
    static let maxSmallBytes = 4
    static let smallTypeMask: UInt32 = 0xFFFF
    static let smallSizeShift: UInt32 = 16
    /// Data is padded to a multiple of this.
    static let alignment = 8
  }

  /// "Data Types".
  enum DataType: UInt32 {
    case int8 = 1
    case uint8 = 2
    case int16 = 3
    case uint16 = 4
    case int32 = 5
    case uint32 = 6
    case single = 7
    case double = 9
    case int64 = 12
    case uint64 = 13
    case matrix = 14
    case compressed = 15
    case utf8 = 16
    case utf16 = 17
    case utf32 = 18

    /// Bytes of a number or of a unit of text; nil for matrices and compressed elements.
    var byteCount: Int? {
      switch self {
      case .int8, .uint8, .utf8: 1
      case .int16, .uint16, .utf16: 2
      case .int32, .uint32, .single, .utf32: 4
      case .double, .int64, .uint64: 8
      case .matrix, .compressed: nil
      }
    }
  }

  /// "Array Flags".
  enum ArrayFlags {
    static let byteCount = 8
    static let classMask: UInt32 = 0xFF
    static let isComplex: UInt32 = 0x800
  }

  /// "MATLAB Array Types (Classes)", and those of functions and objects of later versions.
  enum ArrayClass: UInt32 {
    case cell = 1
    case structure = 2
    case object = 3
    case text = 4
    case sparse = 5
    case double = 6
    case single = 7
    case int8 = 8
    case uint8 = 9
    case int16 = 10
    case uint16 = 11
    case int32 = 12
    case uint32 = 13
    case int64 = 14
    case uint64 = 15
    case function = 16
    case opaque = 17

    /// Whether arrays of the class are read.
    var isRead: Bool {
      switch self {
      case .structure, .object, .sparse, .function, .opaque: false
      default: true
      }
    }
  }
}
