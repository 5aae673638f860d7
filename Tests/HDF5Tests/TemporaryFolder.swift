import Foundation

/// A folder of a test's own, removed with its last reference.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "hdf5-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String = "a.h5") -> String { path + "/" + name }

  func write(_ bytes: [UInt8], to name: String = "a.h5") throws -> String {
    try Data(bytes).write(to: URL(filePath: file(name)))
    return file(name)
  }

  func bytes(_ name: String = "a.h5") throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: file(name))))
  }
}

/// A small generator with a seed, so that a failing case can be had again.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
