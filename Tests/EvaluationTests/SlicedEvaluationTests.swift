import Datasets
import FaceCore
import Foundation
import Metrics
import Records
import Running
import Scoring
import TestSupport
import Testing

/// Slices and intervals of whole runs, from datasets without images and given predictions.
@Suite struct SlicedEvaluationTests {
  private struct MadeFrame {
    var subject = ""
    var light: Double?
    var severity: Double?
    var labels: [FaceLabel]
    var given: [FaceLabel]
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Videos of four frames, one a subject; the third of the faces is missed where `isDark`.
  private func frames(_ count: Int, blurs: Int = 3) -> [MadeFrame] {
    (0..<count).map { index in
      let labels = (0..<3).map { face -> FaceLabel in
        var label = FaceLabel(
          box: BoundingBox(x: Double(200 * face), y: 0, width: 40, height: Double(30 + 40 * face)))
        label.attributes["blur"] = Double((index + face) % blurs)
        return label
      }
      let isDark = index % 8 < 4
      let given = labels.enumerated().filter { !isDark || ($0.offset + index) % 3 > 0 }.map {
        var face = FaceLabel(box: $0.element.box)
        face.score = 0.5 + Double((index * 7 + $0.offset) % 16) / 40
        return face
      }
      return MadeFrame(
        subject: "s\(index / 4)", light: isDark ? 100 : 1500, labels: labels, given: given)
    }
  }

  private func plan(_ frames: [MadeFrame], name: String = "d") throws -> EvaluationPlan {
    let dataset = folder.file("\(name).h5")
    let writer = try DatasetWriter(dataset, name: name, replacing: true)
    for (index, frame) in frames.enumerated() {
      if index == 0 || frames[index - 1].subject != frame.subject {
        writer.beginSequence(
          SequenceDescription(
            name: "\(index)", kind: .video, subject: frame.subject, framesPerSecond: 25))
      }
      try writer.add(
        name: "\(index)", image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: Int64(index % 4) * 40_000, faces: frame.labels,
        context: FrameContext(
          attributes: ["ambientIntensity": frame.light, "severity.blur": frame.severity]
            .compactMapValues { $0 }))
    }
    try writer.finish()
    let predicted = folder.file("\(name)-p.h5")
    try GivenFaces.write(frames.map(\.given), on: dataset, to: predicted)
    var plan = EvaluationPlan(dataset: dataset, run: folder.file("\(name)-run"))
    plan.predictions = predicted
    plan.replaces = true
    plan.bootstrap.resamples = 40
    plan.minSliceCount = 1
    // Boxes are found at their labels, or missed.
    plan.accepted = ["sides.same"]
    return plan
  }

  private func metrics(_ record: Record, _ slice: String?) -> [String: Records.Measurement] {
    Dictionary(
      uniqueKeysWithValues: record.measurements.filter { $0.slice == slice }
        .map { measurement in
          var own = measurement
          own.slice = nil
          return (own.name, own)
        })
  }

  @Test func `a slice of frames has the metrics of a dataset of those frames alone`() throws {
    let all = frames(96)
    let whole = try plan(all).finish().record
    let dark = try plan(all.filter { $0.light == 100 }, name: "dark").finish().record
    let slice = metrics(whole, "light=0-250")
    let alone = metrics(dark, nil)
    #expect(slice.count >= 5 && slice["tracking.tracked_share"] != nil)
    for (name, metric) in slice {
      #expect(metric.value == alone[name]?.value && metric.n == alone[name]?.n, "\(name)")
    }
  }

  @Test func `videos without labelled faces are no occasions to track one`() throws {
    var all = frames(96)
    for index in 88..<96 { (all[index].labels, all[index].given) = ([], []) }
    let whole = try plan(all).finish().record
    let rest = try plan(Array(all[..<88]), name: "rest").finish().record
    for slice in [nil, "light=0-250"] {
      let (own, other) = (metrics(whole, slice), metrics(rest, slice))
      for name in ["tracking.tracked_share", "tracking.losses_per_minute"] {
        let metric = try #require(own[name])
        #expect(metric.value == other[name]?.value && metric.n == other[name]?.n, "\(name)")
      }
    }
  }

