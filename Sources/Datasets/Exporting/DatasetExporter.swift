package import FaceCore

/// A label format that a dataset can be written as.
package protocol DatasetExporter: Sendable {
  /// The word that names it on the command line.
  var name: String { get }
  /// One sentence for people: what it holds.
  var summary: String { get }
  /// Name of the label file, beside the pictures.
  var labelFile: String { get }
  /// What of a face the format cannot hold, a few words each.
  func losses(of face: FaceLabel) -> [String]
  /// The label file in the making.
  func makeText(of dataset: DatasetReader, _ survey: ExportSurvey) -> any ExportText
}

/// The label file of an export in the making: for each pass an opening, a piece for each frame, and a closing.
package protocol ExportText {
  /// How often it wants to see all frames.
  var passes: Int { get }
  /// What stands before the first frame of a pass.
  func opening(pass: Int) -> String
  /// The text of the next frame of a pass, whose picture is in that file.
  mutating func text(of frame: Frame, file: String, faces: [FaceLabel], pass: Int) -> String
  /// What stands behind the last frame of a pass.
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
