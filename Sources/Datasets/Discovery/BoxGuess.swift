internal import Foundation
internal import Platform

/// What four numbers of a face say about its box.
struct BoxGuess {
  let form: String
  let isRelative: Bool
  /// Decisions that the values do not prove, in words.
  let doubts: [String]

  private static let forms = ["xywh", "xyxy", "cxcywh"]

  /// The form that keeps most boxes inside their images; nil where none keeps nearly all.
  ///
  /// `rows` are four numbers each; `points` the points of the same faces as x, y, x, y …, where they are known.
  init?(
    _ rows: [[Double]], named words: ArrayWords, width: Double?, height: Double?,
    points: [[Double]], arePointsRelative: Bool
  ) {
    let rowCount = rows.count
    let rows = rows.enumerated().filter {
      $0.element.count == 4 && $0.element.allSatisfy(\.isFinite)
    }
    let values = rows.flatMap(\.element)
    let isPaired = points.count == rowCount
    guard !rows.isEmpty, let high = values.max(), let low = values.min() else { return nil }
    isRelative = high <= 1.5 && values.contains { $0 != $0.rounded() }
    let (right, bottom) = isRelative ? (1, 1) : (width ?? .infinity, height ?? .infinity)
    let hasEdge = right.isFinite
    guard low > -max(high, 1), high > 0 else { return nil }
    var found: [(form: String, inside: Double, held: Double, overlap: Double)] = []
    for form in Self.forms {
      var (inside, held, overlap, pointed) = (0.0, 0.0, 0.0, 0.0)
      for (index, row) in rows {
        let box = Self.corners(row, form)
        let (slackX, slackY) = hasEdge ? (right * 0.02, bottom * 0.02) : (0, 0)
        let isBox = box[2] > box[0] && box[3] > box[1]
        if isBox,
          !hasEdge
            || box[0] >= -slackX && box[1] >= -slackY && box[2] <= right + slackX
              && box[3] <= bottom + slackY
        {
          inside += 1
        }
        if isPaired, isRelative == arePointsRelative {
          pointed += 1
          let fit = Self.fit(of: points[index], in: box)
          held += fit.held
          overlap += fit.overlap
        }
      }
      let count = max(pointed, 1)
      found.append((form, inside / Double(rows.count), held / count, overlap / count))
    }
    let best = found.max { $0.inside < $1.inside }?.inside ?? 0
    guard best >= 0.9 || words.contain("bbox", "box", "boxes", "rect", "bboxes") && best > 0.5
    else { return nil }
    let fitting = found.filter { $0.inside >= best - 0.02 }
    let size = isRelative ? "1 x 1" : "\(right.shortText()) x \(bottom.shortText())"
    let edge = hasEdge ? "inside of \(size)" : "of a positive size"
    var doubts: [String] = []
    let named = Self.forms.first { words.contain($0) }
    if let named, fitting.contains(where: { $0.form == named }) {
      form = named
    } else if fitting.count == 1 {
      form = fitting[0].form
      doubts.append("\(form), as only so \(Self.percent(best)) of the boxes are \(edge)")
    } else {
      // A box that is much larger than its points is another form's.
      let near = fitting.filter { $0.overlap >= 0.5 }
      let held = (near.isEmpty ? fitting : near).map(\.held).max() ?? 0
      let holding = (near.isEmpty ? fitting : near).filter { $0.held >= held - 0.03 }
      // cxcywh is rare in files of labels, so that of equal ones the first is taken.
      let overlap = (holding.map(\.overlap).max() ?? 0) - 0.01
      form = (holding.first { $0.overlap >= overlap } ?? fitting[0]).form
      let others = fitting.dropFirst(fitting[0].form == form ? 1 : 0).map(\.form).filter { [form] in
        $0 != form
      }
      doubts.append(
        held > 0
          ? "\(form), by how these boxes hold and fit the points; \(others.joined(separator: " or ")) would be \(edge) too"
          : "\(form), while \(others.joined(separator: " or ")) would be \(edge) too")
    }
    if isRelative {
      doubts.append("relative to the image's size, as no value is above \(high.shortText())")
    }
    self.doubts = doubts
  }

  private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded(.down)))%" }

  /// Left, top, right and bottom.
  private static func corners(_ row: [Double], _ form: String) -> [Double] {
    switch form {
    case "xyxy": row
    case "cxcywh":
      [row[0] - row[2] / 2, row[1] - row[3] / 2, row[0] + row[2] / 2, row[1] + row[3] / 2]
    default: [row[0], row[1], row[0] + row[2], row[1] + row[3]]
    }
  }

  /// The share of points that a box holds, and how much of both it and their tight box is shared.
  private static func fit(of points: [Double], in box: [Double]) -> (held: Double, overlap: Double)
  {
    var (inside, count) = (0.0, 0.0)
    var tight = [Double.infinity, .infinity, -.infinity, -.infinity]
    for index in stride(from: 0, to: points.count - 1, by: 2) {
      let (x, y) = (points[index], points[index + 1])
      guard x.isFinite, y.isFinite, x != -1 || y != -1 else { continue }
      count += 1
      tight = [min(tight[0], x), min(tight[1], y), max(tight[2], x), max(tight[3], y)]
      if x >= box[0], x <= box[2], y >= box[1], y <= box[3] { inside += 1 }
    }
    guard count > 0 else { return (0, 0) }
    func area(_ box: [Double]) -> Double { max(box[2] - box[0], 0) * max(box[3] - box[1], 0) }
    let shared = area([
      max(box[0], tight[0]), max(box[1], tight[1]), min(box[2], tight[2]), min(box[3], tight[3]),
    ])
    let union = area(box) + area(tight) - shared
    return (inside / count, union > 0 ? shared / union : 0)
  }
}
