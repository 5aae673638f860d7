package import Foundation

/// The folder of models, data and golden files next to a checkout, which not every machine has.
package enum Shared {
  /// What `FACEGAUGE_SHARED` names, else `../shared`.
  package static let folder =
    ProcessInfo.processInfo.environment["FACEGAUGE_SHARED"].map { URL(filePath: $0) }
    ?? Checkout.root.deletingLastPathComponent().appending(path: "shared")

  /// Whether everything is there.
  package static let isAvailable = ["data", "golden", "models"].allSatisfy {
    FileManager.default.fileExists(atPath: folder.appending(path: $0).path)
  }

  /// MediaPipe's Face Landmarker.
  package static var bundle: URL { folder.appending(path: "models/face_landmarker.task") }

  /// A file or folder of data.
  package static func data(_ path: String) -> URL { folder.appending(path: "data/\(path)") }

  /// ICT-FaceKit's meshes with 12 identities, unpacked once; nil where the archive is not there.
  package static let faceKit: TemporaryFolder? = {
    let archive = folder.appending(path: "reference/ict-facekit/ict-facekit.tar.xz")
    guard FileManager.default.fileExists(atPath: archive.path),
      let unpacked = try? TemporaryFolder()
    else { return nil }
    let tar = Process()
    tar.executableURL = URL(filePath: "/usr/bin/env")
    tar.arguments = ["tar", "-xJf", archive.path, "-C", unpacked.url.path]
    guard (try? tar.run()) != nil else { return nil }
    tar.waitUntilExit()
    return tar.terminationStatus == 0 ? unpacked : nil
  }()

  /// The bytes of a golden file.
  package static func golden(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: folder.appending(path: "golden/\(name)")))
  }

  /// The little-endian floats of a golden file.
  package static func goldenFloats(_ name: String) throws -> [Float] {
    try golden(name).littleEndianFloats
  }
}

extension [UInt8] {
  /// Four bytes a float; a rest is left out.
  package var littleEndianFloats: [Float] {
    stride(from: 0, to: count - count % 4, by: 4).map { at in
      Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(self[at + $1]) << (8 * $1) })
    }
  }
}
