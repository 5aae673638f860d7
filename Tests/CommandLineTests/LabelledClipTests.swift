import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite("Labels on the frames of a clip")
struct LabelledClipTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private static let video = Shared.data("videos/short_hamilton_clip.mp4")

  /// The first frames of a clip, and COCO labels of one box in each.
  private func write(frames: Int) throws {
    let cut = try ProcessResult(
      running: "/usr/bin/env",
      [
        "ffmpeg", "-v", "error", "-nostdin", "-i", Self.video.path, "-frames:v", "\(frames)",
        bench.url("clip.mp4").path,
      ])
    try #require(cut.status == 0, "\(cut.errors)")
    let images = (1...frames).map {
      "{\"id\":\($0),\"file_name\":\"frame_\($0).jpg\",\"width\":640,\"height\":360}"
    }
    let rows = (1...frames).map {
      "{\"id\":\($0),\"image_id\":\($0),\"category_id\":1,\"bbox\":[250,80,120,140],\"track_id\":0}"
    }
    try Data(
      ("{\"images\":[\(images.joined(separator: ","))],\"annotations\":[\(rows.joined(separator: ","))],"
        + "\"categories\":[{\"id\":1,\"name\":\"face\"}]}").utf8
    ).write(to: bench.url("labels.json"))
  }

  /// The commands of the guide's code block that has a video.
  private func commands() throws -> [[String]] {
    let guide = try String(
      contentsOf: Checkout.root.appending(
        path: "Sources/facegauge/Guides.docc/LandmarksAndClips.md"), encoding: .utf8)
    let block = try #require(
      guide.components(separatedBy: "```").first { $0.contains("--video clip.mp4") })
    return block.split(separator: "\n").map { line in
      line.split(separator: " ").dropFirst().map(String.init)
    }
  }

  @Test(
    .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"),
    .enabled(if: Shared.isAvailable, "FACEGAUGE_SHARED names no folder of data"))
  func `a video and a COCO file become a report by the guide's commands, and faces are tracked`()
    throws
  {
    try write(frames: 30)
    let commands = try commands()
    #expect(commands.count == 2)
    for words in commands {
      let result = try bench.facegauge(words)
      #expect(result.status == 0, "\(words): \(result.errors)")
    }
    let record = try Record(json: bench.bytes("run/record.json"), source: "run")
    #expect(record.dataset.frames == 30 && record.dataset.faces == 30)
    #expect(record.dataset.sequences == 1)
    #expect(record.measurement("tracking.tracked_share")?.n == 30)
    #expect(!record.notes.contains { $0.contains("tracks nothing") })
    #expect(bench.url("run/report.html").isThere)
  }

  @Test(.enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
  func `video mode on stills says at the start and in the record that nothing is tracked`() throws {
    try Material.dataset(bench.url("stills.h5"), frames: 2)
    let run = try bench.facegauge(["evaluate", "stills.h5", "--mode", "video", "-o", "run"])
    #expect(run.status == 0, "\(run.errors)")
    let text = "All frames are stills: --mode video tracks nothing from one to the next"
    #expect(run.errors.contains("note: \(text)"))
    let record = try Record(json: bench.bytes("run/record.json"), source: "run")
    #expect(record.notes.contains { $0.hasPrefix(text) })
  }

  @Test(
    arguments: [
      (
        ["--video", "a.mp4", "--sequence", "all"], "'--video' cannot be combined with '--sequence'"
      ),
      (["--first-number", "1"], "'--first-number' requires '--of' or '--video'"),
      (["--sequence", "all", "--offset", "1f"], "'--offset' cannot be combined with '--sequence'"),
      (["--join", "number"], "'--join' requires '--of' or '--video'"),
    ])
  func `options that exclude each other are wrong usage`(words: [String], message: String) throws {
    try Data("{\"images\":[],\"annotations\":[],\"categories\":[]}".utf8)
      .write(to: bench.url("labels.json"))
    try expectFailure(
      bench, ["import", "coco", "labels.json", "-o", "out.h5"] + words, status: 64, message)
  }
}
