import CommandSyntax
import Datasets
import Foundation
import Reporting

extension Command {
  private static let file = Argument(
    "file.h5", .path(extensions: ["h5", "json"]),
    help: "The dataset or predictions file to check.")
  private static let decode = Flag(
    "decode",
    help: "Decode every image, on all cores; otherwise only headers and ends are checked.")
  private static let html = Option(
    "html", valueName: "file", .path(extensions: ["html"]), otherwise: "none is written",
    help: "Also write the checklist as an HTML page.")
  private static let markdown = Option(
    "markdown", valueName: "file", .path(extensions: ["md"]), otherwise: "none is written",
    help: "Also write the checklist as Markdown.")

  /// `facegauge validate`.
  static let validate = Command(
    CommandDeclaration(
      "validate", abstract: "Check a dataset for errors",
      discussion: """
          facegauge validate faces.h5 --decode --html faces.html

        Reads every table and the bytes of every image, and lists every check with its findings: \
        images, sizes, sequences, times, boxes, landmarks, blendshapes, poses, the same image with \
        different labels, people and images in two splits. Errors end with status 65; warnings and \
        notes are listed and do not change the status.
        """,
      arguments: [file], options: [json, decode, html, markdown])
  ) { arguments in
    let position = URL(fileURLWithPath: arguments[file])
    for path in [arguments[html], arguments[markdown]].compactMap({ $0 }) {
      try OutputFolder.check(URL(fileURLWithPath: path), besides: position)
    }
    let result: DatasetValidation
    switch try FileContents.kind(of: position) {
    case .dataset:
      let dataset = try DatasetReader(position)
      result = try countingFrames("Validating", of: dataset.frameCount) {
        try DatasetValidation(
          of: dataset, decodes: arguments[decode], advance: $0, isInterrupted: $1)
      }
    case .predictions:
      let predictions = try PredictionsReader(position)
      result = try countingFrames("Validating", of: predictions.frameCount) {
        try DatasetValidation(of: predictions, advance: $0, isInterrupted: $1)
      }
    }
    let checklist = Checklist(result: result, file: arguments[file])
    if let path = arguments[html] {
      try OutputFolder.write(checklist.document.html(), to: URL(fileURLWithPath: path))
    }
    if let path = arguments[markdown] {
      try OutputFolder.write(checklist.document.markdown(), to: URL(fileURLWithPath: path))
    }
    try arguments.print(result, text: checklist.text)
    guard !result.hasErrors else {
      throw CommandFailure(.wrongData, "\(arguments[file]) is not well-formed")
    }
    return .success
  }
}
