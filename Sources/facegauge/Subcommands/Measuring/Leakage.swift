import CommandSyntax
import Records
import Reporting
import Scoring

extension Command {
  private static let source = Argument(
    "source", .path(extensions: ["h5", "json"]),
    help: "Folder of a run, whose predictions are measured, or a dataset, whose labels are.")
  private static let output = MeasurementCommand.output(of: "leakage.json")

  /// `facegauge leakage`.
  static let leakage = Command(
    CommandDeclaration(
      "leakage", abstract: "Measure how coefficients move with the head and with each other",
      discussion: """
          facegauge evaluate clips.h5 --mode video -o run
          facegauge leakage run -o leakage

        If the head turns and the expression does not change, no coefficient should move. The \
        command fits each coefficient to yaw, pitch, roll and how far each is from frontal, with \
        the others held, and to all other coefficients. It prints the change per 10°, largest \
        first, with 95 % intervals. No labels are needed.

        \(Leakage.signs)

        Frames are compared within clips, so people and cameras do not count; only frames with one \
        face take part. The intervals are from resampling subjects, else clips; with fewer than \
        10 there are none. A dataset without clips is compared across people, and a note states it.

        People may change their expression when they turn. Ask for a still face, or animate stills \
        ('facegauge animate').

        A dataset as source is measured by its labels: recordings of ARKit with a head pose, or \
        with the attributes headYaw, headPitch and headRoll in radians.
        """,
      arguments: [source],
      options: MeasurementCommand.options(output))
  ) { arguments in
    try MeasurementCommand.run(
      arguments, source: arguments[source], output: arguments[output],
      measure: { try LeakageRun.run($0, monitor: $1) }, document: { LeakageReport($0).document },
      text: { LeakageText.text($0, output: arguments[output]) })
  }
}
