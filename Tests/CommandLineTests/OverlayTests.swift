import Datasets
import FaceCore
import Foundation
import TestSupport
import Testing

@Suite("Overlays of a run")
struct OverlayTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Material.dataset(bench.url("good.h5"), frames: 3)
    try Self.writeRun("run", of: "good.h5", frames: 3, in: bench)
  }

  /// A run whose frames have one detection each.
  private static func writeRun(
    _ run: String, of dataset: String, frames: Int, in bench: Workbench
  ) throws {
    let sum = try bench.shell("sha256sum \(dataset)").output.prefix(64)
    try FileManager.default.createDirectory(
      at: bench.url(run), withIntermediateDirectories: true)
    let writer = try PredictionsWriter(
      bench.url("\(run)/predictions.h5"),
      header: PredictionsHeader(
        datasetName: "made", datasetSHA256: String(sum),
        datasetPath: bench.url(dataset).path, mode: "image", models: [], candidateFloor: 0.05,
        stages: ["total"], options: [:]))
    for frame in 0..<frames {
      try writer.add(
        FramePrediction(
          frame: frame, size: ImageSize(width: 160, height: 120), stageNanoseconds: [1],
          detections: [
            FaceDetection(
              box: BoundingBox(x: 9, y: 9, width: 60, height: 60), score: 0.75,
              keypoints: Array(repeating: Point(x: 40, y: 40), count: 6))
          ], candidates: []))
    }
    try writer.finish()
  }

  @Test func `overlay writes one PNG per frame and prints how many`() throws {
    let result = try bench.facegauge([
      "overlay", "run", "-o", "drawn/deep", "--parts", "detections,labels",
    ])
    #expect(result.status == 0 && result.output == "")
    #expect(result.errors == "drawn/deep: 3 images\n")
    for frame in 0..<3 {
      let bytes = try bench.bytes("drawn/deep/00000\(frame)-image-\(frame).png")
      #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }
  }

  @Test func `frames are chosen by range`() throws {
    let words = ["overlay", "run", "-o", "drawn", "--parts", "contours", "--frames", "0:3:2"]
    #expect(try bench.facegauge(words).status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.url("drawn").path)
    #expect(names.sorted() == ["000000-image-0.png", "000002-image-2.png"])
  }

  @Test(
    arguments: [
      ["--frames", "5:1"], ["--frames", "x"], ["--parts", "mesh,nose"], ["--parts", ""],
      ["--canvas", "blue"],
    ])
  func `what cannot be meant is refused with the usage`(words: [String]) throws {
    try expectFailure(
      bench, ["overlay", "run", "-o", "drawn"] + words, status: 64, "invalid value")
  }

  @Test func `a folder with files is refused without --force`() throws {
    try bench.write("precious", to: "drawn/mine")
    let words = ["overlay", "run", "-o", "drawn", "--parts", "detections"]
    try expectFailure(
      bench, words, status: 73, "cannot write drawn: expected a new or empty folder")
    #expect(try bench.facegauge(words + ["--force"]).status == 0)
    #expect(try bench.text("drawn/mine") == "precious")
    #expect(bench.exists("drawn/000000-image-0.png"))
  }

  @Test func `a wrong dataset, a missing one and a missing run have statuses of their own`() throws
  {
    try Material.dataset(bench.url("other.h5"), frames: 3, width: 128)
    let words = ["overlay", "run", "-o", "drawn", "--parts", "detections"]
    try expectFailure(
      bench, words + ["--dataset", "other.h5"], status: 65, "cannot draw run on other.h5")
    try expectFailure(
      bench, words + ["--dataset", "none.h5"], status: 66, "no dataset none.h5")
    try expectFailure(
      bench, ["overlay", "nowhere", "-o", "drawn"], status: 66, "nowhere/predictions.h5")
    try expectFailure(bench, words + ["--frames", "3:"], status: 65, "expected a frame below 3")
    try expectFailure(
      bench, ["overlay", "run", "-o", "/proc/drawn", "--parts", "detections"], status: 73,
      "cannot make /proc/drawn")
  }

  @Test func `Ctrl-C ends it with whole images only`() throws {
    let stopped = try Workbench.stopped(from: 3000) { bench, frames in
      try Material.dataset(bench.url("long.h5"), frames: frames)
      try Self.writeRun("long", of: "long.h5", frames: frames, in: bench)
      let words = ["overlay", "long", "-o", "drawn", "--parts", "detections"]
      return try bench.facegauge(words) { process in
        try bench.wait { bench.exists("drawn/000003-image-3.png") || !process.isRunning }
        kill(process.processIdentifier, SIGINT)
      }
    }
    let (bench, result) = (stopped.bench, stopped.result)
    #expect(result.isSignal && result.status == SIGINT)
    let message = try #require(
      result.errors.wholeMatch(
        of:
          /note: interrupted after (\d+) of (\d+) images, which are in drawn\nnote: interrupted\n/
      ))
    #expect(Int(message.2) == stopped.size)
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.url("drawn").path)
    #expect(names.count == Int(message.1))
    #expect(names.allSatisfy { $0.hasSuffix(".png") && !$0.hasPrefix(".") })
  }
}
