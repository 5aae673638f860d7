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
