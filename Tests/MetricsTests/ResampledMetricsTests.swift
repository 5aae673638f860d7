import FaceCore
import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

extension [Records.Measurement] {
  /// Whether all is the same, but for what rounding does to sums in another order.
  fileprivate func agrees(with other: [Records.Measurement]) -> Bool {
    count == other.count
      && zip(self, other).allSatisfy { own, other in
        guard let value = own.value, let known = other.value else { return own == other }
        var rounded = own
        rounded.value = known
        return rounded == other && abs(value - known) <= 1e-12 * Swift.max(1, abs(known))
      }
  }
}

/// The laws of one accumulator, on scenes of stills and videos.
private struct Laws: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let definitions: [MetricDefinition]
  let check: @Sendable (UInt64) throws -> Int

  init<M: MetricFamily>(_ empty: M, _ add: @escaping @Sendable (inout M, SceneSight) throws -> Void)
  {
    testDescription = "\(M.self)"
    definitions = M.definitions
    check = { @Sendable seed in try Self.check(seed, empty, add) }
  }

  private static func fed<M: MetricFamily>(
    _ scene: [SceneSequence], _ order: [Int], _ empty: M,
    _ add: (inout M, SceneSight) throws -> Void
  ) throws -> M {
    var metric = empty
    try scene.visit(order) { try add(&metric, $0) }
    return metric
  }

  /// Feeds sequences, each video of which is condensed as soon as it is complete.
  private static func condensed<M: MetricFamily>(
    _ sights: [SceneSight], _ empty: M, _ add: (inout M, SceneSight) throws -> Void
  ) throws -> M {
    var metric = empty
    for (position, sight) in sights.enumerated() {
      try add(&metric, sight)
      let isLast =
        position + 1 == sights.count || sights[position + 1].frame.sequence != sight.frame.sequence
      guard sight.isVideo, isLast else { continue }
      let first = sights[...position].last { $0.frame.sequence != sight.frame.sequence }
      let start = first.map { $0.frame.index + 1 } ?? 0
      metric.condense(start..<sight.frame.index + 1)
    }
    return metric
  }

  /// What is kept in place of whole videos gives the same metrics, resamples and slices, in any split.
  private static func checkCondensed<M: MetricFamily>(
    _ sights: [SceneSight], whole: M, _ empty: M, clusters: FrameClusters,
    using generator: inout SplitMix64, _ add: (inout M, SceneSight) throws -> Void
  ) throws {
    let short = try condensed(sights, empty, add)
    #expect(short.summarize().agrees(with: whole.summarize()))
    #expect(short.isPresent == whole.isPresent)
    #expect(short.byteCount <= whole.byteCount + 64 * clusters.count * 200)
    #expect(clusters.sizes(of: short.restingFrames) == clusters.sizes(of: whole.countedFrames))
    var parts: [[SceneSight]] = [[]]
    for sight in sights {
      if let last = parts[parts.count - 1].last, last.frame.sequence != sight.frame.sequence,
        generator.below(3) == 0
      {
        parts.append([])
      }
      parts[parts.count - 1].append(sight)
    }
    var merged = empty
    for part in parts.shuffled(using: &generator) {
      try merged.merge(any: condensed(part, empty, add))
    }
    #expect(merged == short)
    let draws = (0..<5).map { round in
      ClusterDraw(
        (0..<clusters.count).map { _ in round == 0 ? 1 : Int32(generator.below(3)) }, of: clusters)
    }
    let ofShort = short.resampler(of: clusters, isSlice: false).measurements(of: draws)
    let ofWhole = whole.resampler(of: clusters, isSlice: false).measurements(of: draws)
    #expect(zip(ofShort, ofWhole).allSatisfy { $0.agrees(with: $1) })
    let alone = Array(0..<clusters.count)
    let each = short.resampler(of: clusters, isSlice: false)
      .measurements(ofEach: alone, of: clusters)
    let eachOfWhole = whole.resampler(of: clusters, isSlice: false)
    for cluster in alone {
      #expect(
        each[cluster].agrees(
          with: eachOfWhole.measurements(of: ClusterDraw(only: cluster, of: clusters))))
    }
    var drawn = whole
    drawn.draw(FrameDraw(FrameRuns(sights.map(\.frame.index))))
    #expect(drawn.summarize() == whole.summarize())
  }

  /// How many metrics were defined, so that a law of nothing is noticed.
  private static func check<M: MetricFamily>(
    _ seed: UInt64, _ empty: M, _ add: (inout M, SceneSight) throws -> Void
  ) throws -> Int {
    var generator = SplitMix64(seed: seed + 9)
    let scene = [SceneSequence](seed: seed)
    let whole = try fed(scene, Array<Int>(scene.indices), empty, add)
    var sights: [SceneSight] = []
    try scene.visit(Array<Int>(scene.indices)) { sights.append($0) }
    let merged = try M.inParts(sights, using: &generator, empty: empty) { try add(&$0, $1) }
    #expect(merged == whole)
    #expect(merged.summarize() == whole.summarize())
    try checkCondensed(
      sights, whole: whole, empty, clusters: scene.clusters().clusters, using: &generator, add)
    #expect(Set(whole.countedFrames).isSubset(of: sights.map(\.frame.index)))

    let (clusters, members) = try scene.clusters()
    for round in 0..<4 {
      let copies = members.map { _ in round == 0 ? 1 : Int32(generator.below(3)) }
      var drawn = whole
      drawn.draw(clusters.draw(copies))
      let order = zip(members, copies).flatMap { member, times in
        (0..<times).flatMap { _ in member }
      }
      #expect(try drawn.summarize() == fed(scene, order, empty, add).summarize())
      #expect(
        whole.resampler(of: clusters, isSlice: false)
          .measurements(of: ClusterDraw(copies, of: clusters)).agrees(
            with: drawn.measurements(inSlice: false)))
    }

    // More draws than are measured side by side.
    let draws = (0..<11).map { _ in
      ClusterDraw(members.map { _ in Int32(generator.below(3)) }, of: clusters)
    }
    let resampler = whole.resampler(of: clusters, isSlice: false)
    #expect(resampler.measurements(of: draws) == draws.map { resampler.measurements(of: $0) })

    let alone = [SceneSequence](seed: seed, subjects: [""])
    var once = try fed(alone, Array<Int>(alone.indices), empty, add)
    let before = once.summarize()
    let own = try alone.clusters().clusters
    once.draw(own.draw(Array(repeating: 1, count: own.count)))
    #expect(once.summarize() == before)

    let other = [SceneSequence](seed: seed, tracker: 7)
    let isChosen = members.map { _ in generator.below(2) == 0 }
    let ofSequence = members.enumerated().flatMap { cluster, member in
      member.map { ($0, isChosen[cluster]) }
    }.sorted { $0.0 < $1.0 }.map(\.1)
    let mixture = zip(zip(scene, other), ofSequence).map { $1 ? $0.1 : $0.0 }
    var first = whole
    let elsewhere = try fed(other, Array<Int>(other.indices), empty, add)
    var second = elsewhere
    let choice = { (frame: Int) in isChosen[clusters.cluster(of: frame) ?? 0] }
    first.swapFrames(with: &second, where: choice)
    let mixed = try fed(mixture, Array<Int>(mixture.indices), empty, add)
    #expect(first.summarize() == mixed.summarize())
    let nobody = members.map { _ in false }
    let swapped = whole.measurements(
      swappedWith: elsewhere, [isChosen, nobody, nobody.map { !$0 }], of: clusters)
    let expected = [first, whole, elsewhere].map { $0.measurements(inSlice: false) }
    #expect(zip(swapped, expected).allSatisfy { $0.agrees(with: $1) })
    first.swapFrames(with: &second, where: choice)
    #expect(first == whole && second == elsewhere)
    return whole.summarize().count { $0.value != nil }
  }
}

