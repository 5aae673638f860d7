import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// A tracker's output goes out in each format, and comes back the same.
@Suite struct ExportedPredictionsTests {
  private let bench: ExportBench

  init() throws { bench = try ExportBench() }

  @Test(arguments: [
    ("coco", ["results.json", "images.json"]), ("wider-detections", [""]), ("yolo", [""]),
    ("mot", ["clip.txt"]),
  ])
  func `a tracker's output goes out and comes back the same`(
    name: String, files: [String]
  ) throws {
    let scheme: LandmarkScheme? = ["coco", "yolo"].contains(name) ? .ibug68 : nil
    let source = try bench.dataset([[], [], [], []], video: name == "mot")
    var faces = try (0..<4).map { index in
      [
        try ExportBench.given(
          index, scheme: scheme, identity: name == "wider-detections" ? nil : index),
        try ExportBench.given(
          index + 4, scheme: scheme, identity: name == "wider-detections" ? nil : index + 2),
      ]
    }
    faces[2] = []
    let given = try bench.predictions(faces, of: source)
    let summary = try bench.export(name, source, given)
    #expect(summary.losses.isEmpty, "\(summary.losses)")
    #expect(summary.faces == 6 && summary.frames == 4)
    #expect(summary.images == (name == "yolo" ? 4 : 0))
    let again = try bench.faces(
      name, files.map { $0.isEmpty ? "out" : "out/\($0)" }, of: source,
      images: name == "yolo" ? "out/images" : nil)
    for (one, two) in zip(faces, again) {
      #expect(one.count == two.count)
      for (own, other) in zip(one, two) {
        #expect(own.box == other.box)
        #expect(own.detectionScore == other.detectionScore && own.identity == other.identity)
        #expect(own.points.map { [$0.x, $0.y] } == other.points.map { [$0.x, $0.y] })
      }
    }
  }

  @Test func `what predictions have besides faces is counted, and refused when strict`() throws {
    let source = try bench.dataset([[], []])
    var face = try ExportBench.given(0, scheme: nil)
    face.presence = 0.25
    face.blendshapes = Array(repeating: 0.5, count: 52)
    var bare = try ExportBench.given(1, scheme: nil)
    bare.detectionScore = nil
    let given = try bench.predictions([[face], [bare]], of: source)
    let refusal = #expect(throws: FileError.self) { try bench.export("coco", source, given) }
    #expect(refusal?.kind == .wrongData)
    let summary = try bench.export("coco", source, given, strict: false)
    #expect(
      summary.losses.map { "\($0.what): \($0.count)" } == [
        "attributes 'presence': 1", "blendshapes: 1", "faces without a score, which get 1: 1",
      ])
    #expect(try bench.text("out/results.json").contains("\"score\":1}"))
  }

  @Test func `what a format has no place for is refused in a line`() throws {
    let source = try bench.dataset([[MadeDataset.face()]])
    let stills = #expect(throws: FileError.self) { try bench.export("mot", source) }
    #expect(stills?.description.hasSuffix("which is what the format holds, found stills") == true)
    let labels = #expect(throws: FileError.self) { try bench.export("wider-detections", source) }
    #expect(labels?.description.contains("expected a tracker's output") == true)
    let other = try bench.predictions([[], []], of: source)
    let count = #expect(throws: FileError.self) { try bench.export("coco", source, other) }
    #expect(count?.description.hasSuffix("found 2") == true)
    #expect(try bench.folder.names == ["a.h5", "p.h5"])
  }
}
