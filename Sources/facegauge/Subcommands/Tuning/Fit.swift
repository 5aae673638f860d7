import Calibration
import CommandSyntax
import FacePipeline
import Foundation
import Platform
import Tuning

extension Command {
  private static let runs = Argument(
    repeating: "run", .directory, minimum: 1,
    help: "Runs of 'evaluate' on recordings with landmarks of mediapipe478.")
  private static let output = Option(
    required: "output", short: "o", valueName: "head.json", .path(extensions: ["json"]),
    help: "The head to write.")
  private static let teacher = Flag(
    "teacher",
    help: "Fit to the coefficients that the runs' blendshape model predicted, not to labels.")
  private static let folds = Option(
    "folds", valueName: "n", .integer(in: 2...1000), default: 10,
    help: "Maximum number of folds of whole subjects, else videos, else stills, to hold out.")
  private static let ridge = Option(
    "ridge", valueName: "share", .number(in: 1e-9...1e3), default: LogitRegression.usualRidge,
    help: "Penalty on weights, as a share of the landmarks' mean variance.")

  /// `facegauge fit`.
  static let fit = Command(
    "fit", abstract: "Fit a stage of the pipeline to recordings", subcommands: [blendshapes])

  private static let blendshapes = Command(
    CommandDeclaration(
      "blendshapes", abstract: "Fit a blendshape head to labelled recordings",
      discussion: """
          facegauge evaluate takes.h5 --mode video -o run
          facegauge fit blendshapes run -o head.json
          facegauge evaluate others.h5 --blendshapes head.json -o other

        A head gives the 52 coefficients from landmarks, in place of the blendshape model. The \
        landmarks come from runs, the coefficients from the labels of their datasets (an ARKit \
        take, or a rig whose channels were imported under these names) or from --recording. A \
        coefficient that some face lacks is left out; one that hardly varies becomes its mean.

        The landmarks are laid over their mean face, so that the head's pose and size do not \
        count. Ridge regression then fits the logit of each coefficient. Concordance (CCC) and \
        mean absolute error (MAE) are those on held-out subjects, else videos, else stills. With \
        only one of these they are undefined.
        """,
      arguments: [runs],
      options: [output, teacher, recording, timeOffset, folds, ridge, seed, force])
  ) { arguments in
    if arguments.isGiven(recording), arguments[runs].count > 1 {
      throw arguments.usageError("'--recording' requires a single run")
    }
    try arguments.refuse(recording, with: teacher)
    try arguments.require(recording, for: timeOffset)
    var plan = BlendshapeHeadPlan(
      runs: arguments[runs].map { URL(fileURLWithPath: $0, isDirectory: true) },
      output: URL(fileURLWithPath: arguments[output]))
    plan.isTaught = arguments[teacher]
    plan.recording = arguments[recording].map { URL(fileURLWithPath: $0) }
    plan.timeOffset = arguments[timeOffset]
    plan.folds = arguments[folds]
    plan.ridge = arguments[ridge]
    plan.seed = UInt64(arguments[seed])
    plan.replaces = arguments[force]
    let head = try PhaseProgress.run { try BlendshapeHeadFit.run(plan, monitor: $0) }
    try StandardOutput.write(HeadSummary.text(head, output: arguments[output]))
    return .success
  }
}
