/// A number that is computed from the image of a labelled face, kept as the face's attribute `computed.NAME`.
package struct ComputedAttribute: Sendable, Hashable {
  /// The name on the command line and, after `computed.`, of the attribute.
  package let name: String
  /// What it measures, with its unit.
  package let quantity: String
  /// Where its slices meet, ascending; the first and the last slice are open.
  package let edges: [Int]
  /// Whether slices are of the number without its sign.
  let isOfMagnitude: Bool

  private static let prefix = "computed."

  private init(_ name: String, _ quantity: String, edges: [Int], isOfMagnitude: Bool = false) {
    self.name = name
    self.quantity = quantity
    self.edges = edges
    self.isOfMagnitude = isOfMagnitude
  }

  /// The attribute of a face, such as `computed.luminance`.
  package var attribute: String { Self.prefix + name }

  /// The one of that attribute of a face; nil for attributes that came with the dataset.
  package static func of(attribute: String) -> ComputedAttribute? {
    guard attribute.hasPrefix(prefix) else { return nil }
    return all.first { $0.attribute == attribute }
  }

  /// The names of its slices, ascending, such as `0-20`, or `10..28` where numbers can be negative.
  package var sliceNames: [String] {
    (0...edges.count).map { index in
      let low = index > 0 ? String(edges[index - 1]) : isSigned ? "" : "0"
      let high = index < edges.count ? String(edges[index]) : ""
      return low + (isSigned ? ".." : "-") + high
    }
  }

  /// The position among `sliceNames` of a finite number; an edge belongs to the slice above it.
  package func slice(of value: Double) -> Int {
    let value = isOfMagnitude ? abs(value) : value
    return edges.firstIndex { value < Double($0) } ?? edges.count
  }

  private var isSigned: Bool { edges.contains { $0 < 0 } }
}

extension ComputedAttribute {
  /// Mean L* of the face.
  package static let luminance = ComputedAttribute(
    "luminance", "mean lightness L* of the face, 0 to 100", edges: [20, 40, 60, 80])
  /// Spread of L* over the face.
  package static let contrast = ComputedAttribute(
    "contrast", "standard deviation of L* over the face", edges: [12, 18, 24])
  /// Detail at a size that is the same for all faces.
  package static let sharpness = ComputedAttribute(
    "sharpness", "standard deviation of the Laplacian, the face at 128 pixels",
    edges: [8, 14, 20])
  /// Individual typology angle of the cheeks.
  package static let skinTone = ComputedAttribute(
    "skin-tone", "typology angle (ITA) of the cheeks, in degrees; higher is lighter",
    edges: [-30, 10, 28, 41, 55])
  /// Turn of the head by the landmark model.
  package static let yaw = ComputedAttribute(
    "yaw", "predicted yaw of the head, in degrees", edges: [30, 60], isOfMagnitude: true)

  /// Every computed attribute, in the order of help and reports.
  package static let all = [luminance, contrast, sharpness, skinTone, yaw]
}
