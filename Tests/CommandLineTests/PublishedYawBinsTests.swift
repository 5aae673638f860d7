import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite("AFLW2000-3D's bins of yaw through the command line")
struct PublishedYawBinsTests {
  static let python = LivePython.path

  /// Writes the points with 3DDFA's bin of |yaw| and moved copies of them; prints number and mean error of each bin.
  ///
  /// The error is that of 3DDFA's benchmark: the mean distance over the root of the area of the points' box.
  private static let script = """
    import json, sys
    import h5py, numpy as np
    points = np.load(sys.argv[1] + "/AFLW2000-3D.pts68.npy")[:, :2].transpose(0, 2, 1).astype("f8")
    yaw = np.load(sys.argv[1] + "/AFLW2000-3D.pose.npy").astype("f8")
    moved = points + np.random.default_rng(0).normal(0, 6, points.shape)
    bins = np.digitize(np.abs(yaw), [30, 60], right=True).astype("f8")
    with h5py.File("labels.h5", "w") as file:
        file["points"], file["bin"], file["name"] = points, bins, np.arange(2000)
        file["yaw"] = np.stack([np.zeros(2000), yaw, np.zeros(2000)], 1)
    with h5py.File("moved.h5", "w") as file:
        file["points"], file["name"] = moved, np.arange(2000)
    side = np.sqrt((points.max(1) - points.min(1)).prod(1))
    nme = np.linalg.norm(moved - points, axis=2).mean(1) / side
    print(json.dumps([[float((bins == value).sum()), nme[bins == value].mean()] for value in range(3)]))
    """

  private func mapping(_ file: String, _ more: String = "") -> String {
    """
    {"schema": "facegauge.hdf5-mapping", "version": 1, "files": ["\(file).h5"],
     "images": {"names": "name"}, "faces": {"box": {"form": "points"},
       "points": [{"path": "points", "scheme": "ibug68", "layout": "NKD"}]\(more)}}
    """
  }

  @Test(
    .enabled(
      if: Shared.isAvailable && python != nil, "needs the shared data and FACEGAUGE_PYTHON"))
  func `2000 faces are 1312, 383 and 305 as published, with the errors of 3DDFA's formula`() throws
  {
    let bench = try Workbench()
    func run(_ words: [String]) throws {
      let result = try bench.facegauge(words)
      try #require(result.status == 0, "\(result.errors)")
    }
    let made = try ProcessResult(
      running: Self.python ?? "",
      ["-c", Self.script, Shared.data("aflw2000-annots/3ddfa").path], in: bench.folder)
    try #require(made.status == 0, "\(made.errors)")
    let expected = try JSONDecoder().decode([[Double]].self, from: Data(made.output.utf8))
    try bench.write(
      mapping(
        "labels",
        """
        , "attributes": {"yaw_bin": "bin"}, "pose": {"form": "euler", "path": "yaw",
          "order": "xyz", "unit": "degrees", "signs": [1, 1, 1], "axes": "y-up"}
        """), to: "labels.json")
    try bench.write(mapping("moved"), to: "moved.json")
    try run(["import", "hdf5", "labels.json", "-o", "aflw.h5", "--labels-only"])
    try run(["import", "hdf5", "moved.json", "--of", "aflw.h5", "-o", "p.h5", "--labels-only"])
    try run([
      "evaluate", "aflw.h5", "--predictions", "p.h5", "-o", "run", "--pairing", "nearest",
      "--resamples", "0",
    ])
    let record = try Record(json: bench.bytes("run/record.json"), source: "run")
    func bin(_ slice: String) throws -> Records.Measurement {
      try #require(
        record.measurements.first { $0.name == "landmarks.nme.box" && $0.slice == slice },
        "\(slice)")
    }
    #expect(expected.map { $0[0] } == [1312, 383, 305])
    for (value, row) in expected.enumerated() {
      let found = try bin("yaw_bin=\(value)")
      #expect(Double(found.n) == row[0])
      // Points are stored with 24 bits.
      let error = try #require(found.value)
      #expect(abs(error - row[1]) < 1e-7)
    }
    // A yaw of -351° is one of 9°.
    let own = try ["yaw=0-30", "yaw=30-60", "yaw=60-"].map { try bin($0).n }
    #expect(own == [1313, 383, 304])
  }
}
