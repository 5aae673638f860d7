import CommandSyntax
import FacePipeline
import Foundation
import Metrics
import Records
import Reporting
import Running
import Scoring

extension Command {
  private typealias Pipeline = PipelineOptions

  private static let dataset = Argument(
    "dataset.h5", .path(extensions: ["h5"]), help: "The dataset; clips need no labels.")
  private static let run = newRun("the record, the predictions and the reports")
  private static let mode = modeOption(
    RunningMode.allCases, default: .image,
    help:
      "Running mode: image analyses each frame alone, video tracks, live tracks and drops frames."
  )
  private static let base = Option(
    "base", valueName: "run", .path, otherwise: "no base; gates on changes are refused",
    help: "Run on the same dataset, or its record.json; gates on changes compare with it.")
  private static let predictions = Option(
    "predictions", valueName: "file.h5", .path(extensions: ["h5"]), otherwise: "the pipeline runs",
    help: "Evaluate these predictions of the dataset instead; needs no models, see above.")
  /// Options that apply to the pipeline alone, and not to imported predictions.
  private static let ofPipeline: [any Parameter] =
    [mode] + Pipeline.all.filter { $0.specification.name != PipelineSetting.detectionConfidence }
    + [jobs, resume]
  private static let calibration = Option(
    "calibration", valueName: "calibration.json", .path(extensions: ["json"]),
    otherwise: "scores and blendshapes stay raw",
    help: "Correct scores and blendshapes with a file of 'facegauge calibrate', see above.")
  private static let tracker = Option(
    "tracker", valueName: "name", .choice(SeededTracker.self), otherwise: "the pipeline runs",
    help: "Follow the first labelled boxes of clips instead; needs no models, see above.")
  private static let pairing = Option(
    "pairing", valueName: "rule", .choice(FacePairing.Rule.self), default: .overlap,
    help: "How predictions are paired with labelled faces, except for boxes, see above.")
  private static let pairingDistance = Option(
    "pairing-distance", valueName: "share", .number(in: 0...10),
    default: FacePairing.defaultDistance,
    help:
      "With --pairing nearest: maximum mean distance of points, over the labelled points' box size."
  )
  private static let jobs = Option(
    "jobs", valueName: "n", .integer(in: 1...256), default: 1,
    help:
      "Number of frames, or clips in video mode, to process at once; above 1 blurs latencies.")
  private static let maxDetections = Option(
    "max-detections", valueName: "n", .integer(in: 100...1_000_000),
    default: COCODetection.defaultMaxDetections,
    help: "Maximum number of detections per image in AP and AR, highest scores first.")

  /// The thresholds, of which the tracker of boxes takes the presence too.
  private static let thresholds = Pipeline.replacing(
    PipelineSetting.presenceConfidence, in: Pipeline.thresholdsOfAnyTracker,
    help: "Presence that a face must exceed; with --tracker the minimum, 0 unless given.")
  private static let options: [any Parameter] = {
    let parts: [[any Parameter]] = [
      [run, mode], thresholds, Pipeline.choices,
      [
        predictions, pairing, pairingDistance, calibration, tracker, gates, base, expressions,
        attributes,
      ],
      Pipeline.files,
      [
        jobs, maxBadFrames, maxDetections, resamples, seed, minSliceCount, inconclusive, accept,
        resume, force, ShardPart.choice, ShardPart.mixedNumerics, json,
      ],
      Pipeline.smoothing,
    ]
    return parts.flatMap { $0 }
  }()

