import Foundation
import Records
import TestSupport
import Testing

/// `facegauge track` with a tracker in shell, which puts a face where the labels of `Material.dataset` have one.
@Suite struct TrackTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Material.dataset(bench.url("d.h5"), frames: 4)
    try bench.write(
      #"""
      echo '{"protocol":"facegauge.tracker","version":1,"name":"shell 1","inputs":["dataset"],"stages":["total"]}'
      while read -r line; do
        n=${line#*'"frame":'}; n=${n%%[,\}]*}
        echo '{"frame":'$n',"stages_ns":{"total":5},"faces":[{"box":[10,10,50,60],"score":0.9}]}'
      done
      """#, to: "tracker.sh")
  }

  @Test func `a tracker's predictions are evaluated like any others`() throws {
    let tracked = try bench.facegauge([
      "track", "d.h5", "--tracker", "sh tracker.sh", "-o", "p.h5", "--mode", "image",
    ])
    #expect(tracked.status == 0 && tracked.errors.isEmpty, "\(tracked.errors)")
    let result = try bench.facegauge(["evaluate", "d.h5", "--predictions", "p.h5", "-o", "run"])
    #expect(result.status == 0, "\(result.errors)")
    let record = try Record(json: bench.bytes("run/record.json"), source: "record.json")
    for name in ["faces.recall", "faces.precision"] {
      #expect(record.measurement(name)?.value == 1)
    }
    #expect(record.measurement("latency.total.p50")?.value == 5e-6)
    #expect(record.notes.contains { $0.contains("the output of shell 1") })
  }

  @Test func `a tracker that is missing, or has no file to write, ends with one line`() throws {
    try expectFailure(
      bench, ["track", "d.h5", "--tracker", "./none", "-o", "p.h5", "--mode", "image"],
      status: 65, "none")
    try expectFailure(
      bench,
      ["track", "d.h5", "--tracker", "sh tracker.sh", "--tracker", "sh tracker.sh", "-o", "p.h5"],
      status: 64, "--output")
  }
}
