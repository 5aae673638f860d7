import Calibration
import Foundation
import Platform
import Records
import TestSupport
import Testing

/// The lines for MediaPipe.
@Suite("Settings for MediaPipe")
struct SettingsTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    for (name, platform) in [("c.json", "standard"), ("ios.json", "ios")] {
      try Self.write(name, platform: platform, into: bench)
    }
  }

  private static func write(_ name: String, platform: String, into bench: Workbench) throws {
    var file = CalibrationFile(
      tool: .init(name: "facegauge", version: "1", build: "release"),
      created: "2026-01-01T00:00:00Z",
      dataset: .init(name: "a \"quoted\"\nname", sha256: "ab", frames: 3), tracker: nil,
      models: [
        .init(name: "blazeface-short-range", stage: "detection", sha256: "cd"),
        .init(name: "face-landmarks-v2", stage: "landmarks", sha256: "ef"),
      ], options: ["mode": "video", "compatibility": platform, "detector": "short-range"])
    file.settings = RecommendedSettings(
      values: [
        "num-faces": 2, "min-face-detection-confidence": 0.42,
        "min-face-presence-confidence": 0.5, "min-tracking-confidence": 0.25,
        "min-suppression-threshold": 0.5, "smoothing-min-cutoff": 3, "smoothing-beta": 7,
        "smoothing-derivative-cutoff": 1,
      ], swept: ["min-face-detection-confidence", "min-suppression-threshold"],
      objective: "max f1", verdict: "keep the default: no evidence", warnings: ["it is flat"],
      metric: 0.91, interval: .init(low: 0.9, high: 0.92, method: "bootstrap"),
      dataset: .init(name: "clips", sha256: String(repeating: "ef", count: 32), frames: 7))
    var threshold = """
      {"name": "happy", "value": "max(mouthSmileLeft, mouthSmileRight)", "side": "above",
       "threshold": 0.37, "present": 0.3, "objective": "max f1", "metric": 0.8, "heldOut": null,
       "presentMetric": null, "cases": 90, "positives": 30, "warnings": [],
       "interval": {"low": 0.3, "high": 0.4, "level": 0.95, "method": "bootstrap", "reason": null},
       "metricInterval": {"low": 0.7, "high": 0.9, "level": 0.95, "method": "b", "reason": null}}
      """
    threshold =
      "[\(threshold), \(threshold.replacing("happy", with: "calm").replacing("above", with: "at_most"))]"
    var text = String(decoding: try file.json(), as: UTF8.self)
    text = text.replacing("\"thresholds\" : [\n\n  ]", with: "\"thresholds\" : \(threshold)")
    try bench.write(text, to: name)
  }

  @Test
  func
    `in Swift they parse, and hold the settings, the verdict with its warnings, and the thresholds`()
    throws
  {
    let result = try bench.facegauge(["settings", "ios.json", "--emit", "swift"])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    for line in [
      "options.runningMode = .video", "options.numFaces = 2",
      "options.minFaceDetectionConfidence = 0.42", "options.minFacePresenceConfidence = 0.5",
      "options.minTrackingConfidence = 0.25",
      "(name: \"happy\", threshold: 0.37, isActiveAbove: true),",
      "(name: \"calm\", threshold: 0.37, isActiveAbove: false),",
      "// Verdict on 'max f1': keep the default: no evidence.", "// Warning: it is flat.",
      "with these settings: 0.910 (95 % 0.900 to 0.920).",
      "// min-suppression-threshold was swept; MediaPipe has no option for it and fixes it at 0.5",
      "// On iOS the detector runs in every frame; nothing is tracked or smoothed.",
    ] { #expect(result.output.contains(line), "\(line)\n\(result.output)") }
    try bench.write(result.output, to: "Settings.swift")
    let parsed = try bench.shell("swiftc -frontend -parse Settings.swift 2>&1")
    #expect(parsed.status == 0, "\(parsed.output)")
    try bench.write(result.output + "}", to: "Settings.swift")
    #expect(try bench.shell("swiftc -frontend -parse Settings.swift 2>&1").status != 0)
    // Without MediaPipe's module the same lines compile against a stand-in with its names.
    try bench.write(
      """
      enum RunningMode { case image, video, liveStream }
      final class BaseOptions { var modelAssetPath = "" }
      final class FaceLandmarkerOptions {
        let baseOptions = BaseOptions()
        var runningMode = RunningMode.image
        var numFaces = 1
        var minFaceDetectionConfidence: Float = 0, minFacePresenceConfidence: Float = 0
        var minTrackingConfidence: Float = 0
        var outputFaceBlendshapes = false
      }

      """ + result.output.replacing("import MediaPipeTasksVision\n", with: ""), to: "Whole.swift")
    let checked = try bench.shell("swiftc -typecheck Whole.swift 2>&1")
    #expect(checked.status == 0, "\(checked.output)")
  }

  @Test func `what tracks is written for iOS with a warning, and what does not elsewhere`() throws {
    let ios = try bench.facegauge(["settings", "c.json", "--emit", "swift"])
    #expect(ios.status == 0 && ios.errors == "", "\(ios.errors)")
    #expect(ios.output.contains("options.minFaceDetectionConfidence = 0.42"))
    #expect(ios.output.contains("// Warning: measured as MediaPipe tracks on other platforms"))
    for language in ["python", "kotlin", "javascript"] {
      let other = try bench.facegauge(["settings", "ios.json", "--emit", language])
      #expect(other.status == 0 && other.errors == "", "\(other.errors)")
      #expect(other.output.contains("Warning: measured as on iOS"))
    }
  }

  @Test func `in Kotlin they are calls of Android's builder`() throws {
    let result = try bench.facegauge(["settings", "c.json", "--emit", "kotlin"])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    for line in [
      "import com.google.mediapipe.tasks.vision.facelandmarker.FaceLandmarker.FaceLandmarkerOptions",
      ".setRunningMode(RunningMode.VIDEO)", ".setNumFaces(2)",
      ".setMinFaceDetectionConfidence(0.42f)", ".setMinFacePresenceConfidence(0.5f)",
      ".setMinTrackingConfidence(0.25f)", ".setOutputFaceBlendshapes(true)",
      "ExpressionThreshold(\"happy\", 0.37, true),",
    ] { #expect(result.output.contains(line), "\(line)\n\(result.output)") }
    for (open, close) in [("(", ")"), ("\"", "\"")] {
      let code = result.output.split(separator: "\n").filter { !$0.contains("// ") }.joined()
      let opening = code.count { String($0) == open }
      #expect(open == close ? opening % 2 == 0 : opening == code.count { String($0) == close })
    }
  }

  private static let hasNode = ["/usr/bin/node", "/usr/local/bin/node"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(.enabled(if: hasNode, "needs node"))
  func `in JavaScript they run`() throws {
    let result = try bench.facegauge(["settings", "c.json", "--emit", "javascript"])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    try bench.write(result.output, to: "settings.mjs")
    try bench.write(
      """
      import assert from "node:assert";
      import { expressionThresholds, faceLandmarkerOptions } from "./settings.mjs";
      assert.deepStrictEqual(faceLandmarkerOptions("a.task"), {
        baseOptions: { modelAssetPath: "a.task" }, runningMode: "VIDEO", numFaces: 2,
        minFaceDetectionConfidence: 0.42, minFacePresenceConfidence: 0.5,
        minTrackingConfidence: 0.25, outputFaceBlendshapes: true });
      assert.deepStrictEqual(expressionThresholds.map((one) => [one.name, one.isActiveAbove]),
        [["happy", true], ["calm", false]]);
      console.log("fine");
      """, to: "use.mjs")
    let used = try bench.shell("node use.mjs 2>&1")
    #expect(used.status == 0 && used.output == "fine\n", "\(used.output)")
  }

  static let python = LivePython.path

  @Test(
    .enabled(if: LivePython.hasMediaPipe, "FACEGAUGE_PYTHON names a Python with mediapipe"))
  func `in Python they run against the wheel`() throws {
    let result = try bench.facegauge(["settings", "c.json", "--emit", "python"])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    #expect(result.output.contains("# mediapipe 0.10.21 also uses min_face_detection_confidence"))
    #expect(result.output.contains("these settings need 0.10.35 or later"))
    try bench.write(result.output, to: "settings.py")
    try bench.write(
      """
      from settings import EXPRESSION_THRESHOLDS, face_landmarker_options
      from mediapipe.tasks.python import vision
      options = face_landmarker_options("a.task")
      assert options.running_mode == vision.RunningMode.VIDEO
      assert options.num_faces == 2 and options.output_face_blendshapes
      assert options.min_face_detection_confidence == 0.42
      assert options.min_face_presence_confidence == 0.5
      assert options.min_tracking_confidence == 0.25
      assert options.base_options.model_asset_path == "a.task"
      assert EXPRESSION_THRESHOLDS == {"happy": ("above", 0.37), "calm": ("at_most", 0.37)}
      options.to_pb2()
      print("fine")
      """, to: "use.py")
    let python = try #require(Self.python)
    let used = try bench.shell("'\(python)' use.py 2>&1")
    #expect(used.status == 0 && used.output.hasSuffix("fine\n"), "\(used.output)")
  }
}