private let laws: [Laws] = [
  Laws(COCODetection()) { metric, sight in
    guard sight.prediction.status == .analysed else { return }
    try metric.add(
      frame: sight.frame.index, labels: sight.labels, detections: sight.prediction.detections,
      categories: sight.categories)
  },
  Laws(DetectionOperatingPoint(numFaces: 9)) { metric, sight in
    try metric.add(
      frame: sight.frame.index, labels: sight.labels, detections: sight.prediction.detections)
  },
  Laws(RankedDetections()) { metric, sight in
    let found = sight.prediction.detections
    try metric.add(
      frame: sight.frame.index, labels: sight.labels, detections: found,
      kept: found.filter { $0.score >= 0.5 })
  },
  Laws(VOCDetection()) { metric, sight in
    try metric.add(
      frame: sight.frame.index, labels: sight.labels, detections: sight.prediction.detections)
  },
  Laws(WIDERDetection()) { metric, sight in
    try metric.add(
      frame: sight.frame.index, labels: sight.labels, detections: sight.prediction.detections)
  },
  Laws(FDDBDetection()) { metric, sight in
    let labels = sight.labels.map { label in
      var label = label
      label.attributes = [
        "ellipse_major": label.box.height / 2, "ellipse_minor": label.box.width / 2,
        "ellipse_angle": 1.5, "ellipse_x": label.box.x + label.box.width / 2,
        "ellipse_y": label.box.y + label.box.height / 2,
      ]
      return label
    }
    try metric.add(
      frame: sight.frame.index, size: ImageSize(width: 0, height: 0), labels: labels,
      detections: sight.prediction.detections)
  },
  Laws(FaceAcquisition()) { try $0.add($1.scored) },
  Laws(FaceOperatingPoint()) { try $0.add($1.scored) },
  Laws(PresenceReliability()) { metric, sight in
    try metric.add(
      frame: sight.frame.index, labels: sight.labels, prediction: sight.prediction)
  },
  Laws(LandmarkVisibility()) { metric, sight in
    let shapes = sight.labels.flatMap(\.landmarks)
    try metric.add(
      frame: sight.frame.index,
      faces: shapes.map { shape in
        (shape, shape.points.map { Int($0.x.rounded()) % 2 == 0 })
      })
  },
  Laws(LandmarkAccuracy(scheme: .ibug68)) { try $0.add($1.scored) },
  Laws(FaceTracking(framesOfLoss: 2)) { try $0.add($1.scored) },
  Laws(FaceErrorTime()) { try $0.add($1.scored) },
  Laws(IdentityTracking()) { try $0.add($1.scored) },
  Laws(SingleObjectTracking()) { metric, sight in
    let (labels, faces) = (sight.labels.prefix(1), sight.prediction.faces.prefix(1))
    try metric.add(
      sight.frame, isVideo: sight.isVideo, status: sight.prediction.status,
      labels: labels.map { FaceLabel(box: $0.box, identity: 1) }, faces: Array(faces),
      all: Array(faces))
  },
  Laws(LandmarkJitter()) { try $0.add($1.scored) },
  Laws(HeadOutput()) { try $0.add($1.scored) },
  Laws(LabelledJitter()) { try $0.add($1.scored) },
  Laws(LabelledLag(fewestFrames: 1)) { try $0.add($1.scored) },
  Laws(BlendshapeAccuracy()) { try $0.add($1.scored) },
  Laws(ExpressionAccuracy()) { try $0.add($1.scored) },
  Laws(ExpressionClassification()) { try $0.add($1.scored) },
  Laws(PoseAccuracy()) { try $0.add($1.scored) },
  Laws(HeadPosition()) { metric, sight in
    func placed(_ pose: HeadPose?, _ box: BoundingBox?) -> HeadPose? {
      var moved = pose ?? HeadPose(matrix: SIMD16(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1))
      moved.matrix[3] = Float(box?.x ?? 1)
      moved.matrix[7] = Float(box?.y ?? 1)
      moved.matrix[11] = -40
      return moved
    }
    var sight = sight
    for index in sight.labels.indices {
      sight.labels[index].pose = placed(sight.labels[index].pose, sight.labels[index].box)
    }
    for (index, face) in sight.prediction.faces.enumerated() {
      sight.prediction.faces[index].pose = placed(face.pose, face.box)
    }
    try metric.add(sight.scored)
  },
  Laws(ExpressionActivity()) { metric, sight in
    func shapes(_ box: BoundingBox?) -> [Float] {
      var shapes = [Float](repeating: 0, count: Blendshape.allCases.count)
      let place = Int((box?.x ?? 0).rounded())
      shapes[Blendshape.mouthSmileLeft.index] = place % 3 == 0 ? 1 : 0
      shapes[Blendshape.mouthFrownLeft.index] = place % 2 == 0 ? 1 : 0
      return shapes
    }
    var (labels, prediction) = (sight.labels, sight.prediction)
    for index in labels.indices { labels[index].blendshapes = shapes(labels[index].box) }
    for index in prediction.faces.indices {
      prediction.faces[index].blendshapes = shapes(prediction.faces[index].box)
    }
    try metric.add(
      sight.frame, isVideo: sight.isVideo, prediction: prediction, labels: labels,
      matching: sight.matching)
  },
  Laws(AttributeAccuracy(rules: .oneOfEachKind)) { metric, sight in
    var sight = sight
    for (index, label) in sight.labels.enumerated() {
      sight.labels[index].attributes = ["x": label.box.x, "y": label.box.y, "z": 40]
    }
    for (index, face) in sight.prediction.faces.enumerated() {
      sight.prediction.faces[index].attributes = [
        "x": face.box?.x ?? 0, "y": face.box?.width ?? 0, "z": 30,
      ]
    }
    try metric.add(sight.scored)
  },
  Laws(StageLatency(stages: ["detect", "total"])) { metric, sight in
    for (stage, time) in zip(["detect", "total"], sight.prediction.stageNanoseconds) {
      guard let time, stage == "total" || sight.prediction.detectorRan else { continue }
      try metric.add(
        frame: sight.frame.index, stage: stage, nanoseconds: Int64(clamping: time),
        population: sight.prediction.detectorRan ? .detectorRan : .tracked)
    }
  },
]

@Suite("Accumulators that are resampled")
struct ResampledMetricsTests {
  @Test(
    "splits merge, drawn clusters count as often as drawn, exchanged ones change runs: same bits",
    arguments: laws)
  fileprivate func law(_ laws: Laws) throws {
    var defined = 0
    for seed in 0..<12 { defined += try laws.check(UInt64(seed)) }
    #expect(defined > 0, "no metric was ever defined")
  }

  /// Pairs of faces or of runs, drawn paths, responses, timing runs and the clock of live mode belong to no frame of a dataset; a
  /// regression is fitted before it is drawn from, which its own tests hold.
  @Test func `every other family of the catalogue keeps the laws`() {
    let covered = Set(laws.flatMap(\.definitions).map(\.name))
    let rest = Set(MetricCatalog.all.map(\.name)).subtracting(covered)
    let others =
      FaceVerification.definitions + DrawnPath.definitions + LandmarkRegression.definitions
      + FrameBudget.definitions + PairedLandmarkError.definitions + LiveDelay.definitions
      + ProfileMetrics.definitions + ResponseFit.definitions + EquivarianceFit.definitions
    #expect(rest == Set(others.map(\.name)))
  }
}
