import Foundation
import Records
import TestSupport
import Testing

@Suite("Interruptions", .serialized)
struct InterruptionTests {
  static let frames = 900
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  private func stop(_ words: [String], with signal: Int32) throws -> ProcessResult {
    try bench.facegauge(words) { process in
      try bench.wait { bench.exists("run.partial/segments/0.h5") || !process.isRunning }
      kill(process.processIdentifier, signal)
    }
  }

  /// Everything that does not depend on the clock.
  private func figures(_ run: String) throws -> [Records.Measurement] {
    try Record(json: bench.bytes("\(run)/record.json"), source: run).measurements
      .filter { !$0.name.hasPrefix("latency.") }
  }

  @Test(
    "A run that Ctrl-C or SIGTERM ends has no folder and goes on with --resume",
    .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"),
    arguments: [SIGINT, SIGTERM])
  func evaluate(signal: Int32) throws {
    try Material.dataset(bench.url("long.h5"), frames: Self.frames, width: 640, height: 480)
    let words = ["evaluate", "long.h5", "-o", "run"]
    let stopped = try stop(words, with: signal)
    #expect(stopped.isSignal && stopped.status == signal)
    #expect(stopped.output == "")
    let message = try #require(
      stopped.errors.wholeMatch(
        of: /note: interrupted after (\d+) of 900 frames; --resume goes on\nnote: interrupted\n/))
    #expect(256..<Self.frames ~= Int(message.1) ?? 0)
    #expect(!bench.exists("run"))
    #expect(bench.exists("run.partial/segments/0.h5"))

    try expectFailure(bench, words, status: 73, "--resume goes on with it, --force starts again")
    try expectFailure(
      bench, words + ["--resume", "--num-faces", "2"], status: 65,
      "expected num-faces 1 as before, found 2")
    #expect(bench.exists("run.partial/segments/0.h5"))

