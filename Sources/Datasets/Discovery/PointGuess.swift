internal import FaceCore
internal import Foundation
internal import Platform

/// Which points the numbers of a face are.
struct PointGuess {
  let scheme: LandmarkScheme
  /// NKD, NDK, xyxy or xxyy.
  let layout: String
  let isRelative: Bool
  /// Decisions that the values do not prove, in words.
  let doubts: [String]
  /// The points of each row that was read, as x, y, x, y …
  let rows: [[Double]]

  /// What the extents of one face say: how many points in which layouts; nil where they are no points.
  struct Extents {
    let count: Int
    let layouts: [String]
    let dimensions: Int

    init?(_ cell: [Int?]) {
      let extents = cell.compactMap { $0 }
      guard extents.count == cell.count else { return nil }
      switch extents.count {
      case 2 where (2...3).contains(extents[1]) && extents[0] >= 4:
        self.init(count: extents[0], layouts: ["NKD"], dimensions: extents[1])
      case 2 where (2...3).contains(extents[0]) && extents[1] >= 4:
        self.init(count: extents[1], layouts: ["NDK"], dimensions: extents[0])
      case 1 where extents[0] % 2 == 0 && !LandmarkScheme.withCount(extents[0] / 2).isEmpty:
        self.init(count: extents[0] / 2, layouts: ["xyxy", "xxyy"], dimensions: 2)
      default: return nil
      }
    }

    private init(count: Int, layouts: [String], dimensions: Int) {
      (self.count, self.layouts, self.dimensions) = (count, layouts, dimensions)
    }

    /// The x and y of each point of a row, x, y, x, y …
    func pairs(_ row: [Double], _ layout: String) -> [Double] {
      guard row.count >= count * dimensions else { return [] }
      return (0..<count).flatMap { index -> [Double] in
        switch layout {
        case "NDK", "xxyy": [row[index], row[count + index]]
        default: [row[index * dimensions], row[index * dimensions + 1]]
        }
      }
    }
  }

  /// What a third number of 0 to 2 for each point may be, in words; nil for others.
  private static func doubt(ofThirds extents: Extents, _ rows: [[Double]]) -> String? {
    guard extents.dimensions == 3 else { return nil }
    let thirds = rows.flatMap { row in
      (0..<extents.count).compactMap { index -> Double? in
        let place = extents.layouts[0] == "NDK" ? 2 * extents.count + index : 3 * index + 2
        return row.indices.contains(place) ? row[place] : nil
      }
    }
    guard !thirds.isEmpty, thirds.allSatisfy({ (0...2).contains($0) }) else { return nil }
    return
      "third numbers of 0 to 2 are taken as depths: visibilities or scores of points belong into an array of "
      + "their own (\"visible\")"
  }

  /// nil where the values are no places in the image; `reason` says then what they are, where the extents fit.
  init?(
    _ extents: Extents, _ rows: [[Double]], width: Double?, height: Double?, reason: inout String?
  ) {
    let schemes = LandmarkScheme.withCount(extents.count)
    var values = rows.flatMap { extents.pairs($0, extents.layouts[0]) }.filter {
      $0.isFinite && !Point.missingMarks.contains($0)
    }
    values.sort()
    guard values.count >= 8 else { return nil }
    // Single points may lie far outside.
    let (low, high) = (values[values.count / 50], values[values.count - 1 - values.count / 50])
    isRelative = high <= 1.5
    let edge = isRelative ? 1 : max(width ?? .infinity, height ?? .infinity)
    guard !schemes.isEmpty else {
      reason =
        "\(extents.count) points are those of no scheme (see 'import --points' for a table of them)"
      return nil
    }
    // Of points that count from the middle of an image or a face, half are negative.
    let negative = Double(values.count { $0 < 0 }) / Double(values.count)
    if low < -0.3 * (isRelative ? 1 : edge.isFinite ? edge : high) || negative > 0.2 {
      reason =
        "points from \(values[0].shortText()) to \(values[values.count - 1].shortText()), "
        + "which are no places in the image"
        + (isRelative && low >= -1.1
          ? " (of those that count from its middle \"space\": \"relative\", \"range\": [-1, 1] or [-0.5, 0.5] "
            + "names the numbers at its edges)" : "")
      return nil
    }
    guard high <= 1.5 * edge else {
      reason = "points of up to \(values[values.count - 1].shortText()), outside of the images"
      return nil
    }
    var doubts: [String] = []
    layout = Self.layout(extents, rows, &doubts)
    let chosen = layout
    let pairs = rows.map { extents.pairs($0, chosen) }
    scheme = Self.scheme(schemes, pairs, &doubts)
    if isRelative {
      doubts.append("relative to the image's size, as no value is above \(high.shortText())")
    } else {
      doubts.append("base 0 or 1 is not known: the first pixel is taken as 0")
    }
    if !isRelative, let doubt = Self.doubt(ofThirds: extents, rows) { doubts.append(doubt) }
    self.rows = pairs
    self.doubts = doubts
  }

  /// Points that follow each other in a file are near each other.
  private static func layout(
    _ extents: Extents, _ rows: [[Double]], _ doubts: inout [String]
  ) -> String {
    guard extents.layouts.count > 1 else { return extents.layouts[0] }
    let lengths = extents.layouts.map { layout in
      rows.reduce(0) { $0 + length(extents.pairs($1, layout)) }
    }
    let isApart = lengths[1] < 0.8 * lengths[0]
    let isClear = isApart || lengths[0] < 0.8 * lengths[1]
    let layout = extents.layouts[isApart ? 1 : 0]
    doubts.append(
      isClear
        ? "\(layout), as points that follow each other are near each other only so"
        : "\(layout), while \(extents.layouts[isApart ? 0 : 1]) would fit too")
    return layout
  }

  private static func length(_ points: [Double]) -> Double {
    var sum = 0.0
    for index in stride(from: 2, to: points.count - 1, by: 2) {
      let step = hypot(points[index] - points[index - 2], points[index + 1] - points[index - 1])
      if step.isFinite { sum += step }
    }
    return sum
  }

  /// Five points are eyes, nose and mouth, or the corners of the eyes and the nose, which is then the lowest.
  private static func scheme(
    _ schemes: [LandmarkScheme], _ rows: [[Double]], _ doubts: inout [String]
  ) -> LandmarkScheme {
    guard schemes.count > 1 else { return schemes[0] }
    var ofCorners = 0
    for row in rows where row.count == 10 {
      let heights = stride(from: 1, to: 10, by: 2).map { row[$0] }
      let eyes = heights[..<4]
      let spread = (eyes.max() ?? 0) - (eyes.min() ?? 0)
      let below = heights[4] - eyes.reduce(0, +) / 4
      if below > 2 * spread { ofCorners += 1 }
    }
    let name = 2 * ofCorners > rows.count ? "dlib5" : "five"
    let scheme = schemes.first { $0.name == name } ?? schemes[0]
    doubts.append(
      "\(scheme.name) of \(schemes.map(\.name).joined(separator: " and ")), by the places of the points"
    )
    return scheme
  }
}
