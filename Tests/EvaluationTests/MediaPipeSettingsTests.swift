import Calibration
import FacePipeline
import Foundation
import Records
import Testing
import Tuning

@Suite struct MediaPipeSettingsTests {
  /// A run in a mode, without a sweep.
  private func file(
    mode: String = "video", platform: String = "standard",
    _ change: (inout CalibrationFile) -> Void = { _ in }
  ) -> CalibrationFile {
    var file = CalibrationFile(
      tool: .init(name: "facegauge", version: "1", build: "release"),
      created: "2026-01-01T00:00:00Z", dataset: .init(name: "d", sha256: "ab", frames: 3),
      tracker: nil,
      models: [
        .init(name: "blazeface-short-range", stage: "detection", sha256: "cd"),
        .init(name: "face-landmarks-v2", stage: "landmarks", sha256: "ef"),
      ],
      options: [
        "mode": mode, "compatibility": platform, "detector": "short-range", "rotation": "0",
        "num-faces": "1", "min-face-detection-confidence": "0.3",
        "min-face-presence-confidence": "0.7", "min-tracking-confidence": "0.5",
        "min-suppression-threshold": "auto", "smoothing-min-cutoff": "0.05",
        "smoothing-beta": "80.0", "smoothing-derivative-cutoff": "1.0",
      ])
    change(&file)
    return file
  }

  private func refusal(
    _ file: CalibrationFile, _ language: SettingsLanguage = .python
  ) -> String {
    let error = #expect(throws: CalibrationError.self) { _ = try file.source(in: language) }
    return error?.description ?? ""
  }

