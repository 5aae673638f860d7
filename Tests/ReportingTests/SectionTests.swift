import Records
import Reporting
import Testing

@Suite struct SectionTests {
  private func blocks(_ id: String, of record: Record) -> [Block] {
    Report(record: record).document.sections.first { $0.id == id }?.blocks ?? []
  }

  @Test func `identifiers of sections are unique`() {
    let identifiers = ReportSections.all.map(\.id)
    #expect(Set(identifiers).count == identifiers.count)
  }

  @Test func `a section without data is left out`() {
    #expect(Report(record: Sample.empty).document.sections.map(\.id) == ["provenance"])
  }

  @Test func `no measurement is claimed twice or shown nowhere`() {
    for measurement in Sample.record.measurements + Sample.pipeline.measurements {
      #expect(ReportSections.all.count { $0.claims(measurement.name) } == 1, "\(measurement.name)")
    }
  }

  @Test func `the spectra of clips are drawn, each a line with the clip's name`() {
    var record = Sample.empty
    record.series = [
      ("jitter.clips.amplitude", "Jitter spectrum"), ("jitter.clips.removed", "Removed"),
    ]
    .map { name, title in
      Series(
        name: name, title: title,
        content: .curve(
          Series.Curve(
            xLabel: "frequency (Hz)", yLabel: "share",
            lines: ["walk", "turn"].map { Series.Line(label: $0, x: [1, 2], y: [0.25, 0.5]) })))
    }
    let figures = blocks("tracking", of: record).compactMap { block -> Figure? in
      if case .figure(let figure) = block { figure } else { nil }
    }
    #expect(figures.map(\.title) == ["Jitter spectrum", "Removed"])
    #expect(figures[0].caption.contains("4 Hz come first"))
    #expect(figures[1].caption.contains("below 0 the share of what is given out"))
    let page = Report(record: record).html()
    for text in ["frequency (Hz)", "walk", "turn", "line s1"] {
      #expect(page.contains(text), "\(text)")
    }
  }

