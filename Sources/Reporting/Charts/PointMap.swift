import FaceCore
internal import Platform
import Records

/// The mean error of each point, drawn where the point lies on the mean labelled face.
package struct PointMap: Sendable, Hashable {
  /// A point of the labels' scheme.
  package struct Point: Sendable, Hashable {
    /// Its number in the scheme.
    package var number: Int
    /// Its mean position: in distances of the outer eye corners, from their middle, x to the right and y down.
    package var x: Double, y: Double
    /// Its mean error over the same distance.
    package var error: Double
  }

  /// The scheme of the labels.
  package var scheme: String
  /// What the errors are.
  package var errorName = "mean error by interocular"
  /// The points that have an error.
  package var points: [Point]

  /// Joins the errors of a scheme's points with their positions; nil where they do not go together.
  init?(errors: Series.Line, positions: Series.Line) {
    guard errors.x.count == errors.y.count, errors.x.count == positions.x.count,
      positions.x.count == positions.y.count, !errors.x.isEmpty
    else { return nil }
    scheme = errors.label
    points = errors.x.indices.compactMap { index in
      let values = [errors.x[index], errors.y[index], positions.x[index], positions.y[index]]
      guard values.allSatisfy(\.isFinite), let number = Int(exactly: errors.x[index]) else {
        return nil
      }
      return Point(number: number, x: values[2], y: values[3], error: values[1])
    }
    guard !points.isEmpty else { return nil }
  }
}

extension PointMap: DrawnChart {
  /// Classes of colour, from the smallest error to the largest.
  private static let shades = 10

  func svg(id: String, in figure: Figure) -> String {
    let (width, height, top) = (ChartCanvas.width, 300.0, 34.0)
    let (xs, ys) = (points.map(\.x), points.map(\.y))
    let (left, right) = (xs.min() ?? 0, xs.max() ?? 1)
    let (up, down) = (ys.min() ?? 0, ys.max() ?? 1)
    let largest = max(points.map(\.error).max() ?? 0, 1e-12)
    let scale = min(height / max(1e-9, down - up), (width - 60) / max(1e-9, right - left))
    let radius = { (error: Double) in (points.count > 200 ? 7 : 12) * (error / largest).squareRoot()
    }
    var xml = XMLWriter()
    for (step, share) in [0.25, 0.5, 1].enumerated() {
      let x = 16 + Double(step) * 90
      circle(at: (x, 14), largest * share, of: largest, radius(largest * share), nil, to: &xml)
      xml.element(
        "text", ["class": "key", "x": coordinate(x + 16), "y": "18"],
        text: (largest * share).shortText(significantDigits: 2))
    }
    xml.element(
      "text", ["class": "key", "x": "290", "y": "18"], text: errorName)
    var places: [Int: (x: Double, y: Double)] = [:]
    for point in points {
      places[point.number] = (
        width / 2 + (point.x - (left + right) / 2) * scale, top + 14 + (point.y - up) * scale
      )
    }
    for path in LandmarkScheme.named(scheme)?.outlines ?? [] {
      let drawn = path.compactMap { places[$0] }.map { "\(coordinate($0.x)) \(coordinate($0.y))" }
      guard drawn.count > 1 else { continue }
      xml.empty("path", ["class": "outline", "d": "M" + drawn.joined(separator: "L")])
    }
    for point in points.sorted(by: { $0.error > $1.error }) {
      guard let place = places[point.number] else { continue }
      circle(
        at: place, point.error, of: largest, radius(point.error),
        "point \(point.number): \(point.error.shortText(significantDigits: 3))", to: &xml)
    }
    let largestErrors = worst.prefix(3).map {
      "\($0.error.shortText(significantDigits: 3)) at point \($0.number)"
    }
    return xml.svg(
      id: id, title: figure.title,
      description: "Mean error of \(counted(points.count, "point")) of \(scheme), the largest "
        + largestErrors.joined(separator: ", "), width: width, height: height + top + 28)
  }

  private func circle(
    at place: (x: Double, y: Double), _ error: Double, of largest: Double, _ radius: Double,
    _ tip: String?, to xml: inout XMLWriter
  ) {
    let shade = min(Self.shades - 1, Int(error / largest * Double(Self.shades)))
    xml.element(
      "circle",
      [
        "class": "h\(shade) point", "cx": coordinate(place.x), "cy": coordinate(place.y),
        "r": coordinate(max(0.8, radius)),
      ]
    ) { xml in
      if let tip { xml.element("title", text: tip) }
    }
  }

  /// From the largest error on.
  private var worst: [Point] {
    points.sorted { ($1.error, $0.number) < ($0.error, $1.number) }
  }

  /// The points with their errors, the largest first.
  func tables(selecting axis: SelectionAxis?) -> [ChartTable] {
    [
      ChartTable(
        columns: [
          .numbers("Point of \(scheme)"),
          .numbers(errorName.prefix(1).uppercased() + errorName.dropFirst()),
        ], texts: worst.map { ["\($0.number)", $0.error.shortText(significantDigits: 3)] })
    ]
  }
}