  @Test func `each option of the run is emitted, and another mode in the words of the language`()
    throws
  {
    for (mode, words) in [
      ("image", [".image", "RunningMode.IMAGE", "\"IMAGE\""]),
      ("live", [".liveStream", "RunningMode.LIVE_STREAM", "\"VIDEO\""]),
    ] {
      #expect(
        try file(mode: mode, platform: mode == "image" ? "standard" : "ios").source(in: .swift)
          .contains(words[0]))
      #expect(try file(mode: mode).source(in: .python).contains(words[1]))
      #expect(try file(mode: mode).source(in: .kotlin).contains(words[1]))
      #expect(try file(mode: mode).source(in: .javascript).contains(words[2]))
    }
    let text = try file().source(in: .python)
    #expect(text.contains("min_face_detection_confidence=0.3,"))
    #expect(text.contains("min_face_presence_confidence=0.7,"))
    #expect(text.contains("# Without a sweep, these are the settings of the run"))
  }

  /// Settings of a sweep over some names, all else as in a run of the defaults.
  private func swept(
    _ names: [String], _ change: (inout [String: Double]) -> Void = { _ in }
  ) -> RecommendedSettings {
    var values = Dictionary(
      uniqueKeysWithValues: PipelineSetting.all.map {
        ($0.name, $0.value(in: FaceLandmarkerOptions(), landmarks: .v2))
      })
    change(&values)
    return RecommendedSettings(
      values: values, swept: names, objective: "max f1", verdict: "use it", metric: 1,
      interval: .none("few"), dataset: .init(name: "d", sha256: "ab", frames: 3))
  }

  @Test func `a fitted threshold takes the place of a swept one everywhere, which a warning says`()
    throws
  {
    let fitted = try JSONDecoder().decode(
      ExpressionThreshold.self,
      from: Data(
        """
        {"name": "happy", "value": "mouthSmileLeft", "side": "above", "threshold": 0.275,
         "interval": {"low": 0.2, "high": 0.4, "level": 0.95, "method": "m", "reason": null},
         "present": 0.3, "objective": "max f1", "metric": 0.7,
         "metricInterval": {"low": 0.6, "high": 0.8, "level": 0.95, "method": "m", "reason": null},
         "heldOut": null, "presentMetric": null, "cases": 9, "positives": 4, "warnings": []}
        """.utf8))
    let both = file { file in
      file.thresholds = [fitted]
      file.settings = swept(["min-face-detection-confidence", "expression:happy"]) {
        $0["expression:happy"] = 0.2
        $0["expression:sad"] = 0.4
      }
      file.settings?.expressions = [("happy", 0.2), ("sad", 0.4)].map {
        RecommendedSettings.Expression(
          name: $0, value: "mouthSmileLeft", side: "above", threshold: $1)
      }
    }
    let json = try both.source(in: .json)
    #expect(json.contains("\"expression:happy\" : 0.275"))
    #expect(json.contains("\"expression:sad\" : 0.4"))
    for text in [json, try both.source(in: .python)] {
      #expect(text.contains("metrics of the sweep are at its own thresholds, happy 0.2, "))
    }
  }

  @Test func `another value than MediaPipe fixes is a warning, smoothing only where it smooths`()
    throws
  {
    let overlap = file { $0.options["min-suppression-threshold"] = "0.3" }
    #expect(
      try overlap.source(in: .python).contains(
        "# Warning: measured with min-suppression-threshold 0.3; MediaPipe has no option for it"))
    let smoothing = file { $0.options["smoothing-beta"] = "20" }
    let words = "Warning: measured with smoothing-beta 20; MediaPipe has no option for it and fixes"
    #expect(try smoothing.source(in: .python).contains(words))
    for change in [("mode", "image"), ("num-faces", "2")] {
      var other = smoothing
      other.options[change.0] = change.1
      let text = try other.source(in: .kotlin)
      #expect(text.contains("Confidence(0.3f)") && !text.contains("Warning"))
    }
    var ios = smoothing
    ios.options["compatibility"] = "ios"
    #expect(try !ios.source(in: .swift).contains("Warning"))
  }

  @Test
  func `stream mode is written for iOS with what it does otherwise, and so is that elsewhere`()
    throws
  {
    for mode in ["video", "live"] {
      let text = try file(mode: mode).source(in: .swift)
      #expect(text.contains("options.minFaceDetectionConfidence = 0.3"))
      #expect(
        text.contains("// Warning: measured as MediaPipe tracks and smooths on other platforms"))
      #expect(text.contains("min-tracking-confidence has no effect"))
      #expect(text.contains("LiveStreamDelegate") == (mode == "live"))
      for language in [SettingsLanguage.python, .kotlin, .javascript] {
        let other = try file(mode: mode, platform: "ios").source(in: language)
        #expect(other.contains("Warning: measured as on iOS, with a detection in every frame"))
      }
      #expect(try !file(mode: mode, platform: "ios").source(in: .swift).contains("Warning"))
    }
  }

  @Test func `a sweep of nothing that the platform can use is refused`() throws {
    func file(_ names: [String], _ change: (inout [String: Double]) -> Void = { _ in })
      -> CalibrationFile
    {
      self.file { $0.settings = swept(names, change) }
    }
    let beta = file(["smoothing-beta"]) { $0["smoothing-beta"] = 20 }
    #expect(
      refusal(beta, .python).contains("smoothing-beta 80, which MediaPipe fixes and has no option"))
    for names in [["smoothing-beta"], ["min-tracking-confidence"]] {
      let text = refusal(file(names), .swift)
      #expect(text.contains("a run or sweep with --compatibility ios in video mode"))
      #expect(text.contains("on iOS detects in every frame, and neither tracks nor smooths"))
      #expect(throws: Never.self) { _ = try file(names).source(in: .kotlin) }
    }
    let both = file(["smoothing-beta", "min-face-presence-confidence"]) {
      $0["smoothing-beta"] = 20
    }
    #expect(try both.source(in: .python).contains("Warning: measured with smoothing-beta 20"))
    #expect(try both.source(in: .swift).contains("smoothing-beta was swept; nothing is smoothed"))
  }

  /// What F1 comes to here and at the default, and words of the first line.
  private struct Line: Sendable {
    var here: Double?
    var other: Double?
    var isDefault = false
    var words: String
  }

  private static let lines = [
    Line(
      here: 0.387, other: 0.781,
      words:
        "F1 0.387 (95 % 0.301 to 0.472) with these settings, 0.781 without an interval with the "
        + "default, 0.394 worse"),
    Line(here: 0.8, other: 0.5, words: "with the default, 0.300 better"),
    Line(here: 0.5, other: 0.5, words: "with the default, the same"),
    Line(
      here: 0.5, other: 0.5, isDefault: true,
      words: "F1 0.500 (95 % 0.301 to 0.472) with these settings, the default"),
    Line(here: 0.5, other: nil, words: "with these settings; the default was not tried"),
    Line(here: nil, other: 0.5, words: "F1 undefined with these settings"),
  ]

  @Test(arguments: lines)
  private func `the first line has the metric here and at the default`(line: Line) throws {
    let settings = swept([])
    let reached = RecommendedSettings.Reached(
      .init(name: "f1", title: "F1", unit: "1", better: .higher),
      here: .init(value: line.here, interval: .init(low: 0.301, high: 0.472, method: "m")),
      atDefault: line.other.map { .init(value: $0, interval: .none("few")) },
      isDefault: line.isDefault)
    for language in SettingsLanguage.allCases {
      let text = try file(mode: "image") {
        $0.settings = settings
        $0.settings?.reached = [reached]
      }.source(in: language)
      let first = text.split(separator: "\n")[0]
      #expect((language == .json ? text : String(first)).contains(line.words), "\(first)")
    }
  }

  @Test(
    arguments: [
      (5, ", 35.0 ms better"), (-60, ", 20.0 ms worse"), (40, ", as good"), (-40, ", the same"),
    ] as [(Double, String)])
  func `a metric with a target is the better the nearer it comes`(here: Double, words: String)
    throws
  {
    let reached = RecommendedSettings.Reached(
      .init(name: "lag", title: "Lag", unit: "ms", better: .closest, target: 0),
      here: .init(value: here, interval: .none("few")),
      atDefault: .init(value: -40, interval: .none("few")), isDefault: false)
    let settings = swept([])
    let text = try file(mode: "image") {
      $0.settings = settings
      $0.settings?.reached = [reached]
    }.source(in: .python)
    #expect(text.split(separator: "\n")[0].contains("with the default\(words)"), "\(text)")
  }

  @Test func `other trackers, other models and missing settings are refused`() {
    #expect(refusal(file { $0.tracker = "theirs" }).contains("found the output of theirs"))
    #expect(refusal(file { $0.options["detector"] = "full-range" }).contains("found full-range"))
    #expect(
      refusal(file { $0.models[1].name = "face-landmarks-attention" }).contains(
        "found short-range and face-landmarks-attention"))
    #expect(refusal(file { $0.options["mode"] = "video; evil()" }).contains("expected mode"))
    #expect(
      refusal(file { $0.options["num-faces"] = "0" }).contains(
        "num-faces among the options, found 0"))
    #expect(
      refusal(file { $0.options["min-tracking-confidence"] = nil }).contains(
        "a number for min-tracking-confidence among the options, found none"))
    let settings = RecommendedSettings(
      values: ["num-faces": 1], swept: [], objective: "max f1", verdict: "use it", metric: 1,
      interval: .none("few"), dataset: .init(name: "d", sha256: "ab", frames: 3))
    #expect(
      refusal(file { $0.settings = settings }).contains(
        "min-face-detection-confidence among the settings, found none"))
  }

  @Test func `Python is told what the wheel does with the presence confidence`() throws {
    #expect(try file().source(in: .python).contains("need 0.10.35 or later"))
    let same = file { $0.options["min-face-presence-confidence"] = "0.3" }
    #expect(try same.source(in: .python).contains("so it needs no change"))
    #expect(try !(file().source(in: .kotlin).contains("0.10.21")))
  }

  @Test func `rotation is told, for it goes with each image`() throws {
    let turned = file { $0.options["rotation"] = "90" }
    #expect(try turned.source(in: .kotlin).contains("clockwise by 90 degrees"))
  }

  @Test func `images that were decoded smaller are told`() throws {
    let smaller = file { $0.options["min-decoded-side"] = "640" }
    #expect(try smaller.source(in: .kotlin).contains("whose longer side has 640 pixels"))
    #expect(try !(file().source(in: .kotlin).contains("JPEG")))
  }

  @Test func `text of a file cannot leave the comments and literals that it becomes`() throws {
    var hostile = file()
    hostile.dataset.name = "a\nimport os; os.system('x')\u{2028}*/ \"\\"
    hostile.created = "\r\nrm()"
    let values = Dictionary(
      uniqueKeysWithValues: PipelineSetting.all.map {
        ($0.name, $0.value(in: FaceLandmarkerOptions(), landmarks: .v2))
      })
    hostile.settings = RecommendedSettings(
      values: values, swept: ["x\nevil()"], objective: "\"\"\"\n", verdict: "*/\nevil()",
      warnings: ["\u{2029}evil()\n", "write 'with 95 %'"], metric: 1, interval: .none("few"),
      dataset: .init(name: "d\nevil()", sha256: "ab", frames: 3))
    for language in SettingsLanguage.allCases where language != .json {
      hostile.options["compatibility"] = language == .swift ? "ios" : "standard"
      let text = try hostile.source(in: language)
      let mark = language == .python ? "#" : "//"
      let code = text.split(separator: "\n").filter { !$0.contains(mark) }.joined()
      #expect(text.contains("evil") && !code.contains("evil") && !text.contains("os.system('"))
      #expect(!text.contains("\u{2028}") && !text.contains("\r"))
      #expect(text.contains("write ’with 95 %’"))
    }
  }
}
