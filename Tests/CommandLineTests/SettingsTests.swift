import Calibration
import Foundation
import Records
import TestSupport
import Testing

/// The lines for MediaPipe.
@Suite("Settings for MediaPipe")
struct SettingsTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    var file = CalibrationFile(
      tool: .init(name: "facegauge", version: "1", build: "release"),
      created: "2026-01-01T00:00:00Z",
      dataset: .init(name: "a \"quoted\"\nname", sha256: "ab", frames: 3), tracker: nil,
      models: [.init(name: "net", stage: "detection", sha256: "cd")],
      options: ["mode": "video", "num-faces": "2", "min-tracking-confidence": "0.25"])
    file.settings = RecommendedSettings(
      values: ["min-face-detection-confidence": 0.42], objective: "max f1", figure: 0.91,
      interval: .init(low: 0.9, high: 0.92, method: "bootstrap"),
      dataset: .init(name: "clips", sha256: String(repeating: "ef", count: 32), frames: 7))
    var threshold = """
      {"name": "happy", "value": "max(mouthSmileLeft, mouthSmileRight)", "side": "above",
       "threshold": 0.37, "present": 0.3, "objective": "max f1", "figure": 0.8, "heldOut": null,
       "presentFigure": null, "cases": 90, "positives": 30, "warnings": [],
       "interval": {"low": 0.3, "high": 0.4, "level": 0.95, "method": "bootstrap", "reason": null},
       "figureInterval": {"low": 0.7, "high": 0.9, "level": 0.95, "method": "b", "reason": null}}
      """
    threshold =
      "[\(threshold), \(threshold.replacing("happy", with: "calm").replacing("above", with: "at_most"))]"
    var text = String(decoding: try file.json(), as: UTF8.self)
    text = text.replacing("\"thresholds\" : [\n\n  ]", with: "\"thresholds\" : \(threshold)")
    try bench.write(text, to: "c.json")
  }

  @Test("In Swift they parse, and hold the recommended settings, the run's, and the thresholds")
  func swift() throws {
    let result = try bench.facegauge(["settings", "c.json", "--emit", "swift"])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    for line in [
      "options.runningMode = .video", "options.numFaces = 2",
      "options.minFaceDetectionConfidence = 0.42", "options.minFacePresenceConfidence = 0.5",
      "options.minTrackingConfidence = 0.25",
      "(name: \"happy\", threshold: 0.37, isActiveAbove: true),",
      "(name: \"calm\", threshold: 0.37, isActiveAbove: false),",
      "max f1 gives 0.910 (95 % 0.900 to 0.920).",
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

  static let python = ProcessInfo.processInfo.environment["FACEGAUGE_PYTHON"]

  @Test(
    "In Python they run against the wheel",
    .enabled(if: python != nil, "FACEGAUGE_PYTHON names a Python with mediapipe"))
  func wheel() throws {
    let result = try bench.facegauge(["settings", "c.json", "--emit", "python"])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
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
