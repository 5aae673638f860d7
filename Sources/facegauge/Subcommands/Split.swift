import CommandSyntax
import Datasets
import Foundation

extension Command {
  private static let dataset = Argument(
    "dataset.h5", .path(extensions: ["h5", "json"]), help: "The dataset to divide.")
  private static let output = Option(
    required: "output", short: "o", valueName: "out.h5", .path(extensions: ["h5"]),
    help: "The copy with the splits to write.")
  private static let grouping = Option(
    "by", valueName: "group", .choice(DatasetSplit.Grouping.self), default: .subject,
    help: "What stays together.")
  private static let parts = Option(
    required: "parts", valueName: "name=share,...", shares,
    help: "The splits and their shares of the frames, which add up to 1.")
  private static let seed = Option(
    "seed", valueName: "n", .integer(in: 0...Int.max), default: 0,
    help: "Settles the order of groups of the same size.")
  private static let stratum = Option(
    "stratify", valueName: "attribute", .string, otherwise: "only frames are counted",
    help: "An attribute of faces, or expression, of whose values every split gets its share.")
  private static let force = Flag("force", help: "Replace the output if it exists.")

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
      return parts
    }, write: { $0.map { "\($0.name)=\($0.fraction)" }.joined(separator: ",") })

  /// `facegauge split`.
  static let split = Command(
    CommandDeclaration(
      "split", abstract: "Divide a dataset into named splits whose groups never straddle",
      discussion: """
        Writes a copy with the splits. By subject, all frames of a sequence's subject and of a \
        face's identity stay together; by sequence and by subject, so do whole sequences; frames \
        with the very same picture always do, and recordings without pictures whose labels are the same, \
        unless by frame. The same seed gives the same splits. Other splits of \
        the dataset stay, those of the same names are replaced; 'facegauge subset --split' writes \
        one of them as a file.

          facegauge split faces.h5 --parts train=0.8,test=0.2 --seed 7 -o split.h5
          facegauge subset split.h5 --split test -o test.h5
        """,
      arguments: [dataset],
      options: [output, parts, grouping, seed, stratum, force])
  ) { arguments in
    let plan = try DatasetSplit(
      by: arguments[grouping], parts: arguments[parts], seed: UInt64(arguments[seed]),
      stratum: arguments[stratum])
    let reader = try DatasetReader(URL(fileURLWithPath: arguments[dataset]))
    let writer = try ShapedDataset.writer(
      arguments[output], of: [reader], name: nil, replacing: arguments[force])
    let summary = try ShapedDataset.make(
      "Splitting", steps: 2 * reader.frameCount, writer: writer
    ) { advance, isInterrupted in
      try plan.run(over: reader, into: writer, advance: advance, isInterrupted: isInterrupted)
    } accept: { _ in
    }
    ShapedDataset.tell(summary.remarks)
    try StandardOutput.write(SplitTable(summary, by: arguments[grouping]).text)
    ShapedDataset.tell(arguments[output], writer)
    return .success
  }
}