  @Test func `the time without decoding leads the latency, and each line says what it counts`()
    throws
  {
    var record = Sample.empty
    func latency(_ stage: String, _ value: Double?, n: Int = 50) -> [Measurement] {
      ["p50", "p95", "mean"].map { metric in
        Measurement(
          name: "latency.\(stage).\(metric)", title: stage, stage: stage, value: value, unit: "ms",
          better: .lower, n: n)
      }
    }
    record.measurements =
      latency("decode", 10.75) + latency("detect", 4) + latency("total", 25)
      + latency("pipeline", 14.25)
    let tables = blocks("latency", of: record).compactMap { block -> Table? in
      if case .table(let table) = block { table } else { nil }
    }
    #expect(
      tables.first?.rows.map { $0[0] } == [
        .text("Pipeline, without decoding files"), .text("Decode image"), .text("detect"),
        .text("Total, with decoding"),
      ])
    let page = Report(record: record).html()
    #expect(page.contains("95 % of frames take at most 14.3 ms without decoding files"))
    #expect(page.contains("With decoding it is 25.0 ms."))
    record.measurements = latency("decode", nil, n: 0) + latency("total", 25)
    #expect(
      Report(record: record).html().contains(
        "No image file was decoded in these frames: the total has no decoding."))
  }

  @Test func `only a run with a frame budget is told within or over it`() {
    var record = Sample.empty
    record.measurements = [
      Measurement(
        name: "latency.total.p95", title: "Latency", stage: "latency", value: 5, unit: "ms",
        better: .lower, n: 50)
    ]
    func sentences(_ schedule: Record.Profile.Schedule) -> [String] {
      record.profile = Record.Profile(
        schedule: schedule, framesPerSecond: 60, workers: 1, warmUpFrames: 1, steadyFrames: 50,
        samples: [], stutterPeriodFrames: nil, stutterReason: "none", planSHA256: "00",
        machine: .init(
          instructionSets: [], loadBefore: nil, loadAfter: nil, stealShare: nil,
          otherProcessesShare: nil, involuntarySwitches: 0, noise: [], compiler: "",
          compilerFlags: ""))
      return Decision(record).answers.first { $0.question == "How fast?" }?.sentences ?? []
    }
    #expect(sentences(.closed).first?.contains("within the budget of 16.7 ms") == true)
    #expect(sentences(.offline).first?.contains("budget") == false)
  }

  @Test func `metrics and series of unknown names are shown generically`() {
    var record = Sample.empty
    record.measurements = [
      Measurement(
        name: "gaze.error", stage: "gaze", value: 1.5, unit: "px", better: .lower, n: 9),
      Measurement(
        name: "detection.recall@score", stage: "detection", value: 0.5, unit: "1", better: .higher,
        n: 9,
        slice: "yaw/0-30"),
    ]
    record.series = [
      Series(
        name: "gaze.spectrum", title: "Spectrum",
        content: .curve(Series.Curve(xLabel: "Hz", yLabel: "power", lines: [])))
    ]
    let blocks = blocks("other-metrics", of: record)
    #expect(blocks.count == 3)
    guard case .table(let whole)? = blocks.first,
      case .table(let sliced)? = blocks.dropFirst().first
    else {
      Issue.record("expected two tables")
      return
    }
    #expect(whole.rows.map { $0[0] } == [.code("gaze.error")])
    #expect(sliced.rows.map { $0[1] } == [.text("yaw/0-30")])
  }

  @Test
  func `blendshapes without labels are shown as predicted, by which model, and as no accuracy`()
    throws
  {
    var record = Sample.empty
    record.models = [
      Record.Model(name: "own-head", stage: "blendshapes", sha256: "", remark: "median CCC .83")
    ]
    record.measurements = [
      Measurement(
        name: "blendshapes.change", stage: "blendshapes", value: 0.02, unit: "1", better: .lower,
        n: 9)
    ]
    record.series = ["blendshapes.output", "pose.output"].map {
      Series(
        name: $0, title: $0,
        content: .table(
          Series.Table(columns: ["a"], rows: [[String]](repeating: ["b"], count: 51))))
    }
    let found = blocks("blendshapes", of: record)
    guard case .paragraph(let text)? = found.first else {
      Issue.record("expected a sentence first")
      return
    }
    #expect(text.contains("own-head predicted, not how accurate it is"))
    #expect(found.dropFirst().first == .paragraph("own-head: median CCC .83."))
    #expect(found.count == 4)
    guard case .table(let coefficients)? = found.last else {
      Issue.record("expected a table last")
      return
    }
    #expect(coefficients.rows.count == 51 && coefficients.remark == nil)
    #expect(blocks("pose", of: record).count == 2)
    record.measurements.append(
      Measurement(
        name: "blendshapes.mae", stage: "blendshapes", value: 0.1, unit: "1", better: .lower, n: 9))
    let labelled = blocks("blendshapes", of: record)
    #expect(labelled.count == 3)
    #expect(!labelled.contains { if case .paragraph = $0 { true } else { false } })
    #expect(blocks("other-metrics", of: record).isEmpty)
  }

  @Test func `a long list of misses says how many are left out`() {
    guard case .table(let table)? = blocks("misses", of: Sample.record).first else {
      Issue.record("expected a table")
      return
    }
    #expect(table.rows.count == 40)
    #expect(table.remark == "and 17 more")
  }

  @Test func `gates stand worst first`() {
    guard case .table(let table)? = blocks("gates", of: Sample.record).first else {
      Issue.record("expected a table")
      return
    }
    let order: [Verdict] = [.fail, .fail, .fail, .inconclusive, .pass, .pass]
    #expect(table.rows.map { $0[0] } == order.map { .verdict($0) })
  }

  @Test func `a debug build warns with its latencies`() {
    var record = Sample.record
    #expect(!blocks("latency", of: record).contains { if case .notes = $0 { true } else { false } })
    record.tool.build = "debug"
    #expect(blocks("latency", of: record).contains { if case .notes = $0 { true } else { false } })
  }

  @Test func `a percentile that needs more frames says so`() {
    let notes = blocks("latency", of: Sample.record).compactMap { block -> [String]? in
      if case .table(let table) = block { table.notes } else { nil }
    }
    #expect(notes == [["n is 1,201; this metric needs 2,000"]])
  }

  private func tables(_ id: String, of record: Record) -> [Table] {
    blocks(id, of: record).compactMap { if case .table(let table) = $0 { table } else { nil } }
  }

  @Test func `a stage without a model says so`() {
    let rows = tables("stages", of: Sample.pipeline).flatMap(\.rows).map { $0.map(\.content) }
    #expect(
      rows == [
        [.text("Detection"), .text("ran"), .text("blaze_face_short_range"), .text("")],
        [.text("Landmarks"), .text("ran"), .text("face-landmarks-v2"), .text("")],
        [
          .text("Blendshapes"), .text("no model"), .text("–"),
          .text("no model: face_blendshapes.tflite is only in face_landmarker.task"),
        ],
        [.text("Smoothing"), .text("off"), .text("–"), .text("num-faces is not 1")],
      ])
  }

  @Test func `errors stand by metric and normaliser with the reasons of undefined ones`() throws {
    let tables = tables("landmarks", of: Sample.pipeline)
    #expect(
      tables.map(\.title) == [
        "Faces", "Errors by normaliser", "Errors of found faces by part",
      ])
    let errors = try #require(tables.dropFirst().first)
    #expect(
      errors.columns.map(\.title) == [
        "Metric", "Name", "interocular", "interpupil", "box", "diagonal", "n", "Better",
      ])
    #expect(
      errors.rows[0][2].note
        == "15 of 320 labelled faces have no prediction, their error is infinite;"
        + " landmarks.nme.interocular.conditional is the mean over the others")
    #expect(
      errors.rows[1].map(\.content) == [
        .text("NME, found faces"), .code("landmarks.nme.<d>.conditional"), .text("0.0625"),
        .text("0.0898"), .text("0.0313"), .text("0.0234"), .text("305"), .text("↓"),
      ])
    #expect(tables.last?.rows.map { $0[0] } == [.text("eyes"), .text("jaw")])
  }

  @Test func `a metric of one normaliser only leaves the others empty`() throws {
    var record = Sample.pipeline
    record.measurements.removeAll { $0.name == "landmarks.fr.box@0.08" }
    let errors = try #require(tables("landmarks", of: record).dropFirst().first)
    let row = try #require(errors.rows.first { $0[1] == .code("landmarks.fr.<d>@0.08") })
    #expect(row[4] == .text("–") && row[5] != .text("–"))
  }

  @Test func `the distributions of all normalisers share a chart`() {
    let charts = blocks("landmarks", of: Sample.pipeline).compactMap { block -> Chart? in
      if case .figure(let metric) = block { metric.chart } else { nil }
    }
    guard charts.count == 1, case .curve(let curve) = charts[0] else {
      Issue.record("expected one curve, found \(charts.count)")
      return
    }
    #expect(curve.lines.map(\.label) == ["interocular", "interpupil", "box", "diagonal"])
    #expect(curve.lines[1].y[16] < curve.lines[0].y[16])
  }

  @Test func `jitter is never shown without lag`() {
    let both = tables("tracking", of: Sample.pipeline).first { $0.title == "Jitter and lag" }
    #expect(both?.rows.last?[1] == .code("lag.ms"))
    #expect(both?.rows.count == 4)
    var record = Sample.pipeline
    record.measurements.removeAll { $0.name == "lag.ms" }
    #expect(
      blocks("tracking", of: record).contains {
        if case .notes(let notes) = $0 { notes[0].hasPrefix("Lag was not measured") } else { false }
      })
  }

  @Test func `tracked frames and those of the detector have times apart`() throws {
    let titles = tables("latency", of: Sample.pipeline).map(\.title)
    #expect(
      titles == [
        "By stage, ms", "By stage, frames in which the detector ran, ms",
        "By stage, tracked frames, ms",
      ])
    let tracked = try #require(tables("latency", of: Sample.pipeline).last)
    #expect(!tracked.rows.contains { $0[0] == .text("Detect: infer") })
    #expect(
      tracked.rows.last?.map(\.content) == [
        .text("Total"), .text("12.25"), .text("18.38"), .text("1,106"),
      ])
    let metrics = blocks("latency", of: Sample.pipeline).compactMap { block -> String? in
      if case .figure(let metric) = block { metric.title } else { nil }
    }
    #expect(
      metrics == [
        "Stages of frames in which the detector ran", "Stages of tracked frames",
      ])
    #expect(blocks("other-metrics", of: Sample.pipeline).isEmpty)
  }

  @Test func `times of one population alone are shown`() {
    var record = Sample.pipeline
    record.measurements.removeAll { $0.slice != "tracked" }
    #expect(tables("latency", of: record).map(\.title) == ["By stage, tracked frames, ms"])
  }
}
