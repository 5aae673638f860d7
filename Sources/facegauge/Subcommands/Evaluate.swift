import CommandSyntax
import Evaluation
import FacePipeline
import Foundation
import Records
import Reporting

extension Command {
  private static let dataset = Argument(
    "dataset.h5", .path(extensions: ["h5"]), help: "The labelled dataset.")
  private static let run = Option(
    required: "output", short: "o", valueName: "run", .directory,
    help: "Folder to make for the record, the predictions and the reports.")
  private static let detector = Option(
    "detector", valueName: "range", .choice(DetectorVariant.self), default: .shortRange,
    help: "BlazeFace net; short-range is the one of MediaPipe's Face Landmarker.")
  private static let numFaces = Option(
    "num-faces", valueName: "n", .integer(in: 1...1000), default: 1,
    help: "Most faces kept in a picture, best score first; average precision counts all.")
  private static let confidence = Option(
    "min-face-detection-confidence", valueName: "score", .number(in: 0...1), default: 0.5,
    help: "Lowest score of a face; average precision goes down to 0.05.")
  private static let suppression = Option(
    "min-suppression-threshold", valueName: "iou", .number(in: 0...1), default: 0.5,
    help: "IoU above which two boxes are one face; MediaPipe's own Face Detector has 0.3.")
  private static let gates = Option(
    "gates", valueName: "gates.json", .path(extensions: ["json"]), otherwise: "no gates",
    help: "Limits that the figures must keep, see above.")
  private static let modelsPath = Option(
    "models", valueName: "path", .path, otherwise: "the cache that 'models pull' fills",
    help: "Folder of model files, .task bundle or .tflite net.")
  private static let jobs = Option(
    "jobs", valueName: "n", .integer(in: 1...256), default: 1,
    help: "Frames worked on at once; more than 1 blurs the latency figures.")
  private static let maxBadFrames = Option(
    "max-bad-frames", valueName: "n", .integer(in: 0...Int.max), default: 0,
    help: "How many broken pictures may be skipped; one more ends the run with status 65.")
  private static let inconclusive = Option(
    "inconclusive", valueName: "verdict", .choice(InconclusiveGates.self), default: .fail,
    help: "What too few frames for a gate mean: fail is status 3, pass is 0.")
  private static let resume = Flag(
    "resume", help: "Go on with an interrupted run; the settings must be the same.")
  private static let force = Flag(
    "force", help: "Replace the run if it exists, and an interrupted one.")
  private static let json = Flag("json", help: "Print the record instead of a summary.")

  private enum InconclusiveGates: String, Sendable, CaseIterable {
    case fail, pass
  }

  /// `facegauge evaluate`.
  static let evaluate = Command(
    CommandDeclaration(
      "evaluate", abstract: "Measure a detector's accuracy and latency on a dataset",
      discussion: """
        Average precision is computed from all detections down to a score of 0.05; recall, \
        precision and false positives from the faces that the settings below keep. Both come from \
        one inference.

        RUN gets record.json, predictions.h5, report.html, report.md, junit.xml and pictures. It \
        appears when it is whole; until then RUN.partial holds what is done.

        A gates file names figures of 'facegauge metrics' and their limits:

          {"schema": "facegauge.gates", "version": 1, "gates": [
            {"metric": "detection.recall@score", "direction": "at_least", "limit": 0.9},
            {"metric": "latency.total.p50", "direction": "at_most", "limit": 10}]}
        """,
      arguments: [dataset],
      options: [
        run, detector, numFaces, confidence, suppression, gates, modelsPath, jobs, maxBadFrames,
        inconclusive, resume, force, json,
      ])
  ) { arguments in
    var plan = EvaluationPlan(
      dataset: URL(fileURLWithPath: arguments[dataset]),
      run: URL(fileURLWithPath: arguments[run]))
    plan.variant = arguments[detector]
    plan.detector = DetectorOptions(
      numFaces: arguments[numFaces], minFaceDetectionConfidence: arguments[confidence],
      minSuppressionThreshold: arguments[suppression])
    plan.gates = arguments[gates].map { URL(fileURLWithPath: $0) }
    plan.models = arguments[modelsPath].map { URL(fileURLWithPath: $0) }
    plan.jobs = arguments[jobs]
    plan.maxBadFrames = arguments[maxBadFrames]
    plan.resumes = arguments[resume]
    plan.replaces = arguments[force]
    let progress = PhaseProgress()
    let finished = try stopping { try Evaluation.run(plan, monitor: progress.monitor) }
    progress.finish()
    do {
      try RunReports.write(finished.record, into: finished.folder)
      try finished.folder.commit()
    } catch {
      finished.folder.discard()
      throw error
    }
    if arguments[json] {
      try StandardOutput.write(String(decoding: try finished.record.json(), as: UTF8.self))
    } else {
      try StandardOutput.write(RunSummary.text(finished.record, run: arguments[run]))
    }
    switch Verdict.overall(finished.record.gates) {
    case .pass: return .success
    case .fail: return .gateFailed
    case .inconclusive:
      return arguments[inconclusive] == .pass ? .success : .gateInconclusive
    }
  }
}
