import Records

/// A record that has something in every field and every kind of absence.
let fullRecord: Record = {
  var record = Record(
    tool: Record.Tool(name: "facegauge", version: "1.2.3", build: "release", commit: "0123abcd+"),
    created: "2026-01-02T03:04:05Z",
    dataset: Record.DatasetSummary(
      name: "a \"dataset\" / é", file: "../d.h5", sha256: "00ff", frames: 5, faces: 4, sequences: 2,
      badFrames: 1),
    models: [
      Record.Model(
        name: "model", stage: "detection", sha256: "abcd", remark: "fitted to \"labels\"")
    ],
    stages: [
      Record.Stage(name: "detection", state: .ran),
      Record.Stage(name: "smoothing", state: .off, reason: "image mode has no frame before"),
      Record.Stage(name: "blendshapes", state: .noModel, reason: "no model: x.tflite is not there"),
    ],
    options: ["num-faces": "2", "mode": "image"],
    host: Record.Host(
      cpu: "cpu", cores: 2, blasVersion: "0.3", blasCore: "Generic", blasThreads: 1,
      kernels: "x86-64-v3", environment: ["OPENBLAS_NUM_THREADS": "1"], loadAverage: nil,
      system: "Linux"),
    notes: ["a note"],
    measurements: [
      Measurement(
        name: "detection.recall", stage: "detection", value: 0.1 + 0.2, unit: "1",
        better: .higher, n: 4, interval: Interval(low: 0.2, high: 0.4, method: "bootstrap")),
      Measurement(
        name: "detection.ap", stage: "detection", value: nil, reason: "no faces", unit: "1",
        better: .higher, n: 0, slice: "yaw/60-90"),
      Measurement(
        name: "latency.total.p99", stage: "latency", value: 12.5, needs: 100, unit: "ms",
        better: .lower, n: 5),
      Measurement(
        name: "drawing.length_ratio", stage: "drawing", value: 1.1, unit: "1", better: .closest,
        target: 1, n: 5),
    ],
    headlines: ["detection.recall", "latency.total.p99"],
    series: [
      Series(
        name: "curve", title: "Curve",
        content: .curve(
          Series.Curve(
            xLabel: "x", yLabel: "y",
            lines: [Series.Line(label: "l", x: [0, 1], y: [1, 0.5], thresholds: [0.75, 0.25])],
            marks: [Series.Mark(label: "m", x: 0.5, y: 0.75)]))),
      Series(
        name: "histogram", title: "Histogram",
        content: .histogram(
          Series.Histogram(xLabel: "ms", edges: [0, 1, 2], groups: ["g"], counts: [[3, 4]]))),
      Series(
        name: "table", title: "Table",
        content: .table(Series.Table(columns: ["a", "b"], rows: [["1", "2"]]))),
    ],
    gallery: [
      Record.Image(file: "p.jpg", frame: "f/p.jpg", caption: "1 missed", width: 8, height: 6)
    ], sweep: fullSweep)
  var finding = Finding(
    "boxes.corners", .suspect, "Boxes agree with the labels as corners.",
    statistic: "share of faces found", before: 0.25, after: 0.75, n: 4,
    remedy: "Import the predictions again with --repair corners.",
    frames: [Finding.Frame(index: 3, name: "f/p.jpg")])
  finding.images = record.gallery
  finding.run = "base"
  record.findings = [
    finding, Finding("scores.ties", .note, "Scores are equal.", statistic: "share of ties", n: 0),
  ]
  var base = record
  base.measurements[0].value = 0.5
  record.gates = record.evaluate(
    [
      Gate(metric: "detection.recall", direction: .atLeast, limit: 0.3),
      Gate(metric: "detection.ap", slice: "yaw/60-90", direction: .atLeast, limit: 0.5),
      Gate(metric: "latency.total.p99", direction: .atMost, limit: 20),
      Gate(
        metric: "detection.recall", direction: .atLeast, maxWorsening: 0.3,
        maxRelativeWorsening: 0.5, evaluatedBy: .interval),
      Gate(
        metric: "latency.total.p99", direction: .atMost, limit: 20, evaluatedBy: .binomial,
        confidence: 0.95),
    ], base: base,
    difference: { _ in Interval(low: -0.25, high: -0.1, method: "paired bootstrap") },
    count: { _ in LimitCount(samples: 5, beyond: 0) })
  record.profile = Record.Profile(
    schedule: .paced, framesPerSecond: 60, workers: 1, warmUpFrames: 2, steadyFrames: 3,
    samples: [.init(stage: "total", slice: .tracked, nanoseconds: [1, 2, 3])],
    stutterPeriodFrames: nil, stutterReason: "no frame missed the budget", planSHA256: "00ff",
    machine: Record.Profile.Machine(
      instructionSets: ["avx2"], loadBefore: 0.5, loadAfter: nil, stealShare: 0.25,
      otherProcessesShare: nil, involuntarySwitches: 1, noise: ["it is noisy"], compiler: "Swift",
      compilerFlags: "-O"))
  return record
}()
