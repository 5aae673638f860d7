internal import FaceCore
internal import Foundation
internal import HDF5
internal import Platform

/// Names that both the reader and the writer of `dataset.h5` use.
package enum DatasetLayout {
  static let format = "facegauge.dataset"
  static let version = 1
  /// Maximum distance of a time from 0 in microseconds; differences and nanoseconds then never overflow.
  static let timeLimit: Int64 = 1 << 52
  /// The times that a frame may have, in microseconds.
  static let times = -timeLimit...timeLimit
  /// Maximum faces, detections or candidates per frame; they are in memory together.
  package static let maxRowsOfFrame = 10_000
  /// Maximum attributes of faces, and of frames: each is a table that needs some 10 kB while it is written.
  static let maxAttributes = 4096
  /// Vertices of ARKit's face geometry.
  static let arkitVertices = 1220
  /// The table of their positions.
  static let arkitMesh = "faces/meshes/arkit1220"

  /// The group that holds the points of each scheme.
  static let schemes = "faces/landmarks"

  /// Known members of each group; others are ignored and not copied into new files.
  package static let tables: KeyValuePairs<String, Set<String>> = [
    schemes: Set(LandmarkScheme.all.map(\.name)),
    "": ["images", "frames", "sequences", "faces", "splits", "camera", "depth"],
    "images": ["offsets", "bytes", "pixels", "size", "name"],
    "frames": ["sequence", "timestamp_us", "attributes"],
    "camera": ["intrinsics", "transform"],
    "depth": ["frame", "map"],
    "sequences": ["name", "subject", "kind", "first", "count", "fps"],
    "faces": Set(
      [
        "frame", "box", "area", "ignore", "crowd", "category", "identity", "landmarks",
        "blendshapes", "pose", "attributes", "meshes",
      ] + FaceLabel.columns.map(\.name)),
    "faces/meshes": ["arkit1220"],
  ]

  /// The unit of a table's numbers, which its attribute `unit` states; nil for counts, shares and flags.
  static func unit(of path: String) -> String? {
    switch path {
    case "images/size", "frames/size", "faces/box", "detections/box", "detections/keypoints",
      "camera/intrinsics":
      "px"
    case "faces/area": "px^2"
    case "frames/timestamp_us": "us"
    case "frames/stage_ns": "ns"
    case "sequences/fps": "Hz"
    case "depth/map", "camera/transform", arkitMesh: "m"
    case "faces/pose": "cm"
    default:
      path.hasPrefix(schemes + "/") && ["/points", "/unsmoothed"].contains(where: path.hasSuffix)
        ? "px" : nil
    }
  }

  /// Whether a name can name a table: letters, digits, `_`, `-` and `.` after a letter or digit.
  package static func isTableName(_ name: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    func isAlphanumeric(_ byte: UInt8) -> Bool {
      letters.contains(byte | 0x20) || digits.contains(byte)
    }
    guard let first = name.utf8.first, isAlphanumeric(first), name.utf8.count <= 100 else {
      return false
    }
    return name.utf8.allSatisfy { isAlphanumeric($0) || "_-.".utf8.contains($0) }
  }
}

/// Names that both the reader and the writer of `predictions.h5` use.
enum PredictionsLayout {
  /// The table of the device's numbers.
  static let readings = "frames/readings"
  /// The table of frames that the output that was imported names.
  static let inSource = "frames/in_source"
  static let format = "facegauge.predictions"
  /// The version that is written and read.
  static let version = 4
  /// Value of `/frames/stage_ns` for a stage that did not run.
  static let stageDidNotRun = UInt64.max
}

extension FileError {
  /// What is thrown where a file is read: its own errors as they are, those of HDF5 and of digests with their causes.
  ///
  /// Any other is what `others` makes of it.
  init(
    reading error: any Error,
    others: (any Error) -> FileError = { FileError(.inputOutput, "\($0)") }
  ) {
    switch error {
    case let error as FileError: self = error
    case let error as HDF5Error:
      let kind: Kind =
        switch error.kind {
        case .notFound: .notFound
        case .cannotWrite: .cannotWrite
        case .io: .inputOutput
        default: .wrongData
        }
      self.init(kind, error.description, cause: error.systemError.map { SystemError($0) })
    case let error as DigestError: self.init(.inputOutput, error.description, cause: error.cause)
    default: self = others(error)
    }
  }

  /// What `read` gives; throws what ``init(reading:others:)`` makes of its error.
  static func reading<Value>(_ read: () throws -> Value) throws(FileError) -> Value {
    do {
      return try read()
    } catch {
      throw FileError(reading: error)
    }
  }

  /// The error of a file that is being written.
  init(writing url: URL, _ error: HDF5Error) {
    self.init(
      .cannotWrite, "cannot write \(url.relativePath): \(error.libraryMessage ?? "\(error)")",
      cause: error.systemError.map { SystemError($0) })
  }
}
