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
    let rows = rows.enumerated().filter { $0.element.count == 4 && $0.element.allSatisfy(\.isFinite) }
    let values = rows.flatMap(\.element)
    let isPaired = points.count == rowCount
    guard !rows.isEmpty, let high = values.max(), let low = values.min() else { return nil }
    isRelative = high <= 1.5 && values.contains { $0 != $0.rounded() }
    let (right, bottom) = isRelative ? (1, 1) : (width ?? .infinity, height ?? .infinity)
    let hasEdge = right.isFinite
    guard low > -max(high, 1), high > 0 else { return nil }
    var found: [(form: String, inside: Double, held: Double)] = []
    for form in Self.forms {
      var (inside, held, pointed) = (0.0, 0.0, 0.0)
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
          held += Self.share(of: points[index], in: box)
        }
      }
      found.append((form, inside / Double(rows.count), pointed > 0 ? held / pointed : 0))
    }
    let best = found.max { $0.inside < $1.inside }?.inside ?? 0
    guard best >= 0.9 || words.contain("bbox", "box", "boxes", "rect", "bboxes") && best > 0.5 else { return nil }
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
      let held = fitting.map(\.held).max() ?? 0
      let holding = fitting.filter { $0.held >= held - 0.01 }
      // cxcywh is rare in files of labels.
      form = holding[0].form
      let others = fitting.dropFirst(fitting[0].form == form ? 1 : 0).map(\.form).filter { [form] in $0 != form }
      doubts.append(
        holding.count < fitting.count && held > 0
          ? "\(form), as these boxes hold \(Self.percent(held)) of the points; \(others.joined(separator: " or ")) would be \(edge) too"
          : "\(form), while \(others.joined(separator: " or ")) would be \(edge) too")
    }
    if isRelative { doubts.append("relative to the image's size, as no value is above \(high.shortText())") }
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

  private static func share(of points: [Double], in box: [Double]) -> Double {
    var (inside, count) = (0.0, 0.0)
    for index in stride(from: 0, to: points.count - 1, by: 2) {
      let (x, y) = (points[index], points[index + 1])
      guard x.isFinite, y.isFinite, x != -1 || y != -1 else { continue }
      count += 1
      if x >= box[0], x <= box[2], y >= box[1], y <= box[3] { inside += 1 }
    }
    return count > 0 ? inside / count : 0
  }
}
