import FaceCore
import Metrics
import Records
import Testing

@Suite("The metric catalogue")
struct MetricCatalogTests {
  @Test func `no two definitions share a name, and every one is complete`() {
    #expect(Set(MetricCatalog.all.map(\.name)).count == MetricCatalog.all.count)
    for definition in MetricCatalog.all {
      #expect(
        [
          definition.title, definition.stage, definition.unit, definition.formula,
          definition.source,
        ].allSatisfy { !$0.isEmpty }, "\(definition.name)")
    }
  }

  private func labelledActivity() throws -> ExpressionActivity {
    var label = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 9, height: 9))
    label.blendshapes = [Float](repeating: 0, count: Blendshape.allCases.count)
    let face = FacePrediction(box: label.box)
    var activity = ExpressionActivity()
    try activity.add(
      Frame(0, at: 0), isVideo: true, prediction: FramePrediction(0, faces: [face]),
      labels: [label],
      matching: FaceMatching(frame: 0, labels: [label], faces: [face]))
    return activity
  }

  @Test func `every measurement takes stage, unit and direction from its definition`() throws {
    var latency = StageLatency(stages: ["decode", "total"])
    for frame in 0..<10 { try latency.add(frame: frame, stage: "total", nanoseconds: 5) }
    let families: [[Records.Measurement]] = [
      COCODetection().summarize(),
      DetectionOperatingPoint(numFaces: 1).summarize(),
      RankedDetections().summarize(),
      VOCDetection().summarize(),
      WIDERDetection().summarize(),
      FaceAcquisition().summarize(),
      FaceOperatingPoint().summarize(),
      FDDBDetection().summarize(),
      LiveDelay().summarize(),
      LandmarkAccuracy(scheme: .ibug68).summarize(),
      LandmarkRegression(scheme: .ibug68).summarize(),
      FaceTracking().summarize(),
      FaceErrorTime().summarize(),
      IdentityTracking().summarize(),
      SingleObjectTracking().summarize(),
      LandmarkJitter().summarize(),
      LabelledJitter().summarize(),
      LabelledLag().summarize(),
      latency.summarize(),
      BlendshapeAccuracy().summarize(),
      ExpressionAccuracy().summarize(),
      ExpressionClassification().summarize(),
      try labelledActivity().summarize(),
      PoseAccuracy().summarize(),
      HeadPosition().summarize(),
      HeadOutput().summarize(),
      AttributeAccuracy(rules: .oneOfEachKind).summarize(),
      FaceVerification().summarize(),
      DrawnPath(along: []).summarize(),
      LandmarkVisibility().summarize(),
      PresenceReliability().summarize(),
      FrameBudget(nanoseconds: 1, frames: []).summarize(),
    ]
    let measurements = families.flatMap { $0 }
    #expect(Set(measurements.map(\.name)).count == measurements.count)
    for measurement in measurements {
      let definition = try #require(MetricCatalog.definition(of: measurement.name))
      let expression = measurement.name.split(separator: ".").dropFirst().first.map(String.init)
      let exact = definition.at(stage: measurement.stage).at(expression: expression ?? "")
        .at(attribute: expression ?? "")
      #expect(exact.name == measurement.name)
      #expect(exact.stage == measurement.stage)
      #expect(exact.unit == measurement.unit)
      #expect(exact.direction == measurement.better && exact.target == measurement.target)
      #expect((measurement.better == .closest) == (measurement.target != nil))
      #expect((measurement.value == nil) == (measurement.reason != nil))
    }
    let used = Set(measurements.compactMap { MetricCatalog.definition(of: $0.name)?.name })
    // Timing runs and comparisons have their own.
    let others = Set(
      (ProfileMetrics.definitions + PairedLandmarkError.definitions + ResponseFit.definitions
        + EquivarianceFit.definitions).map(\.name))
    #expect(used.union(others) == Set(MetricCatalog.all.map(\.name)))
    #expect(used.isDisjoint(with: others))
  }

  @Test func `a lag below 0 is no better than none, in differences and gates`() {
    let lags = [0.0, -40, 40].map { LandmarkJitter.lag.measurement($0, n: 1) }
    #expect(lags.allSatisfy { $0.better == .closest && $0.target == 0 })
    let gate = Gate(metric: "lag.ms", direction: .atMost, maxWorsening: 20)
    for other in lags[1...] {
      #expect(Comparison.Difference(base: lags[0], candidate: other).difference == 40)
      #expect(gate.evaluate(other, base: lags[0]).verdict == .fail)
      #expect(gate.evaluate(lags[0], base: other).verdict == .pass)
    }
  }

  @Test(
    arguments: [
      ("detection.ap50", "detection.ap50"), ("latency.total.p99", "latency.<stage>.p99"),
      ("latency..p99", nil), ("latency.total.p97", nil), ("detection.ap51", nil), ("", nil),
      ("expressions.sly-grin.f1", "expressions.<expression>.f1"), ("expressions..f1", nil),
      ("attributes.AU12.mae", "attributes.<attribute>.mae"),
      ("attributes.AU12.mae.conditional", "attributes.<attribute>.mae.conditional"),
      ("attributes.ccc", "attributes.ccc"), ("attributes..mae", nil),
      ("landmarks.nme.box", "landmarks.nme.box"), ("landmarks.nme.height", nil),
    ] as [(String, String?)])
  func `a name follows a definition or none`(name: String, definition: String?) {
    #expect(MetricCatalog.definition(of: name)?.name == definition)
  }
}
