import Datasets
import FaceCore
import FacePipeline
import Foundation
import Imaging
import Profiling
import Records
import Running
import Scoring
import TestSupport
import Testing

@Suite(
  "Explaining an image",
  .enabled(if: PulledModels.areAvailable, "needs the models of 'models pull'")
)
struct ExplanationTests {
  private let folder: TemporaryFolder
  private let dataset: URL
  private static let images = 3

  init() throws {
    folder = try TemporaryFolder()
    dataset = try DrawnDataset.write(DrawnDataset.faces(Self.images), in: folder)
  }

  private func plan(
    frame: Int = 0, place: ExplanationPlan.Place? = nil,
    _ change: (inout RunPlan) -> Void = { _ in }
  ) -> ExplanationPlan {
    var pipeline = EvaluationPlan.test(dataset).running
    pipeline.settings.numFaces = 100
    change(&pipeline)
    var plan = ExplanationPlan(pipeline)
    plan.frame = .index(frame)
    plan.place = place
    return plan
  }

  private func explain(_ plan: ExplanationPlan) throws -> Explanation {
    try FaceExplainer(plan).run().explanation
  }

  private func own(_ explanation: Explanation) throws -> Explanation.DetectorResult {
    try #require(explanation.detectors.first)
  }

  /// What the pipeline itself finds in a frame.
  private func detect(
    frame: Int = 0, _ change: (inout FaceLandmarkerOptions) -> Void
  ) throws -> FaceLandmarkerResult {
    var options = FaceLandmarkerOptions()
    options.numFaces = 100
    change(&options)
    let models = try FaceLandmarkerModels(detector: .shortRange, from: PulledModels.folder)
    let pixels = try DatasetReader(dataset).image(frame).decoded()
    var timer = StageTimer(stages: PipelineStage.names)
    return try FaceLandmarker(models, options: options).detect(pixels, timer: &timer)
  }

