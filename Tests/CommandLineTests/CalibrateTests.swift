import Calibration
import Datasets
import FaceCore
import Foundation
import Platform
import Statistics
import TestSupport
import Testing

/// Calibrating on the command line, from a made Live Link recording; no model is needed.
@Suite("Calibrating on the command line")
struct CalibrateTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  /// 30 s at 60 a second of a jaw and eyelids that move, as Live Link writes them.
  private func liveLink(_ name: String, from start: Double, gain: Double, rest: Double) throws {
    var stream = SplitMix64(seed: 4)
    let bumps = (0..<60).map { _ in
      (40 * Double.random(in: 0..<1, using: &stream), Double.random(in: 0.1..<0.25, using: &stream))
    }
    let channels = Blendshape.allCases.filter { $0 != .neutral }.map(\.rawValue) + ["tongueOut"]
    let order = [
      "eyeBlinkLeft", "eyeLookDownLeft", "eyeLookInLeft", "eyeLookOutLeft", "eyeLookUpLeft",
      "eyeSquintLeft", "eyeWideLeft", "eyeBlinkRight", "eyeLookDownRight", "eyeLookInRight",
      "eyeLookOutRight", "eyeLookUpRight", "eyeSquintRight", "eyeWideRight", "jawForward",
      "jawRight", "jawLeft", "jawOpen", "mouthClose", "mouthFunnel", "mouthPucker", "mouthRight",
      "mouthLeft", "mouthSmileLeft", "mouthSmileRight", "mouthFrownLeft", "mouthFrownRight",
      "mouthDimpleLeft", "mouthDimpleRight", "mouthStretchLeft", "mouthStretchRight",
      "mouthRollLower", "mouthRollUpper", "mouthShrugLower", "mouthShrugUpper", "mouthPressLeft",
      "mouthPressRight", "mouthLowerDownLeft", "mouthLowerDownRight", "mouthUpperUpLeft",
      "mouthUpperUpRight", "browDownLeft", "browDownRight", "browInnerUp", "browOuterUpLeft",
      "browOuterUpRight", "cheekPuff", "cheekSquintLeft", "cheekSquintRight", "noseSneerLeft",
      "noseSneerRight", "tongueOut",
    ]
    #expect(Set(order) == Set(channels))
    let angles = [
      "HeadYaw", "HeadPitch", "HeadRoll", "LeftEyeYaw", "LeftEyePitch", "LeftEyeRoll",
      "RightEyeYaw", "RightEyePitch", "RightEyeRoll",
    ]
    let header = order.map { $0.prefix(1).uppercased() + $0.dropFirst() } + angles
    var lines = [(["Timecode", "BlendShapeCount"] + header).joined(separator: ",")]
    for frame in 0..<1800 {
      let second = start + Double(frame) / 60
      func moved(_ phase: Int) -> Double {
        bumps.enumerated().reduce(0) { sum, bump in
          guard bump.offset % 3 == phase else { return sum }
          let distance = (second - bump.element.0) / bump.element.1
          return sum + exp(-2 * distance * distance)
        }
      }
      let values = ["jawOpen": moved(0), "eyeBlinkLeft": moved(1), "eyeBlinkRight": moved(1) * 0.9]
      let row = order.map { "\(rest + gain * min(1, values[$0] ?? 0))" } + angles.map { _ in "0" }
      let time = String(format: "00:00:%02d:%02d.000", frame / 60, frame % 60)
      lines.append(([time, "61"] + row).joined(separator: ","))
    }
    try bench.write(lines.joined(separator: "\n") + "\n", to: name)
  }

  private func ready() throws {
    try liveLink("seen.csv", from: 2.5, gain: 0.6, rest: 0.05)
    try liveLink("take.csv", from: 0, gain: 1, rest: 0)
    for words in [
      ["import", "livelink", "seen.csv", "-o", "video.h5"],
      ["import", "livelink", "seen.csv", "--of", "video.h5", "-o", "seen.h5", "--join", "number"],
      ["import", "livelink", "take.csv", "-o", "take.h5"],
      ["evaluate", "video.h5", "--predictions", "seen.h5", "-o", "run", "--resamples", "0"],
    ] {
      let result = try bench.facegauge(words)
      try #require(result.status == 0, "\(words): \(result.errors)")
    }
  }

  @Test func `a recording on another clock corrects blendshapes, and the file is applied`() throws {
    try ready()
    let result = try bench.facegauge([
      "calibrate", "run", "-o", "c.json", "--recording", "take.h5", "--of", "blendshapes",
      "--blendshapes-for", "subject", "--report", "report",
    ])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    #expect(result.output.contains("clock of seen: -2.500 ± 0.000"), "\(result.output)")
    #expect(result.output.hasSuffix("calibration: c.json\nreport: report/report.html\n"))
    let file = try CalibrationFile(json: try bench.bytes("c.json"), source: "c.json")
    let jaw = try #require(file.blendshapes?.shared?.channels["jawOpen"])
    #expect(abs(jaw.gain - 1 / 0.6) < 0.01)
    #expect(try bench.text("report/report.md").contains("Time offsets of recordings"))
    #expect(try bench.text("report/report.html").contains("Corrected blendshapes one by one"))
    let applied = try bench.facegauge([
      "evaluate", "video.h5", "--predictions", "seen.h5", "--calibration", "c.json", "-o", "better",
      "--resamples", "0",
    ])
    #expect(applied.status == 0, "\(applied.errors)")
    let raw = try PredictionsReader(bench.url("run/predictions.h5")).predictions(0..<1800)
    let better = try PredictionsReader(bench.url("better/predictions.h5")).predictions(0..<1800)
    let correction = try #require(file.blendshapes?.shared)
    for (one, other) in zip(raw, better) {
      let expected = one.faces.first?.blendshapes.map(correction.corrected)
      #expect(other.faces.first?.blendshapes?.map(\.bitPattern) == expected?.map(\.bitPattern))
    }
    let given = try bench.facegauge([
      "calibrate", "run", "-o", "g.json", "--recording", "take.h5", "--of", "blendshapes",
      "--blendshapes-for", "subject", "--time-offset", "-2.5", "--json",
    ])
    let written = try bench.text("g.json")
    #expect(given.status == 0 && given.output == written)
    #expect(try Schema.problems(ofFile: written.utf8) == [])
    let settings = try bench.facegauge(["settings", "g.json", "--emit", "json"])
    #expect(settings.status == 0, "\(settings.errors)")
    #expect(try Schema.problems(ofFile: settings.output.utf8) == [])
    #expect(given.output.contains("\"seconds\" : -2.5"))
  }

  @Test func `a recording in percent is suspect`() throws {
    try ready()
    try liveLink("percent.csv", from: 0, gain: 100, rest: 0)
    let made = try bench.facegauge(["import", "livelink", "percent.csv", "-o", "percent.h5"])
    #expect(made.status == 0, "\(made.errors)")
    let result = try bench.facegauge([
      "calibrate", "run", "-o", "p.json", "--recording", "percent.h5", "--of", "blendshapes",
      "--blendshapes-for", "subject",
    ])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("suspect: The coefficients of the recording reach "))
    #expect(result.output.contains("Import the recording again with --repair percent."))
  }

  @Test func `what cannot be done is one line with its status, and nothing is written`() throws {
    try ready()
    try bench.write("{\"schema\": \"facegauge.calibration\", \"version\": 7}", to: "broken.json")
    try bench.write("not JSON", to: "text.json")
    let calibrate = ["calibrate", "run", "-o", "x.json"]
    let evaluate = ["evaluate", "video.h5", "--predictions", "seen.h5", "-o", "x"]
    let cases: [(words: [String], status: Int32, message: String)] = [
      (calibrate, 65, "cannot calibrate run"),
      (calibrate + ["--of", "presence"], 65, "there are no cases"),
      (calibrate + ["--of", "expressions"], 65, "no labelled face has one"),
      (calibrate + ["--of", "smiles"], 64, "expected some of"),
      (calibrate + ["--folds", "1"], 64, "--folds"),
      (calibrate + ["--objective", "best"], 65, "expected 'max' or 'min'"),
      (calibrate + ["--neutral", "3:1"], 64, "the earlier first"),
      (calibrate + ["--neutral", "40:50"], 65, "cannot measure the face at rest"),
      (calibrate + ["--time-offset", "1"], 64, "requires '--recording'"),
      (calibrate + ["--recording", "none.h5"], 66, "none.h5"),
      (
        calibrate + ["--recording", "take.h5", "--max-time-offset", "1"], 65,
        "cannot find the time offset of the recording"
      ),
      (
        calibrate + ["--recording", "take.h5", "--of", "blendshapes"], 65,
        "--blendshapes-for subject"
      ),
      (["calibrate", "run"], 64, "--output"),
      (["calibrate", "nothing", "-o", "x.json"], 66, "nothing/record.json"),
      (["calibrate", "run", "-o", "run"], 73, "run"),
      (evaluate + ["--calibration", "broken.json"], 65, "'version' in broken.json: expected 2"),
      (evaluate + ["--calibration", "text.json"], 65, "text.json, line 1, column 1: expected"),
      (evaluate + ["--calibration", "none.json"], 66, "none.json"),
      (
        ["evaluate", "video.h5", "--tracker", "correlation", "--calibration", "a", "-o", "x"], 64,
        "'--calibration'"
      ),
      (["settings", "broken.json"], 65, "expected 2, found 7"),
      (["settings", "none.json"], 66, "none.json"),
      (["settings", "broken.json", "--emit", "rust"], 64, "rust"),
    ]
    for (words, status, message) in cases {
      try expectFailure(bench, words, status: status, message)
    }
  }
}
