import Foundation
import Imaging

/// The folder of models, data and golden files beside a checkout, which not every machine has.
enum Shared {
  static let folder: URL = {
    if let named = ProcessInfo.processInfo.environment["FACEGAUGE_SHARED"] {
      return URL(filePath: named)
    }
    return root.deletingLastPathComponent().appending(path: "shared")
  }()

  static let isAvailable = FileManager.default.fileExists(
    atPath: folder.appending(path: "golden").path)

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static func golden(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: folder.appending(path: "golden/\(name)")))
  }

  static func oracle<Value: Decodable>(_ name: String, as type: Value.Type) throws -> Value {
    let file = root.appending(path: "Tests/Oracles/expected/\(name).json")
    return try JSONDecoder().decode(type, from: Data(contentsOf: file))
  }
}

extension PixelBuffer {
  static func decoding(_ bytes: [UInt8]) throws -> PixelBuffer {
    try PixelBuffer(decoding: bytes.span)
  }
}
