import Calibration
import CommandSyntax
import Foundation
import Metrics
import Platform
import Records
import Reporting
import Running
import Tuning

extension Command {
  private static let run = Argument("run", .directory, help: "The run to calibrate on.")
  private static let output = Option(
    required: "output", short: "o", valueName: "calibration.json", .path(extensions: ["json"]),
    help: "The calibration to write.")
  private static let subjects = Option(
    "of", valueName: "what", .list(of: CalibrationPlan.Subject.allCases.map(\.rawValue)),
    otherwise: "everything that can be; the rest is noted",
    help: "What to calibrate; everything named here must succeed.")
  private static let method = Option(
    "method", valueName: "name", .choice(CalibrationChoice.self), default: .auto,
    help: "Calibration method; auto picks the lowest held-out negative log-likelihood.")
  private static let folds = Option(
    "folds", valueName: "n", .integer(in: 2...1000), default: 5,
    help: "Number of cross-validation folds of whole subjects, else videos, else stills.")
  private static let objective = Option(
    "objective", valueName: "text", .string, default: CalibrationPlan.defaultObjective,
    help: "Objective for score thresholds, see above.")
  private static let scope = Option(
    "blendshapes-for", valueName: "whom", .choice(BlendshapeCalibration.Scope.self),
    default: .shared,
    help: "Fit one blendshape correction for all subjects, or one per subject of the dataset.")
  private static let maxTimeOffset = Option(
    "max-time-offset", valueName: "seconds", .number(in: 0.1...3600), default: 30,
    help: "Largest time offset to try in either direction, in seconds.")
  private static let neutral = Option(
    "neutral", valueName: "start:end", .seconds, otherwise: "faces labelled without expression",
    help: "Time range of each video in which the face is at rest, in seconds, such as 0:3.")
  private static let neutralRun = Option(
    "neutral-run", valueName: "run", .directory, otherwise: "none",
    help: "Run in which all faces are at rest, or with --neutral the faces in that time range.")
  private static let prompts = Option(
    "prompts", valueName: "prompts.json", .path(extensions: ["json"]), otherwise: "none",
    help: "Times at which one person was asked for which expression, see above.")
  private static let against = Option(
    "against", valueName: "earlier.json", .path(extensions: ["json"]), otherwise: "none",
    help: "Earlier calibration with --prompts of the same person, to test for drift since then.")
  private static let sweepRun = Option(
    "settings", valueName: "sweep", .directory, otherwise: "no settings are stored",
    help: "Store the first recommendation of this 'facegauge sweep' run for 'facegauge settings'.")
  private static let reportFolder = Option(
    "report", valueName: "folder", .directory, otherwise: "no report",
    help: "Folder to create for report.html, report.md and record.json.")

