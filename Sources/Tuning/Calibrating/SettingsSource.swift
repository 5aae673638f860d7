package import Calibration
internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Platform
internal import Records

/// A language that settings are written in.
package enum SettingsLanguage: String, Sendable, CaseIterable {
  /// For `MediaPipeTasksVision` on iOS.
  case swift
  /// For the `mediapipe` package.
  case python
  /// For `tasks-vision` on Android.
  case kotlin
  /// For `@mediapipe/tasks-vision` on the web.
  case javascript
  /// For any program, and for trackers without code of their own here.
  case json

  /// Its name for people.
  package var title: String {
    switch self {
    case .swift: "Swift"
    case .python: "Python"
    case .kotlin: "Kotlin"
    case .javascript: "JavaScript"
    case .json: "JSON"
    }
  }
}

extension CalibrationFile {
  /// Code that sets MediaPipe's Face Landmarker, with the evidence in one comment, and the thresholds of expressions.
  ///
  /// The first line has the metrics at these settings. They are those of the sweep, else the run's own; warnings name
  /// what MediaPipe does otherwise. Throws where it has no option for any of them; another tracker's run with
  /// thresholds of expressions gives these alone.
  package func source(in language: SettingsLanguage) throws(CalibrationError) -> String {
    if language == .json { return try SettingsDocument(self).text() }
    let isForeign = tracker != nil && !expressionRows.isEmpty
    let settings = isForeign ? nil : try MediaPipeSettings(self, for: language)
    let mark = language == .python ? "# " : "// "
    var lines = evidence(settings).map { mark + $0 }
    if let settings {
      switch language {
      case .swift: lines += swift(settings)
      case .python: lines += python(settings)
      case .kotlin: lines += kotlin(settings)
      case .javascript: lines += javascript(settings)
      case .json: break
      }
    }
    lines += thresholds(in: language)
    return lines.joined(separator: "\n") + "\n"
  }

  private func evidence(_ options: MediaPipeSettings?) -> [String] {
    var lines: [String] = []
    if let settings {
      lines.append(
        Self.plain(settings.evidence)
          + (options?.isAsMeasured == false ? "; measured otherwise, see the warnings." : "."))
    }
    lines.append(
      (options == nil ? "Thresholds of expressions" : "Settings for MediaPipe's Face Landmarker")
        + ", by \(Self.plain(tool.name)) \(Self.plain(tool.version)), \(Self.plain(created)).")
    if !holdsOnlySettings { lines.append("Calibrated on \(Self.text(dataset)).") }
    if let settings {
      lines += [
        "Swept on \(Self.text(settings.dataset)): "
          + settings.swept.map(Self.plain).joined(separator: ", ") + ".",
        "Verdict" + (settings.objective.map { " on '\(Self.plain($0))'" } ?? "")
          + ": \(Self.plain(settings.verdict)).",
      ]
    } else if options != nil {
      lines.append("Without a sweep, these are the settings of the run.")
    }
    let own = (settings?.warnings ?? []) + [refitting].compactMap(\.self)
    for warning in (options?.warnings ?? []) + own {
      lines.append("Warning: \(Self.plain(warning)).")
    }
    if let options {
      lines += options.remarks.map(Self.plain)
    } else if let tracker {
      lines.append("The scores are of \(Self.plain(tracker)): MediaPipe has no options for them.")
    }
    for model in models {
      lines.append(
        "\(Self.plain(model.name)): SHA-256 \(Self.plain(String(model.sha256.prefix(12)))).")
    }
    return lines
  }

  /// The fitted thresholds that take the place of swept ones.
  var refitted: [ExpressionThreshold] {
    let swept = Set((settings?.expressions ?? []).map(\.name))
    return thresholds.filter { swept.contains($0.name) }
  }

