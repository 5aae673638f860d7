import CommandSyntax
import Evaluation
import FacePipeline
import Foundation
import Metrics
import Records
import Reporting

extension Command {
  private typealias Pipeline = PipelineOptions

  private static let dataset = Argument(
    "dataset.h5", .path(extensions: ["h5"]), help: "The dataset; clips need no labels.")
  private static let run = Option(
    required: "output", short: "o", valueName: "run", .directory,
    help: "Folder to make for the record, the predictions and the reports.")
  private static let mode = Option(
    "mode", valueName: "mode", .choice(RunningMode.self), default: .image,
    help:
      "How frames are taken: image by itself, video tracked, live tracked at the clip's pace with drops."
  )
  private static let gates = Option(
    "gates", valueName: "gates.json", .path(extensions: ["json"]), otherwise: "no gates",
    help: "Limits that the figures must keep, see above.")
  private static let base = Option(
    "base", valueName: "run", .path, otherwise: "no base; gates must not limit changes",
    help: "Run on the same dataset, or its record.json, that gates measure changes against.")
  private static let expressions = Option(
    "expressions", valueName: "rules.json", .path(extensions: ["json"]),
    otherwise: "happy, sad, angry and neutral",
    help: "Expressions as rules over blendshapes, see above.")
  private static let predictions = Option(
    "predictions", valueName: "file.h5", .path(extensions: ["h5"]), otherwise: "the pipeline runs",
    help: "Judge these predictions of the dataset instead; no model is needed, see above.")
  private static let confidence = Option(
    "min-face-detection-confidence", valueName: "score", .number(), default: 0.5,
    help:
      "Lowest score of a face, 0 to 1; with --predictions of another tracker any number, in its own scale."
  )
  private static let calibration = Option(
    "calibration", valueName: "calibration.json", .path(extensions: ["json"]),
    otherwise: "scores and blendshapes stay raw",
    help: "Pass scores and blendshapes through what 'facegauge calibrate' wrote, see above.")
  private static let tracker = Option(
    "tracker", valueName: "name", .choice(SeededTracker.self), otherwise: "the pipeline runs",
    help: "Follow the first labelled boxes of clips instead; no model is needed, see above.")
  private static let pairing = Option(
    "pairing", valueName: "rule", .choice(FacePairing.Rule.self), default: .overlap,
    help: "Which prediction is compared with which labelled face beyond its box, see above.")
  private static let pairingDistance = Option(
    "pairing-distance", valueName: "share", .number(in: 0...10),
    default: FacePairing.defaultDistance,
    help:
      "With --pairing nearest: largest mean distance of paired points, over the size of the labelled points' box."
  )
  private static let jobs = Option(
    "jobs", valueName: "n", .integer(in: 1...256), default: 1,
    help:
      "Frames, or clips in video mode, worked on at once; more than 1 blurs the latency figures.")
  private static let maxBadFrames = Option(
    "max-bad-frames", valueName: "n", .integer(in: 0...Int.max), default: 0,
    help: "How many broken pictures may be skipped; one more ends the run with status 65.")
  private static let resamples = Option(
    "resamples", valueName: "n", .integer(in: 0...100_000), default: 1000,
    help: "Resamples behind the 95 % intervals; 0 leaves the intervals out.")
  private static let seed = Option(
    "seed", valueName: "n", .integer(in: 0...Int.max), default: 1,
    help: "Where the resampling starts; the same seed gives the same intervals.")
  private static let leastOfSlice = Option(
    "min-slice", valueName: "n", .integer(in: 1...Int.max), default: 30,
    help: "Least n of a figure of a slice; one with less is shown as suppressed.")
  private static let maxDetections = Option(
    "max-detections", valueName: "n", .integer(in: 100...1_000_000),
    default: COCODetection.defaultMaxDetections,
    help: "How many detections of an image count in AP and AR, by falling score.")
  private static let inconclusive = Option(
    "inconclusive", valueName: "verdict", .choice(InconclusiveGates.self), default: .fail,
    help: "What too few frames for a gate mean: fail is status 3, pass is 0.")
  private static let resume = Flag(
    "resume",
    help: "Go on with an interrupted run of the same settings; live runs cannot go on.")
  private static let force = Flag(
    "force", help: "Replace the run if it exists, and an interrupted one.")
  private static let json = Flag("json", help: "Print the record instead of a summary.")

