package import FaceCore
package import Records

internal import func Foundation.cos
internal import func Foundation.sin

/// FDDB's true positive rates over false positives, discrete (DiscROC) and continuous (ContROC).
///
/// Counts the faces whose labels have the attributes `ellipse_major`, `ellipse_minor`, `ellipse_angle`,
/// `ellipse_x` and `ellipse_y`; frames without such a face count their false positives. At each distinct
/// score, the detections of that score or more are assigned to the ellipses of their image one to one so
/// that the sum of IoUs is as large as possible. An assigned pair counts 1 where its IoU is more than .5
/// (discrete), and its IoU (continuous); detections without a pair of more than .5 are false positives.
/// Regions are pixels inside the image, drawn as the official program draws them: centres and corners of
/// boxes rounded, radii cut to whole pixels, the outline included. In [0, 1], higher is better.
///
/// Source: Jain and Learned-Miller, FDDB, UM-CS-2010-009, sections 6.1 and 6.2; its official program.
package struct FDDBDetection: FrameMetric {
  /// What changes at a score of one image.
  package struct Step: Sendable, Hashable {
    var score: Double
    var detections: Int
    var matches: Int
    var overlap: Double
  }

  /// One image.
  package struct Image: Sendable, Hashable {
    var labelled: Int
    /// By falling score.
    var steps: [Step]
  }

  package var frames = FrameTable<Image>()

  package init() {}

  /// Matches one image with detections of every score; a size of 0 by 0 stands for one that is not known.
  ///
  /// Throws for a frame added before and for boxes or scores that are not well-formed.
  package mutating func add(
    frame: Int, size: ImageSize, labels: [FaceLabel], detections: [FaceDetection]
  ) throws(MetricError) {
    try labels.validate(frame: frame)
    try detections.validate(frame: frame)
    let ellipses = labels.filter { $0.category == 1 && !$0.isIgnored }.compactMap {
      PixelEllipse($0)
    }
    let ranks = detections.rankedByScore()
    let boxes = ranks.map { PixelBox(detections[$0].box) }
    let overlaps = try PairWeights(rows: boxes.count, columns: ellipses.count, frame: frame) {
      ellipses[$1].iou(with: boxes[$0], in: size)
    }
    var steps: [Step] = []
    var (last, sum) = (0, 0.0)
    var assignment = MaximumAssignment(columns: ellipses.count)
    var position = 0
    while position < ranks.count {
      let score = detections[ranks[position]].score
      let end = ranks[position...].firstIndex { detections[$0].score != score } ?? ranks.count
      var step = Step(score: score, detections: end - position, matches: 0, overlap: 0)
      for _ in position..<end { assignment.insertRow(of: overlaps) }
      let values = assignment.rowOfColumn.enumerated().compactMap { ellipse, row in
        row.map { overlaps[$0, ellipse] }
      }
      let (matches, overlap) = (values.count { $0 > 0.5 }, values.reduce(0, +))
      (step.matches, step.overlap) = (matches - last, overlap - sum)
      (last, sum) = (matches, overlap)
      steps.append(step)
      position = end
    }
    try add(Image(labelled: ellipses.count, steps: steps), for: frame)
  }

  /// A point of both curves.
  private struct Rates {
    var falsePositives: Int
    var discrete: Double
    var continuous: Double
  }

  private var labelled: Int { frames.entries.reduce(0) { $0 + $1.labelled } }

  /// A point for each distinct score of the dataset, by falling score.
  private func rates() -> [Rates] {
    let faces = Double(labelled)
    var (detections, matches, overlap) = (0, 0, 0.0)
    var rates: [Rates] = []
    let steps = frames.entries.flatMap(\.steps).sorted { $0.score > $1.score }
    for (index, step) in steps.enumerated() {
      detections += step.detections
      matches += step.matches
      overlap += step.overlap
      if index + 1 < steps.count, steps[index + 1].score == step.score { continue }
      rates.append(
        Rates(
          falsePositives: detections - matches, discrete: Double(matches) / faces,
          continuous: overlap / faces))
    }
    return rates
  }

  /// Rates at the limits of false positives; n is how many ellipses there are.
  package func summarize() -> [Measurement] {
    let faces = labelled
    guard faces > 0 else {
      return Self.definitions.map { $0.undefined("no label is an ellipse", n: 0) }
    }
    let rates = rates()
    return zip(Self.definitions, Self.limits.flatMap { [($0, true), ($0, false)] }).map {
      definition, choice in
      let (limit, isDiscrete) = choice
      let value =
        rates.lazy.filter { $0.falsePositives <= limit }
        .map { isDiscrete ? $0.discrete : $0.continuous }.max() ?? 0
      return definition.measurement(value, n: faces)
    }
  }

  /// DiscROC and ContROC (`detection.fddb.roc`), thinned to 500 points; nil without ellipses.
  package func curves() -> Series? {
    guard isPresent else { return nil }
    let all = rates()
    let step = max(1, all.count / 500)
    let shown = all.indices.filter { $0 % step == 0 || $0 == all.count - 1 }.map { all[$0] }
    let x = shown.map { Double($0.falsePositives) }
    return Series(
      name: "detection.fddb.roc", title: "FDDB: true positive rate over false positives",
      xLabel: "false positives", yLabel: "true positive rate",
      lines: [
        Series.Line(label: "DiscROC", x: x, y: shown.map(\.discrete)),
        Series.Line(label: "ContROC", x: x, y: shown.map(\.continuous)),
      ])
  }
}

extension FDDBDetection {
  /// False positives over the whole dataset at which rates are read.
  private static let limits = [100, 500, 1000]

