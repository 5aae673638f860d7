import Datasets
import FaceCore
import Foundation
import Imaging
import Records
import TestSupport
import Testing

/// Models of the user's own in `evaluate`, `serve` and `compare`, on those of Tests/Oracles/own_models.py.
@Suite("Own models")
struct OwnModelTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Self.prepare(bench, frames: 24)
  }

  /// Writes models, cards and a dataset of so many images.
  private static func prepare(_ bench: Workbench, frames: Int) throws {
    for (name, model) in try Oracles.read("own_models", as: [String: Data].self) {
      try bench.write([UInt8](model), to: "\(name).tflite")
    }
    let input = #""input": {"size": [16, 16], "layout": "nhwc", "divisor": 255}"#
    try bench.write(
      """
      {"schema": "facegauge.detector-model", "version": 1, "name": "light", "file": "detector.tflite", \(input),
       "outputs": [{"boxes": 0, "scores": 1}], "box": {"form": "center", "unit": "input"},
       "score": {"activation": "none"}}
      """, to: "detector.json")
    for kind in ["float", "float16", "int8"] {
      try bench.write(
        """
        {"schema": "facegauge.landmark-model", "version": 1, "name": "centre, \(kind)", "file": "\(kind).tflite",
         "scheme": "five", \(input), "output": {"unit": "crop"}, "presence": {"index": 1, "activation": "none"}}
        """, to: "\(kind).json")
    }
    try squares(bench.url("squares.h5"), frames: frames)
  }

  /// Black images with one light square, whose box and points are labelled.
  private static func squares(_ url: URL, frames: Int) throws {
    let writer = try DatasetWriter(url, name: "squares", replacing: true)
    var images: [[UInt8]] = []
    for frame in 0..<frames {
      let index = frame % 24
      let (x, y) = (60 + index * 37 % 160, 50 + index * 53 % 100)
      var pixels = PixelBuffer(width: 320, height: 240, color: RGB(0, 0, 0))
      for row in 0..<40 {
        pixels.stroke(
          BoundingBox(x: Double(x), y: Double(y + row), width: 40, height: 1),
          color: RGB(255, 255, 255))
      }
      let (cx, cy) = (Double(x) + 20, Double(y) + 20)
      let offsets = [(-0.2, -0.1), (0.2, -0.1), (0, 0.05), (-0.15, 0.2), (0.15, 0.2)]
      var label = FaceLabel(box: BoundingBox(x: cx - 48, y: cy - 48, width: 96, height: 96))
      label.landmarks = [
        try #require(
          Landmarks(
            scheme: .five,
            points: offsets.map { Point(x: cx + $0 * 96, y: cy + $1 * 96) }))
      ]
      if index == images.count { images.append(try pixels.pngBytes()) }
      try writer.add(
        name: "square-\(frame)", image: images[index] + [UInt8(frame / 24 % 256)],
        size: ImageSize(width: 320, height: 240), faces: [label])
    }
    try writer.finish()
  }

  private func evaluate(_ model: String, into run: String, _ more: [String] = []) throws
    -> ProcessResult
  {
    try bench.facegauge(
      [
        "evaluate", "squares.h5", "-o", run, "--detector-model", "detector.json",
        "--landmark-model", "\(model).json", "--resamples", "200", "--models", ".",
      ] + more)
  }

  private func record(_ run: String) throws -> Record {
    try JSONDecoder().decode(Record.self, from: Data(try bench.bytes("\(run)/record.json")))
  }

  @Test func `quantised against float is one command whose gates decide the exit status`() throws {
    for model in ["float", "float16", "int8"] {
      let result = try evaluate(model, into: model)
      try #require(result.status == 0, "\(result.errors)")
    }
    let record = try record("int8")
    #expect(record.models.map(\.name) == ["light", "centre, int8"])
    #expect(record.models.map(\.stage) == ["detection", "landmarks"])
    #expect(record.models[0].sha256 != record.models[1].sha256)
    #expect(record.options["detector"] == "own with 0 points")
    #expect(record.options["landmarks"] == "own" && record.options["landmark-model"]?.count == 64)
    #expect(
      record.notes.contains {
        $0.hasPrefix(
          "The stage landmarks ran with centre, int8: an own model, described by int8.json")
      })
    let stages = Dictionary(uniqueKeysWithValues: (record.stages ?? []).map { ($0.name, $0) })
    #expect(stages["blendshapes"]?.state == .noModel)
    #expect(
      stages["geometry"]?.reason
        == "it needs the points of mediapipe478, and the landmark model has five")

    let metric = "landmarks.nme.interpupil.conditional"
    func compare(_ base: String, _ candidate: String, worsening: String) throws -> ProcessResult {
      try bench.write(
        """
        {"schema": "facegauge.gates", "version": 2, "gates": [
          {"metric": "\(metric)", "max_worsening": \(worsening)}, {"metric": "detection.recall@score", "max_worsening": 0}]}
        """, to: "gates.json")
      return try bench.facegauge([
        "compare", base, candidate, "--gates", "gates.json", "--resamples", "200",
      ])
    }
    let loose = try compare("float", "int8", worsening: "0.05")
    #expect(loose.status == 0, "\(loose.output)\(loose.errors)")
    #expect(loose.output.contains("The models differ: landmarks centre, float and centre, int8."))
    // The rounded weights move points by up to half a quantum; the same run twice is equal.
    let strict = try compare("float", "int8", worsening: "0.00001")
    #expect([2, 3].contains(strict.status), "\(strict.output)\(strict.errors)")
    #expect(try compare("float", "float", worsening: "0.00001").status == 0)
  }

  @Test func `serve gives the predictions of evaluate, and names the scheme`() throws {
    try #require(evaluate("float", into: "direct").status == 0)
    let track = try bench.shell(
      """
      "$facegauge" track squares.h5 --mode image -o served.h5 --tracker \
      '"$facegauge" serve --mode image --models . --detector-model detector.json --landmark-model float.json' \
      && "$facegauge" evaluate squares.h5 --predictions served.h5 -o served --resamples 200
      """)
    try #require(track.status == 0, "\(track.errors)")
    func values(_ run: String) throws -> [String: Double?] {
      let kept = try record(run).measurements.filter { !$0.name.hasPrefix("latency") }
      return Dictionary(kept.map { ($0.name, $0.value) }) { first, _ in first }
    }
    let (direct, served) = (try values("direct"), try values("served"))
    let nme = "landmarks.nme.interpupil.conditional"
    #expect(direct[nme] != nil && direct[nme] == served[nme])
    #expect(direct["detection.ap50"] == served["detection.ap50"] && direct["detection.ap50"] == 1)
  }

  @Test func `parts are joined with the cards that they were made with`() throws {
    let shard = try evaluate("float", into: "run", ["--shard", "0/1"])
    try #require(shard.status == 0, "\(shard.errors)")
    let card = try bench.text("float.json")
    try bench.write(card + "\n", to: "float.json")
    let refused = try bench.facegauge(["join", "run"])
    #expect(refused.status == 65 && refused.errorLines.count == 1)
    let line = refused.errorLines.first ?? ""
    #expect(line.hasPrefix("error: cannot join run.shards: expected landmark-model "), "\(line)")
    try bench.write(card, to: "float.json")
    let joined = try bench.facegauge(["join", "run"])
    #expect(joined.status == 0, "\(joined.errors)")
  }

  @Test func `what does not go together is refused in one line`() throws {
    let cases: [(words: [String], status: Int32, text: String)] = [
      (["--mode", "video"], 64, "'--landmark-model' requires '--mode image'"),
      (
        ["--detector", "full-range"], 64,
        "'--detector-model' cannot be combined with '--detector'"
      ),
      (
        ["--landmarks", "attention"], 64,
        "'--landmark-model' cannot be combined with '--landmarks'"
      ),
    ]
    for test in cases {
      let result = try evaluate("float", into: "none", test.words)
      #expect(result.status == test.status && result.errorLines.count == 1)
      #expect(result.errors.contains(test.text), "\(result.errors)")
    }
    try bench.write("{}", to: "empty.json")
    let empty = try evaluate("empty", into: "none")
    #expect(empty.status == 65)
    #expect(
      empty.errorLines == [
        #"error: cannot read 'schema' in empty.json: expected "facegauge.landmark-model", found nothing"#
      ])
    #expect(try evaluate("missing", into: "none").status == 66)
    #expect(!bench.exists("none") && !bench.exists("none.partial"))
  }

  @Test func `a sweep of such a run is refused`() throws {
    try #require(evaluate("float", into: "run").status == 0)
    let sweep = try bench.facegauge([
      "sweep", "run", "-o", "sweep", "--threshold", "min-face-detection-confidence=0.3:0.9:0.3",
    ])
    #expect(sweep.status == 65)
    #expect(
      sweep.errorLines.first?.hasSuffix(
        "expected a run with MediaPipe's models, found one with --detector-model") == true,
      "\(sweep.errors)")
  }

  @Test func `another card does not continue an interrupted run`() throws {
    func words(_ model: String) -> [String] {
      [
        "evaluate", "squares.h5", "-o", "run", "--detector-model", "detector.json",
        "--landmark-model", "\(model).json", "--models", ".", "--resamples", "0",
      ]
    }
    let stopped = try Workbench.stopped(from: 900) { bench, frames in
      try Self.prepare(bench, frames: frames)
      return try bench.facegauge(words("float")) { process in
        try bench.wait { bench.exists("run.partial/segments/0.h5") || !process.isRunning }
        kill(process.processIdentifier, SIGTERM)
      }
    }
    let other = try stopped.bench.facegauge(words("int8") + ["--resume"])
    #expect(other.status == 65)
    #expect(
      other.errorLines.count == 1
        && other.errors.contains("run: expected landmark-model "), "\(other.errors)")
    #expect(try stopped.bench.facegauge(words("float") + ["--resume"]).status == 0)
  }
}
