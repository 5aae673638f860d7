import Foundation

/// The folder of labelled data beside a checkout, which not every machine has.
enum Shared {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static let folder: URL = {
    if let named = ProcessInfo.processInfo.environment["FACEGAUGE_SHARED"] {
      return URL(filePath: named)
    }
    return root.deletingLastPathComponent().appending(path: "shared")
  }()

  static let isAvailable = FileManager.default.fileExists(
    atPath: folder.appending(path: "data").path)

  static func data(_ path: String) -> URL { folder.appending(path: "data/\(path)") }
}
