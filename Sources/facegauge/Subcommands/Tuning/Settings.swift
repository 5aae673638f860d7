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

  private static let setting = Option(
    "setting", valueName: "number", .integer(in: 0...Int.max),
    help: "A setting of the sweep, by its number in the report, instead of the one that follows.")

  /// `facegauge settings`.
  static let settings = Command(
    CommandDeclaration(
      "settings", abstract: "Write a sweep's or a calibration's settings as code or JSON",
      discussion: """
          facegauge settings sweep --emit python > face_settings.py
          facegauge settings calibration.json --emit swift > FaceSettings.swift

        The code goes to standard output, with one comment: the metrics at these settings and at \
        the default, the verdict and the warnings. The settings are the sweep's recommendation, or \
        the default if the sweep keeps it or no setting meets an objective; --setting asks for \
        another. The sweep's report copies the same text. A calibration without a sweep gives the \
        run's settings. Thresholds of expressions follow as a table.

        A warning names what MediaPipe does otherwise: a suppression threshold or smoothing without \
        an option, and swift in video and live mode without --compatibility ios, since MediaPipe on \
        iOS does not track in these modes. The status is 65 if MediaPipe can use nothing that was \
        varied, and for other trackers and models.

        json is for any program and any tracker: values by option name, the rules of expressions \
        with their thresholds, and the evidence. It is refused for no configuration.
        """,
      arguments: [file], options: [language, setting])
  ) { arguments in
    let url = URL(fileURLWithPath: arguments[file])
    let calibration: CalibrationFile
    if url.isFolder {
      calibration = try SweptSettings.calibration(of: url, setting: arguments[setting])
    } else {
      guard arguments[setting] == nil else {
        throw arguments.usageError("'--setting' requires the folder of a sweep")
      }
      calibration = try CalibrationFile(file: url)
    }
    try StandardOutput.write(try calibration.source(in: arguments[language]))
    return .success
  }
}