  @Test(arguments: [nil, 128] as [Int?])
  func `candidates, detections and faces are those that evaluate stores for the same image`(
    minDecodedSide: Int?
  ) throws {
    var evaluation = EvaluationPlan.test(dataset)
    evaluation.running = plan { $0.minDecodedSide = minDecodedSide }.pipeline
    let stored = try evaluation.finish().predictions
    #expect(stored.contains { !$0.candidates.isEmpty })
    for frame in 0..<Self.images {
      let explanation = try explain(plan(frame: frame) { $0.minDecodedSide = minDecodedSide })
      #expect(explanation.size == DrawnDataset.size)
      #expect(explanation.settings.minDecodedSide == minDecodedSide)
      let result = try own(explanation)
      let known = result.candidates.filter { $0.score >= Explanation.candidateFloor }
      let expected = stored[frame].candidates.sorted {
        ($1.score, $0.anchor) < ($0.score, $1.anchor)
      }
      #expect(known.map(\.anchor) == expected.map(\.anchor))
      #expect(known.map(\.score) == expected.map { Double($0.score) })
      #expect(known.map(\.number) == Array(1...max(1, known.count)).prefix(known.count).map(\.self))
      #expect(result.detections == stored[frame].detections.count)
      let detected = known.filter { [.found, .detected, .lowPresence].contains($0.outcome) }
      #expect(detected.map(\.score) == stored[frame].detections.map(\.score))
      #expect(
        detected.compactMap { $0.look?.box.x }.map { Float($0) }
          == stored[frame].detections.map { Float($0.box.x) })
      let found = known.filter { $0.outcome == .found }
      #expect(result.faces == stored[frame].faces.count)
      #expect(
        found.compactMap { $0.look?.presence }
          == stored[frame].faces.map { Double($0.presence ?? -1) })
      #expect(found.map { $0.look?.region } == stored[frame].faces.map(\.region))
      for (candidate, face) in zip(found, stored[frame].faces) {
        let points = try #require(candidate.look?.points)
        #expect(points.map { Float($0.x) } == face.points.map(\.x))
      }
    }
  }

  @Test func `a candidate is a detection up to its largest threshold, and not above it`() throws {
    let result = try own(explain(plan { $0.settings.minFaceDetectionConfidence = 0.99 }))
    let leaders = result.candidates.filter { $0.rank != nil }
    #expect(leaders.contains { $0.outcome == .belowThreshold })
    for candidate in leaders.prefix(4) {
      let score = Float(try #require(candidate.largestThreshold))
      func count(_ threshold: Float) throws -> Int {
        try detect { $0.minFaceDetectionConfidence = Double(threshold) }
          .detections.count { $0.score == score }
      }
      #expect(try count(score) >= 1)
      #expect(try count(score.nextDown) >= 1)
      #expect(try count(score.nextUp) == 0)
    }
  }

  @Test func `the lower threshold that a sentence names does what it claims`() throws {
    let explanation = try explain(plan { $0.settings.minFaceDetectionConfidence = 0.99 })
    let result = try own(explanation)
    let words = ExplanationWords(explanation.settings, result)
    let below = result.candidates.filter { $0.outcome == .belowThreshold && $0.look != nil }
    #expect(!below.isEmpty)
    for candidate in below {
      let look = try #require(candidate.look)
      #expect(look.minFaceDetectionConfidence <= candidate.score)
      let again = try detect { $0.minFaceDetectionConfidence = look.minFaceDetectionConfidence }
      let all = again.faces + again.rejected
      let same = try #require(all.first { $0.region == look.region })
      #expect(Double(same.presence) == look.presence)
      let isFound = again.faces.contains { $0.region == look.region }
      #expect(words.sentence(of: candidate).contains("it would be found") == isFound)
    }
  }

  @Test func `better candidates alone decide which one leads, at every threshold`() throws {
    let explanation = try explain(plan())
    let result = try own(explanation)
    let stored = try detect { _ in }
    let decoder = DetectionDecoder(geometry: .shortRange)
    let projection = decoder.crop.projection(of: .whole, in: DrawnDataset.size)
    for threshold in [0.02, 0.1, 0.5, 0.8] {
      let faces = decoder.faces(
        from: stored.candidates, projection: projection, threshold: threshold,
        overlap: explanation.settings.minSuppressionThreshold)
      let leaders = result.candidates.filter {
        $0.rank != nil && Float($0.score) >= Float(threshold)
      }
      #expect(faces.map { stored.candidates[$0.leader].anchor } == leaders.map(\.anchor))
      for face in faces {
        let own = stored.candidates[face.leader].anchor
        #expect(face.members.contains { stored.candidates[$0.position].anchor == own })
      }
    }
  }

  @Test func `a place is answered by the best candidate that is there`() throws {
    let label = try #require(DrawnDataset.faces(1).first?.faces.first?.box)
    let centre = Point(x: label.x + label.width / 2, y: label.y + label.height / 2)
    let pairs: [(ExplanationPlan.Place, (BoundingBox) -> Bool)] = [
      (
        .point(centre),
        { $0.x <= centre.x && centre.x <= $0.maxX && $0.y <= centre.y && centre.y <= $0.maxY }
      ),
      (.box(label), { $0.iou(with: label) >= 0.5 }),
    ]
    for (place, isThere) in pairs {
      let explanation = try explain(plan(place: place))
      let best = try #require(own(explanation).candidates.first { isThere($0.box) })
      let found = try #require(own(explanation).places.first)
      #expect(found.candidate == best.number && found.nearest == nil)
      #expect(explanation.sentences.contains { $0.contains(": candidate \(best.number): ") })
    }
    // Without a place the labels of the frame are asked about.
    let places = try explain(plan()).places
    #expect(places.count == 1 && places[0].box?.iou(with: label) ?? 0 > 0.999)
  }

  @Test func `a box that no candidate overlaps has a nearest one or none`() throws {
    let tiny = BoundingBox(x: 1, y: 1, width: 2, height: 2)
    let explanation = try explain(plan(place: .box(tiny)))
    let found = try #require(own(explanation).places.first)
    #expect(found.candidate == nil)
    if let nearest = found.nearest {
      let candidate = try #require(own(explanation).candidates.first { $0.number == nearest })
      // The overlap is that of the detection: its box is an average weighted by scores, which rounds as Float32.
      let overlap = try #require(found.overlap)
      #expect(abs(candidate.box.iou(with: tiny) - overlap) <= 1e-6 * overlap)
    }
    #expect(explanation.sentences.contains { $0.contains("no candidate ") })
  }

  @Test func `with room for one face the second best is beyond it`() throws {
    let many = try own(explain(plan { $0.settings.minFaceDetectionConfidence = 0.01 }))
    guard many.detections > 1 else { return }
    let one = try own(
      explain(
        plan {
          $0.settings.minFaceDetectionConfidence = 0.01
          $0.settings.numFaces = 1
        }))
    #expect(one.detections == 1)
    let second = try #require(one.candidates.first { $0.rank == 2 })
    #expect(second.outcome == .beyondNumFaces)
  }

  @Test func `both detectors are asked, and a missing one is a note`() throws {
    let both = try explain(plan())
    #expect(both.detectors.map(\.detector) == ["short-range", "full-range"])
    let folder = try TemporaryFolder()
    let name = "face_detection_short_range.tflite"
    try FileManager.default.copyItem(at: PulledModels.shortRange, to: folder.file(name))
    let alone = try explain(
      plan {
        $0.models = folder.url
        $0.settings.minFaceDetectionConfidence = 0.01
      })
    #expect(alone.detectors.map(\.detector) == ["short-range"])
    #expect(alone.notes.contains { $0.contains("full-range") })
    // Without a landmark model a detection is all that there is.
    #expect(try own(alone).candidates.contains { $0.outcome == .detected })
  }

  @Test func `the drawing has the image's size, and its reduced form the longest side`() throws {
    var plan = plan()
    plan.drawingSide = 100
    let outcome = try FaceExplainer(plan).run()
    let png = try PixelBuffer(decoding: outcome.png[...])
    #expect(png.size == DrawnDataset.size)
    #expect(max(outcome.jpegWidth, outcome.jpegHeight) == 100)
    let original = try DatasetReader(dataset).image(0).decoded()
    #expect(png != original)
  }

  @Test func `a frame that is not there ends with its number or name`() {
    var other = plan(frame: 7)
    let byIndex = #expect(throws: EvaluationError.self) { try FaceExplainer(other).run() }
    #expect(byIndex?.kind == .wrongData)
    #expect(byIndex?.description.contains("expected a frame below 3, found 7") == true)
    other.frame = .name("nobody")
    let byName = #expect(throws: EvaluationError.self) { try FaceExplainer(other).run() }
    #expect(byName?.description.contains("expected one frame named 'nobody', found none") == true)
  }
}