    let resumed = try bench.facegauge(words + ["--resume"])
    #expect(resumed.status == 0, "\(resumed.errors)")
    try expectWholeRun()
    #expect(try bench.facegauge(["evaluate", "long.h5", "-o", "straight"]).status == 0)
    #expect(try figures("run") == figures("straight"))
  }

  @Test(
    "A run that is killed goes on with --resume, and --force starts it again",
    .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
  func killed() throws {
    try Material.dataset(bench.url("long.h5"), frames: Self.frames, width: 640, height: 480)
    let words = ["evaluate", "long.h5", "-o", "run"]
    let stopped = try stop(words, with: SIGKILL)
    #expect(stopped.isSignal && stopped.status == SIGKILL)
    #expect(!bench.exists("run"))
    #expect(try bench.facegauge(words + ["--resume"]).status == 0)
    try expectWholeRun()
    let first = try figures("run")
    #expect(try stop(words + ["--force"], with: SIGKILL).isSignal)
    #expect(bench.exists("run/record.json"), "the earlier run stays until the new one is whole")
    #expect(try bench.facegauge(words + ["--resume", "--force"]).status == 0)
    try expectWholeRun()
    #expect(try stop(words + ["--force"], with: SIGKILL).isSignal)
    #expect(try bench.facegauge(words + ["--force"]).status == 0)
    try expectWholeRun()
    #expect(try figures("run") == first)
  }

  private func expectWholeRun() throws {
    let names = try bench.contents().keys.filter { $0.hasPrefix("run") }
    let top = Set(names.filter { !$0.hasPrefix("run/pictures/") })
    #expect(
      top == [
        "run", "run/junit.xml", "run/pictures", "run/predictions.h5", "run/record.json",
        "run/report.html", "run/report.md",
      ])
    let inspected = try bench.facegauge(["inspect", "run/predictions.h5", "--json"])
    #expect(inspected.output.contains("\"frames\" : \(Self.frames)"))
  }

  @Test(
    "A live run that Ctrl-C or SIGTERM ends is over at once and leaves nothing",
    .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"),
    arguments: [SIGINT, SIGTERM])
  func live(signal: Int32) throws {
    try Material.clip(bench.url("clip.h5"), microseconds: (0..<60).map { 2_000_000 * $0 })
    let before = try bench.contents()
    let clock = ContinuousClock()
    var signalled = clock.now
    let result = try bench.facegauge(["evaluate", "clip.h5", "-o", "run", "--mode", "live"]) {
      process in
      try bench.wait { bench.exists("run.partial/segments/") || !process.isRunning }
      Thread.sleep(forTimeInterval: 1)
      signalled = clock.now
      kill(process.processIdentifier, signal)
    }
    #expect(clock.now - signalled < .seconds(10))
    #expect(result.isSignal && result.status == signal)
    #expect(result.output == "")
    #expect(
      result.errors.wholeMatch(
        of:
          /note: interrupted after \d+ of 60 frames; a live run cannot go on later, so nothing is kept\nnote: interrupted\n/
      ) != nil, "\(result.errors)")
    #expect(try bench.contents() == before)
  }

  @Test(
    "A live run that was killed is no interrupted run, and the next one starts again",
    .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
  func liveKilled() throws {
    try Material.clip(bench.url("clip.h5"), microseconds: (0..<4).map { 2_000_000 * $0 })
    let words = ["evaluate", "clip.h5", "-o", "run"]
    let killed = try bench.facegauge(words + ["--mode", "live"]) { process in
      try bench.wait { bench.exists("run.partial/segments/") || !process.isRunning }
      kill(process.processIdentifier, SIGKILL)
    }
    #expect(killed.isSignal && killed.status == SIGKILL)
    try expectFailure(bench, words + ["--resume"], status: 66, "no interrupted run in")
    #expect(try bench.facegauge(words).status == 0)
    #expect(!bench.exists("run.partial"))
  }

  @Test("An animation that Ctrl-C ends leaves nothing")
  func animate() throws {
    try Material.dataset(bench.url("good.h5"), frames: 1)
    let before = try bench.contents()
    let result = try bench.facegauge(
      ["animate", "good.h5", "-o", "clips.h5", "--frames-per-clip", "20000"]
    ) { process in
      try bench.wait { try bench.contents().count > before.count || !process.isRunning }
      kill(process.processIdentifier, SIGINT)
    }
    #expect(result.isSignal && result.status == SIGINT)
    #expect(result.errors.contains("nothing was written\n"))
    #expect(try bench.contents() == before)
  }

  @Test("An import that Ctrl-C ends leaves nothing")
  func importing() throws {
    try bench.write(try Material.picture(), to: "a.jpg")
    let entry = "{\"name\": \"a\", \"file\": \"a.jpg\", \"faces\": []}"
    try bench.write(
      "{\"format\": \"facegauge.labels\", \"version\": 1, \"pictures\": ["
        + Array(repeating: entry, count: 20_000).joined(separator: ",\n") + "]}",
      to: "labels.json")
    let before = try bench.contents()
    let result = try bench.facegauge(["import", "labels", "labels.json", "-o", "a.h5"]) { process in
      try bench.wait { try bench.contents().count > before.count || !process.isRunning }
      kill(process.processIdentifier, SIGINT)
    }
    #expect(result.isSignal && result.status == SIGINT, "\(result.errors)")
    #expect(result.errors.contains("nothing was written\n"))
    #expect(try bench.contents() == before)
  }

  static let hasFFmpeg =
    (try? Workbench().shell("ffmpeg -version && ffprobe -version").status == 0) == true

  @Test(
    "An import of a video that Ctrl-C ends leaves nothing, not even ffmpeg",
    .enabled(if: hasFFmpeg, "ffmpeg is not installed"), arguments: [SIGINT, SIGTERM, SIGKILL])
  func video(signal: Int32) throws {
    let made = try bench.shell(
      "ffmpeg -v error -f lavfi -i testsrc2=size=320x240:rate=25:duration=400 -c:v mpeg4 clip.mp4")
    try #require(made.status == 0, "\(made.errors)")
    let before = try bench.contents()
    let result = try bench.facegauge(["import", "video", "clip.mp4", "-o", "a.h5"]) { process in
      try bench.wait { try bench.contents().count > before.count || !process.isRunning }
      try bench.wait { decoders.count == 2 || !process.isRunning }
      kill(process.processIdentifier, signal)
    }
    #expect(result.isSignal && result.status == signal, "\(result.errors)")
    try bench.wait { decoders.isEmpty }
    guard signal != SIGKILL else { return }
    #expect(result.errors.contains("nothing was written\n"))
    #expect(try bench.contents() == before)
  }

  @Test(
    "An import ends with the first Ctrl-C though ffprobe says nothing",
    arguments: [SIGINT, SIGTERM])
  func stuckVideo(signal: Int32) throws {
    try bench.write([0], to: "clip.mp4")
    try FileManager.default.createDirectory(
      at: bench.url("programs"), withIntermediateDirectories: true)
    try bench.write("#!/bin/sh\necho > started\nexec sleep 100\n", to: "programs/ffprobe")
    chmod(bench.url("programs/ffprobe").path, 0o755)
    let path = bench.url("programs").path + ":/usr/bin:/bin"
    let start = ContinuousClock.now
    let result = try bench.facegauge(
      ["import", "video", "clip.mp4", "-o", "a.h5"], environment: ["PATH": path]
    ) { process in
      try bench.wait { bench.exists("started") || !process.isRunning }
      kill(process.processIdentifier, signal)
    }
    #expect(result.isSignal && result.status == signal, "\(result.errors)")
    #expect(start.duration(to: .now) < .seconds(60))
    #expect(result.errors.contains("nothing was written\n"))
    #expect(try bench.contents().keys.allSatisfy { !$0.contains("a.h5") })
  }

  /// The command lines of running programs that read this bench's clip, but for facegauge itself.
  private var decoders: [String] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.filter { $0.allSatisfy(\.isNumber) }.compactMap {
      try? String(contentsOfFile: "/proc/\($0)/cmdline", encoding: .utf8)
    }.filter { $0.hasPrefix("ff") && $0.contains(bench.url("clip.mp4").path) }
  }
}
