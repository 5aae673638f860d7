import Records
import Reporting
import Testing

@Suite struct ChartTests {
  static let lines: [[Series.Line]] =
    [
      [], [Series.Line(label: "a", x: [], y: [])], [Series.Line(label: "a", x: [0.3], y: [0.4])],
      [Series.Line(label: "a", x: [2, 2, 2], y: [-5, -5, -5])],
      [Series.Line(label: "a", x: [.nan, .infinity], y: [1, 2])],
      [Series.Line(label: "a", x: [0, 1e300], y: [-1e300, 1e300])],
      [Series.Line(label: "a", x: [0, 1e-300], y: [0, 1e-12])],
      [Series.Line(label: "a", x: [.leastNonzeroMagnitude], y: [.leastNonzeroMagnitude])],
      [Series.Line(label: "a", x: [1_000_000, 1_000_001], y: [0, 1])],
    ]

  static let histograms: [(edges: [Double], counts: [[Int]])] =
    [
      ([], []), ([0], [[]]), ([0, 1], [[0]]), ([0, 1], [[7]]),
      ([0, 1, 2], [[0, 0], [0, 0]]), ([0, 1, 2], [[1, 2], [90_000, 0]]),
      ([-1e300, 1e300], [[1]]), ([0, 1, 2, 3], [[1]]), ([0, 1], [[.max], [.max]]),
      ((0...100).map { Double($0) }, [Array(repeating: .max, count: 100)]),
    ]

  static let contents: [Series.Content] =
    lines.map { .curve(Series.Curve(xLabel: "x", yLabel: "y", lines: $0)) }
    + histograms.map { edges, counts in
      .histogram(
        Series.Histogram(
          xLabel: "x", edges: edges, groups: counts.indices.map { "g\($0)" }, counts: counts,
          marks: [Series.Mark(label: "m", x: 0.5, y: 0), Series.Mark(label: "n", x: .nan, y: 0)]))
    }

  @Test(arguments: contents)
  func `odd data still gives a finite drawing`(content: Series.Content) throws {
    var record = Sample.empty
    record.series = [Series(name: "any.series", title: "Any", content: content)]
    let html = Report(record: record).html { _ in nil }
    let document = try ParsedXML(html)
    #expect(document.elements("svg").count == 1)
    let geometry = ["x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height", "d"]
    let inDrawing = document.all.filter {
      ["line", "rect", "path", "circle", "text"].contains($0.name)
    }
    for (name, attributes) in inDrawing {
      for key in geometry {
        let value = attributes[key] ?? ""
        #expect(!value.contains("nan") && !value.contains("inf"), "\(name) \(key) \(value)")
      }
      for key in ["x", "x1", "x2", "cx"] {
        guard let value = attributes[key].flatMap(Double.init) else { continue }
        #expect((0...520).contains(value), "\(name) \(key)")
      }
    }
    #expect(!Report(record: record).markdown().isEmpty)
  }

  @Test func `an axis of whole numbers has no ticks between them`() throws {
    var record = Sample.empty
    func ticks(_ x: [Double]) throws -> Set<String> {
      let line = Series.Line(label: "a", x: x, y: x.map { _ in 0.25 })
      record.series = [
        Series(
          name: "any", title: "Any",
          content: .curve(Series.Curve(xLabel: "run", yLabel: "y", lines: [line])))
      ]
      let html = Report(record: record).html { _ in nil }
      return Set(html.matches(of: /<text[^>]*>([0-9.]+)<\/text>/).map { String($0.1) })
    }
    #expect(try ticks([1, 2, 3]).isSuperset(of: ["1", "2", "3"]))
    #expect(try !ticks([1, 2, 3]).contains("1.5"))
    #expect(try ticks([1, 2, 2.5]).contains("1.5"))
  }

  @Test func `slices of the same value have an axis next to it`() throws {
    var record = Sample.empty
    record.headlines = ["faces.recall"]
    let slices: [String?] = [nil, "yaw=0-30", "yaw=30-60"]
    record.measurements = slices.map { slice in
      Measurement(
        name: "faces.recall", title: "Recall", stage: "faces", value: 1, unit: "1",
        better: .higher, n: 40, slice: slice)
    }
    let drawings = try ParsedXML(Report(record: record).html()).elements("svg")
    let plot = try #require(drawings.compactMap { $0["data-plot"] }.first)
    let ends = plot.split(separator: " ").compactMap { Double($0) }
    try #require(ends.count == 8)
    #expect(ends[4] >= 0.9 && ends[5] <= 1)
  }

  @Test func `a difference has the colour of what it says, and what is not decided none`() throws {
    var comparison = Sample.comparison
    let outcomes: [Comparison.Outcome?] = [.better, .worse, .notDecisive, .equal]
    comparison.differences = outcomes.enumerated().map { index, outcome in
      var difference = comparison.differences[0]
      difference.title = "metric \(index)"
      difference.outcome = outcome
      return difference
    }
    let html = ComparisonReport(comparison: comparison).html()
    let dots = try ParsedXML(html).all.filter { name, attributes in
      name == "circle" && attributes["r"] != nil
    }
    let classes = dots.compactMap { $0.attributes["class"] }.filter { $0.hasPrefix("dot ") }
    // Each row has the candidate's value, then the difference.
    #expect(classes.filter { $0 != "dot s1" } == ["dot pass", "dot fail", "dot s5", "dot s5"])
  }

