import FaceCore
import Foundation

/// The committed values that other tools computed, under Tests/Oracles/expected.
enum Oracle {
  static func read<Content: Decodable>(_ name: String, as type: Content.Type) throws -> Content {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Oracles/expected/\(name)")
    return try JSONDecoder().decode(type, from: Data(contentsOf: file))
  }
}

/// The folder of real labelled data, which is not part of the repository.
enum Shared {
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["FACEGAUGE_SHARED"] {
      return URL(filePath: path)
    }
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return root.deletingLastPathComponent().appending(path: "shared")
  }()

  static let isAvailable = FileManager.default.fileExists(
    atPath: folder.appending(path: "data/INDEX.md").path)
}

/// Boxes with categories as arrays of numbers, the way COCO files hold them.
struct BoxCase: Decodable, Sendable {
  var frames: [Int]
  var labels: [[Double]]
  var detections: [[Double]]

  /// Frame, category, x, y, width, height, area, crowd, ignore.
  func labels(of frame: Int) -> [FaceLabel] {
    labels.filter { Int($0[0]) == frame }.map { row in
      FaceLabel(
        box: BoundingBox(x: row[2], y: row[3], width: row[4], height: row[5]), area: row[6],
        isIgnored: row[8] != 0, isCrowd: row[7] != 0, category: Int(row[1]))
    }
  }

  /// Frame, category, x, y, width, height, score.
  func detections(of frame: Int) -> [(category: Int, detection: FaceDetection)] {
    detections.filter { Int($0[0]) == frame }.map { row in
      let box = BoundingBox(x: row[2], y: row[3], width: row[4], height: row[5])
      return (Int(row[1]), FaceDetection(box: box, score: row[6]))
    }
  }
}

/// A sequence of numbers that depends on its seed alone (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
