import Checking
import CommandSyntax
import Datasets
import Foundation
import Records

extension Command {
  private static let labels = datasetArgument("The dataset with the labels.")
  private static let predictions = Argument(
    "predictions.h5", .path(extensions: ["h5"]),
    help: "Predictions of it: those of a run, or of 'facegauge import --of'.")

  /// `facegauge check`.
  static let checkPredictions = Command(
    CommandDeclaration(
      "check", abstract: "Find out whether labels and predictions speak of the same thing",
      discussion: """
          facegauge check faces.h5 predictions.h5

        Tries the usual mistakes on a sample of about 2,000 faces: boxes and points in another \
        convention or of an image of another size, points in another order, frames that are late, \
        scores that do not rank, identities that are row numbers, coefficients in other places, \
        angles in another unit. A mistake that makes both sides agree much better is a suspect \
        finding, printed with what repairs it. 'facegauge evaluate' does the same before it measures.

        The status is 3 if a finding is suspect and --accept does not name it.
        """,
      arguments: [labels, predictions], options: [accept, json])
  ) { arguments in
    let dataset = try DatasetReader(URL(fileURLWithPath: arguments[labels]))
    let given = try PredictionsReader(URL(fileURLWithPath: arguments[predictions]))
    guard given.frameCount == dataset.frameCount, given.header.datasetName == dataset.name else {
      throw CommandFailure(
        .wrongData,
        "cannot check \(arguments[predictions]): expected predictions of '\(dataset.name)' with "
          + "\(dataset.frameCount) frames, found those of '\(given.header.datasetName)' with "
          + "\(given.frameCount)")
    }
    let findings = try Findings.of(SampleReader.sample(of: dataset, given))
      .accepting(arguments[accept])
    let lines =
      findings.isEmpty
      ? [
        "no finding: none of the \(Findings.names.count) mistakes that are tried explains the differences"
      ]
      : RunSummary.findings(findings)
    try arguments.print(findings, text: lines.printed)
    return findings.objection == nil ? .success : .gateInconclusive
  }
}
