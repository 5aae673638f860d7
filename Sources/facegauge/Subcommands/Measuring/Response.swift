import CommandSyntax
import Records
import Reporting
import Scoring

extension Command {
  private static let run = Argument(
    "run", .path(extensions: []),
    help: "Folder of a run on a dataset with labelled coefficients.")
  private static let output = MeasurementCommand.output(of: "response.json")

  /// `facegauge response`.
  static let response = Command(
    CommandDeclaration(
      "response", abstract: "Measure how predicted coefficients respond to labelled ones",
      discussion: """
          facegauge render --design response --people 12 -o faces.h5
          facegauge evaluate faces.h5 -o run
          facegauge response run -o response

        If a label rises from 0 to 1, the prediction of the same name should rise as much and no \
        other should. The command fits each predicted coefficient to all labelled ones and the \
        labelled angles of the head, with the others held, within each person or clip. It prints \
        the gain (1 follows its label) with its 95 % interval, the prediction at 0, the rank of \
        the own prediction, the other one that moves most, and the delay in clips. The report has \
        curves, the matrix of all predictions with all labels, images of the smallest gains, and \
        what a straight line for each coefficient would gain.

        Rendered heads ('facegauge render') have true coefficients; a recording of another tracker \
        has its opinion. Any dataset with labelled coefficients is taken.

          facegauge response run --base old-run --gates gates.json

        --base is a run on the same dataset: differences of gains and others from it have \
        intervals over the same resamples. --gates limits response.gain, own_share, offset, \
        rms_error and delay, of all coefficients (the first two) or of one, or how much worse \
        than the base they may be:

          {"schema": "facegauge.gates", "version": 2, "gates": [
            {"metric": "response.gain", "slice": "coefficient=jawOpen",
             "direction": "at_least", "limit": 0.5},
            {"metric": "response.own_share", "max_worsening": 0.05}]}

        The intervals are from resampling subjects, else clips, else stills; with fewer than 10 \
        there are none.
        """,
      arguments: [run],
      options: MeasurementCommand.gatedOptions(output))
  ) { arguments in
    try MeasurementCommand.run(
      arguments, source: arguments[run], output: arguments[output],
      measure: { try ResponseRun.run($0, monitor: $1) }, document: { ResponseReport($0).document },
      text: { ResponseText.text($0, output: arguments[output]) }, verdicts: \.verdicts)
  }
}
