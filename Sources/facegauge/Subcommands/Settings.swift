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
    help: "Language of the lines: swift for MediaPipeTasksVision, python for mediapipe.")

  /// `facegauge settings`.
  static let settings = Command(
    CommandDeclaration(
      "settings", abstract: "Write the lines that set MediaPipe's options, from a calibration",
      discussion: """
        The lines go to standard output, with the evidence in one comment. Settings are those \
        that a sweep recommended, else the ones that the run was made with. Thresholds of \
        expressions follow as a table.

          facegauge settings calibration.json --emit swift > FaceSettings.swift
        """,
      arguments: [file], options: [language])
  ) { arguments in
    let url = URL(fileURLWithPath: arguments[file])
    let calibration = try CalibrationFile(
      json: try InputFile.bytes(of: url), source: url.relativePath)
    try StandardOutput.write(calibration.source(in: arguments[language]))
    return .success
  }
}
