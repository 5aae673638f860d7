package import Foundation
package import Platform

/// A folder of model files, by default the user's cache.
package struct ModelStore: Sendable {
  /// The folder.
  package let folder: URL

  /// Makes a store over a folder; the folder need not exist yet.
  package init(folder: URL) {
    self.folder = folder
  }

  /// `$FACEGAUGE_MODELS`, else `facegauge/models` in `$XDG_CACHE_HOME` or `~/.cache`.
  package static func standard(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> ModelStore {
    if let path = environment["FACEGAUGE_MODELS"], !path.isEmpty {
      return ModelStore(folder: URL(fileURLWithPath: path, isDirectory: true))
    }
    let cache =
      environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.cache"
    return ModelStore(
      folder: URL(fileURLWithPath: cache, isDirectory: true)
        .appendingPathComponent("facegauge/models", isDirectory: true))
  }

  /// What is there of a model file.
  package enum State: Sendable, Hashable {
    /// The pinned bytes.
    case present
    /// Nothing.
    case absent
    /// Other bytes than the pinned ones, or bytes that cannot be read, for what reason of the system.
    case wrong(found: String, cause: SystemError? = nil)
  }

  /// Path of a model file, whether it is there or not.
  package func url(of file: ModelFile) -> URL {
    folder.appendingPathComponent(file.name)
  }

  /// Compares a file with its pin.
  package func state(of file: ModelFile) -> State {
    guard url(of: file).isThere else { return .absent }
    do {
      let found = try SHA256.hexadecimal(ofFile: url(of: file).path)
      return found == file.sha256 ? .present : .wrong(found: "SHA-256 \(found)")
    } catch {
      return .wrong(found: "\(error)", cause: error.cause)
    }
  }
}

extension ModelStore.State {
  /// The state as lists of models show it.
  package var words: String {
    switch self {
    case .present: "present"
    case .absent: "absent"
    case .wrong: "wrong bytes"
    }
  }

  /// What to do about a file that is not as it should be; nil where it is.
  package var remedy: String? {
    switch self {
    case .present: nil
    case .absent:
      "get it with 'facegauge models pull'; without a way to its source give it --from a copy, or "
        + "a --mirror"
    case .wrong(let found, _): "found \(found); 'facegauge models pull' replaces it"
    }
  }
}
