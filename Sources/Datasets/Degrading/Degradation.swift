internal import FaceCore
internal import Imaging
internal import Platform

/// A way in which images get worse, in five severities of one physical quantity.
///
/// A degradation is one file and one line of `Degradations.all`.
package struct Degradation: Sendable {
  /// The name on the command line and, after `severity.`, of the attribute.
  package let name: String
  /// What the severities differ in, with its unit.
  package let quantity: String
  /// The quantity of severities 1 to 5.
  package let values: [Double]
  private let change: @Sendable (inout DegradedFrame, Double) throws(ImageError) -> Void

  /// Names a degradation with the quantities of its five severities.
  init(
    _ name: String, quantity: String, values: [Double],
    change: @escaping @Sendable (inout DegradedFrame, Double) throws(ImageError) -> Void
  ) {
    self.name = name
    self.quantity = quantity
    self.values = values
    self.change = change
  }

  /// The quantities of the severities, such as `0.1, 0.2, 0.4, 0.8, 1.6`.
  package var valuesText: String { values.map(\.plainText).joined(separator: ", ") }

  /// Changes a frame by a severity from 1 to 5.
  func apply(severity: Int, to frame: inout DegradedFrame) throws(ImageError) {
    try change(&frame, values[severity - 1])
  }

  /// The frame's attribute with the severity.
  package var attribute: String { SeverityAttribute.name(of: name) }
}

/// The catalogue of degradations.
package enum Degradations {
  /// Every degradation, in the order of help and reports.
  package static let all: [Degradation] = [
    .blur, .motionBlur, .noise, .dark, .backlight, .jpeg, .resolution, .occluder, .crop,
  ]

  /// The degradation of that name, or nil.
  package static func named(_ name: String) -> Degradation? { all.first { $0.name == name } }
}
