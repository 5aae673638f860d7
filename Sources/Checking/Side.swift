internal import FaceCore

/// One of the two that are compared.
enum Side: String {
  case labels, predictions

  /// The word before what is of it, such as points.
  var adjective: String { self == .labels ? "labelled" : "predicted" }

  /// What to do where an import with these repairs mends it.
  func remedy(_ repairs: FaceRepair...) -> String { remedy(repairs) }

  /// The same of a list.
  func remedy(_ repairs: [FaceRepair]) -> String {
    let options = repairs.map { "--repair \($0.text)" }.joined(separator: " ")
    return "Import the \(rawValue) again with \(options)."
  }
}

/// What texts of findings call the two sides.
package struct SideNames: Sendable {
  /// What is compared with.
  let labels: String
  /// The same, where it moves: always a plural.
  let theLabels: String
  /// What may be wrong.
  let predictions: String
  /// The word before what is of it, such as eyes.
  let predicted: String

  /// Labels, and what a tracker gives.
  package static let evaluation = SideNames(
    labels: Side.labels.rawValue, theLabels: "the labels",
    predictions: Side.predictions.rawValue, predicted: Side.predictions.adjective)
  /// A recording in place of the labels.
  package static let givenRecording = SideNames(
    labels: "recording", theLabels: "the recorded ones",
    predictions: Side.predictions.rawValue, predicted: Side.predictions.adjective)
  /// A recording that may be wrong, and in place of the labels what a tracker gives that is right.
  package static let checkedRecording = SideNames(
    labels: Side.predictions.rawValue, theLabels: "the predictions", predictions: "recording",
    predicted: "recorded")

  /// The name of a side.
  subscript(side: Side) -> String { side == .labels ? labels : predictions }

  /// What to do where an import of a side with a repair mends it.
  func remedy(of side: Side, _ repair: FaceRepair) -> String {
    "Import the \(self[side]) again with --repair \(repair.text)."
  }

  /// What to do where predictions are mended, and then imported.
  func remedy(_ text: String) -> String { "\(text), and import the \(predictions) again." }
}