  /// What to know where fitted thresholds take the place of swept ones; nil where none does.
  var refitting: String? {
    let names = Set(refitted.map(\.name))
    let swept = (settings?.expressions ?? []).filter { names.contains($0.name) }
    let list = swept.map { "\($0.name) \($0.threshold.plainText)" }.joined(separator: ", ")
    return swept.isEmpty
      ? nil
      : "metrics of the sweep are at its own thresholds, \(list), "
        + "and not at those of the calibration here"
  }

  private var holdsOnlySettings: Bool {
    settings != nil && scores.isEmpty && thresholds.isEmpty && blendshapes == nil
  }

  /// A threshold of an expression in code, with its evidence.
  private struct ExpressionRow {
    var name: String
    var threshold: Double
    var isActiveAbove: Bool
    var remark: String
  }

  /// The thresholds that were fitted, and those of the sweep for other expressions.
  private var expressionRows: [ExpressionRow] {
    let fitted = thresholds.map {
      ExpressionRow(
        name: Self.plain($0.name), threshold: $0.threshold, isActiveAbove: $0.isActiveAbove,
        remark: remark($0))
    }
    let names = Set(thresholds.map(\.name))
    let swept = (settings?.expressions ?? []).filter { !names.contains($0.name) }
    return fitted
      + swept.map {
        ExpressionRow(
          name: Self.plain($0.name), threshold: $0.threshold,
          isActiveAbove: $0.side == ExpressionRule.Side.above.rawValue,
          remark: "\(Self.plain($0.value)); swept")
      }
  }

  private func remark(_ one: ExpressionThreshold) -> String {
    "\(Self.plain(one.value)); \(Self.plain(one.objective)) = \(one.metric.text(decimals: 3))"
      + (one.heldOut.map { ", held out \($0.text(decimals: 3))" } ?? "")
      + ", threshold\(Self.text(one.interval)), n = \(one.cases)"
  }

  private static func text(_ dataset: CalibrationFile.Dataset) -> String {
    "\(plain(dataset.name)) (\(dataset.frames) frames, SHA-256 "
      + "\(plain(String(dataset.sha256.prefix(12)))))"
  }

  private static func text(_ interval: Interval) -> String {
    guard let low = interval.low, let high = interval.high else { return " without an interval" }
    return " (95 % \(low.text(decimals: 3)) to \(high.text(decimals: 3)))"
  }

  /// Text from a file for a comment or a literal: one line, without what could end either.
  private static func plain(_ text: String) -> String {
    String(
      text.prefix(600).map { character -> Character in
        // Quotes stay readable, as a character that ends no literal.
        if character == "'" { return "’" }
        let isPlain =
          character.isLetter || character.isNumber || " .,:;_-−+*/()<>=%‰°@".contains(character)
        return isPlain && !character.isNewline ? character : "?"
      })
  }

  /// An option's name with each word but the first in capitals.
  private static func camelCase(_ option: String) -> String {
    let words = option.split(separator: "-")
    return words[0] + words.dropFirst().map(\.capitalized).joined()
  }

  private func swift(_ settings: MediaPipeSettings) -> [String] {
    let mode = settings.mode == .live ? "liveStream" : settings.mode.rawValue
    return [
      "import MediaPipeTasksVision", "",
      "func faceLandmarkerOptions(modelAssetPath: String) -> FaceLandmarkerOptions {",
      "  let options = FaceLandmarkerOptions()",
      "  options.baseOptions.modelAssetPath = modelAssetPath",
      "  options.runningMode = .\(mode)",
      "  options.numFaces = \(settings.faces)",
    ] + settings.confidences.map { "  options.\(Self.camelCase($0)) = \($1)" }
      + ["  options.outputFaceBlendshapes = true", "  return options", "}"]
  }

  /// A running mode in Python and Kotlin.
  private static func constant(_ mode: RunningMode) -> String {
    mode == .live ? "LIVE_STREAM" : mode.rawValue.uppercased()
  }

