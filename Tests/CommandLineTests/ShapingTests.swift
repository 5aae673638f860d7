import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite("Splitting, merging, cutting and exporting")
struct ShapingTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Material.dataset(bench.url("a.h5"), frames: 10)
  }

  @Test func `split writes the same splits for the same seed, and tells shares on standard output`()
    throws
  {
    // Every image of the material has the same bytes, which would keep them all together.
    let image = try Material.image()
    let writer = try DatasetWriter(bench.url("many.h5"), name: "many", replacing: true)
    for frame in 0..<10 {
      // Bytes after the end of a JPEG change nothing but its digest.
      try writer.add(
        name: "\(frame)", image: image + [UInt8(frame)],
        size: ImageSize(width: 160, height: 120),
        faces: [FaceLabel(box: BoundingBox(x: 10, y: 10, width: 50, height: 60))])
    }
    try writer.finish()
    for name in ["one.h5", "two.h5"] {
      let result = try bench.facegauge(
        ["split", "many.h5", "--parts", "train=0.8,test=0.2", "--seed", "3", "-o", name],
        environment: ["SOURCE_DATE_EPOCH": "0"])
      #expect(result.status == 0, "\(result.errors)")
      #expect(
        result.output == """
          split  groups  frames    share    asked
          train       8       8   80.0 %   80.0 %
          test        2       2   20.0 %   20.0 %
          all        10      10  100.0 %  100.0 %

          """)
      #expect(result.errors.contains("\(name): 10 frames, 10 faces\n"))
    }
    #expect(try bench.bytes("one.h5") == bench.bytes("two.h5"))
    let test = try bench.facegauge(["subset", "one.h5", "--split", "test", "-o", "test.h5"])
    #expect(test.errors == "note: 8 frames left out\ntest.h5: 2 frames, 2 faces\n")
  }

  @Test func `every second frame of clips halves their rate`() throws {
    for words in [
      [
        "animate", "a.h5", "-o", "clips.h5", "--motion", "pan", "--frames-per-clip", "8", "--fps",
        "60",
      ],
      ["subset", "clips.h5", "--frames", "::2", "-o", "half.h5"],
      ["subset", "half.h5", "--where", "fps=30", "-o", "again.h5"],
    ] {
      let result = try bench.facegauge(words)
      #expect(result.status == 0, "\(words): \(result.errors)")
    }
    let validation = try bench.facegauge(["validate", "half.h5"])
    #expect(validation.status == 0 && !validation.output.contains("by its times"))
  }

  @Test func `merge-faces joins the frames that repeat one image to a frame with all their faces`()
    throws
  {
    let image = try Material.image()
    let writer = try DatasetWriter(bench.url("repeats.h5"), name: "repeats", replacing: true)
    for (frame, x) in [10.0, 90, 10].enumerated() {
      try writer.add(
        name: "\(frame)", image: image, size: ImageSize(width: 160, height: 120),
        faces: [FaceLabel(box: BoundingBox(x: x, y: 10, width: 50, height: 60))])
    }
    try writer.finish()
    let result = try bench.facegauge(["merge-faces", "repeats.h5", "-o", "joined.h5"])
    #expect(result.status == 0, "\(result.errors)")
    // Faces with the same labels count once.
    #expect(result.errors.contains("joined.h5: 1 frame"), "\(result.errors)")
    let joined = try DatasetReader(bench.url("joined.h5"))
    #expect(joined.frameCount == 1 && joined.faceCount == 2)
  }

  @Test(
    arguments: [
      (["split", "a.h5", "--parts", "train=0.5,test=0.5", "-o", "b.h5"], 65 as Int32, "found 1"),
      (["split", "a.h5", "--parts", "train", "-o", "b.h5"], 64, "train=0.8"),
      (["split", "a.h5", "--parts", "a=0.5,b=0.6", "-o", "b.h5"], 64, "add up to 1"),
      (["subset", "a.h5", "--where", "yaw", "-o", "b.h5"], 64, "yaw>=0.5"),
      (["subset", "a.h5", "--where", "yaw>1", "-o", "b.h5"], 65, "found 'yaw'"),
      (["subset", "a.h5", "--frames", "3:2", "-o", "b.h5"], 64, "0:100:5"),
      (["subset", "a.h5", "-o", "a.h5"], 73, "exists already"),
      (["subset", "a.h5", "-o", "a.h5", "--force"], 73, "found the same"),
      (["merge", "a.h5", "none.h5", "-o", "b.h5"], 66, "none.h5"),
      (["export", "coco", "a.h5", "-o", "out", "--strict"], 65, "frame names"),
      (["export", "voc", "a.h5", "-o", "out"], 64, "voc"),
      (["export", "mot", "a.h5", "-o", "out"], 65, "found stills"),
      (["export", "coco", "a.h5", "-o", "out", "--force"], 64, "has no effect on coco"),
      (["export", "faces", "a.h5", "-o", "out"], 64, "the folder of a run"),
      (["export", "faces", "a.h5", "-o", "out", "--strict"], 64, "has no effect on faces"),
      (["export", "coco", "a.h5", "--of", "a.h5", "-o", "out"], 65, "predictions"),
      (["validate", "none*.h5"], 66, "none*.h5"),
    ])
  func `what cannot be done is one error line with its status, and nothing is written`(
    words: [String], status: Int32, message: String
  ) throws {
    let before = try bench.contents()
    let result = try bench.facegauge(words)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(try bench.contents() == before)
  }

  @Test func `merge reports how it kept people and names apart`() throws {
    try FileManager.default.copyItem(at: bench.url("a.h5"), to: bench.url("b.h5"))
    let result = try bench.facegauge(["merge", "a.h5", "b.h5", "-o", "both.h5"])
    #expect(result.status == 0 && result.output == "")
    #expect(result.errors.contains("b.h5 are named b/…"))
    #expect(result.errors.hasSuffix("both.h5: 20 frames, 20 faces\n"))
  }

  @Test
  func
    `files named by a pattern or a list are one dataset for inspect, validate, subset, animate, annotate and degrade`()
    throws
  {
    try Material.dataset(bench.url("b.h5"), frames: 5)
    try bench.write(
      #"{"schema": "facegauge.shards", "version": 1, "files": ["a.h5", "b.h5"]}"#, to: "all.json")
    for position in ["all.json", "[ab].h5"] {
      let contents = try bench.facegauge(["inspect", position])
      #expect(contents.output.contains("frames     15\n"), "\(contents.output)")
      let validation = try bench.facegauge(["validate", position])
      #expect(validation.status == 0)
      #expect(validation.output.hasSuffix("\(position): 15 frames, 15 faces, well-formed\n"))
      let subset = try bench.facegauge(
        ["subset", position, "--frames", "8:12", "-o", "cut.h5", "--force"])
      #expect(subset.errors.hasSuffix("cut.h5: 4 frames, 4 faces\n"), "\(subset.errors)")
      let clips = try bench.facegauge(
        [
          "animate", position, "-o", "clips.h5", "--motion", "pan", "--frames-per-clip", "2",
          "--force",
        ])
      #expect(clips.errors.hasSuffix("clips.h5: 15 clips, 30 frames, 30 faces\n"))
      let suite = try bench.facegauge(
        ["degrade", position, "-o", "suite.h5", "--by", "jpeg,crop", "--force"])
      #expect(suite.errors.hasSuffix("suite.h5: 165 frames, 165 faces\n"), "\(suite.errors)")
      let annotated = try bench.facegauge(
        ["annotate", position, "-o", "annotated.h5", "--by", "contrast", "--force"])
      #expect(annotated.errors.hasSuffix("annotated.h5: 15 frames, 15 faces\n"))
      let self0 = try bench.facegauge(["subset", position, "-o", "a.h5", "--force"])
      #expect(self0.status == 73, "a shard is not written over")
    }
  }

  @Test(
    .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
  func `evaluate and overlay take several files as one, told apart by their digests`() throws {
    try Material.dataset(bench.url("b.h5"), frames: 2)
    let result = try bench.facegauge(["evaluate", "[ab].h5", "-o", "run", "--json"])
    #expect(result.status == 0, "\(result.errors)")
    let digests = try ["a.h5", "b.h5"].map {
      try DatasetReader(bench.url($0)).contentDigest(ofFile: 0) { _ in } + "\n"
    }
    #expect(try result.output.contains(SHA256.hexadecimal(of: Array(digests.joined().utf8))))
    #expect(result.output.contains("\"frames\" : 12") || result.output.contains("\"frames\": 12"))
    let drawn = try bench.facegauge(["overlay", "run", "-o", "drawn", "--frames", "9:11"])
    #expect(drawn.errors.hasSuffix("drawn: 2 images\n"), "\(drawn.errors)")
    let predictions = try bench.facegauge(["validate", "run/predictions.h5"])
    #expect(predictions.status == 0, "\(predictions.errors)")
    #expect(predictions.output.contains("ok: rows of frames, detections and faces can be read\n"))
  }

  @Test func `export writes a folder that imports again, and lists what was lost`() throws {
    let result = try bench.facegauge(["export", "imglab", "a.h5", "-o", "out"])
    #expect(result.status == 0)
    #expect(
      result.errors == """
        warning: left out: frame names that are not file names (10)
        out: 10 images, 10 faces

        """)
    let again = try bench.facegauge(["import", "imglab", "out/labels.xml", "-o", "again.h5"])
    #expect(again.errors.hasSuffix("again.h5: 10 frames, 10 faces\n"))
  }

  @Test func `validate writes its checklist as HTML and Markdown`() throws {
    let result = try bench.facegauge(
      ["validate", "a.h5", "--html", "list.html", "--markdown", "list.md"])
    #expect(result.status == 0)
    let html = try bench.text("list.html")
    #expect(html.hasPrefix("<!DOCTYPE html>\n") && html.contains("images can be read"))
    let text = try bench.text("list.md")
    #expect(text.hasPrefix("# FaceGauge checklist: a.h5\n"))
    #expect(text.contains("| note | image with the same bytes and labels as another | 9 |"))
  }
}
