import Foundation
import Testing

/// The checkout that these tests were built from.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Every file that is or would be committed, as paths from the root.
  static let files: [String] = {
    let listed = (try? gitFiles()) ?? []
    return (listed.isEmpty ? walkedFiles() : listed).sorted()
  }()

  static func files(in folder: String, ending: String = "") -> [String] {
    files.filter { $0.hasPrefix(folder + "/") && $0.hasSuffix(ending) }
  }

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  private static func gitFiles() throws -> [String] {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"]
    process.currentDirectoryURL = root
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self).split(separator: "\0").map(String.init)
      .filter { exists($0) }
  }

  /// For a checkout without git, such as an unpacked archive.
  private static func walkedFiles() -> [String] {
    var found: [String] = []
    let walker = FileManager.default.enumerator(atPath: root.path)
    while let path = walker?.nextObject() as? String {
      if [".build", ".git", ".swiftpm", "Reports/local"].contains(path) {
        walker?.skipDescendants()
      } else if walker?.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
        found.append(path)
      }
    }
    return found
  }
}

extension String {
  /// The file's name without folders and extension.
  var stem: String { ((self as NSString).lastPathComponent as NSString).deletingPathExtension }

  /// The file's extension in lower case.
  var suffix: String { (self as NSString).pathExtension.lowercased() }
}
