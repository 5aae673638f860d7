import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite("Interruptions", .serialized)
struct InterruptionTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  private static let words = ["evaluate", "long.h5", "-o", "run"]

  /// A run of a dataset that is long enough for the signal to come in its midst.
  private func stopped(by signal: Int32) throws -> Workbench.Stopped {
    try Workbench.stopped(from: 900) { bench, frames in
      try Material.dataset(bench.url("long.h5"), frames: frames, width: 640, height: 480)
      return try stop(Self.words, with: signal, in: bench)
    }
  }

  private func stop(
    _ words: [String], with signal: Int32, in bench: Workbench
  ) throws -> ProcessResult {
    try bench.facegauge(words) { process in
      try bench.wait { bench.exists("run.partial/segments/0.h5") || !process.isRunning }
      kill(process.processIdentifier, signal)
    }
  }

  /// Everything that does not depend on the clock.
  private func metrics(
    _ run: String, in bench: Workbench
  ) throws -> [Records.Measurement] {
    try Record(json: bench.bytes("\(run)/record.json"), source: run).measurements
      .filter { !$0.name.hasPrefix("latency.") }
  }

  @Test(
    .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"),
    arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a run that Ctrl-C or SIGTERM ends has no folder and goes on with --resume`(signal: Int32)
    throws
  {
    let stopped = try stopped(by: signal)
    let (bench, words) = (stopped.bench, Self.words)
    #expect(stopped.result.status == signal)
    #expect(stopped.result.output == "")
    let message = try #require(
      stopped.result.errors.wholeMatch(
        of: /note: interrupted after (\d+) of (\d+) frames; --resume goes on\nnote: interrupted\n/))
    #expect(Int(message.2) == stopped.size)
    #expect(256..<stopped.size ~= Int(message.1) ?? 0)
    #expect(!bench.exists("run"))
    #expect(bench.exists("run.partial/segments/0.h5"))

    try expectFailure(bench, words, status: 73, "--resume continues it, --force starts again")
    try expectFailure(
      bench, words + ["--resume", "--num-faces", "2"], status: 65,
      "expected num-faces 1 as before, found 2")
    #expect(bench.exists("run.partial/segments/0.h5"))

    let resumed = try bench.facegauge(words + ["--resume"])
    #expect(resumed.status == 0, "\(resumed.errors)")
    try expectWholeRun(of: stopped.size, in: bench)
    #expect(try bench.facegauge(["evaluate", "long.h5", "-o", "straight"]).status == 0)
    #expect(try metrics("run", in: bench) == metrics("straight", in: bench))
  }

  @Test(
    .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
  func `a run that is killed goes on with --resume, and --force starts it again`() throws {
    let stopped = try stopped(by: SIGKILL)
    let (bench, words) = (stopped.bench, Self.words)
    #expect(stopped.result.status == SIGKILL)
    #expect(!bench.exists("run"))
    #expect(try bench.facegauge(words + ["--resume"]).status == 0)
    try expectWholeRun(of: stopped.size, in: bench)
    let first = try metrics("run", in: bench)
    // A machine that was slow before and is quick now may end these runs before the signal comes.
    let again = try stop(words + ["--force"], with: SIGKILL, in: bench)
    #expect(bench.exists("run/record.json"), "the earlier run stays until the new one is whole")
    if again.isSignal {
      #expect(try bench.facegauge(words + ["--resume", "--force"]).status == 0)
      try expectWholeRun(of: stopped.size, in: bench)
    }
    _ = try stop(words + ["--force"], with: SIGKILL, in: bench)
    #expect(try bench.facegauge(words + ["--force"]).status == 0)
    try expectWholeRun(of: stopped.size, in: bench)
    #expect(try metrics("run", in: bench) == first)
  }

  private func expectWholeRun(of frames: Int, in bench: Workbench) throws {
    let names = try bench.contents().keys.filter { $0.hasPrefix("run") }
    let top = Set(names.filter { !$0.hasPrefix("run/images/") })
    #expect(
      top == [
        "run", "run/junit.xml", "run/images", "run/predictions.h5", "run/record.json",
        "run/report.html", "run/report.md",
      ])
    let inspected = try bench.facegauge(["inspect", "run/predictions.h5", "--json"])
    #expect(inspected.output.contains("\"frames\" : \(frames)"))
  }

  @Test(
    .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"),
    arguments: [SIGINT, SIGTERM])
  func `a live run that Ctrl-C or SIGTERM ends is over at once and leaves nothing`(signal: Int32)
    throws
  {
    try Material.clip(bench.url("clip.h5"), microseconds: (0..<60).map { 2_000_000 * $0 })
    let before = try bench.contents()
    let result = try bench.facegauge(["evaluate", "clip.h5", "-o", "run", "--mode", "live"]) {
      process in
      try bench.wait { bench.exists("run.partial/segments/") || !process.isRunning }
      kill(process.processIdentifier, signal)
    }
    #expect(result.isSignal && result.status == signal)
    #expect(result.output == "")
    // The clip takes two minutes; a run that waited for its end would print 60 of 60.
    let message = try #require(
      result.errors.wholeMatch(
        of:
          /note: interrupted after (\d+) of 60 frames; a live run cannot be resumed, so nothing is kept\nnote: interrupted\n/
      ), "\(result.errors)")
    #expect(Int(message.1) ?? 60 < 60)
    #expect(try bench.contents() == before)
  }

  @Test(
    .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
  func `a live run that was killed has nothing to go on with, and the next one starts again`()
    throws
  {
    try Material.clip(bench.url("clip.h5"), microseconds: (0..<60).map { 2_000_000 * $0 })
    let words = ["evaluate", "clip.h5", "-o", "run"]
    for option in [[], ["--resume"]] {
      let killed = try bench.facegauge(words + ["--mode", "live", "--force"]) { process in
        try bench.wait { bench.exists("run.partial/segments/") || !process.isRunning }
        kill(process.processIdentifier, SIGKILL)
      }
      #expect(killed.isSignal && killed.status == SIGKILL)
      let next = try bench.facegauge(words + option)
      #expect(next.status == 0, "\(next.errors)")
      #expect(
        next.errors.contains(
          "run.partial has nothing finished, so the run starts from the beginning")
          == !option.isEmpty)
      #expect(!bench.exists("run.partial"))
      try FileManager.default.removeItem(at: bench.url("run"))
    }
    try expectFailure(bench, words + ["--resume"], status: 66, "no interrupted run in")
  }

  @Test(
    .enabled(
      if: Workbench.hasCompiler && python != nil, "gcc or FACEGAUGE_PYTHON is missing"),
    arguments: [[], ["--without", "flock"], ["--without", "renameat2"]])
  func `what a kill at any system call leaves recovers`(without: [String]) throws {
    let result = try ProcessResult(
      running: try #require(Self.python),
      [
        Checkout.root.appending(path: "Tests/Scale/kill_at_each_call.py").path, Workbench.program,
        "import", "evaluate --predictions", "export coco", "--every", "9",
      ] + without, in: bench.folder, environment: ["PYTHONDONTWRITEBYTECODE": "1"])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.split(separator: "\n").count == 6, "\(result.output)")
  }

  private static let python = LivePython.path

  @Test func `an animation that Ctrl-C ends leaves nothing`() throws {
    var before: [String: Data] = [:]
    let stopped = try Workbench.stopped(from: 5000) { bench, frames in
      try Material.dataset(bench.url("good.h5"), frames: 1)
      before = try bench.contents()
      return try bench.facegauge(
        ["animate", "good.h5", "-o", "clips.h5", "--frames-per-clip", "\(frames)"]
      ) { process in
        try bench.wait { try bench.entryCount() > before.count || !process.isRunning }
        kill(process.processIdentifier, SIGINT)
      }
    }
    #expect(stopped.result.status == SIGINT)
    #expect(stopped.result.errors.contains("nothing was written\n"))
    #expect(try stopped.bench.contents() == before)
  }

  @Test func `an import that Ctrl-C ends leaves nothing`() throws {
    var before: [String: Data] = [:]
    let stopped = try Workbench.stopped(from: 20_000) { bench, count in
      try bench.write(try Material.image(), to: "a.jpg")
      let entry = "{\"name\": \"a\", \"file\": \"a.jpg\", \"faces\": []}"
      try bench.write(
        "{\"schema\": \"facegauge.labels\", \"version\": 1, \"images\": ["
          + Array(repeating: entry, count: count).joined(separator: ",\n") + "]}",
        to: "labels.json")
      before = try bench.contents()
      return try bench.facegauge(["import", "labels", "labels.json", "-o", "a.h5"]) { process in
        try bench.wait { try bench.entryCount() > before.count || !process.isRunning }
        kill(process.processIdentifier, SIGINT)
      }
    }
    #expect(stopped.result.status == SIGINT, "\(stopped.result.errors)")
    #expect(stopped.result.errors.contains("nothing was written\n"))
    #expect(try stopped.bench.contents() == before)
  }

  static let hasFFmpeg =
    (try? Workbench().shell("ffmpeg -version && ffprobe -version").status == 0) == true

  @Test(
    .enabled(if: hasFFmpeg, "ffmpeg is not installed"), arguments: [SIGINT, SIGTERM, SIGKILL])
  func `an import of a video that Ctrl-C ends leaves nothing, not even ffmpeg`(signal: Int32) throws
  {
    var before: [String: Data] = [:]
    let stopped = try Workbench.stopped(from: 400) { bench, seconds in
      let made = try bench.shell(
        "ffmpeg -v error -f lavfi -i testsrc2=size=320x240:rate=25:duration=\(seconds) "
          + "-c:v mpeg4 clip.mp4")
      try #require(made.status == 0, "\(made.errors)")
      before = try bench.contents()
      return try bench.facegauge(["import", "video", "clip.mp4", "-o", "a.h5"]) { process in
        try bench.wait { try bench.entryCount() > before.count || !process.isRunning }
        try bench.wait { decoders(in: bench).count == 2 || !process.isRunning }
        kill(process.processIdentifier, signal)
      }
    }
    let (bench, result) = (stopped.bench, stopped.result)
    #expect(result.status == signal, "\(result.errors)")
    try bench.wait { decoders(in: bench).isEmpty }
    guard signal != SIGKILL else { return }
    #expect(result.errors.contains("nothing was written\n"))
    #expect(try bench.contents() == before)
  }

  @Test(
    arguments: [SIGINT, SIGTERM])
  func `an import ends with the first Ctrl-C though ffprobe prints nothing`(signal: Int32) throws {
    try bench.write([0], to: "clip.mp4")
    try FileManager.default.createDirectory(
      at: bench.url("programs"), withIntermediateDirectories: true)
    // Decoders run in the root folder.
    let started = bench.url("started").path
    try bench.write("#!/bin/sh\necho > '\(started)'\nexec sleep 3600\n", to: "programs/ffprobe")
    chmod(bench.url("programs/ffprobe").path, 0o755)
    let path = bench.url("programs").path + ":/usr/bin:/bin"
    let result = try bench.facegauge(
      ["import", "video", "clip.mp4", "-o", "a.h5"], environment: ["PATH": path]
    ) { process in
      try bench.wait { bench.exists("started") || !process.isRunning }
      kill(process.processIdentifier, signal)
    }
    #expect(result.isSignal && result.status == signal, "\(result.errors)")
    #expect(result.errors.contains("nothing was written\n"))
    #expect(try bench.contents().keys.allSatisfy { !$0.contains("a.h5") })
  }

  @Test(
    arguments: [SIGINT, SIGTERM, SIGHUP, SIGKILL], [["models", "pull"], ["demo", "-o", "demo"]])
  func `what fetches models ends with the program that waits for it`(
    signal: Int32, words: [String]
  ) throws {
    try FileManager.default.createDirectory(
      at: bench.url("programs"), withIntermediateDirectories: true)
    // Python runs in the root folder.
    let folder = bench.folder.path
    let program = """
      #!/bin/sh
      echo $$ > '\(folder)/process'
      mv '\(folder)/process' '\(folder)/started'
      exec sleep 3600

      """
    try bench.write(program, to: "programs/python3")
    chmod(bench.url("programs/python3").path, 0o755)
    let result = try bench.facegauge(
      words,
      environment: [
        "PATH": bench.url("programs").path + ":/usr/bin:/bin",
        "FACEGAUGE_MODELS": bench.url("models").path,
      ]
    ) { process in
      try bench.wait { bench.exists("started") || !process.isRunning }
      kill(process.processIdentifier, signal)
    }
    #expect(result.isSignal && result.status == signal, "\(result.errors)")
    let child = try bench.text("started").trimmingCharacters(in: .whitespacesAndNewlines)
    try bench.wait {
      let status = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
      return status?.contains(") Z ") ?? true
    }
    guard signal != SIGKILL else { return }
    #expect(result.errors.contains("note: interrupted before it could "))
    #expect(result.errorLines.isEmpty)
  }

  /// The command lines of running programs that read this bench's clip, but for facegauge itself.
  private func decoders(in bench: Workbench) -> [String] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.filter { $0.allSatisfy(\.isNumber) }.compactMap {
      try? String(contentsOfFile: "/proc/\($0)/cmdline", encoding: .utf8)
    }.filter { $0.contains("/ff") && $0.contains(bench.url("clip.mp4").path) }
  }
}