  @Test func `a severity has the headlines, with an interval where those frames alone have one`()
    throws
  {
    var all = frames(96)
    for index in all.indices { all[index].severity = Double(index / 4 % 2) }
    let whole = try plan(all).finish().record
    let worse = try plan(all.filter { $0.severity == 1 }, name: "worse").finish().record
    let slice = metrics(whole, "severity.blur=1")
    let alone = metrics(worse, nil)
    for name in ["detection.ap", "detection.ap50", "detection.recall@score"] {
      let metric = try #require(slice[name])
      #expect(metric.value == alone[name]?.value && metric.n == alone[name]?.n, "\(name)")
      #expect(metric.interval.low != nil && alone[name]?.interval.low != nil, "\(name)")
    }
    for (name, metric) in slice where alone[name]?.interval.low != nil {
      #expect(metric.interval.low != nil, "\(name): \(metric.interval.reason ?? "")")
    }
  }

  @Test func `a slice of faces counts its own faces and no others, found or not`() throws {
    let all = frames(96)
    let record = try plan(all).finish().record
    for blur in 0..<3 {
      var (labelled, found) = (0, 0)
      for frame in all {
        for label in frame.labels where label.attributes["blur"] == Double(blur) {
          labelled += 1
          if frame.given.contains(where: { $0.box == label.box }) { found += 1 }
        }
      }
      let slice = metrics(record, "blur=\(blur)")
      #expect(slice["detection.recall@score"]?.value == Double(found) / Double(labelled))
      #expect(
        slice["faces.failure_to_acquire"]?.value == Double(labelled - found) / Double(labelled))
      #expect(slice["faces.failure_to_acquire"]?.n == labelled)
      #expect(slice["detection.precision@score"] == nil, "false positives are of no slice")
    }
  }

  @Test func `one value makes no slices, and too many make a note`() throws {
    let one = try plan(frames(48, blurs: 1)).finish().record
    #expect(!one.measurements.contains { $0.slice?.hasPrefix("blur=") == true })
    var many = frames(48)
    for index in many.indices { many[index].labels[0].attributes["blur"] = Double(index) }
    let record = try plan(many).finish().record
    #expect(!record.measurements.contains { $0.slice?.hasPrefix("blur=") == true })
    #expect(record.notes.contains("'blur' has more than 24 values and makes no slices."))
    for index in many.indices { many[index].labels[0].attributes["age"] = Double(index) }
    let two = try plan(many).finish().record
    let note = "'age', 'blur' have more than 24 values each and make no slices."
    #expect(two.notes.contains(note))
    #expect(record.measurements.contains { $0.slice == "height=10-50" })
  }

  @Test func `a slice under the least n is suppressed, and a gate on it fails`() throws {
    var plan = try plan(frames(48))
    plan.minSliceCount = 49
    plan.gates = try folder.write(
      #"{"schema":"facegauge.gates","version":2,"gates":[{"metric":"faces.failure_to_acquire","#
        + #""slice":"blur=0","direction":"at_most","limit":1}]}"#, to: "gates.json")
    let record = try plan.finish().record
    let metric = try #require(metrics(record, "blur=0")["faces.failure_to_acquire"])
    #expect(metric.value == nil && metric.n == 48)
    #expect(metric.reason == "suppressed: n is 48, below the minimum of 49")
    #expect(record.gates.map(\.verdict) == [.fail])
    #expect(
      !record.series.contains { series in
        guard series.name == "slices.spread", case .table(let table) = series.content else {
          return false
        }
        return table.rows.joined().contains { $0.hasPrefix("blur=") }
      })
    plan.minSliceCount = 48
    let shown = try plan.finish().record
    #expect(metrics(shown, "blur=0")["faces.failure_to_acquire"]?.value != nil)
    #expect(shown.gates.map(\.verdict) == [.pass])
  }