  /// `facegauge evaluate`.
  static let evaluate = Command(
    CommandDeclaration(
      "evaluate", abstract: "Measure accuracy, tracking, jitter and latency on a dataset",
      discussion: """
          facegauge evaluate faces.h5 -o run --num-faces 5

        The pipeline runs its detector, landmark, blendshape and head pose stages. Detections are \
        compared with the labelled boxes: average precision uses all detections down to a score of \
        0.05; recall, precision and false positives use those that pass the settings below. \
        Landmarks are compared with labelled points. Tracked share, losses, jitter, lag and \
        latency of clips need no labels. The detector's model must be there; a later stage without \
        one is reported as missing.

        Metrics have a 95 % interval from resampling subjects, else videos, else stills of one \
        person; with fewer than 10 of them there is no interval. A clip alone is cut into ten \
        stretches, whose intervals are of this clip only. Faces and frames are also evaluated in slices \
        by yaw, size, height, occlusion, light, subject and labelled attributes, such as \
        yaw=30-60.

        RUN contains record.json, predictions.h5, report.html, report.md, junit.xml and images. It \
        is written as RUN.partial and renamed when it is complete.

        --shard 17/256 runs the pipeline over one of 256 parts of the dataset and writes \
        RUN.shards/00017.h5 alone; with auto/256 an array job of Slurm, Kubernetes or AWS Batch \
        names the part. 'facegauge join RUN' makes of all parts the run that one machine would \
        have made. Status 75 means that the same command may succeed later.

        --predictions evaluates the output of another tracker ('facegauge import --of') or an \
        earlier run's predictions.h5 with the same metrics. The pipeline does not run, and frames \
        need no images. Of the settings only --min-face-detection-confidence applies: the minimum \
        score of another tracker's faces. Faces of the pipeline have passed that of their run; \
        'facegauge sweep RUN' tries others.

        Landmarks, blendshapes, expressions and poses are compared for pairs of a labelled face \
        and a prediction. With --pairing overlap, the default, the boxes around their points have \
        an IoU of at least .50: a false positive elsewhere is never paired. --pairing nearest also \
        pairs the remaining faces: the only labelled face of a frame with its only prediction, \
        else by an IoU of .50 with the labelled box, else by points within --pairing-distance. \
        Landmark benchmarks publish metrics of such pairs, because they give each method the \
        face's box. Detection, failure to acquire and tracking always use overlapping boxes only.

        --tracker correlation needs no models. It follows each labelled face of a clip by its \
        appearance from its first labelled box, and evaluates it with the same metrics. Without \
        identities it follows the faces of the first labelled frame. --num-faces limits their \
        number. The presence is the tracker's confidence in each frame.

        --calibration corrects scores, presences and blendshapes before they are written to \
        predictions.h5, which gets the option "calibration"; metrics use the corrected values. \
        Thresholds apply to raw scores, and candidates stay raw. The thresholds of expressions \
        come from the file. The models must be those of the file.

        A gates file limits metrics of 'facegauge metrics', or how much worse than --base they may \
        be, in their unit, as a share of the base, or both:

          {"schema": "facegauge.gates", "version": 2, "gates": [
            {"metric": "detection.recall@score", "direction": "at_least", "limit": 0.9},
            {"metric": "faces.f1", "direction": "at_least", "limit": 0.8}]}

          {"metric": "detection.ap50", "max_worsening": 0.01}

        An improvement passes. With "evaluated_by": "interval" the whole 95 % interval must keep \
        the limit; with "binomial" the frames over a limit on a latency percentile are counted. \
        "slice": "yaw=30-60" evaluates that slice alone.

        A limit on a latency uses this run alone. A change of a latency is always inconclusive, \
        because two runs made one after the other are affected by other load on the machine. \
        'facegauge profile --against' and 'facegauge track' time both alternating.

        Labels and predictions are checked first: whether boxes, points, times, scores or angles \
        follow another convention, or belong to other frames. A suspect finding is printed before \
        the metrics with what repairs it, and gates on it are inconclusive until it is repaired, or \
        --accept names it. 'facegauge check' runs these checks alone.

        If GITHUB_STEP_SUMMARY names a file, the verdict, the gates and the headline metrics are \
        appended to it.

        A rules file defines expressions. A face shows one if the value is greater than 'above' \
        (default 0.3), or not greater than 'at_most'; 'labels' lists the words for it in the \
        dataset's labels. In clips the rules also define when each expression is active. Without \
        an active rule the expression is neutral:

          {"schema": "facegauge.expressions", "version": 1, "rules": [
            {"name": "smile", "value": "(mouthSmileLeft + mouthSmileRight)/2 - 0.1",
             "above": 0.2, "labels": ["happiness"]},
            {"name": "wink", "value": "abs(eyeBlinkLeft - eyeBlinkRight)"}]}

        Numbers of faces, such as action units, gaze, valence or age, are compared if labels and \
        predictions have attributes of the same name: error, PCC, CCC and ICC(3,1). --attributes \
        maps names, and compares as number, binary (F1, AUROC), angle or direction (degrees):

          {"schema": "facegauge.attributes", "version": 1, "attributes": [
            {"name": "AU12", "prediction": "AU12_r"},
            {"name": "smiles", "as": "binary", "label": "AU12", "label_above": 1,
             "prediction": "AU12_c", "prediction_above": 0.5}]}
        """,
      arguments: [dataset],
      options: options,
      essentials: [
        "output", "mode", "num-faces", "min-face-detection-confidence", "predictions", "gates",
        "base", "resume",
      ])
  ) { arguments in
    try check(arguments)
    if let choice = arguments[ShardPart.choice] {
      return try ShardPart.make(choice, arguments) {
        try ShardRun.run(Command.plan(from: arguments), $0, monitor: $1)
      }
    }
    let plan = try plan(from: arguments)
    let finished = try PhaseProgress.run { try Evaluation.run(plan, monitor: $0) }
    return try RunReports.finish(
      finished, arguments, run: arguments[run], inconclusive: arguments[inconclusive])
  }

