import Calibration
import Datasets
import FaceCore
import FacePipeline
import Foundation
import Metrics
import Records
import Running
import Scoring
import TestSupport
import Testing
import Tuning

/// A tracker with four scores, two of them at the edges of a bin, over clips of ten subjects.
@Suite struct CalibratedThresholdTests {
  let folder: TemporaryFolder
  let dataset: URL

  init() throws {
    folder = try TemporaryFolder()
    dataset = folder.file("d.h5")
    try Self.make(dataset, given: folder.file("given.h5"))
  }

  /// The last clip has `last` frames.
  private static func make(_ dataset: URL, given: URL, last: Int = 4) throws {
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    var predicted: [[FaceLabel]] = []
    for subject in 0..<10 {
      writer.beginSequence(
        SequenceDescription(
          name: "clip\(subject)", kind: .video, subject: "s\(subject)", framesPerSecond: 30))
      for index in 0..<(subject == 9 ? last : 4) {
        let scores = index % 2 == 0 ? [0.49, 0.41] : [0.9, 0.2]
        let faces = [0.0, 50].map {
          FaceLabel(box: BoundingBox(x: $0, y: 0, width: 10, height: 10))
        }
        try writer.add(
          name: "\(subject)-\(index)", image: [], size: ImageSize(width: 100, height: 50),
          timestampMicroseconds: Int64(index) * 33_333, faces: [faces[0]])
        predicted.append(
          zip(faces, scores).map { face, score in
            var face = face
            face.score = score
            return face
          })
      }
    }
    try writer.finish()
    try GivenFaces.write(predicted, on: dataset, to: given)
  }

  private func evaluated(
    _ name: String, at threshold: Double, _ calibration: URL?
  ) throws -> [Double?] {
    var plan = EvaluationPlan(dataset: dataset, run: folder.file(name))
    plan.predictions = folder.file("given.h5")
    plan.settings.minFaceDetectionConfidence = threshold
    plan.calibration = calibration
    plan.bootstrap.resamples = 0
    let record = try plan.finish().record
    return [
      "faces.recall", "faces.precision", "detection.recall@score", "detection.precision@score",
    ].map { record.value($0) }
  }

  @Test(arguments: [CalibrationChoice.histogram, .isotonic, .platt])
  func `a threshold parts the faces of another tracker by raw scores`(
    choice: CalibrationChoice
  ) throws {
    _ = try evaluated("run", at: 0.5, nil)
    var plan = CalibrationPlan(run: folder.file("run"), output: folder.file("c.json"))
    plan.bootstrap.resamples = 20
    plan.choice = choice
    plan.subjects = [.detection]
    _ = try CalibrationRun.run(plan)
    for threshold in [0.1, 0.3, 0.45, 0.9] {
      let raw = try evaluated("raw\(threshold)", at: threshold, nil)
      #expect(raw.allSatisfy { $0 != nil })
      #expect(try evaluated("mapped\(threshold)", at: threshold, plan.output) == raw)
    }
  }

  @Test func `an unmet objective is told where no map can be fitted either`() throws {
    _ = try evaluated("run", at: 0.5, nil)
    var plan = CalibrationPlan(run: folder.file("run"), output: folder.file("c.json"))
    plan.bootstrap.resamples = 20
    plan.choice = .beta
    plan.subjects = [.detection]
    plan.objective = "max recall where precision >= 0.999 with 95 %"
    let error = #expect(throws: EvaluationError.self) { _ = try CalibrationRun.run(plan) }
    #expect(error?.kind == .objectiveUnmet)
    let text = error?.description ?? ""
    #expect(text.contains("precision >= 0.999 with 95 %") && text.contains("beta"))
  }

  @Test(arguments: [4, 1])
  func `false positives have minutes where every clip has two frames or more`(last: Int) throws {
    let (other, given) = (folder.file("other.h5"), folder.file("others.h5"))
    try Self.make(other, given: given, last: last)
    var evaluation = EvaluationPlan(dataset: other, run: folder.file("run"))
    evaluation.predictions = given
    evaluation.bootstrap.resamples = 0
    _ = try evaluation.finish()
    var plan = CalibrationPlan(run: folder.file("run"), output: folder.file("c.json"))
    plan.bootstrap.resamples = 20
    plan.choice = .platt
    plan.subjects = [.detection]
    plan.objective = "max recall where fp_per_minute <= 100000"
    let file = try CalibrationRun.run(plan).file
    #expect((file.detectionThreshold != nil) == (last > 1))
    #expect(file.notes.contains { $0.contains("of two frames or more each") } == (last == 1))
  }
}
