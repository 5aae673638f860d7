import CommandSyntax
import Datasets
import Foundation

extension Command {
  private static let file = Argument(
    "dataset.h5", .path(extensions: ["h5"]), help: "The dataset to read from end to end.")
  private static let json = Flag("json", help: "Print JSON instead of text.")

  /// `facegauge validate`.
  static let validate = Command(
    CommandDeclaration(
      "validate", abstract: "Check that a dataset is well-formed",
      discussion: """
        Reads every table and decodes every picture. Errors end with status 65; warnings are \
        listed and do not change the status.
        """,
      arguments: [file], options: [json])
  ) { arguments in
    let dataset = try DatasetReader(URL(fileURLWithPath: arguments[file]))
    let bar = ProgressBar("Validating", total: dataset.frameCount, unit: "frames")
    let result = try stopping {
      try DatasetValidation(
        of: dataset, advance: { bar.advance(by: $0) },
        isInterrupted: { Interruption.isRequested })
    }
    bar.finish()
    if arguments[json] {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try StandardOutput.write(String(decoding: try encoder.encode(result), as: UTF8.self) + "\n")
    } else {
      var lines = result.findings.map { finding in
        "\(finding.isError ? "error" : "warning"): \(finding.count) x \(finding.what)\n"
          + finding.examples.map { "  \($0)\n" }.joined()
      }
      lines.append(
        "\(arguments[file]): \(result.frames) frames, \(result.faces) faces, "
          + (result.hasErrors ? "not well-formed" : "well-formed") + "\n")
      try StandardOutput.write(lines.joined())
    }
    guard !result.hasErrors else {
      throw CommandFailure(.wrongData, "\(arguments[file]) is not well-formed")
    }
    return .success
  }
}
