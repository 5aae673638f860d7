import Metrics
import Records
import Testing

/// Which metrics stand for a run follows what its dataset labels.
@Suite struct HeadlinesTests {
  private func measurements(_ names: [String], undefined: [String] = []) -> [Measurement] {
    names.map {
      Measurement(name: $0, stage: "s", value: 0.5, unit: "1", better: .higher, n: 9)
    }
      + undefined.map {
        Measurement(
          name: $0, stage: "s", value: nil, reason: "none", unit: "1", better: .higher, n: 0)
      }
  }

  private func names(_ names: [String], undefined: [String] = []) -> [String] {
    let measurements = measurements(names, undefined: undefined)
    return MetricCatalog.headlines(among: measurements).filter { name in
      measurements.contains { $0.name == name }
    }
  }

  @Test func `WIDER's levels stand instead of COCO's AP where they are labelled`() {
    let coco = ["detection.ap", "detection.ap50"]
    let wider = ["detection.wider.easy", "detection.wider.medium", "detection.wider.hard"]
    #expect(names(coco) == coco)
    #expect(names(coco + wider) == wider)
    #expect(names(coco, undefined: wider) == coco)
  }

  @Test func `recall and precision at the setting lead, ranked scores follow`() {
    let ranked = ["detection.wider.easy", "detection.ap", "detection.ap50"]
    let found = ["detection.recall@score", "detection.precision@score"]
    #expect(names(ranked + found) == found + ["detection.wider.easy"])
    #expect(names(found, undefined: ranked) == found)
  }

  @Test
  func `identities, targets, coefficients, expressions and pose come where they are labelled`() {
    let all = [
      "tracking.mota", "tracking.idf1", "tracking.id_switches", "tracking.success_auc",
      "tracking.precision@20px", "blendshapes.mae.conditional", "blendshapes.ccc.conditional",
      "expressions.happy.f1", "expressions.sad.f1", "pose.geodesic.conditional",
      "tracking.tracked_share", "tracking.losses_per_minute",
    ]
    #expect(names(all.reversed()).sorted() == all.sorted())
    #expect(
      names(["detection.ap", "detection.ap50"], undefined: all) == [
        "detection.ap", "detection.ap50",
      ])
  }

  @Test func `the normaliser is the first that the points allow`() {
    let boxes = ["landmarks.nme.box.conditional", "landmarks.fr.box@0.08"]
    let eyes = ["landmarks.nme.interocular.conditional", "landmarks.fr.interocular@0.08"]
    #expect(names(boxes + eyes) == eyes)
    #expect(names(boxes, undefined: eyes) == boxes)
  }

  @Test func `recall of the detector stands where that of faces is undefined`() {
    let detector = ["detection.recall@score", "detection.precision@score"]
    let faces = ["faces.recall", "faces.precision"]
    #expect(names(detector + faces) == faces)
    #expect(names(detector, undefined: faces) == detector)
  }

  @Test func `errors are counted over time where there are clips, else over images`() {
    let clips = ["tracking.missed_s_per_minute", "tracking.false_track_s_per_minute"]
    let images = ["faces.missed_per_image", "faces.false_per_image"]
    let boxes = ["detection.fp_per_image@score"]
    #expect(names(boxes + images + clips) == clips)
    #expect(names(boxes + images, undefined: clips) == images)
    #expect(names(boxes, undefined: clips + images) == boxes)
  }

  @Test func `the time without decoding stands before the total, where there is one`() {
    let total = ["latency.total.p50", "latency.total.p95"]
    let pipeline = ["latency.pipeline.p50", "latency.pipeline.p95"]
    #expect(names(total + pipeline) == pipeline + total)
    #expect(names(total) == total)
  }

  @Test func `two runs are compared by what either has, and never by a time`() {
    let all = measurements([
      "detection.ap", "latency.total.p50", "tracking.detector_rate", "lag.ms",
      "throughput.frames_per_second",
    ])
    #expect(
      MetricCatalog.headlines(among: all, comparedOnly: true) == [
        "detection.ap", "detection.ap50", "lag.ms",
      ])
  }
}
