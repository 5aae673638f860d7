package import FaceCore

/// A label format that a dataset can be written as.
package protocol DatasetExporter: Sendable {
  /// Its name on the command line.
  var name: String { get }
  /// One-line summary of what it stores.
  var summary: String { get }
  /// Name of the label file, next to the images.
  var labelFile: String { get }
  /// Data of a face that the format cannot store, in a few words each.
  func losses(of face: FaceLabel) -> [String]
  /// Builds the label file.
  func makeText(of dataset: DatasetReader, _ survey: ExportSurvey) -> any ExportText
}

/// Builds the label file of an export: per pass a prefix, one part per frame, and a suffix.
package protocol ExportText {
  /// Number of passes over all frames.
  var passes: Int { get }
  /// Text before the first frame of a pass.
  func opening(pass: Int) -> String
  /// The text of the next frame of a pass, whose image is in the given file.
  mutating func text(of frame: Frame, file: String, faces: [FaceLabel], pass: Int) -> String
  /// Text after the last frame of a pass.
  func closing(pass: Int) -> String
}

/// Every format that `export` knows.
package enum DatasetExporters {
  /// The formats.
  package static let all: [any DatasetExporter] = [COCOExport(), ImglabExport()]

  /// The format of that name, or nil.
  package static func named(_ name: String) -> (any DatasetExporter)? {
    all.first { $0.name == name }
  }
}
