internal import Foundation
internal import HDF5

/// Names that both the reader and the writer of `dataset.h5` use.
enum DatasetLayout {
  static let format = "facegauge.dataset"
  static let version = 1
}

/// Names that both the reader and the writer of `predictions.h5` use.
enum PredictionsLayout {
  static let format = "facegauge.predictions"
  static let version = 1
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
