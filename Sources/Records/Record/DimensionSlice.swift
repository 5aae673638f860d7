/// A part of the dataset with one value of one property; its name is such as `yaw=30-60`.
package struct DimensionSlice: Sendable, Hashable {
  /// What the parts differ in, such as `yaw`.
  package let dimension: String
  /// The part, such as `30-60`.
  package let value: String

  /// Joins a dimension and a value.
  package init(dimension: String, value: String) {
    self.dimension = dimension
    self.value = value
  }

  /// Reads a name; nil for that of a slice of another kind, such as a population of frames.
  package init?(_ name: String) {
    guard let end = name.firstIndex(of: "=") else { return nil }
    dimension = String(name[..<end])
    value = String(name[name.index(after: end)...])
  }

  /// The name in records and gates.
  package var name: String { "\(dimension)=\(value)" }

  /// What slices of single coefficients differ in.
  package static let coefficient = "coefficient"

  /// Whether it is a part of the dataset, and not one coefficient of all faces.
  package var isOfDataset: Bool { dimension != Self.coefficient }
}

extension Measurement {
  /// Its slice by dimension and value; nil without a slice or for one of another kind.
  package var dimensionSlice: DimensionSlice? { slice.flatMap { DimensionSlice($0) } }
}

extension Comparison.Difference {
  /// Its slice by dimension and value; nil without a slice or for one of another kind.
  package var dimensionSlice: DimensionSlice? { slice.flatMap { DimensionSlice($0) } }
}
