import CommandSyntax
import Datasets
import Foundation
import Reporting

extension Command {
  private static let file = Argument(
    "file.h5", .path(extensions: ["h5", "json"]),
    help: "The dataset to read from end to end, or a predictions file.")
  private static let json = Flag("json", help: "Print JSON instead of text.")
  private static let decode = Flag(
    "decode",
    help: "Decode every picture, on all cores; without, their headers and ends are looked at.")
  private static let html = Option(
    "html", valueName: "file", .path(extensions: ["html"]), otherwise: "none is written",
    help: "Write the checklist as a page of HTML too.")
  private static let markdown = Option(
    "markdown", valueName: "file", .path(extensions: ["md"]), otherwise: "none is written",
    help: "Write the checklist as Markdown too.")

  /// `facegauge validate`.
  static let validate = Command(
    CommandDeclaration(
      "validate", abstract: "Go through a checklist of what can be wrong with a dataset",
      discussion: """
        Reads every table and the bytes of every picture, and lists every check with what it found: \
        pictures, sizes, sequences, times, boxes, landmarks, blendshapes, poses, the same picture \
        under different labels, people and pictures in two splits. Errors end with status 65; \
        warnings and notes are listed and do not change the status.

          facegauge validate faces.h5 --decode --html faces.html
        """,
      arguments: [file], options: [json, decode, html, markdown])
  ) { arguments in
    let place = URL(fileURLWithPath: arguments[file])
    let result: DatasetValidation
    switch try FileContents.kind(of: place) {
    case .dataset:
      let dataset = try DatasetReader(place)
      let bar = ProgressBar("Validating", total: dataset.frameCount, unit: "frames")
      result = try stopping {
        try DatasetValidation(
          of: dataset, decodes: arguments[decode], advance: { bar.advance(by: $0) },
          isInterrupted: { Interruption.isRequested })
      }
      bar.finish()
    case .predictions:
      let predictions = try PredictionsReader(place)
      let bar = ProgressBar("Validating", total: predictions.frameCount, unit: "frames")
      result = try stopping {
        try DatasetValidation(
          of: predictions, advance: { bar.advance(by: $0) },
          isInterrupted: { Interruption.isRequested })
      }
      bar.finish()
    }
    let checklist = Checklist(result, of: arguments[file])
    if let path = arguments[html] {
      try OutputFolder.write(checklist.document.html(), to: URL(fileURLWithPath: path))
    }
    if let path = arguments[markdown] {
      try OutputFolder.write(checklist.document.markdown(), to: URL(fileURLWithPath: path))
    }
    if arguments[json] {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try StandardOutput.writeJSON(
        String(decoding: try encoder.encode(result), as: UTF8.self) + "\n")
    } else {
      try StandardOutput.write(checklist.text)
    }
    guard !result.hasErrors else {
      throw CommandFailure(.wrongData, "\(arguments[file]) is not well-formed")
    }
    return .success
  }
}
