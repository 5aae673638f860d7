/// The numbers of JPEG, by ITU-T T.81, and of the Exif segment inside it.
enum JPEGFormat {
  /// The first marker, and the first byte of the next.
  static let signature: [UInt8] = [markerStart, Marker.startOfImage, markerStart]
  /// The marker that ends a file.
  static let end: [UInt8] = [markerStart, Marker.endOfImage]

  /// B.1.1.2, markers: the byte before each code.
  static let markerStart: UInt8 = 0xFF
  /// The byte after a `markerStart` that is data.
  static let stuffing: UInt8 = 0x00

  /// Table B.1, marker code assignments.
  enum Marker {
    static let temporary: UInt8 = 0x01
    static let firstFrame: UInt8 = 0xC0
    static let baseline: UInt8 = 0xC0
    static let extended: UInt8 = 0xC1
    static let progressive: UInt8 = 0xC2
    static let huffmanTables: UInt8 = 0xC4
    static let extensions: UInt8 = 0xC8
    static let arithmetic: UInt8 = 0xC9
    static let arithmeticProgressive: UInt8 = 0xCA
    static let arithmeticConditioning: UInt8 = 0xCC
    static let lastFrame: UInt8 = 0xCF
    static let firstRestart: UInt8 = 0xD0
    static let lastRestart: UInt8 = 0xD7
    static let startOfImage: UInt8 = 0xD8
    static let endOfImage: UInt8 = 0xD9
    static let startOfScan: UInt8 = 0xDA
    /// APP1, which Exif uses.
    static let application1: UInt8 = 0xE1
  }

  /// JEITA CP-3451, "Exif": the orientation in a TIFF structure (TIFF 6.0, section 2).
  enum Exif {
    static let identifier = "Exif\0\0"
    static let littleEndian = "II"
    static let bigEndian = "MM"
    /// Positions in the TIFF header and in an entry of a directory.
    static let directoryOffset = 4
    static let entryType = 2
    static let entryValue = 8
    static let entryBytes = 12
    static let orientationTag = 0x0112
    static let shortType = 3
    static let orientations = 1...8
  }
}
