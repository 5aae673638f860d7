import Foundation

/// The folder of models, data and golden files beside a checkout, which not every machine has.
enum Shared {
  static let folder: URL = {
    if let named = ProcessInfo.processInfo.environment["FACEGAUGE_SHARED"] {
      return URL(filePath: named)
    }
    return root.deletingLastPathComponent().appending(path: "shared")
  }()

  static let isAvailable = ["data/dlib-faces", "data/helen68", "models"].allSatisfy {
    FileManager.default.fileExists(atPath: folder.appending(path: $0).path)
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static var bundle: URL { folder.appending(path: "models/face_landmarker.task") }

  static func oracle<Value: Decodable>(_ name: String, as type: Value.Type) throws -> Value {
    let file = root.appending(path: "Tests/Oracles/expected/\(name).json")
    return try JSONDecoder().decode(type, from: Data(contentsOf: file))
  }
}

/// The folder that `models pull` filled.
enum PulledModels {
  static let folder = URL(
    filePath: ProcessInfo.processInfo.environment["FACEGAUGE_MODELS"] ?? "/nowhere")

  static let areAvailable = FileManager.default.fileExists(
    atPath: folder.appending(path: "face_detection_short_range.tflite").path)
}

/// A folder of a test's own, removed with its last reference.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "evaluation-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appending(path: name) }

  func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> URL {
    try FileManager.default.createDirectory(
      at: file(name).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file(name))
    return file(name)
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}