  /// Throws where options do not go together.
  private static func check(_ arguments: ParsedArguments) throws {
    if arguments[mode] == .live {
      guard !arguments[resume] else {
        throw arguments.usageError("'--resume' cannot be combined with '--mode live'")
      }
      guard arguments[jobs] == 1 else {
        throw arguments.usageError("'--jobs' cannot be combined with '--mode live'")
      }
    }
    if arguments.isGiven(base), !arguments.isGiven(gates) {
      throw arguments.usageError(
        "'--base' requires '--gates', whose limits on changes it is for ('facegauge compare' compares "
          + "two runs without gates)")
    }
    let notWith = "applies to the pipeline and cannot be combined with"
    try arguments.require(predictions, for: attributes)
    if arguments.isGiven(predictions) {
      try arguments.refuse(tracker, with: predictions)
      try arguments.refuse(ofPipeline + [maxBadFrames], "\(notWith) '--predictions'")
    }
    if arguments.isGiven(tracker) {
      let taken = [PipelineSetting.numFaces, PipelineSetting.presenceConfidence]
      try arguments.refuse(
        ofPipeline.filter { !taken.contains($0.specification.name) }
          + Pipeline.parameters { $0.name == PipelineSetting.detectionConfidence }
          + [calibration], "\(notWith) '--tracker'")
    }
    guard !arguments.isGiven(pairingDistance) || arguments[pairing] == .nearest else {
      throw arguments.usageError("'--pairing-distance' requires '--pairing nearest'")
    }
    if arguments[ShardPart.choice] != nil, arguments[mode] == .live {
      throw arguments.usageError("'--shard' cannot be combined with '--mode live'")
    }
    try ShardPart.check(arguments, excluded: [predictions, tracker, resume])
  }

  /// Whether a setting of the pipeline is among the options.
  private static func isGiven(_ setting: String, _ arguments: ParsedArguments) -> Bool {
    Pipeline.parameters { $0.name == setting }.contains { arguments.isGiven($0) }
  }

  /// What the options ask for.
  static func plan(from arguments: ParsedArguments) throws -> EvaluationPlan {
    var plan = EvaluationPlan(
      dataset: URL(fileURLWithPath: arguments[dataset]),
      run: URL(fileURLWithPath: arguments[run]))
    try Pipeline.apply(arguments, mode: arguments[mode], to: &plan.running)
    let score = plan.settings.minFaceDetectionConfidence
    guard arguments.isGiven(predictions) || (0...1).contains(score) else {
      throw arguments.usageError(
        "invalid value '\(score)' for '--\(PipelineSetting.detectionConfidence)': expected a "
          + "number from 0 to 1")
    }
    plan.isMinScoreGiven = isGiven(PipelineSetting.detectionConfidence, arguments)
    if arguments.isGiven(tracker), !isGiven(PipelineSetting.presenceConfidence, arguments) {
      plan.settings.minFacePresenceConfidence = 0
    }
    plan.predictions = arguments[predictions].map { URL(fileURLWithPath: $0) }
    plan.tracker = arguments[tracker]
    plan.pairing = FacePairing(rule: arguments[pairing], distance: arguments[pairingDistance])
    plan.calibration = arguments[calibration].map { URL(fileURLWithPath: $0) }
    plan.expressions = arguments[expressions].map { URL(fileURLWithPath: $0) }
    plan.attributes = arguments[attributes].map { URL(fileURLWithPath: $0) }
    plan.base = arguments[base].map { URL(fileURLWithPath: $0) }
    plan.gates = arguments[gates].map { URL(fileURLWithPath: $0) }
    plan.jobs = arguments[jobs]
    plan.bootstrap = ClusterBootstrap(
      resamples: arguments[resamples], seed: UInt64(arguments[seed]))
    plan.minSliceCount = arguments[minSliceCount]
    plan.maxBadFrames = arguments[maxBadFrames]
    plan.maxDetections = arguments[maxDetections]
    plan.resumes = arguments[resume]
    plan.replaces = arguments[force]
    plan.accepted = arguments[accept]
    return plan
  }

  /// The settings of a run whose shards are joined, from the options that its shards were given.
  static func plan(
    joining known: ShardPlan, in shards: ShardFolder, run: String
  ) throws -> (plan: EvaluationPlan, inconclusive: InconclusiveGates) {
    let arguments = try ShardPart.arguments(
      of: known, in: shards, for: evaluate.declaration, run: run)
    do {
      try check(arguments)
      var evaluation = try plan(from: arguments)
      evaluation.shards = shards
      return (evaluation, arguments[inconclusive])
    } catch let error as UsageError {
      throw ShardPart.wrongPlan(shards, error)
    }
  }
}
