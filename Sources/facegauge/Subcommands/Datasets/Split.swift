import CommandSyntax
import Datasets
import Foundation

extension Command {
  private static let dataset = datasetArgument("The dataset to divide.")
  private static let output = madeDataset(help: "The dataset to write, a copy with the splits.")
  private static let grouping = Option(
    "by", valueName: "group", .choice(DatasetSplit.Grouping.self), default: .subject,
    help: "Unit that is never divided between splits.")
  private static let parts = Option(
    required: "parts", valueName: "name=share,...", shares,
    help: "Names of the splits and their shares of the frames; the shares add up to 1.")
  private static let orderSeed = seedOption(default: 0)
  private static let stratum = Option(
    "stratify", valueName: "attribute", .string, otherwise: "only frames are counted",
    help: "Face attribute, or expression, whose values are divided in proportion to the shares.")

  private static let shares = ValueSyntax<[DatasetSplit.Part]>(
    parse: { word throws(ValueMismatch) in
      var parts: [DatasetSplit.Part] = []
      for piece in word.split(separator: ",", omittingEmptySubsequences: false) {
        let sides = piece.split(separator: "=", omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[0].isEmpty, let share = Double(sides[1]), share > 0,
          share <= 1
        else { throw ValueMismatch(expected: "shares such as train=0.8,val=0.1,test=0.1") }
        parts.append(DatasetSplit.Part(name: String(sides[0]), fraction: share))
      }
      if let expected = DatasetSplit.expectation(unmetBy: parts) {
        throw ValueMismatch(expected: expected)
      }
      return parts
    }, write: { $0.map { "\($0.name)=\($0.fraction)" }.joined(separator: ",") })

  /// `facegauge split`.
  static let split = Command(
    CommandDeclaration(
      "split", abstract: "Divide a dataset into named splits without dividing groups",
      discussion: """
          facegauge split faces.h5 --parts train=0.8,test=0.2 --seed 7 -o split.h5
          facegauge subset split.h5 --split test -o test.h5

        Writes a copy with the splits. By subject, all frames of a sequence's subject and of a \
        face's identity stay together. By sequence and by subject, whole sequences stay together. \
        Frames with the same image always stay together, and so do recordings without images and \
        with the same labels, unless by frame. The same seed gives the same splits. Existing \
        splits of the same names are replaced, others are kept. 'facegauge subset --split' writes \
        one split as a file.
        """,
      arguments: [dataset],
      options: [output, parts, grouping, orderSeed, stratum, force])
  ) { arguments in
    let plan = try DatasetSplit(
      by: arguments[grouping], parts: arguments[parts], seed: UInt64(arguments[orderSeed]),
      stratum: arguments[stratum])
    let reader = try DatasetReader(URL(fileURLWithPath: arguments[dataset]))
    let writer = try ShapedDataset.writer(
      arguments[output], of: [reader], replacing: arguments[force])
    let summary = try ShapedDataset.make(
      "Splitting", steps: 2 * reader.frameCount, writer: writer
    ) { advance, isInterrupted in
      try plan.run(over: reader, into: writer, advance: advance, isInterrupted: isInterrupted)
    }
    ShapedDataset.tell(summary.remarks)
    try StandardOutput.write(SplitTable(summary: summary).text)
    ShapedDataset.tell(arguments[output], writer)
    return .success
  }
}