  @Test func `a suite whose severities are all suppressed says so`() throws {
    var all = frames(48)
    for index in all.indices { all[index].severity = Double(index / 4 % 2) }
    for (least, isSuppressed) in [(1, false), (1000, true)] {
      var plan = try plan(all)
      plan.minSliceCount = least
      let notes = try plan.finish().record.notes
      #expect(notes.contains { $0.contains("mix clean images") })
      #expect(notes.contains { $0.hasPrefix("No severity has a metric") } == isSuppressed)
    }
  }

  @Test func `intervals rest on subjects, need ten of them, and hold the value`() throws {
    let record = try plan(frames(48)).finish().record
    let metric = try #require(metrics(record, nil)["faces.failure_to_acquire"])
    let interval = metric.interval
    let (low, high) = (try #require(interval.low), try #require(interval.high))
    let value = try #require(metric.value)
    #expect(low < high && (low...high).contains(value))
    #expect(interval.method?.hasPrefix("Clopper-Pearson of 12 clusters, worth ") == true)
    let average = try #require(metrics(record, nil)["detection.ap50"]?.interval)
    #expect(
      average.method
        == "Student's t and expanded percentiles, bootstrap of 12 clusters, 40 resamples, seed 1")
    #expect(record.notes.contains { $0.hasPrefix("Intervals rest on 12 clusters of frames only") })
    let few = try plan(frames(36)).finish().record
    for measurement in few.measurements where measurement.value != nil {
      #expect(measurement.interval.low == nil && measurement.interval.reason != nil)
    }
    #expect(
      metrics(few, nil)["faces.failure_to_acquire"]?.interval.reason
        == "9 clusters of frames (subjects, videos or stills), 10 are needed")
  }

  @Test func `the same seed gives the same record, another one other intervals, none none`() throws
  {
    var plan = try plan(frames(48))
    let first = try plan.finish().record.measurements
    #expect(try plan.finish().record.measurements == first)
    plan.bootstrap.seed = 2
    let second = try plan.finish().record.measurements
    #expect(second.map(\.value) == first.map(\.value))
    #expect(second.map(\.interval) != first.map(\.interval))
    plan.bootstrap.resamples = 0
    let none = try plan.finish().record
    #expect(none.measurements.map(\.value) == first.map(\.value))
    #expect(none.measurements.allSatisfy { $0.interval.low == nil && $0.interval.reason != nil })
  }

  /// 144 labelled faces in twelve videos; precision is 1 in every resample, and recall too where no face is missed.
  @Test func `nothing missed and nothing false is no proof of 1`() throws {
    let all = frames(48).map { MadeFrame(subject: $0.subject, labels: $0.labels, given: $0.labels) }
      .map { frame in
        var frame = frame
        for index in frame.given.indices { frame.given[index].score = 0.9 - Double(index) / 8 }
        return frame
      }
    var plan = try plan(all)
    plan.gates = try folder.write(
      #"{"schema":"facegauge.gates","version":2,"gates":[{"metric":"detection.recall@score","#
        + #""direction":"at_least","limit":0.99,"evaluated_by":"interval"}]}"#, to: "gates.json")
    let record = try plan.finish().record
    let whole = metrics(record, nil)
    for name in ["detection.recall@score", "detection.precision@score", "detection.ap50"] {
      let metric = try #require(whole[name])
      #expect(metric.value == 1 && metric.interval.high == 1)
      #expect(try abs(#require(metric.interval.low) - pow(0.025, 1.0 / 12)) < 1e-9, "\(name)")
    }
    let missed = try #require(whole["faces.failure_to_acquire"]?.interval)
    #expect(try missed.low == 0 && abs(#require(missed.high) - (1 - pow(0.025, 1.0 / 12))) < 1e-9)
    #expect(
      whole["tracking.losses_per_minute"]?.interval.reason
        == "none in 12 clusters; at most 27 % of clusters have any (95 %)")
    #expect(record.gates.map(\.verdict) == [.inconclusive])
  }

  @Test func `the latency of a slice has an interval of its own, which holds it`() throws {
    let all = frames(96)
    var plan = try plan(all)
    let dataset = try DatasetReader(plan.dataset)
    let predictions = folder.file("timed.h5")
    let writer = try PredictionsWriter(
      predictions,
      header: PredictionsHeader(
        datasetName: dataset.name, datasetSHA256: try RunMonitor.silent.hash(dataset),
        datasetPath: plan.dataset.path, mode: "image", models: [], candidateFloor: 0.05,
        stages: ["total"], options: [:]))
    for (index, frame) in all.enumerated() {
      let milliseconds = frame.light == 100 ? 9_000_000 : 3_000_000
      try writer.add(
        FramePrediction(
          frame: index, size: ImageSize(width: 10, height: 10),
          stageNanoseconds: [UInt64(milliseconds + index * 1000)], detections: [], candidates: [],
          faces: []))
    }
    try writer.finish()
    plan.predictions = predictions
    let record = try plan.finish().record
    let latencies = record.measurements.filter { $0.name == "latency.total.p50" }
    #expect(Set(latencies.map(\.slice)).isSuperset(of: [nil, "light=0-250", "light=1000-"]))
    for one in latencies where one.slice?.hasPrefix("subject=") == false {
      let (low, high) = (try #require(one.interval.low), try #require(one.interval.high))
      #expect(try (low...high).contains(#require(one.value)), "\(one.slice ?? "whole")")
      #expect(one.slice == nil || high - low < 1, "\(one.slice ?? "whole")")
    }
  }

  @Test func `the spread names the worst and the best slice of each dimension`() throws {
    let record = try plan(frames(96)).finish().record
    let series = try #require(record.series.first { $0.name == "slices.spread" })
    guard case .table(let table) = series.content else { return }
    let row = try #require(
      table.rows.first { $0[0] == "faces.failure_to_acquire" && $0[1].hasPrefix("light=") })
    #expect(
      row == ["faces.failure_to_acquire", "light=0-250", "0.3333", "light=1000-", "0", "0.3333"])
  }

  @Test func `the spread of a metric that is best at 0 goes by the distance from 0`() throws {
    func pose(_ distance: Float) -> HeadPose {
      HeadPose(matrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -distance, 0, 0, 0, 1])
    }
    // By its attribute a head is told where it is, 3 cm too near or 1 cm too far.
    let told: [Float] = [50, 47, 51]
    var all = frames(48)
    for index in all.indices {
      for face in all[index].labels.indices { all[index].labels[face].pose = pose(50) }
      all[index].given = all[index].labels.map { label in
        var face = FaceLabel(box: label.box)
        face.pose = pose(told[Int(label.attributes["blur"] ?? 0)])
        return face
      }
    }
    let record = try plan(all).finish().record
    let series = try #require(record.series.first { $0.name == "slices.spread" })
    guard case .table(let table) = series.content else { return }
    let row = try #require(
      table.rows.first {
        $0[0] == "pose.distance.bias.conditional" && $0[1].hasPrefix("blur=")
      })
    #expect([row[1], row[3], row[4], row[5]] == ["blur=1", "blur=0", "0", "3"])
  }

  @Test func `single coefficients are no parts of the dataset that are compared`() throws {
    func coefficients(_ step: Int, _ frame: Int, _ face: Int) -> [Float] {
      Blendshape.allCases.indices.map {
        Float((frame * frame * 7 + face * 13 + $0 * step) % 23) / 23
      }
    }
    var all = frames(96)
    for index in all.indices {
      for face in all[index].labels.indices {
        all[index].labels[face].blendshapes = coefficients(5, index, face)
      }
      all[index].given = all[index].labels.enumerated().map { face, label in
        var given = FaceLabel(box: label.box)
        given.blendshapes = coefficients(3, index + 1, face)
        return given
      }
    }
    let record = try plan(all).finish().record
    let jaw = record.measurements.first {
      $0.name == "blendshapes.mae.conditional" && $0.slice == "coefficient=jawOpen"
    }
    #expect(jaw?.interval.low != nil)
    for name in ["slices.spread", "slices.gaps"] {
      let series = try #require(record.series.first { $0.name == name })
      guard case .table(let table) = series.content else { return }
      let slices = Set(table.rows.filter { $0[0].hasPrefix("blendshapes.") }.map { $0[1] })
      #expect(!slices.isEmpty && !slices.contains { $0.hasPrefix("coefficient=") }, "\(name)")
    }
  }
}
