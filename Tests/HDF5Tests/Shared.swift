import Foundation

/// The folder of data that is not part of the repository.
enum Shared {
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["FACEGAUGE_SHARED"] {
      return URL(filePath: path)
    }
    return URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../shared")
  }()

  static var isAvailable: Bool { FileManager.default.fileExists(atPath: folder.path) }
}
