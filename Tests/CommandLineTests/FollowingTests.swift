import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite("Following labelled faces")
struct FollowingTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  @Test(
    arguments: [
      ["--mode", "video"], ["--models", "m"], ["--jobs", "2"], ["--resume"], ["--rotation", "90"],
      ["--min-decoded-side", "640"], ["--detector", "full-range"],
      ["--min-face-detection-confidence", "0.4"],
    ])
  func `what is of the pipeline does not apply with --tracker`(words: [String]) throws {
    try expectFailure(
      bench, ["evaluate", "a.h5", "-o", "run", "--tracker", "correlation"] + words, status: 64,
      "'\(words[0])' applies to the pipeline and cannot be combined with '--tracker'")
  }

  @Test func `another tracker, and predictions with a tracker, are wrong usage`() throws {
    try expectFailure(
      bench, ["evaluate", "a.h5", "-o", "run", "--tracker", "kcf"], status: 64,
      "invalid value 'kcf' for '--tracker'")
    try expectFailure(
      bench,
      ["evaluate", "a.h5", "-o", "run", "--tracker", "correlation", "--predictions", "p.h5"],
      status: 64, "'--tracker' cannot be combined with '--predictions'")
  }

  @Test func `stills and clips without labels end with status 65`() throws {
    try Material.dataset(bench.url("stills.h5"), frames: 2)
    try expectFailure(
      bench, ["evaluate", "stills.h5", "-o", "run", "--tracker", "correlation"], status: 65,
      "cannot track in stills.h5: expected video sequences, found a still in frame 0 'image-0'")
    try Material.clip(bench.url("clip.h5"), microseconds: [0, 40_000])
    try expectFailure(
      bench, ["evaluate", "clip.h5", "-o", "run", "--tracker", "correlation"], status: 65,
      "cannot track in clip.h5: expected labels whose first boxes seed the tracker, found none")
  }

  @Test(
    .enabled(if: Shared.isAvailable, "FACEGAUGE_SHARED names no folder of data"))
  func `football1 is followed better than by MEEM`() throws {
    let source = Shared.data("otb-sample/data/Football1").path
    let imported = try bench.facegauge(["import", "otb", source, "-o", "football.h5"])
    #expect(imported.status == 0, "\(imported.errors)")
    let run = try bench.facegauge([
      "evaluate", "football.h5", "-o", "run", "--tracker", "correlation",
    ])
    #expect(run.status == 0, "\(run.errors)")
    let record = try Record(json: bench.bytes("run/record.json"), source: "run")
    #expect((record.measurement("tracking.mean_iou")?.value ?? 0) > 0.6740)
    #expect(record.measurement("tracking.precision@20px")?.value == 1)
    #expect(record.measurement("tracking.vot.f")?.value != nil)
  }
}
