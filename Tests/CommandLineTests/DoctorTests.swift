import Foundation
import TestSupport
import Testing

@Suite("Doctor")
struct DoctorTests {
  private struct Report: Decodable {
    struct Finding: Decodable {
      var thing, state, found: String
      var advice: String?
      var isStage: Bool
    }
    var findings: [Finding]
    var canEvaluate: Bool

    func finding(_ thing: String) throws -> Finding {
      try #require(findings.first { $0.thing == thing }, "\(thing)")
    }
  }

  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try FileManager.default.createDirectory(
      at: bench.url("none"), withIntermediateDirectories: true)
  }

  /// A folder of models that is not there, in one that is.
  private var nowhere: String { bench.url("none/x").path }

  private func doctor(
    _ words: [String] = [], status: Int32, _ environment: [String: String] = [:]
  ) throws -> Report {
    let result = try bench.facegauge(["doctor", "--json"] + words, environment: environment)
    #expect(result.status == status && result.errors == "", "\(result.errors)")
    return try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
  }

  @Test func `without models every stage is missing, with what to do`() throws {
    let report = try doctor(status: 69, ["FACEGAUGE_MODELS": bench.url("none").path])
    #expect(!report.canEvaluate)
    for stage in report.findings.filter(\.isStage) {
      #expect(stage.state == "missing")
      let advice = try #require(stage.advice)
      #expect(advice.contains("facegauge models pull"))
    }
    let task = try report.finding("model file face_landmarker.task")
    #expect(task.state == "missing")
    let table = try bench.facegauge(
      ["doctor"], environment: ["FACEGAUGE_MODELS": bench.url("none").path])
    #expect(table.status == 69)
    for finding in report.findings where finding.isStage {
      #expect(table.output.contains("\n\(finding.thing) "))
    }
    #expect(table.output.hasSuffix("stage blendshapes, stage geometry\n"))
  }

  @Test func `a model file of other bytes is told apart from one that is absent`() throws {
    try bench.write("no model", to: "none/face_landmarker.task")
    let report = try doctor(status: 69, ["FACEGAUGE_MODELS": bench.url("none").path])
    let file = try report.finding("model file face_landmarker.task")
    #expect(file.state == "warning" && file.found.contains("other bytes"))
  }

  @Test(.enabled(if: Material.hasModels, "needs FACEGAUGE_MODELS"))
  func `a stage with a model has run`() throws {
    let hasAll = PulledModels.giveLandmarks
    let report = try doctor(status: hasAll ? 0 : 69)
    let detection = try report.finding("stage detection")
    #expect(detection.state == "ok")
    #expect(detection.found.contains(/^blazeface-short-range, ran in [0-9.,]+ ms$/))
    #expect(report.canEvaluate == hasAll)
  }

  @Test func `a program that is not in PATH is missing, and the row says what does not work`()
    throws
  {
    let report = try doctor(
      status: 69, ["PATH": bench.url("none").path, "FACEGAUGE_MODELS": nowhere])
    for program in ["ffmpeg", "ffprobe", "python3 with pip", "browser"] {
      let finding = try report.finding(program)
      #expect(finding.state == "missing" && finding.advice != nil)
    }
    let ffmpeg = try report.finding("ffmpeg")
    #expect(ffmpeg.advice?.hasPrefix("'import video'") == true)
  }

  @Test func `a program that answers is asked, not looked for`() throws {
    try bench.write("#!/bin/sh\necho ffmpeg version 9.9 Copyright someone\n", to: "none/ffmpeg")
    try bench.write("#!/bin/sh\necho broken >&2\nexit 127\n", to: "none/ffprobe")
    for name in ["ffmpeg", "ffprobe"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: bench.url("none/\(name)").path)
    }
    let report = try doctor(
      status: 69, ["PATH": bench.url("none").path, "FACEGAUGE_MODELS": nowhere])
    let ffmpeg = try report.finding("ffmpeg")
    #expect(ffmpeg.found == "ffmpeg version 9.9")
    let broken = try report.finding("ffprobe")
    #expect(broken.state == "missing" && broken.found == "it ended with status 127: broken")
  }

  @Test
  func
    `an output folder that cannot be written to is missing, and nothing is left in one that can`()
    throws
  {
    try bench.write("", to: "file")
    let bad = try doctor(["-o", "file/run"], status: 69)
    let missing = try bad.finding("output folder")
    #expect(missing.state == "missing")
    let good = try doctor(
      ["-o", "none/run/below"], status: 69, ["FACEGAUGE_MODELS": bench.url("none/models").path])
    let found = try good.finding("output folder")
    #expect(found.found.contains("not there yet, in "))
    let left = try FileManager.default.contentsOfDirectory(atPath: bench.url("none").path)
    #expect(left.isEmpty)
  }

  @Test func `a limit on the kernels and a core that OpenBLAS does not know are shown`() throws {
    let environment = ["FACEGAUGE_MODELS": nowhere, "FACEGAUGE_KERNELS": "z80"]
    let report = try doctor(status: 69, environment)
    let kernels = try report.finding("kernels")
    #expect(kernels.state == "missing" && kernels.found.hasSuffix("FACEGAUGE_KERNELS=z80"))
    let core = try doctor(
      status: 69, ["FACEGAUGE_MODELS": nowhere, "OPENBLAS_CORETYPE": "NoSuchCore"]
    ).finding("BLAS")
    #expect(core.state == "warning" && core.found.contains("OPENBLAS_CORETYPE=NoSuchCore"))
  }

  @Test func `the terminal's row follows locale and stream`() throws {
    func row(_ locale: String) throws -> Report.Finding {
      try doctor(status: 69, ["FACEGAUGE_MODELS": nowhere, "LC_ALL": locale]).finding("terminal")
    }
    let german = try row("de_DE.UTF-8")
    #expect(german.state == "ok")
    #expect(german.found == "no terminal, 80 columns, no colours, locale de_DE.UTF-8")
    let plain = try row("C")
    #expect(plain.state == "warning")
  }
}
