import FaceCore
import Metrics
import Statistics
import TestSupport
import Testing

/// Videos of 100 frames with one or two faces of 68 points, 95 of 100 found, and all families of the catalogue.
private struct Run {
  private var families: [any MetricFamily]
  /// Labelled faces by their number: what slices of faces measure.
  private var slices: [[any MetricFamily]]
  private var frames = 0
  private var stream = SplitMix64(seed: 3)

  init() {
    var context = MetricContext(scheme: .ibug68)
    context.numFaces = 2
    context.stages = ["detect", "total"]
    families = MetricCatalog.families.map { $0.init(context) }
    context.isSlice = true
    let sliced = MetricCatalog.families.filter { $0.requirements.contains(.facesOfSlices) }
    slices = (0..<2).map { _ in sliced.map { $0.init(context) } }
  }

  private mutating func points(in box: BoundingBox, noise: Double) -> [Point] {
    (0..<68).map { point in
      Point(
        x: box.x + box.width * Double(point % 9) / 9 + noise * stream.between(-1, 1),
        y: box.y + box.height * Double(point / 9) / 8 + noise * stream.between(-1, 1))
    }
  }

  /// Adds a video; keeps all of its frames unless it is condensed.
  mutating func addVideo(condenses: Bool) throws {
    let first = frames
    var before: [LabelledJitter.Sight] = []
    for number in 0..<100 {
      let boxes = (0...(number % 2)).map { face in
        BoundingBox(
          x: Double(150 * face) + stream.between(0, 9), y: stream.between(0, 9), width: 90,
          height: 100)
      }
      let labels = try boxes.enumerated().map { face, box in
        var label = FaceLabel(box: box, identity: face)
        label.landmarks = [
          try #require(Landmarks(scheme: .ibug68, points: points(in: box, noise: 0)))
        ]
        return label
      }
      let found = boxes.filter { _ in stream.below(20) > 0 }
      let faces = found.map { box in
        var face = FacePrediction(scheme: .ibug68, points: points(in: box, noise: 2))
        face.presence = Float(0.5 + stream.between(0, 1) / 2)
        face.detectionScore = Float(0.5 + stream.between(0, 1) / 2)
        return face
      }
      let detections = zip(found, faces).map { box, face in
        FaceDetection(box: box, score: Double(face.detectionScore ?? 0))
      }
      let size = ImageSize(width: 320, height: 240)
      let prediction = FramePrediction(
        frame: frames, size: size,
        stageNanoseconds: [1, 10].map { UInt64(1e6 * stream.between($0, 2 * $0)) },
        detections: detections, candidates: [], faces: faces)
      let matching = try FaceMatching(frame: frames, labels: labels, faces: faces)
      var frame = ScoredFrame(
        Frame(frames, sequence: first / 100, at: Int64(40_000 * number)), isVideo: true,
        group: "\(first)", labels: labels, given: prediction, prediction: prediction,
        matching: matching, pairs: matching, earlier: before)
      before = [frame.sight] + before.prefix(1)
      frame.detections = ScoredFrame.Detections(
        size: size, ranked: detections, unclipped: detections, kept: detections,
        keptRanked: detections,
        outcome: try DetectionOutcome(frame: frames, labels: labels, detections: detections))
      for index in families.indices { try families[index].add(frame) }
      for slice in slices.indices where slice < labels.count {
        for index in slices[slice].indices {
          try slices[slice][index].add(frame.restricted { $0 == slice })
        }
      }
      frames += 1
    }
    guard condenses else { return }
    for index in families.indices { families[index].condense(first..<frames) }
    for slice in slices.indices {
      for index in slices[slice].indices { slices[slice][index].condense(first..<frames) }
    }
  }

  /// How many bytes each family keeps.
  var bytes: [String: Int] {
    var bytes: [String: Int] = [:]
    for family in families { bytes["\(type(of: family))", default: 0] += family.byteCount }
    for family in slices.joined() {
      bytes["\(type(of: family)) of slices", default: 0] += family.byteCount
    }
    return bytes
  }
}

@Suite("Bytes that metrics keep of frames")
struct KeptBytesTests {
  /// Bytes a frame, between 10 and 30 videos.
  private func growth(condenses: Bool) throws -> [String: Double] {
    var run = Run()
    for _ in 0..<10 { try run.addVideo(condenses: condenses) }
    let before = run.bytes
    for _ in 0..<20 { try run.addVideo(condenses: condenses) }
    return run.bytes.reduce(into: [:]) { growth, entry in
      growth[entry.key] = Double(entry.value - (before[entry.key] ?? 0)) / 2000
    }
  }

  @Test func `a frame of a video takes under 200 bytes in all families and in slices of faces`()
    throws
  {
    let growth = try growth(condenses: true)
    let total = growth.values.reduce(0, +)
    #expect(total < 200, "\(growth.sorted { $0.value > $1.value }.prefix(8))")
    // Rows of detections and of times are kept, sums of what else there is.
    #expect(total > 20, "\(growth)")
    let ofSlices = growth.filter { $0.key.hasSuffix("of slices") }.values.reduce(0, +)
    #expect(ofSlices < 10, "\(growth)")
  }

  @Test func `without videos to condense a frame takes a row in each family`() throws {
    let growth = try growth(condenses: false)
    #expect(growth.values.reduce(0, +) > 400, "\(growth)")
    let short = try self.growth(condenses: true)
    for (family, bytes) in short { #expect(bytes <= growth[family] ?? 0, "\(family)") }
  }
}
