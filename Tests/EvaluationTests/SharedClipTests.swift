import Datasets
import FaceCore
import FacePipeline
import Foundation
import Records
import Running
import Scoring
import TestSupport
import Testing

/// Labelled photographs in known motion, through the whole bundle.
@Suite(
  .serialized, .enabled(if: Shared.isAvailable, "needs the shared labelled images and models"))
struct SharedClipTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The clips of dlib's first images with faces.
  private func clips(_ motions: [Motion], images: Int, frames: Int) throws -> URL {
    let all = folder.file("all.h5")
    _ = try DatasetImport(
      format: ImglabXML(), sources: [Shared.data("dlib-faces/testing_with_face_landmarks.xml")],
      options: ImportOptions(), isStrict: false
    ).run(
      into: DatasetWriter(all, name: "all", replacing: true), advance: { _ in },
      isInterrupted: { false })
    let reader = try DatasetReader(all)
    let stills = try DatasetWriter(folder.file("stills.h5"), name: "stills", replacing: true)
    for (frame, labels) in try zip(reader.frames(0..<images), reader.labels(0..<images)) {
      guard case .encoded(let bytes) = try reader.image(frame.index) else { continue }
      try stills.add(name: frame.name, image: Array(bytes), size: frame.size, faces: labels)
    }
    try stills.finish()
    let url = folder.file("clips.h5")
    let writer = try DatasetWriter(url, name: "clips", replacing: true)
    let maker = ClipMaker(motions: motions, framesPerClip: frames, longestSide: 480)
    _ = try maker.run(
      over: DatasetReader(folder.file("stills.h5")), into: writer, advance: { _ in },
      isInterrupted: { false })
    try writer.finish()
    return url
  }

  private func plan(_ dataset: URL, run: String, numFaces: Int) -> EvaluationPlan {
    var plan = EvaluationPlan.test(dataset, run: run)
    plan.models = Shared.bundle
    plan.settings.runningMode = .video
    plan.settings.numFaces = numFaces
    plan.settings.outputFaceBlendshapes = true
    plan.settings.outputFacialTransformationMatrixes = true
    return plan
  }

  @Test(.timeLimit(.minutes(60)), arguments: [1, 4])
  func `a run of photographs resumes, and runs in parallel, bit for bit`(numFaces: Int) throws {
    let dataset = try clips([.pan, .bar, .leave], images: 2, frames: 60)
    let whole = try plan(dataset, run: "whole", numFaces: numFaces).finish()
    #expect(whole.predictions.count == 360)
    let tracked = whole.predictions.flatMap(\.faces).filter(\.isTracked)
    // With several faces the detector runs on and its regions replace tracked ones.
    #expect(tracked.count > (numFaces == 1 ? 200 : 50))
    #expect(tracked.allSatisfy { ($0.points != $0.unsmoothedPoints) == (numFaces == 1) })
    #expect(tracked.allSatisfy { $0.blendshapes?.count == 52 && $0.pose != nil })
    if numFaces == 1 { #expect(whole.predictions[256].faces.contains { $0.isTracked }) }

    var other = plan(dataset, run: "other", numFaces: numFaces)
    #expect(other.failure(monitor: .interrupting(after: 300))?.kind == .interrupted)
    other.resumes = true
    let resumed = try other.finish()
    #expect(resumed.predictions.untimed == whole.predictions.untimed)
    #expect(resumed.record.accuracy == whole.record.accuracy)
    #expect(resumed.record.gallery == whole.record.gallery)

    var parallel = plan(dataset, run: "parallel", numFaces: numFaces)
    parallel.jobs = 2
    let together = try parallel.finish()
    #expect(together.predictions.untimed == whole.predictions.untimed)
    #expect(together.record.accuracy == whole.record.accuracy)
  }

  @Test func `smoothing stills a face that is still, and lags for one that moves`() throws {
    let still = try plan(clips([.still], images: 1, frames: 40), run: "still", numFaces: 1)
      .finish().record
    let smoothed = try #require(still.value("jitter.static"))
    let raw = try #require(still.value("jitter.static.unsmoothed"))
    #expect(smoothed < raw)
    let record = try plan(clips([.pan], images: 1, frames: 40), run: "pan", numFaces: 1)
      .finish().record
    let lag = try #require(record.value("lag.ms"))
    #expect(lag > 0)
    #expect(record.stages?.allSatisfy { $0.state == .ran } == true)
    #expect(record.stages?.count == 5)
    for stage in ["landmark.infer", "smoothing", "blendshapes.infer", "geometry"] {
      #expect(record.value("latency.\(stage).mean") != nil, "\(stage)")
    }
  }
}
