internal import Foundation
internal import Records

/// A language that settings are written in.
package enum SettingsLanguage: String, Sendable, CaseIterable {
  /// For `MediaPipeTasksVision` on iOS.
  case swift
  /// For the `mediapipe` package.
  case python
}

extension CalibrationFile {
  /// The lines that set MediaPipe's Face Landmarker, with the evidence in one comment, and the thresholds of expressions.
  ///
  /// A setting is the recommended one, else the run's own, else MediaPipe's default of 0.5.
  package func source(in language: SettingsLanguage) -> String {
    switch language {
    case .swift: swiftSource
    case .python: pythonSource
    }
  }

  /// The options of MediaPipe that have a value here, by their words in our options.
  private static let confidences = [
    "min-face-detection-confidence", "min-face-presence-confidence", "min-tracking-confidence",
  ]

  private func number(_ option: String) -> Double {
    settings?.values[option] ?? options[option].flatMap(Double.init) ?? 0.5
  }

  private var faceCount: Int {
    settings?.values["num-faces"].flatMap { Int(exactly: $0) }
      ?? options["num-faces"].flatMap { Int($0) } ?? 1
  }

  private var evidence: [String] {
    var lines = [
      "Settings for MediaPipe's Face Landmarker, by \(Self.plain(tool.name)) \(Self.plain(tool.version)), "
        + "\(Self.plain(created)).",
      "Calibrated on \(Self.text(dataset)).",
    ]
    if let settings {
      let named = settings.values.keys.sorted().map(Self.plain).joined(separator: ", ")
      lines.append(
        "Recommended by a sweep on \(Self.text(settings.dataset)): \(named); "
          + "\(Self.plain(settings.objective)) gives \(settings.figure.text(decimals: 3))"
          + "\(Self.text(settings.interval)).")
    } else {
      lines.append("No sweep recommended settings: these are the ones that the run was made with.")
    }
    for model in models {
      lines.append(
        "\(Self.plain(model.name)): SHA-256 \(Self.plain(String(model.sha256.prefix(12)))).")
    }
    return lines
  }

  private func remark(_ one: ExpressionThreshold) -> String {
    "\(Self.plain(one.value)); \(Self.plain(one.objective)) = \(one.figure.text(decimals: 3))"
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
      text.prefix(200).map { character in
        let isPlain =
          character.isLetter || character.isNumber || " .,:;_-+*/()<>=%@".contains(character)
        return isPlain && !character.isNewline ? character : "?"
      })
  }

  private var swiftSource: String {
    let mode = options["mode"] == "live" ? "liveStream" : options["mode"] ?? "image"
    let known = ["image", "video", "liveStream"].contains(mode) ? mode : "image"
    var lines = evidence.map { "// \($0)" }
    lines += [
      "import MediaPipeTasksVision", "",
      "func faceLandmarkerOptions(modelAssetPath: String) -> FaceLandmarkerOptions {",
      "  let options = FaceLandmarkerOptions()",
      "  options.baseOptions.modelAssetPath = modelAssetPath",
      "  options.runningMode = .\(known)",
      "  options.numFaces = \(faceCount)",
    ]
    for option in Self.confidences {
      let words = option.split(separator: "-")
      let name = words[0] + words.dropFirst().map(\.capitalized).joined()
      lines.append("  options.\(name) = \(number(option))")
    }
    lines += ["  options.outputFaceBlendshapes = true", "  return options", "}"]
    if !thresholds.isEmpty {
      lines += [
        "",
        "/// A face has the expression where the value exceeds the threshold, or is at most so much.",
        "let expressionThresholds: [(name: String, threshold: Double, isActiveAbove: Bool)] = [",
      ]
      for one in thresholds {
        lines.append("  // \(remark(one))")
        lines.append(
          "  (name: \"\(Self.plain(one.name))\", threshold: \(one.threshold), isActiveAbove: "
            + "\(one.side == "above")),")
      }
      lines.append("]")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private var pythonSource: String {
    let modes = ["image": "IMAGE", "video": "VIDEO", "live": "LIVE_STREAM"]
    let mode = modes[options["mode"] ?? "image"] ?? "IMAGE"
    var lines = evidence.map { "# \($0)" }
    lines += [
      "from mediapipe.tasks.python import BaseOptions, vision", "", "",
      "def face_landmarker_options(model_asset_path, **more):",
      "    return vision.FaceLandmarkerOptions(",
      "        base_options=BaseOptions(model_asset_path=model_asset_path),",
      "        running_mode=vision.RunningMode.\(mode),",
      "        num_faces=\(faceCount),",
    ]
    for option in Self.confidences {
      lines.append(
        "        \(option.replacingOccurrences(of: "-", with: "_"))=\(number(option)),")
    }
    lines += ["        output_face_blendshapes=True,", "        **more,", "    )"]
    if !thresholds.isEmpty {
      lines += [
        "", "",
        "# A face has the expression where the value exceeds the threshold (above), or is at most so much.",
        "EXPRESSION_THRESHOLDS = {",
      ]
      for one in thresholds {
        lines.append("    # \(remark(one))")
        lines.append(
          "    \"\(Self.plain(one.name))\": (\"\(one.side == "above" ? "above" : "at_most")\", "
            + "\(one.threshold)),")
      }
      lines.append("}")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
