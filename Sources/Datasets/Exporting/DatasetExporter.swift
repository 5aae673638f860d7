package import FaceCore

/// A format that a dataset's labels or a tracker's output can be written as.
package protocol DatasetExporter: Sendable {
  /// Its name on the command line.
  var name: String { get }
  /// One-line summary of what it stores.
  var summary: String { get }
  /// Name of the label file, next to the images.
  var labelFile: String { get }
  /// Where it puts files, and which frames it can hold.
  var layout: ExportLayout { get }
  /// Data of a face in an image of a size that the format cannot store, in a few words each.
  func losses(of face: FaceLabel, in size: ImageSize, isPrediction: Bool) -> [String]
  /// Builds the label files.
  func makeText(of source: ExportSource, _ survey: ExportSurvey) -> any ExportText
}

extension DatasetExporter {
  package var layout: ExportLayout { ExportLayout() }
}

/// Where a format puts files, and which frames it can hold.
package struct ExportLayout: Sendable {
  /// The folder of the images, with a slash; empty for the folder of the export.
  var imageFolder = ""
  /// Whether each image has a file with its name and another ending.
  var hasFilePerImage = false
  /// Whether all faces have points of one scheme: the first of `PointNames.exported` that any face has.
  var hasOneScheme = false
  /// Whether each video has a folder with its frames by number, and stills have no place.
  var isOfVideos = false
  /// Whether videos have no frame rate.
  var lacksRates = false
  /// Whether only frames with an image can be written.
  var needsImages = true
  /// Whether a tracker's output comes without the images, as results do.
  var hasBareResults = false
  /// Whether it holds only a tracker's output.
  var isOfPredictions = false
}

/// A frame of an export.
package struct ExportedFrame {
  let frame: Frame
  /// Path of its image in the export.
  let image: String
  let faces: [FaceLabel]
}

/// Text that is added to a file of an export.
package struct ExportPiece {
  /// Path in the export.
  let file: String
  let text: String

  init(_ file: String, _ text: String) { (self.file, self.text) = (file, text) }
}

/// Builds the label files of an export: per pass a beginning, the pieces of each frame, and an end.
package protocol ExportText {
  /// Number of passes over all frames.
  var passes: Int { get }
  /// What comes before the first frame of a pass.
  func opening(pass: Int) -> [ExportPiece]
  /// What the next frame of a pass adds.
  mutating func pieces(of frame: ExportedFrame, pass: Int) -> [ExportPiece]
  /// What comes after the last frame of a pass.
  func closing(pass: Int) -> [ExportPiece]
}

extension ExportText {
  package var passes: Int { 1 }
  package func opening(pass: Int) -> [ExportPiece] { [] }
  package func closing(pass: Int) -> [ExportPiece] { [] }
}

/// Every format that `export` knows.
package enum DatasetExporters {
  /// The formats.
  package static let all: [any DatasetExporter] = [
    COCOExport(), ImglabExport(), CVATExport(), CVATVideoExport(), LabelStudioExport(),
    YOLOExport(), MOTExport(), WIDERDetectionsExport(),
  ]

  /// The format of that name, or nil.
  package static func named(_ name: String) -> (any DatasetExporter)? {
    all.first { $0.name == name }
  }
}