  /// `facegauge calibrate`.
  static let calibrate = Command(
    CommandDeclaration(
      "calibrate", abstract: "Turn a run's scores into probabilities, and correct its blendshapes",
      discussion: """
          facegauge calibrate run -o calibration.json
          facegauge evaluate faces.h5 --calibration calibration.json -o calibrated

        The run's predictions are evaluated again. Scores of detections (matched to labels at IoU \
        0.5), presences, and values of expression rules are mapped to probabilities. The results \
        before and after are computed on held-out folds of whole subjects, else videos, else \
        stills. With --method auto a map is kept only if the interval of its held-out gain lies \
        above 0; a named one is always kept.

        --objective sets the thresholds, with intervals, of expression rules and of the scores of \
        another tracker's detections. It is 'max' or 'min' and a metric, with optional limits:

          max recall where precision >= 0.9 with 95 %

        'with 95 %' chooses a threshold that keeps the limit in the population with that \
        confidence. Without it the threshold just meets the limit on this data and breaks it on \
        about half of other data or more. Detections have no true negatives: their metrics are f1, f0.5, \
        f2, precision, recall, miss_rate and, for videos, fp_per_minute. The status is 3 if no \
        threshold meets the objective.

        Metrics: \(ThresholdMetric.names.joined(separator: ", ")).

        Blendshapes are corrected towards labelled ones, such as an ARKit recording of the same \
        session. Ridge regression fits the value at rest, the gain and the contribution of the \
        other side of the face. --recording joins a recording with its own clock: the time offset \
        and the clock rate are estimated from the jaw, the eyelids and other moving coefficients. \
        The estimate is refused if two offsets fit or if one half of the recording does not \
        predict the other. --neutral needs no labels, only a few seconds of a face at rest.

        --prompts needs no labels either: a person is asked to hold expressions before the camera, \
        each at least twice. The file has times in seconds from the start of a video:

          {"schema": "facegauge.prompts", "version": 1, "prompts": [
            {"video": "take1", "start": 0, "end": 3, "prompt": "neutral"},
            {"video": "take1", "start": 4, "end": 7, "prompt": "jaw-open"}]}

        Without "video" an entry is for every video. Prompts: \
        \(FacePrompt.all.map(\.name).joined(separator: ", ")); or "coefficients": {"mouthRollLower": 1} \
        in place of "prompt". The middle half of each time is used, and repetitions are held out. A \
        coefficient is then 0 at rest and 1 at this person's most. If the dataset has several \
        videos of a person, or with --against, the drift between sessions is tested.

        'facegauge settings FILE' writes the settings as code for MediaPipe.
        """,
      arguments: [run],
      options: [
        output, datasetOfRun, subjects, method, folds, objective, expressions, scope, recording,
        timeOffset, maxTimeOffset, neutral, neutralRun, prompts, against, sweepRun, reportFolder,
        resamples, seed, force, json,
      ],
      essentials: [
        "output", "of", "method", "objective", "recording", "prompts", "report", "force",
      ])
  ) { arguments in
    try arguments.require(recording, for: timeOffset, maxTimeOffset)
    try arguments.refuse(prompts, with: recording)
    try arguments.require(prompts, for: against)
    try arguments.refuse(maxTimeOffset, with: timeOffset)
    var plan = CalibrationPlan(
      run: URL(fileURLWithPath: arguments[run], isDirectory: true),
      output: URL(fileURLWithPath: arguments[output]))
    plan.dataset = arguments[datasetOfRun].map { URL(fileURLWithPath: $0) }
    plan.subjects = arguments[subjects].map {
      Set($0.compactMap(CalibrationPlan.Subject.init(rawValue:)))
    }
    plan.choice = arguments[method]
    plan.folds = arguments[folds]
    plan.objective = arguments[objective]
    plan.expressions = arguments[expressions].map { URL(fileURLWithPath: $0) }
    plan.scope = arguments[scope]
    plan.recording = arguments[recording].map { URL(fileURLWithPath: $0) }
    plan.timeOffset = arguments[timeOffset]
    plan.maxTimeOffset = arguments[maxTimeOffset]
    plan.rest = arguments[neutral]
    plan.restingRun = arguments[neutralRun].map { URL(fileURLWithPath: $0, isDirectory: true) }
    plan.prompts = arguments[prompts].map { URL(fileURLWithPath: $0) }
    plan.against = arguments[against].map { URL(fileURLWithPath: $0) }
    plan.sweep = arguments[sweepRun].map { URL(fileURLWithPath: $0, isDirectory: true) }
    plan.report = arguments[reportFolder].map { URL(fileURLWithPath: $0, isDirectory: true) }
    plan.bootstrap = ClusterBootstrap(
      resamples: arguments[resamples], seed: UInt64(arguments[seed]))
    plan.replaces = arguments[force]
    let finished = try PhaseProgress.run { try CalibrationRun.run(plan, monitor: $0) }
    if let folder = finished.folder {
      try folder.commit {
        try RunReports.write(Report(record: finished.record).document, into: folder)
      }
    }
    try arguments.print(
      finished.file,
      text: RunSummary.findings(finished.record.findings ?? []).printed
        + CalibrationSummary.text(
          finished.file, output: arguments[output], report: arguments[reportFolder]))
    return finished.hasUnmetObjective ? .gateInconclusive : .success
  }
}

extension ValueSyntax<ClosedRange<Double>> {
  /// Two times in seconds with a colon between them, the earlier first.
  fileprivate static var seconds: Self {
    Self { word throws(ValueMismatch) in
      let ends = word.split(separator: ":", omittingEmptySubsequences: false)
        .compactMap { $0.allSatisfy { "0123456789.".contains($0) } ? Double($0) : nil }
      guard ends.count == 2, word.filter({ $0 == ":" }).count == 1, ends[0] < ends[1],
        ends[1] <= 86_400
      else {
        throw ValueMismatch(expected: "two times in seconds, the earlier first, such as 0:3")
      }
      return ends[0]...ends[1]
    } write: {
      "\($0.lowerBound):\($0.upperBound)"
    }
  }
}
