package import FaceCore

/// A number that is computed from the pixels of a face.
///
/// A measure is one file and one line of `FaceMeasures.all`, and its attribute one entry of `ComputedAttribute.all`.
package struct FaceMeasure: Sendable {
  /// The attribute that keeps the number.
  package let attribute: ComputedAttribute
  private let value: @Sendable (FacePatch) -> Double?

  /// Names an attribute with what computes it; nil where it is undefined.
  init(_ attribute: ComputedAttribute, value: @escaping @Sendable (FacePatch) -> Double?) {
    self.attribute = attribute
    self.value = value
  }

  /// The number of a face; nil where it is undefined.
  package func value(of face: FacePatch) -> Double? {
    value(face).flatMap { $0.isFinite ? $0 : nil }
  }
}

/// The catalogue of measures.
package enum FaceMeasures {
  /// Every measure, in the order of `ComputedAttribute.all`.
  package static let all: [FaceMeasure] = [.luminance, .contrast, .sharpness, .skinTone]

  /// The schemes whose corners of eyes and mouth say where the cheeks are, for help.
  package static let cornerSchemes = LandmarkScheme.all.filter { FaceCorners.of($0) != nil }
    .map(\.name).joined(separator: ", ")
}
