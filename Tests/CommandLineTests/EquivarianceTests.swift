import FaceCore
import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite struct EquivarianceTests {
  let bench: Workbench
  private static let faces = Shared.data("helen68/testset")

  init() throws { bench = try Workbench() }

  /// An earlier count found −.081 for eyeSquintRight and .090 for eyeLookInRight, original less mirror image.
  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: faces.path),
      "FACEGAUGE_SHARED has no data/helen68"))
  func `MediaPipe's models look aside by another amount in mirror images of Helen`() throws {
    let lines = [
      "import pts \(Self.faces.path) -o helen.h5",
      "transform helen.h5 --by mirror,repeat -o suite.h5",
      "evaluate suite.h5 -o run --resamples 0",
    ]
    for line in lines {
      let result = try bench.facegauge(line.split(separator: " ").map(String.init))
      #expect(result.status == 0, "\(line): \(result.errors)")
    }
    let result = try bench.facegauge([
      "equivariance", "run", "-o", "out", "--resamples", "200",
    ])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let bytes = try bench.bytes("out/equivariance.json")
    #expect(try Schema.problems(ofFile: bytes) == [])
    let measured = try Equivariance(json: bytes, source: "equivariance.json")
    let (mirror, again) = (measured.transformations[0], measured.transformations[1])
    func difference(_ shape: Blendshape) throws -> Equivariance.Estimate {
      try #require(mirror.channels.first { $0.coefficient == shape.rawValue }).difference
    }
    #expect(mirror.images == 70 && mirror.faces >= 68)
    let (squint, look) = (try difference(.eyeSquintRight), try difference(.eyeLookInRight))
    #expect(squint.atLeast > 0 && look.atLeast > 0)
    #expect(
      try abs(#require(squint.value) - 0.081) < 0.02 && abs(#require(look.value) + 0.09) < 0.02)
    // The same image again gives the same face.
    #expect(again.lost == 0 && again.gained == 0 && again.distance.value == 0)
    #expect(again.channels.allSatisfy { $0.magnitude.value == 0 })
    let page = try bench.text("out/report.html")
    #expect(page.contains("Where points move with mirror"))
    let index = try bench.facegauge(["report", "--index", "out", "-o", "index"])
    #expect(index.status == 0 && index.errors == "", "\(index.errors)")
    #expect(try bench.text("index/index.html").contains("predictions of run on"))
  }

  @Test func `without an image there is nothing to transform, and what exists stays`() throws {
    try Material.dataset(bench.url("d.h5"), frames: 2)
    try bench.write("precious", to: "s.h5")
    try expectFailure(
      bench, ["transform", "d.h5", "-o", "s.h5"], status: 73, "cannot write s.h5")
    try expectFailure(
      bench, ["transform", "d.h5", "-o", "t.h5", "--by", "melt"], status: 64, "melt")
    #expect(!bench.exists("t.h5"))
    let made = try bench.facegauge(["transform", "d.h5", "-o", "t.h5", "--longest-side", "64"])
    #expect(made.status == 0 && made.errors == "t.h5: 18 frames, 0 faces\n", "\(made.errors)")
  }
}
