import Foundation

/// The folder of shared models and golden files: FACEGAUGE_SHARED, else ../shared beside the package.
enum Shared {
  static let folder: URL? = {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let folder =
      ProcessInfo.processInfo.environment["FACEGAUGE_SHARED"].map { URL(filePath: $0) }
      ?? package.deletingLastPathComponent().appending(path: "shared")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  static var isAvailable: Bool { folder != nil }

  static func path(_ relative: String) throws -> String {
    try (folder ?? { throw CocoaError(.fileNoSuchFile) }()).appending(path: relative).path
  }

  /// Little-endian floats of a golden file.
  static func floats(_ relative: String) throws -> [Float] {
    try [UInt8](Data(contentsOf: URL(filePath: path(relative)))).littleEndianFloats
  }
}

/// The folder of detectors that FACEGAUGE_MODELS names.
enum DetectorModels {
  static func path(_ file: String) -> String? {
    guard let folder = ProcessInfo.processInfo.environment["FACEGAUGE_MODELS"] else { return nil }
    let path = URL(filePath: folder).appending(path: file).path
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }

  static let fullRange = path("face_detection_full_range_sparse.tflite")
  static let shortRange = path("face_detection_short_range.tflite")
}

/// JSON that a script of Tests/Oracles wrote.
enum Oracle {
  static func read<T: Decodable>(_ type: T.Type, _ file: String) throws -> T {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let url = folder.appending(path: "Oracles/expected").appending(path: file)
    return try JSONDecoder().decode(type, from: Data(contentsOf: url))
  }
}

extension [UInt8] {
  var littleEndianFloats: [Float] {
    stride(from: 0, to: count - count % 4, by: 4).map { place in
      Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(self[place + $1]) << ($1 * 8) })
    }
  }
}
