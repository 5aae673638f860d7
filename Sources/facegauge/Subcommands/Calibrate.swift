import Calibration
import CommandSyntax
import Evaluation
import Foundation
import Metrics
import Reporting

extension Command {
  private static let run = Argument("run", .directory, help: "The run to calibrate on.")
  private static let output = Option(
    required: "output", short: "o", valueName: "calibration.json", .path(extensions: ["json"]),
    help: "The calibration to write.")
  private static let dataset = Option(
    "dataset", valueName: "dataset.h5", .path(extensions: ["h5", "json"]),
    otherwise: "where the run's record says it is", help: "The dataset of the run.")
  private static let subjects = Option(
    "of", valueName: "what", .list(of: CalibrationPlan.Subject.allCases.map(\.rawValue)),
    otherwise: "what can be; what cannot is noted",
    help: "What to calibrate; what is named must succeed.")
  private static let method = Option(
    "method", valueName: "name", .choice(CalibrationChoice.self), default: .auto,
    help: "How scores become probabilities; auto has the least held-out negative log-likelihood.")
  private static let folds = Option(
    "folds", valueName: "n", .integer(in: 2...1000), default: 5,
    help: "How many folds of whole subjects, else videos, else stills are held out in turn.")
  private static let objective = Option(
    "objective", valueName: "text", .string, default: "max f1",
    help: "What thresholds of scores should reach, see above.")
  private static let expressions = Option(
    "expressions", valueName: "rules.json", .path(extensions: ["json"]),
    otherwise: "happy, sad, angry and neutral",
    help: "Expressions as rules over blendshapes, as for 'evaluate'.")
  private static let scope = Option(
    "blendshapes-for", valueName: "whom", .choice(BlendshapeCalibration.Scope.self),
    default: .shared,
    help: "One correction of blendshapes for all, or one for each subject of the dataset.")
  private static let recording = Option(
    "recording", valueName: "take.h5", .path(extensions: ["h5"]),
    otherwise: "blendshapes of the dataset's labels count",
    help: "Labelled blendshapes of the run's videos on another clock, as imported.")
  private static let timeOffset = Option(
    "time-offset", valueName: "seconds", .number(in: -86_400...86_400),
    otherwise: "found from the blendshapes",
    help: "Seconds to add to the recording's times; both clocks count from their own start.")
  private static let mostTimeOffset = Option(
    "max-time-offset", valueName: "seconds", .number(in: 0.1...3600), default: 30,
    help: "The largest time offset that is tried, either way.")
  private static let neutral = Option(
    "neutral", valueName: "start:end", .seconds, otherwise: "faces labelled without expression",
    help: "Seconds from the start of each video in which the face is at rest, such as 0:3.")
  private static let neutralRun = Option(
    "neutral-run", valueName: "run", .directory, otherwise: "no such run",
    help: "Run in which all faces are at rest, or with --neutral those of these seconds.")
  private static let sweepRun = Option(
    "settings", valueName: "sweep", .directory, otherwise: "no settings",
    help: "Keep what this run of 'facegauge sweep' recommends first, for 'facegauge settings'.")
  private static let reportFolder = Option(
    "report", valueName: "folder", .directory, otherwise: "no report",
    help: "Folder to make for report.html, report.md and record.json.")
  private static let resamples = Option(
    "resamples", valueName: "n", .integer(in: 0...100_000), default: 1000,
    help: "Resamples behind the 95 % intervals of thresholds; 0 leaves the intervals out.")
  private static let seed = Option(
    "seed", valueName: "n", .integer(in: 0...Int.max), default: 1,
    help: "Where folds and resampling start; the same seed gives the same file.")
  private static let force = Flag("force", help: "Replace the outputs if they exist.")
  private static let json = Flag("json", help: "Print the calibration instead of a summary.")

  /// `facegauge calibrate`.
  static let calibrate = Command(
    CommandDeclaration(
      "calibrate", abstract: "Turn a run's scores into probabilities, and correct its blendshapes",
      discussion: """
        The run's predictions are judged anew. Scores of detections (matched to labels at IoU 0.5), \
        presences, and values of the rules of expressions get a map to the chance of being true; \
        before and after are shown on held-out folds of whole subjects, else videos, else stills. \
        A map is kept only where the interval of its held-out gain lies above 0. Each rule of \
        expressions, and the scores of another tracker's detections, get the threshold that the \
        objective prefers, with its interval: 'max' or 'min' and a figure, perhaps limits, as in

          max recall where precision >= 0.9 with 95 %

        'with 95 %' takes a threshold that keeps the limit in the population with that confidence; \
        without it the best threshold just meets the limit on this data, and breaks it on other data \
        about every second time. Detections have no true negatives: f1, f0.5, f2, precision, recall, \
        miss_rate and, of videos, fp_per_minute are theirs.

        Figures: \(ThresholdFigure.names.joined(separator: ", ")).

        Blendshapes are corrected towards labelled ones (an ARKit recording beside the video): \
        value at rest, gain, and the part of the other side of the face, by ridge regression. \
        A recording of another clock is joined by --recording; its time offset is found from jaw, \
        eyelids and what else moves, with the rate of its clock, and refused where two offsets fit or \
        one half of the recording does not predict the other. --neutral needs no labels: \
        a few seconds of a face at rest.

        'facegauge evaluate --calibration FILE' applies the file, 'facegauge settings FILE' writes \
        the lines for MediaPipe.
        """,
      arguments: [run],
      options: [
        output, dataset, subjects, method, folds, objective, expressions, scope, recording,
        timeOffset, mostTimeOffset, neutral, neutralRun, sweepRun, reportFolder, resamples, seed,
        force, json,
      ])
  ) { arguments in
    for (option, name) in [
      (timeOffset as any Parameter, "time-offset"), (mostTimeOffset, "max-time-offset"),
    ]
    where arguments.isGiven(option) && !arguments.isGiven(recording) {
      throw arguments.usageError("'--\(name)' is of a recording and needs '--recording'")
    }
    if arguments.isGiven(timeOffset), arguments.isGiven(mostTimeOffset) {
      throw arguments.usageError("'--max-time-offset' has no place where '--time-offset' gives it")
    }
    var plan = CalibrationPlan(
      run: URL(fileURLWithPath: arguments[run], isDirectory: true),
      output: URL(fileURLWithPath: arguments[output]))
    plan.dataset = arguments[dataset].map { URL(fileURLWithPath: $0) }
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
    plan.mostTimeOffset = arguments[mostTimeOffset]
    plan.rest = arguments[neutral]
    plan.restingRun = arguments[neutralRun].map { URL(fileURLWithPath: $0, isDirectory: true) }
    plan.sweep = arguments[sweepRun].map { URL(fileURLWithPath: $0, isDirectory: true) }
    plan.report = arguments[reportFolder].map { URL(fileURLWithPath: $0, isDirectory: true) }
    plan.bootstrap = ClusterBootstrap(
      resamples: arguments[resamples], seed: UInt64(arguments[seed]))
    plan.replaces = arguments[force]
    let progress = PhaseProgress()
    let finished = try stopping { try CalibrationRun.run(plan, monitor: progress.monitor) }
    progress.finish()
    if let folder = finished.folder {
      try folder.commit {
        try RunReports.write(Report(record: finished.record).document, into: folder)
      }
    }
    if arguments[json] {
      try StandardOutput.writeJSON(String(decoding: try finished.file.json(), as: UTF8.self))
    } else {
      try StandardOutput.write(
        CalibrationSummary.text(
          finished.file, output: arguments[output], report: arguments[reportFolder]))
    }
    return .success
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