  /// Discrete and continuous rates at each limit.
  package static let definitions = limits.flatMap { limit in
    [
      ("disc", "discrete", "share of ellipses with an assigned IoU above .5"),
      ("cont", "continuous", "mean over ellipses of the assigned IoU"),
    ].map { name, word, what in
      MetricDefinition(
        "detection.fddb.\(name)@\(limit)fp", "FDDB \(word) rate at \(limit) false positives",
        .higher, in: .unit,
        "largest \(what) at a score with at most \(limit) false positives in the dataset; "
          + "detections are assigned to ellipses by the largest sum of IoUs of pixels; in [0, 1], "
          + "undefined without ellipses",
        source: "Jain and Learned-Miller 2010, UM-CS-2010-009; its official program")
    }
  }
}

/// A box as pixels: corners rounded, both ends included.
private struct PixelBox {
  let columns: ClosedRange<Int>
  let rows: ClosedRange<Int>

  init(_ box: BoundingBox) {
    columns = Self.range(box.x, box.maxX)
    rows = Self.range(box.y, box.maxY)
  }

  private static func range(_ low: Double, _ high: Double) -> ClosedRange<Int> {
    let first = Int(max(-1e6, min(1e6, low.rounded(.toNearestOrEven))))
    return first...max(first, Int(max(-1e6, min(1e6, high.rounded(.toNearestOrEven)))))
  }
}

/// An ellipse as pixels: for each row the columns whose centres lie within half a pixel of the radii.
private struct PixelEllipse {
  private let x, y, height: Int
  /// The ellipse is x² a + 2 x y b + y² c ≤ 1 around its centre.
  private let a, b, c: Double

  /// The ellipse of a label's attributes; nil where one is missing or beyond 100,000 pixels.
  init?(_ label: FaceLabel) {
    let names = ["ellipse_major", "ellipse_minor", "ellipse_angle", "ellipse_x", "ellipse_y"]
    let values = names.compactMap { label.attributes[$0] }
    guard values.count == names.count, values[0...1].allSatisfy({ (0...1e5).contains($0) }),
      values.allSatisfy({ abs($0) <= 1e5 })
    else { return nil }
    let (major, minor) = (values[0].rounded(.down) + 0.5, values[1].rounded(.down) + 0.5)
    let (cosine, sine) = (cos(values[2]), sin(values[2]))
    let (p, q) = (1 / (major * major), 1 / (minor * minor))
    x = Int(values[3].rounded(.toNearestOrEven))
    y = Int(values[4].rounded(.toNearestOrEven))
    a = cosine * cosine * p + sine * sine * q
    b = cosine * sine * (p - q)
    c = sine * sine * p + cosine * cosine * q
    height = Int((sine * sine / p + cosine * cosine / q).squareRoot().rounded(.up))
  }

  /// The first and last column of a row; nil where the row has none.
  private func span(row: Int) -> ClosedRange<Int>? {
    let dy = Double(row - y)
    let root = b * b * dy * dy - a * (c * dy * dy - 1)
    guard root >= 0 else { return nil }
    let low = Int(((-b * dy - root.squareRoot()) / a).rounded(.up))
    let high = Int(((-b * dy + root.squareRoot()) / a).rounded(.down))
    return low <= high ? x + low...x + high : nil
  }

  /// Pixels in both by pixels in either, of those inside an image of a known size.
  func iou(with box: PixelBox, in size: ImageSize) -> Double {
    let isKnown = size.width > 0 && size.height > 0
    let across = isKnown ? 0...size.width - 1 : -4_000_000...4_000_000
    let down = isKnown ? 0...size.height - 1 : -4_000_000...4_000_000
    let rows = y - height...y + height
    guard rows.overlaps(box.rows), rows.overlaps(down) else { return 0 }
    var (own, both) = (0, 0)
    for row in rows.clamped(to: down) {
      guard let span = span(row: row) else { continue }
      own += Self.shared(span, across)
      guard box.rows.contains(row) else { continue }
      let low = max(span.lowerBound, box.columns.lowerBound, across.lowerBound)
      let high = min(span.upperBound, box.columns.upperBound, across.upperBound)
      both += max(0, high - low + 1)
    }
    guard both > 0 else { return 0 }
    let other = Self.shared(box.columns, across) * Self.shared(box.rows, down)
    return Double(both) / Double(own + other - both)
  }

  private static func shared(_ one: ClosedRange<Int>, _ other: ClosedRange<Int>) -> Int {
    max(0, min(one.upperBound, other.upperBound) - max(one.lowerBound, other.lowerBound) + 1)
  }
}

extension FDDBDetection: FamilyWithoutSettings {
  package static let requirements: MetricRequirements = [.labels, .ranking, .analysedFrames]

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    guard let detections = frame.detections else { return }
    try add(
      frame: frame.frame.index, size: detections.size, labels: frame.labels,
      detections: detections.ranked)
  }

  /// Whether any label is an ellipse.
  package var isPresent: Bool { frames.entries.contains { $0.labelled > 0 } }

  package func series(_ context: SeriesContext) -> [Series] {
    [context.facts.contains(.ranking) ? curves() : nil].compactMap { $0 }
  }

  package static let presentation = MetricPresentation(
    needs: [.scores: Set(definitions.map(\.name)), .ranking: Set(definitions.map(\.name))])
}

extension FDDBDetection.Step: Packable {
  package func pack(into row: inout RowWriter) { row.write(score, detections, matches, overlap) }
  package init(from row: inout RowReader) {
    self.init(score: row.read(), detections: row.read(), matches: row.read(), overlap: row.read())
  }
}

extension FDDBDetection.Image: Packable {
  package func pack(into row: inout RowWriter) { row.write(labelled, steps) }
  package init(from row: inout RowReader) { self.init(labelled: row.read(), steps: row.read()) }
}
