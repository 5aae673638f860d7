import Calibration
import CommandSyntax
import Evaluation
import Foundation

extension Command {
  private static let file = Argument(
    "calibration.json", .path(extensions: ["json"]),
    help: "What 'facegauge calibrate' wrote.")
  private static let language = Option(
    "emit", valueName: "language", .choice(SettingsLanguage.self), default: .swift,
    help: "Language: swift for iOS, kotlin for Android, python, javascript for the web.")

  /// `facegauge settings`.
  static let settings = Command(
    CommandDeclaration(
      "settings", abstract: "Write the lines that set MediaPipe's options, from a calibration",
      discussion: """
        The lines go to standard output, with the evidence, the verdict and the warnings of the \
        sweep in one comment. Settings are those that follow from the sweep, the default where it is to \
        be kept, else the ones that the run was made with. Thresholds of expressions follow as a table.

        Only a configuration that was run is written. Status 65 where MediaPipe cannot be set so: for \
        another tracker, other models, a suppression threshold or smoothing that it has no option \
        for, and for swift in video and live mode without --compatibility ios, since MediaPipe on iOS \
        tracks nothing there.

          facegauge settings calibration.json --emit swift > FaceSettings.swift
        """,
      arguments: [file], options: [language])
  ) { arguments in
    let url = URL(fileURLWithPath: arguments[file])
    let calibration = try CalibrationFile(
      json: try InputFile.bytes(of: url), source: url.relativePath)
    try StandardOutput.write(try calibration.source(in: arguments[language]))
    return .success
  }
}
