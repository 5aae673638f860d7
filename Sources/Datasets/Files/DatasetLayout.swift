internal import Foundation
internal import HDF5

/// Names that both the reader and the writer of `dataset.h5` use.
enum DatasetLayout {
  static let format = "facegauge.dataset"
  static let version = 1

  /// Whether a name can stand for a table: letters, digits, `_`, `-` and `.` after a letter or digit.
  static func isTableName(_ name: String) -> Bool {
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
  static let format = "facegauge.predictions"
  static let version = 2
  /// What `/frames/stage_ns` holds where a stage did not run.
  static let stageDidNotRun = UInt64.max
}

extension DatasetError {
  /// The error of a file that is being read.
  init(reading error: HDF5Error) {
    let kind: Kind =
      switch error.kind {
      case .notFound: .notFound
      case .cannotWrite: .cannotWrite
      case .io: .inputOutput
      default: .wrongData
      }
    self.init(kind, error.description)
  }

  /// The error of a file that is being written.
  init(writing url: URL, _ error: HDF5Error) {
    self.init(
      .cannotWrite, "cannot write \(url.relativePath): \(error.libraryMessage ?? "\(error)")")
  }
}