  private func python(_ settings: MediaPipeSettings) -> [String] {
    [
      "from mediapipe.tasks.python import BaseOptions, vision", "", "",
      "def face_landmarker_options(model_asset_path, **more):",
      "    return vision.FaceLandmarkerOptions(",
      "        base_options=BaseOptions(model_asset_path=model_asset_path),",
      "        running_mode=vision.RunningMode.\(Self.constant(settings.mode)),",
      "        num_faces=\(settings.faces),",
    ]
      + settings.confidences.map {
        "        \($0.replacingOccurrences(of: "-", with: "_"))=\($1),"
      } + ["        output_face_blendshapes=True,", "        **more,", "    )"]
  }

  private func kotlin(_ settings: MediaPipeSettings) -> [String] {
    [
      "import com.google.mediapipe.tasks.core.BaseOptions",
      "import com.google.mediapipe.tasks.vision.core.RunningMode",
      "import com.google.mediapipe.tasks.vision.facelandmarker.FaceLandmarker.FaceLandmarkerOptions",
      "",
      "fun faceLandmarkerOptions(modelAssetPath: String): FaceLandmarkerOptions.Builder =",
      "    FaceLandmarkerOptions.builder()",
      "        .setBaseOptions(BaseOptions.builder().setModelAssetPath(modelAssetPath).build())",
      "        .setRunningMode(RunningMode.\(Self.constant(settings.mode)))",
      "        .setNumFaces(\(settings.faces))",
    ]
      + settings.confidences.map { option, value in
        let name = Self.camelCase(option)
        return "        .set\(name.prefix(1).uppercased())\(name.dropFirst())(\(value)f)"
      } + ["        .setOutputFaceBlendshapes(true)"]
  }

  private func javascript(_ settings: MediaPipeSettings) -> [String] {
    [
      "export function faceLandmarkerOptions(modelAssetPath) {", "  return {",
      "    baseOptions: { modelAssetPath },",
      "    runningMode: \"\(settings.mode == .image ? "IMAGE" : "VIDEO")\",",
      "    numFaces: \(settings.faces),",
    ] + settings.confidences.map { "    \(Self.camelCase($0)): \($1)," }
      + ["    outputFaceBlendshapes: true,", "  };", "}"]
  }

  /// The thresholds of expressions as a table of the language; nothing without any.
  private func thresholds(in language: SettingsLanguage) -> [String] {
    let meaning =
      "A face has the expression if its value is above the threshold; without isActiveAbove, if it is not."
    switch language {
    case .swift:
      return table(
        [
          "", "/// \(meaning)",
          "let expressionThresholds: [(name: String, threshold: Double, isActiveAbove: Bool)] = [",
        ], remark: "  // ", closing: "]"
      ) {
        "  (name: \"\($0.name)\", threshold: \($0.threshold), isActiveAbove: \($0.isActiveAbove)),"
      }
    case .python:
      return table(
        [
          "", "",
          "# A face has the expression if its value is above the threshold, or at most the threshold.",
          "EXPRESSION_THRESHOLDS = {",
        ], remark: "    # ", closing: "}"
      ) {
        "    \"\($0.name)\": (\"\($0.isActiveAbove ? "above" : "at_most")\", \($0.threshold)),"
      }
    case .kotlin:
      return table(
        [
          "", "/** \(meaning) */",
          "data class ExpressionThreshold(val name: String, val threshold: Double, val isActiveAbove: Boolean)",
          "", "val expressionThresholds = listOf(",
        ], remark: "    // ", closing: ")"
      ) { "    ExpressionThreshold(\"\($0.name)\", \($0.threshold), \($0.isActiveAbove))," }
    case .javascript:
      return table(
        ["", "/** \(meaning) */", "export const expressionThresholds = ["], remark: "  // ",
        closing: "];"
      ) {
        "  { name: \"\($0.name)\", threshold: \($0.threshold), isActiveAbove: \($0.isActiveAbove) },"
      }
    case .json: return []
    }
  }

  private func table(
    _ opening: [String], remark: String, closing: String, _ row: (ExpressionRow) -> String
  ) -> [String] {
    let rows = expressionRows
    return rows.isEmpty
      ? [] : opening + rows.flatMap { [remark + $0.remark, row($0)] } + [closing]
  }
}