  @Test func `a limit on a population is drawn on the times of that population`() throws {
    var record = Sample.empty
    let histogram = Series.Histogram(
      xLabel: "ms", edges: [0, 2, 4, 6], groups: ["frames"], counts: [[3, 9, 1]])
    record.series = [
      ("latency.total@tracked", "Tracked"), ("latency.total@detector_ran", "Detector ran"),
      ("latency.total", "All"), ("latency.landmark.infer", "Stage"),
    ].map { Series(name: $0, title: $1, content: .histogram(histogram)) }
    let limits: [(slice: String?, metric: String, limit: Double)] = [
      ("tracked", "latency.total.p95", 4), (nil, "latency.total.p99", 5),
      ("tracked", "latency.landmark.infer.p95", 3), ("yaw=0-30", "latency.total.p95", 1),
    ]
    record.gates = limits.map { slice, metric, limit in
      GateResult(
        gate: Gate(metric: metric, slice: slice, direction: .atMost, limit: limit),
        stage: "latency", verdict: .fail, value: 6, message: "6 ms breaks the limit.")
    }
    var labels: [String: [String]] = [:]
    let blocks = Report(record: record).document.sections.first { $0.id == "latency" }?.blocks
    for case .figure(let figure) in blocks ?? [] {
      labels[figure.title] = figure.limits.map(\.label)
    }
    #expect(labels["Tracked"] == ["gate p95 ≤ 4", "gate all frames p99 ≤ 5"])
    #expect(labels["Detector ran"] == ["gate all frames p99 ≤ 5"])
    #expect(labels["All"] == ["gate tracked p95 ≤ 4", "gate p99 ≤ 5"])
    #expect(labels["Stage"] == [])
    #expect(Report(record: record).markdown().contains("gate p95 ≤ 4"))
  }

  @Test func `a limit is drawn on the times of its own stage of whole frames`() {
    var record = Sample.empty
    let stages = ["response", "pipeline", "total"]
    let histogram = Series.Histogram(
      xLabel: "ms", edges: [0, 2, 4, 6], groups: ["frames"], counts: [[3, 9, 1]])
    record.series = stages.map {
      Series(name: "latency.\($0)", title: $0, content: .histogram(histogram))
    }
    record.gates = zip(stages, [33.0, 4, 5]).map { stage, limit in
      GateResult(
        gate: Gate(metric: "latency.\(stage).p95", direction: .atMost, limit: limit),
        stage: "latency", verdict: .pass, value: 3, message: "3 ms keeps the limit.")
    }
    var labels: [String: [String]] = [:]
    let blocks = Report(record: record).document.sections.first { $0.id == "latency" }?.blocks
    for case .figure(let figure) in blocks ?? [] {
      labels[figure.title] = figure.limits.map(\.label)
    }
    #expect(
      labels == [
        "response": ["gate p95 ≤ 33"], "pipeline": ["gate p95 ≤ 4"], "total": ["gate p95 ≤ 5"],
      ])
  }

  @Test func `the stage of a tracker is no whole frame, whatever its name begins with`() {
    var record = Sample.empty
    let histogram = Series.Histogram(
      xLabel: "ms", edges: [0, 2, 4, 6], groups: ["frames"], counts: [[3, 9, 1]])
    let stages = ["pipeline.decode", "totals", "total"]
    record.series = stages.map {
      Series(name: "latency.\($0)", title: $0, content: .histogram(histogram))
    }
    record.gates = [("pipeline.decode", 3.0), ("total", 5)].map { stage, limit in
      GateResult(
        gate: Gate(metric: "latency.\(stage).p95", direction: .atMost, limit: limit),
        stage: "latency", verdict: .pass, value: 3, message: "\(stage) keeps the limit.")
    }
    let report = Report(record: record)
    var labels: [String: [String]] = [:]
    let blocks = report.document.sections.first { $0.id == "latency" }?.blocks
    for case .figure(let figure) in blocks ?? [] {
      labels[figure.title] = figure.limits.map(\.label)
    }
    #expect(labels == ["pipeline.decode": [], "totals": [], "total": ["gate p95 ≤ 5"]])
    #expect(!MetricName.isOfPipeline("latency.pipeline.decode.p95"))
    #expect(MetricName.isOfPipeline("latency.pipeline.p95"))
  }

  @Test func `joined bins keep the counts`() throws {
    let text = Report(record: Sample.record).markdown()
    #expect(text.contains("| 0.1 to 0.2 | 32 | 1,135 |"))
  }

  @Test func `counts of very different size share a logarithmic axis`() throws {
    var record = Sample.empty
    let histogram = Series.Histogram(
      xLabel: "score", edges: [0, 1, 2], groups: ["few", "many"], counts: [[3, 1], [5000, 10]])
    record.series = [Series(name: "any", title: "Any", content: .histogram(histogram))]
    let text = try ParsedXML(Report(record: record).html { _ in nil }).text
    #expect(text.contains("count (log scale)"))
  }

  @Test func `axes of ratios run from nothing to all`() throws {
    var record = Sample.empty
    let line = Series.Line(label: "l", x: [0.1, 0.83], y: [0.97, 0.22])
    record.series = [
      Series(
        name: "any", title: "Any",
        content: .curve(Series.Curve(xLabel: "r", yLabel: "p", lines: [line])))
    ]
    let paths = try ParsedXML(Report(record: record).html { _ in nil }).elements("path")
    #expect(paths.count == 1)
    // From x 49.2 to 506 and from y 260 to 10: 0.1, 0.97, 0.83 and 0.22 of the way.
    #expect(paths[0]["d"] == "M94.9 17.5L428.3 205")
  }
}
