import Calibration
import CommandSyntax
import Foundation
import Platform
import Tuning

extension Command {
  private static let file = Argument(
    "calibration", .path(extensions: ["json"]),
    help: "File written by 'facegauge calibrate', or folder written by 'facegauge sweep'.")
  private static let language = Option(
    "emit", valueName: "language", .choice(SettingsLanguage.self), default: .swift,
    help: "Language: swift for iOS, kotlin for Android, python, javascript for the web; or json.")

  /// `facegauge settings`.
  static let settings = Command(
    CommandDeclaration(
      "settings", abstract: "Write a sweep's or a calibration's settings as code or JSON",
      discussion: """
          facegauge settings sweep --emit python > face_settings.py
          facegauge settings calibration.json --emit swift > FaceSettings.swift

        The code goes to standard output, with the evidence, the verdict and the warnings of the \
        sweep in one comment. The settings are the sweep's recommendation, or the default if the \
        sweep keeps it; a calibration without a sweep gives the run's settings. Thresholds of \
        expressions follow as a table.

        Only a configuration that was run is written. The status is 65 if MediaPipe has no such \
        configuration: for another tracker, other models, a suppression threshold or smoothing \
        without an option, and for swift in video and live mode without --compatibility ios, since \
        MediaPipe on iOS does not track in these modes.

        json is for any program and any tracker: values by option name, the rules of expressions \
        with their thresholds, and the evidence. It is refused for no configuration.
        """,
      arguments: [file], options: [language])
  ) { arguments in
    let url = URL(fileURLWithPath: arguments[file])
    let calibration =
      url.isFolder
      ? try SweptSettings.calibration(of: url)
      : try CalibrationFile(json: try InputFile.bytes(of: url), source: url.relativePath)
    try StandardOutput.write(try calibration.source(in: arguments[language]))
    return .success
  }
}