  /// `facegauge evaluate`.
  static let evaluate = Command(
    CommandDeclaration(
      "evaluate", abstract: "Measure accuracy, tracking, jitter and latency on a dataset",
      discussion: """
        The whole pipeline runs: detector, landmarks, blendshapes, head pose. Detections are judged \
        against the labelled boxes: average precision from all detections down to a score of 0.05, \
        recall, precision and false positives from those that the settings below keep. Landmarks \
        are judged against labelled points. Clips need no labels for tracked share, losses, jitter, \
        lag and latency. A stage without a model says so and the others run.

        Figures carry a 95 % interval from resampling subjects, else videos, else stills; under 10 \
        of them there is none. Faces and frames that differ in yaw, size, height, occlusion, light, \
        subject or an attribute of the labels are also judged apart, as slices such as yaw=30-60.

        With --predictions nothing runs: what another tracker said ('facegauge import --of'), or an \
        earlier run's predictions.h5, is judged by the same figures. Frames then need no pictures. \
        Of the settings only --min-face-detection-confidence counts, the least score of another \
        tracker's faces.

        Landmarks, blendshapes, expressions and poses are compared where a labelled face and a \
        prediction are a pair. With --pairing overlap, the default, the boxes around their points \
        have an IoU of .50 or more: a false positive elsewhere never becomes the face's landmarks. \
        With --pairing nearest the faces that this leaves are paired by what is there: the only \
        labelled face of a frame with its only prediction, else by an IoU of .50 with the labelled \
        box, else by points within --pairing-distance. Landmark benchmarks give each method the \
        face's box and publish figures of such pairs. Detection, failure to acquire and tracking \
        always count overlapping boxes alone.

        With --tracker correlation neither nets nor models are needed: each labelled face of a clip \
        is followed from its first labelled box on, by its looks alone, and judged by the same \
        figures; without identities the faces of the first labelled frame. --num-faces says how \
        many. The confidence of each frame is the presence.

        With --calibration scores, presences and blendshapes are corrected on their way into \
        predictions.h5, and figures are of the corrected ones; the option "calibration" there says \
        so. Thresholds keep their raw meaning and candidates stay raw. The thresholds of expressions \
        are the file's. The nets must be those that the file was made from.

        RUN gets record.json, predictions.h5, report.html, report.md, junit.xml and pictures. It \
        appears when it is whole; until then RUN.partial holds what is done.

        A gates file names figures of 'facegauge metrics' and their limits, or how much worse than \
        those of --base they may be, in their unit and as a share of the base, or both. An \
        improvement passes. With "judged_by": "interval" the whole 95 % interval must keep the \
        limit; with "binomial" the frames over a limit on a latency's percentile are counted. A \
        "slice" such as "yaw=30-60" is judged alone:

          {"schema": "facegauge.gates", "version": 1, "gates": [
            {"metric": "detection.recall@score", "direction": "at_least", "limit": 0.9},
            {"metric": "latency.total.p50", "direction": "at_most", "limit": 10}]}

          {"metric": "detection.ap50", "max_worsening": 0.01}

        A limit on a latency is judged by this run alone. A change of a latency is always \
        inconclusive: two runs made one after the other hold what the machine did meanwhile. \
        'facegauge profile --against' and 'facegauge track' time both in turns.

        Where GITHUB_STEP_SUMMARY names a file, the verdict, the gates and the headline figures \
        are appended to it.

        A rules file names expressions. A face has one where the value exceeds 'above' (default \
        0.3) or is 'at_most' so much; 'labels' are the words of labels that mean it. Rules also \
        say when each expression is active in clips. No rule active means neutral:

          {"schema": "facegauge.expressions", "version": 1, "rules": [
            {"name": "smile", "value": "(mouthSmileLeft + mouthSmileRight)/2 - 0.1",
             "above": 0.2, "labels": ["happiness"]},
            {"name": "wink", "value": "abs(eyeBlinkLeft - eyeBlinkRight)"}]}
        """,
      arguments: [dataset],
      options: [
        run, mode, Pipeline.numFaces, confidence, Pipeline.presence, Pipeline.tracking,
        Pipeline.suppression, Pipeline.rotation, Pipeline.compatibility,
        Pipeline.detector, Pipeline.landmarks, predictions, pairing, pairingDistance, calibration,
        tracker,
        gates, base, expressions,
        Pipeline.modelsPath, jobs,
        maxBadFrames, maxDetections, resamples, seed, leastOfSlice, inconclusive, resume, force,
        json,
      ] + Pipeline.smoothing)
  ) { arguments in
    if arguments[mode] == .live {
      guard !arguments[resume] else {
        throw arguments.usageError("'--mode live' cannot go on with '--resume'")
      }
      guard arguments[jobs] == 1 else {
        throw arguments.usageError("'--mode live' has one frame in flight and takes no '--jobs'")
      }
    }
    if arguments.isGiven(base), !arguments.isGiven(gates) {
      throw arguments.usageError("'--base' is what gates are judged against and needs '--gates'")
    }
    let nets: [(any Parameter, String)] = [
      (mode, "mode"), (Pipeline.tracking, "min-tracking-confidence"),
      (Pipeline.suppression, "min-suppression-threshold"), (Pipeline.rotation, "rotation"),
      (Pipeline.compatibility, "compatibility"), (Pipeline.detector, "detector"),
      (Pipeline.landmarks, "landmarks"),
      (Pipeline.modelsPath, "models"), (jobs, "jobs"), (resume, "resume"),
      (Pipeline.minCutoff, "smoothing-min-cutoff"), (Pipeline.beta, "smoothing-beta"),
      (Pipeline.derivativeCutoff, "smoothing-derivative-cutoff"),
    ]
    func refuse(_ parameters: [(any Parameter, String)], with option: String) throws {
      for (parameter, name) in parameters where arguments.isGiven(parameter) {
        throw arguments.usageError(
          "'--\(name)' is of the pipeline and has no place with '--\(option)'")
      }
    }
    if arguments.isGiven(predictions) {
      guard !arguments.isGiven(tracker) else {
        throw arguments.usageError("'--tracker' runs, and '--predictions' is judged as it is")
      }
      let running: [(any Parameter, String)] = [
        (Pipeline.numFaces, "num-faces"), (Pipeline.presence, "min-face-presence-confidence"),
        (maxBadFrames, "max-bad-frames"),
      ]
      try refuse(nets + running, with: "predictions")
    }
    if arguments.isGiven(tracker) {
      try refuse(
        nets + [
          (confidence, "min-face-detection-confidence"), (calibration, "calibration"),
        ], with: "tracker")
    }
    guard arguments.isGiven(predictions) || (0...1).contains(arguments[confidence]) else {
      throw arguments.usageError(
        "invalid value '\(arguments[confidence])' for '--min-face-detection-confidence': expected a "
          + "number from 0 to 1")
    }
    guard !arguments.isGiven(pairingDistance) || arguments[pairing] == .nearest else {
      throw arguments.usageError("'--pairing-distance' requires '--pairing nearest'")
    }
    var plan = EvaluationPlan(
      dataset: URL(fileURLWithPath: arguments[dataset]),
      run: URL(fileURLWithPath: arguments[run]))
    Pipeline.apply(arguments, mode: arguments[mode], to: &plan)
    if arguments.isGiven(tracker), !arguments.isGiven(Pipeline.presence) {
      plan.settings.minFacePresenceConfidence = 0
    }
    plan.predictions = arguments[predictions].map { URL(fileURLWithPath: $0) }
    plan.tracker = arguments[tracker]
    plan.pairing = FacePairing(rule: arguments[pairing], distance: arguments[pairingDistance])
    plan.calibration = arguments[calibration].map { URL(fileURLWithPath: $0) }
    plan.expressions = arguments[expressions].map { URL(fileURLWithPath: $0) }
    plan.base = arguments[base].map { URL(fileURLWithPath: $0) }
    plan.gates = arguments[gates].map { URL(fileURLWithPath: $0) }
    plan.jobs = arguments[jobs]
    plan.bootstrap = ClusterBootstrap(
      resamples: arguments[resamples], seed: UInt64(arguments[seed]))
    plan.leastOfSlice = arguments[leastOfSlice]
    plan.maxBadFrames = arguments[maxBadFrames]
    plan.maxDetections = arguments[maxDetections]
    plan.resumes = arguments[resume]
    plan.replaces = arguments[force]
    let progress = PhaseProgress()
    let finished = try stopping { try Evaluation.run(plan, monitor: progress.monitor) }
    progress.finish()
    try finished.folder.commit {
      try RunReports.write(finished.record, into: finished.folder)
    }
    StepSummary.append(Report(record: finished.record).summaryMarkdown())
    if arguments[json] {
      try StandardOutput.writeJSON(String(decoding: try finished.record.json(), as: UTF8.self))
    } else {
      try StandardOutput.write(RunSummary.text(finished.record, run: arguments[run]))
    }
    return ExitStatus(finished.record.gates, inconclusive: arguments[inconclusive])
  }
}
