internal import FaceCore
internal import Foundation
internal import Platform

/// What four numbers of a face say about its box.
struct BoxGuess {
  let form: String
  let isRelative: Bool
  /// Decisions that the values do not prove, in words.
  let doubts: [String]

  private static let forms = ["xywh", "xyxy", "cxcywh"]
  /// Forms that only points tell.
  private static let turnedForms = ["yxyx", "trbl"]

  /// How well boxes of a form fit into the images and to the points.
  private struct Fit {
    let form: String
    let inside: Double
    let held: Double
    let overlap: Double
  }

  /// The form that keeps most boxes inside their images; nil where none keeps nearly all.
  ///
  /// `rows` are four numbers each; `points` the points of the same faces as x, y, x, y …, where they are known.
  init?(
    _ rows: [[Double]], named words: ArrayWords, width: Double?, height: Double?,
    points: [[Double]], arePointsRelative: Bool
  ) {
    let isPaired = points.count == rows.count
    // Four equal numbers are a row that nobody filled.
    let rows = rows.enumerated().filter {
      $0.element.count == 4 && $0.element.allSatisfy(\.isFinite) && Set($0.element).count > 1
    }
    let values = rows.flatMap(\.element)
    guard !rows.isEmpty, let high = values.max(), let low = values.min() else { return nil }
    isRelative = high <= 1.5 && values.contains { $0 != $0.rounded() }
    let (right, bottom) = isRelative ? (1, 1) : (width ?? .infinity, height ?? .infinity)
    let hasEdge = right.isFinite
    guard low > -max(high, 1), high > 0 else { return nil }
    let scale: Point? =
      if isRelative == arePointsRelative { Point(x: 1, y: 1) } else if let width, let height {
        isRelative ? Point(x: 1 / width, y: 1 / height) : Point(x: width, y: height)
      } else { nil }
    func fit(_ form: String) -> Fit {
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
        if isPaired, let scale, let fit = Self.fit(of: points[index], scale, in: box) {
          pointed += 1
          held += fit.held
          overlap += fit.overlap
        }
      }
      let count = max(pointed, 1)
      return Fit(
        form: form, inside: inside / Double(rows.count), held: pointed == 0 ? -1 : held / count,
        overlap: overlap / count)
    }
    let found = Self.forms.map(fit)
    let best = found.max { $0.inside < $1.inside }?.inside ?? 0
    guard best >= 0.9 || words.contain("bbox", "box", "boxes", "rect", "bboxes") && best > 0.5
    else { return nil }
    let fitting = found.filter { $0.inside >= best - 0.02 }
    let size = isRelative ? "1 x 1" : "\(right.shortText()) x \(bottom.shortText())"
    let edge = hasEdge ? "inside of \(size)" : "of a positive size"
    var doubts: [String] = []
    let named = (Self.forms + Self.turnedForms).first { words.contain($0) }
    let most = fitting.map(\.held).max() ?? -1
    let turned = Self.turnedForms.map(fit).filter { $0.inside >= 0.9 && $0.held >= 0.9 }
      .max { $0.held < $1.held }
    if let named, fitting.contains(where: { $0.form == named }) || Self.turnedForms.contains(named)
    {
      form = named
    } else if (0..<0.5).contains(most), let turned {
      form = turned.form
      doubts.append("\(form), as only so the boxes hold the points")
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
    if (0..<0.5).contains(most), turned == nil {
      doubts.append("only \(Self.percent(most)) of the points lie in these boxes: look at them")
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
    case "yxyx": [row[1], row[0], row[3], row[2]]
    case "trbl": [row[3], row[0], row[1], row[2]]
    case "cxcywh":
      [row[0] - row[2] / 2, row[1] - row[3] / 2, row[0] + row[2] / 2, row[1] + row[3] / 2]
    default: [row[0], row[1], row[0] + row[2], row[1] + row[3]]
    }
  }

  /// The share of points, multiplied by `scale`, that a box holds, and how much of both it and their tight box is shared; nil
  /// without points.
  private static func fit(
    of points: [Double], _ scale: Point, in box: [Double]
  ) -> (held: Double, overlap: Double)? {
    var (inside, count) = (0.0, 0.0)
    var tight = [Double.infinity, .infinity, -.infinity, -.infinity]
    for index in stride(from: 0, to: points.count - 1, by: 2) {
      guard let point = Point.unlessMissing(x: points[index], y: points[index + 1]),
        point.x.isFinite, point.y.isFinite, point.x != 0 || point.y != 0
      else { continue }
      let (x, y) = (point.x * scale.x, point.y * scale.y)
      count += 1
      tight = [min(tight[0], x), min(tight[1], y), max(tight[2], x), max(tight[3], y)]
      if x >= box[0], x <= box[2], y >= box[1], y <= box[3] { inside += 1 }
    }
    guard count > 0 else { return nil }
    func area(_ box: [Double]) -> Double { max(box[2] - box[0], 0) * max(box[3] - box[1], 0) }
    let shared = area([
      max(box[0], tight[0]), max(box[1], tight[1]), min(box[2], tight[2]), min(box[3], tight[3]),
    ])
    let union = area(box) + area(tight) - shared
    return (inside / count, union > 0 ? shared / union : 0)
  }
}
