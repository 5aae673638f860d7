import Datasets
import FaceCore
import FacePipeline
import Foundation
import Metrics
import Records
import Running
import Scoring
import Synchronization
import TestSupport
import Testing

/// The pipeline through the line protocol against the pipeline itself.
@Suite(.enabled(if: PulledModels.giveLandmarks, "needs the models of 'models pull'"))
struct ServedPipelineTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func served(_ dataset: URL, _ words: String, isVideo: Bool) throws -> URL {
    let program = ProcessResult.path(ofBuilt: "facegauge")
    let file = folder.file("served.h5")
    var run = TrackerRun(
      dataset: dataset,
      trackers: [
        .init(
          command: "'\(program)' serve --models '\(PulledModels.folder.path)' \(words)",
          output: file)
      ])
    run.isVideo = isVideo
    run.input = .dataset
    _ = try run.run()
    return file
  }

  @Test(
    arguments: [(.video, 1, nil), (.image, 2, nil), (.image, 2, 128)]
      as [(RunningMode, Int, Int?)])
  func `tracked through 'serve', predictions and metrics are those of 'evaluate'`(
    mode: RunningMode, faces: Int, minDecodedSide: Int?
  ) throws {
    let dataset = try DrawnClips.write(
      [
        .init("a", DrawnClips.moving(34) + DrawnClips.empty(4) + DrawnClips.moving(5)),
        .init(stills: DrawnClips.moving(2)),
      ], in: folder)
    var plan = EvaluationPlan.test(dataset, run: "direct")
    plan.settings.runningMode = mode
    plan.settings.numFaces = faces
    plan.settings.minFaceDetectionConfidence = 0.4
    plan.minDecodedSide = minDecodedSide
    plan.settings.outputFaceBlendshapes = true
    plan.settings.outputFacialTransformationMatrixes = true
    plan.bootstrap.resamples = 20
    let (direct, own) = try plan.finish()
    var other = EvaluationPlan(dataset: dataset, run: folder.file("served"))
    other.predictions = try served(
      dataset,
      "--mode \(mode.rawValue) --num-faces \(faces) --min-face-detection-confidence 0.4"
        + (minDecodedSide.map { " --min-decoded-side \($0)" } ?? ""), isVideo: true)
    other.bootstrap.resamples = 20
    let (indirect, given) = try other.finish()
    #expect(own.contains { !$0.candidates.isEmpty } && own.contains { !$0.faces.isEmpty })
    #expect(given.untimed == own.untimed)
    func timeless(_ record: Record) -> [Records.Measurement] {
      record.measurements.filter { !Gate.isTime($0.name) }
    }
    #expect(timeless(indirect) == timeless(direct))
    #expect(indirect.models == direct.models)
    #expect(direct.value("tracking.detector_rate") != nil)
    #expect(indirect.options["mode"] == mode.rawValue)
    #expect(indirect.options["min-decoded-side"] == minDecodedSide.map { "\($0)" })

    var comparison = ComparisonPlan(runs: [plan.run, other.run])
    comparison.bootstrap.resamples = 100
    let compared = try RunComparison.run(comparison).result
    #expect(
      compared.differences.allSatisfy {
        $0.difference == 0 || $0.difference == nil || Gate.isTime($0.name)
      })
    #expect(!compared.notes.contains { $0.hasPrefix("Options differ") }, "\(compared.notes)")
  }

  @Test func `'serve' that connects gives the predictions of a pipe, and names a refused token`()
    throws
  {
    let dataset = try DrawnClips.write([.init("a", DrawnClips.moving(5))], in: folder)
    var run = TrackerRun(
      dataset: dataset,
      trackers: [.init(command: "listen://127.0.0.1:0/right", output: folder.file("remote.h5"))])
    let results = Mutex<[ProcessResult]>([])
    var monitor = RunMonitor.silent
    monitor.note = { note in
      guard let place = note.firstMatch(of: /tcp:\S+/).map({ String($0.0) }) else { return }
      Thread {
        for token in ["wrong", "right"] {
          let words = [
            "serve", "--models", PulledModels.folder.path, "--connect",
            place.replacing("/right", with: "/\(token)"),
          ]
          guard
            let result = try? ProcessResult(
              running: ProcessResult.path(ofBuilt: "facegauge"), words)
          else { return }
          results.withLock { $0.append(result) }
        }
      }.start()
    }
    run.replaces = true
    let summary = try run.run(monitor: monitor)[0]
    // Paths mean nothing on another machine.
    #expect(summary.input == "image" && summary.frames == 5)
    let refused = try #require(results.withLock { $0.first })
    #expect(refused.status == 74)
    #expect(refused.errors.contains("found the end of the connection (another token"))
    let remote = try PredictionsReader(folder.file("remote.h5")).predictions(0..<5)
    let piped = try PredictionsReader(served(dataset, "", isVideo: true)).predictions(0..<5)
    #expect(remote.map(\.faces) == piped.map(\.faces) && remote.contains { !$0.faces.isEmpty })
    #expect(remote.map(\.candidates) == piped.map(\.candidates))
  }

  @Test func `the pipeline through the protocol gives the results of evaluate`() throws {
    let dataset = try DrawnClips.write(
      [.init("a", DrawnClips.moving(6)), .init("b", DrawnClips.moving(3))], in: folder)
    var evaluation = EvaluationPlan.test(dataset)
    evaluation.settings.runningMode = .video
    evaluation.settings.outputFaceBlendshapes = true
    evaluation.settings.outputFacialTransformationMatrixes = true
    let expected = try evaluation.finish().predictions
    let program = ProcessResult.path(ofBuilt: "facegauge")
    for input in TrackerRun.Input.allCases {
      var plan = TrackerRun(
        dataset: dataset,
        trackers: [.init(command: "'\(program)' serve", output: folder.file("served.h5"))])
      plan.input = input
      plan.replaces = true
      let summary = try plan.run()
      #expect(summary.map(\.frames) == [9])
      let reader = try PredictionsReader(folder.file("served.h5"))
      let served = try reader.predictions(0..<9)
      #expect(served.map { $0.faces.map(\.points) } == expected.map { $0.faces.map(\.points) })
      #expect(
        served.map { $0.faces.map(\.blendshapes) } == expected.map { $0.faces.map(\.blendshapes) })
      #expect(served.map(\.detectorRan) == expected.map(\.detectorRan))
      #expect(served.map(\.detections.count) == expected.map(\.detections.count))
    }
  }
}
