import CommandSyntax
import Records
import Reporting
import Scoring

extension Command {
  private static let run = Argument(
    "run", .path(extensions: []), help: "Folder of a run on a dataset of 'facegauge transform'.")
  private static let output = MeasurementCommand.output(of: "equivariance.json")

  /// `facegauge equivariance`.
  static let equivariance = Command(
    CommandDeclaration(
      "equivariance", abstract: "Measure how far outputs follow mirrored, turned and moved images",
      discussion: """
          facegauge transform faces.h5 -o suite.h5
          facegauge evaluate suite.h5 -o run
          facegauge equivariance run -o equivariance

        Points of a mirrored, turned or moved image should be those of the original, mirrored, \
        turned or moved, and coefficients should be the same, left and right exchanged in a mirror \
        image. The command prints for each transformation the faces that are lost, the mean \
        distance of points in units of the face, and the coefficients that change, the surest \
        first, with 95 % intervals. No labels are needed. The report shows where on the face.

        --base is a run on the same dataset: differences from it have intervals over the same \
        resamples. --gates limits equivariance.distance and equivariance.lost_share in slices \
        such as transformation=mirror, or how much worse than the base they may be.

        The intervals are from resampling subjects, else stills; with fewer than 10 there are none.
        """,
      arguments: [run],
      options: MeasurementCommand.gatedOptions(output))
  ) { arguments in
    try MeasurementCommand.run(
      arguments, source: arguments[run], output: arguments[output],
      measure: { try EquivarianceRun.run($0, monitor: $1) },
      document: { EquivarianceReport($0).document },
      text: { EquivarianceText.text($0, output: arguments[output]) }, verdicts: \.verdicts)
  }
}
