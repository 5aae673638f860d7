import Datasets
import FaceCore
import FacePipeline
import Foundation
import Imaging
import Metrics
import Records
import Running
import Scoring
import TestSupport
import Testing

/// Predictions that come from a file instead of the pipeline.
@Suite struct FileSourceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    .enabled(if: PulledModels.giveLandmarks, "needs the models of 'models pull'"),
    arguments: [(RunningMode.image, 2), (.video, 1)])
  func `evaluating an earlier run's predictions gives the metrics of that run`(
    mode: RunningMode, faces: Int
  ) throws {
    var plan = EvaluationPlan.test(
      try DrawnClips.write(
        [
          .init("a", DrawnClips.moving(20) + DrawnClips.empty(4) + DrawnClips.moving(4)),
          .init(stills: DrawnClips.moving(2)),
        ], in: folder))
    plan.settings.runningMode = mode
    plan.settings.numFaces = faces
    plan.settings.minFaceDetectionConfidence = 0.6
    let (first, predictions) = try plan.finish()
    var again = EvaluationPlan(dataset: plan.dataset, run: folder.file("again"))
    again.models = folder.file("no models here")
    again.predictions = plan.run.appending(path: "predictions.h5")
    let (second, copied) = try again.finish()
    #expect(copied == predictions)
    #expect(second.measurements == first.measurements)
    #expect(second.series == first.series && second.gallery == first.gallery)
    #expect(second.models == first.models && second.stages == nil)
    #expect(second.options["mode"] == mode.rawValue)
    #expect(second.options["min-face-detection-confidence"] == "0.6")
    #expect(
      second.notes.first == "Nothing ran: the predictions were read from predictions.h5.")
    // A minimum score is refused where it is another than that which the faces have passed.
    again.replaces = true
    again.isMinScoreGiven = true
    again.settings.minFaceDetectionConfidence = 0.6
    #expect(try again.finish().record.measurements == first.measurements)
    again.settings.minFaceDetectionConfidence = 0.95
    let refused = again
    let error = #expect(throws: EvaluationError.self) { try refused.finish() }
    #expect(error?.kind == .wrongUse)
    #expect(error?.description.contains("which ran with 0.6 ('facegauge sweep RUN") == true)
  }

  private func box(_ x: Double, _ score: Double?) -> FaceLabel {
    var face = FaceLabel(box: BoundingBox(x: x, y: 0, width: 10, height: 10))
    face.score = score
    return face
  }

  /// Two frames without images: two faces labelled in the first, one in the second.
  private func evaluate(
    _ given: [[FaceLabel]], threshold: Double = 0.5, labelling: (inout FaceLabel) -> Void = { _ in }
  ) throws -> Record {
    let dataset = folder.file("d.h5")
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    let predicted = folder.file("p.h5")
    for (index, faces) in [[box(0, nil), box(50, nil)], [box(0, nil)]].enumerated() {
      var faces = faces
      for face in faces.indices { labelling(&faces[face]) }
      try writer.add(
        name: "\(index)", image: [], size: ImageSize(width: 0, height: 0), faces: faces)
    }
    try writer.finish()
    try GivenFaces.write(given, on: dataset, to: predicted)
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("run"))
    evaluation.predictions = predicted
    evaluation.replaces = true
    evaluation.settings.minFaceDetectionConfidence = threshold
    evaluation.isMinScoreGiven = true
    return try evaluation.finish().record
  }

  /// By hand: of four boxes three lie on labels, with scores .9, .7, .2; the stranger has .8.
  @Test
  func `another tracker's boxes are evaluated at the threshold, and all of them for the curve`()
    throws
  {
    let faces = [[box(0, 0.9), box(50, 0.7), box(100, 0.8)], [box(0, 0.2)]]
    let record = try evaluate(faces)
    #expect(record.value("detection.recall@score") == 2.0 / 3)
    #expect(record.value("detection.precision@score") == 2.0 / 3)
    let ap = try #require(record.value("detection.ap50"))
    #expect(abs(ap - (34 + 67 * 0.75) / 101) < 1e-12, "the face of score .2 adds to the curve")
    #expect(
      record.measurement("landmarks.nme.interocular")?.reason?.contains("no landmarks") == true)
    #expect(record.measurement("jitter.static")?.value == .none)
    #expect(record.value("latency.total.p50") == nil)
    let untimed = record.measurement("latency.total.p50")?.reason
    #expect(untimed?.contains("'facegauge track' measures them") == true)
    #expect(record.models.isEmpty)
    #expect(record.options["tracker"] == "theirs")
    let loose = try evaluate(faces, threshold: 0.1)
    #expect(loose.value("detection.recall@score") == 1)
    #expect(loose.value("detection.precision@score") == 0.75)
    #expect(loose.value("detection.ap50") == ap)
    #expect(loose.gallery.isEmpty, "there are no images")
  }

  /// By hand, in the order of scores: true, false, true, true of three labels.
  @Test
  func `VOC, LRP and calibration are there for all labels, WIDER where labels name its levels`()
    throws
  {
    let faces = [[box(0, 0.9), box(50, 0.7), box(100, 0.8)], [box(0, 0.2)]]
    let plain = try evaluate(faces)
    let area = 1.0 / 3 + 2.0 / 3 * 0.75
    // Scores are stored as Float32.
    let froc: Double = (2.0 / 3 + 5) / 7
    let brier: Double = (0.01 + 0.64 + 0.09 + 0.64) / 4
    let all: [(String, Double)] = [
      ("voc.ap", area), ("lrp", 0.5), ("olrp", 0.25), ("olrp.score", 0.2), ("froc", froc),
      ("brier", brier),
    ]
    for (name, wanted) in all {
      let value = try #require(plain.value("detection.\(name)"))
      #expect(abs(value - wanted) < 1e-6, "\(name) is \(value)")
    }
    #expect(!plain.measurements.contains { $0.name.hasPrefix("detection.wider") })
    #expect(plain.series.map(\.name).contains("detection.reliability"))
    let levelled = try evaluate(faces) { face in
      for level in ["easy", "medium"] {
        face.attributes["wider_\(level)"] = level == "easy" ? 1 : 0
      }
    }
    let easy = try #require(levelled.value("detection.wider.easy"))
    #expect(abs(easy - area) < 1e-12)
    #expect(
      levelled.measurement("detection.wider.medium")?.reason == "this level counts no face")
  }

  @Test func `a frame whose image cannot be read is missing among the worst, and named`() throws {
    let dataset = folder.file("d.h5")
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    for (name, image) in [
      ("sound", try PixelBuffer(width: 60, height: 20).pngBytes()), ("torn", [1, 2]),
    ] {
      try writer.add(
        name: name, image: image, size: ImageSize(width: 60, height: 20), faces: [box(0, nil)])
    }
    try writer.finish()
    try GivenFaces.write([[box(30, 0.9)], [box(30, 0.9)]], on: dataset, to: folder.file("p.h5"))
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("run"))
    evaluation.predictions = folder.file("p.h5")
    let record = try evaluation.finish().record
    #expect(record.gallery.map(\.frame) == ["sound"])
    #expect(
      record.notes.contains(
        "Frame 1 'torn' is not shown: cannot decode image: expected the first bytes of a JPEG or PNG, "
          + "found 0x0102"))
  }

  /// By hand as above, in the order of scores: 15 true, 1.5 false, 1.0000001 true, −2 true.
  @Test func `scores of any scale rank, and leave the metrics of calibration undefined`() throws {
    let faces = [[box(0, 15), box(50, 1.000_000_1), box(100, 1.5)], [box(0, -2)]]
    let record = try evaluate(faces, threshold: -3)
    let ap = try #require(record.value("detection.ap50"))
    #expect(abs(ap - (34 + 67 * 0.75) / 101) < 1e-12)
    #expect(record.value("detection.recall@score") == 1)
    #expect(record.series.contains { $0.name == "detection.scores" })
    for name in ["detection.ece", "detection.brier", "presence.ece", "presence.brier"] {
      let metric = try #require(record.measurement(name))
      #expect(metric.value == nil && metric.reason?.contains("no probabilities") == true, "\(name)")
    }
    #expect(record.notes.contains { $0.contains("not probabilities") && $0.contains("below -3.0") })
    #expect(record.options["min-face-detection-confidence"] == "-3.0")
  }

  private func points(_ x: Double, _ side: Double = 60) -> Landmarks? {
    Landmarks(
      scheme: .ibug68,
      points: (0..<68).map { Point(x: x + side * Double($0 % 9) / 8, y: side * Double($0) / 67) })
  }

  private func evaluate(_ pairing: FacePairing) throws -> Record {
    let dataset = folder.file("d.h5")
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    func face(_ x: Double, _ side: Double = 60) -> FaceLabel {
      let box = BoundingBox(x: x, y: 0, width: side, height: side)
      return FaceLabel(box: box, landmarks: [points(x, side)].compactMap { $0 })
    }
    for (name, faces) in [("0", [face(0)]), ("1", [face(0)]), ("2", [face(0), face(200)])] {
      try writer.add(
        name: name, image: [], size: ImageSize(width: 0, height: 0), faces: faces)
    }
    try writer.finish()
    // The second face is half as large, IoU .25; the last frame's faces are shifted by half a face.
    let given = [[face(0)], [face(0, 30)], [face(30), face(200)]]
    try GivenFaces.write(given, on: dataset, to: folder.file("p.h5"))
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("run"))
    evaluation.predictions = folder.file("p.h5")
    evaluation.replaces = true
    evaluation.pairing = pairing
    return try evaluation.finish().record
  }

  @Test func `the rule of pairing decides which landmarks count, and record and notes state it`()
    throws
  {
    let overlap = try evaluate(.overlap)
    #expect(overlap.measurement("landmarks.nme.box")?.value == nil)
    #expect(overlap.value("landmarks.found_share") == 0.5)
    #expect(overlap.options["pairing"] == "overlap")
    #expect(overlap.notes.contains { $0.hasPrefix("1 labelled faces count as missed") })
    let nearest = try evaluate(FacePairing(rule: .nearest))
    #expect(nearest.value("landmarks.found_share") == 0.75)
    #expect(nearest.options["pairing"] == "nearest")
    #expect(nearest.options["pairing-distance"] == "0.3")
    #expect(nearest.notes.contains { $0.contains("3 pairs (pairing nearest): 2 by") })
    // The shift is .5 of the box.
    let wide = try evaluate(FacePairing(rule: .nearest, distance: 0.5001))
    #expect(wide.value("landmarks.found_share") == 1)
    #expect(wide.value("landmarks.nme.box") != nil)
    for name in ["faces.failure_to_acquire", "detection.recall@score", "detection.ap50"] {
      #expect(wide.value(name) == overlap.value(name), "\(name)")
    }
  }

  @Test func `a recording without images is found by the only face, and has no detections`() throws
  {
    let dataset = folder.file("d.h5")
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
    face.blendshapes = Blendshape.allCases.map { _ in 0.25 }
    for name in ["0", "1"] {
      try writer.add(
        name: name, image: [], size: ImageSize(width: 0, height: 0), faces: [face])
    }
    try writer.finish()
    try GivenFaces.write([[face], [face]], on: dataset, to: folder.file("p.h5"))
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("run"))
    evaluation.predictions = folder.file("p.h5")
    let record = try evaluation.finish().record
    #expect(record.value("blendshapes.found_share") == 1)
    #expect(record.value("faces.failure_to_acquire") == 0)
    let recall = try #require(record.measurement("detection.recall@score"))
    #expect(recall.value == nil && recall.reason?.contains("neither a box nor points") == true)
  }

  @Test func `a gate may limit a stage that another tracker times, and no other one`() throws {
    let dataset = try DrawnClips.write([.init("a", DrawnClips.moving(12))], in: folder)
    let first =
      #"{"protocol":"facegauge.tracker","version":1,"name":"s","inputs":["dataset"],"#
      + #""stages":["search","total"]}"#
    let command =
      "echo '\(first)'; "
      + #"while read -r line; do n=${line#*'"frame":'}; n=${n%%[,\}]*}; "#
      + #"echo "{\"frame\":$n,\"stages_ns\":{\"search\":2000000,\"total\":3000000},\"faces\":[]}"; done"#
    let predictions = folder.file("p.h5")
    _ = try TrackerRun(
      dataset: dataset, trackers: [.init(command: command, output: predictions)]
    ).run()
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("run"))
    evaluation.predictions = predictions
    evaluation.gates = folder.file("gates.json")
    try gates(on: "latency.search.p50")
    let record = try evaluation.finish().record
    #expect(record.value("latency.search.p50") == 2)
    #expect(record.gates.map(\.verdict) == [.pass])
    evaluation.replaces = true
    try gates(on: "latency.other.p50")
    let refused = evaluation.failure()
    #expect(refused?.description.contains("expected the name of a metric") == true)
  }

  private func gates(on metric: String) throws {
    let gate = #"{"metric":"\#(metric)","direction":"at_most","limit":5}"#
    _ = try folder.write(
      #"{"schema":"facegauge.gates","version":2,"gates":[\#(gate)]}"#, to: "gates.json")
  }

  @Test func `predictions of another dataset are refused, and nothing is written`() throws {
    _ = try evaluate([[], []])
    var plan = EvaluationPlan(dataset: folder.file("other.h5"), run: folder.file("new run"))
    plan.predictions = folder.file("p.h5")
    for (names, found) in [
      (["0"], "expected predictions of 1 frames as in other.h5, found 2"),
      (["0", "1"], "… ('other'), found those of "),
      (["0", "1"], "… ('d') ('facegauge import … --of other.h5'"),
    ] {
      let writer = try DatasetWriter(plan.dataset, name: "other", replacing: true)
      for name in names {
        try writer.add(
          name: name, image: [], size: ImageSize(width: 0, height: 0), faces: [])
      }
      try writer.finish()
      let error = plan.failure()
      #expect(error?.kind == .wrongData)
      #expect(
        error?.description.replacing(folder.url.path + "/", with: "").contains(found) == true,
        "\(error?.description ?? "")")
      #expect(try folder.names.contains { $0.hasPrefix("new run") } == false)
    }
  }
}
