import FacePipeline
import Foundation
import Platform
import Statistics
import TestSupport
import Testing

/// Fitting heads on the command line, to made faces; no model is needed.
@Suite("Fitting a blendshape head on the command line")
struct FitTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  /// Videos of ten frames with a mean face, whose jaw opens and whose left eyelid closes.
  private func faces(videos: Int) throws {
    let (head, _) = try BlendshapeHead.file(Oracles.folder.appending(path: "expected/head.json"))
    let mesh = head.mesh.points
    var stream = SplitMix64(seed: 5)
    let files = (0..<videos).map { "clip\($0).json" }
    for (video, file) in files.enumerated() {
      var lines = [
        #"{"schema": "facegauge.mediapipe", "version": 1, "kind": "video", "#
          + #""name": "clip\#(video).mp4", "fps": 25}"#
      ]
      for number in 0..<10 {
        let jaw = Double(stream.below(1000)) / 1000
        let lid = Double(stream.below(1000)) / 1000
        let points = (0..<478).map { index -> String in
          var point = index < 468 ? SIMD3<Double>(mesh[index]) : SIMD3(3.15, 2.6, 3.5)
          if (468..<473).contains(index) { point.x = -3.15 }
          // The lower lip and the chin, and the subject's left upper eyelid.
          if [14, 17, 84, 87, 314, 317, 152, 148, 377].contains(index) { point.y -= 3 * jaw }
          if [385, 386, 387].contains(index) { point.y -= 0.8 * lid }
          for axis in 0..<3 { point[axis] += stream.between(-1, 1) / 100 }
          let scale = Double(20 + number % 7)
          let (x, y) = ((320 + scale * point.x) / 640, (240 - scale * point.y) / 480)
          return "[\(x), \(y), \(-scale * point.z / 640)]"
        }
        lines.append(
          #"{"name": "clip\#(video).mp4/\#(number)", "number": \#(number), "#
            + #""timestamp_ms": \#(40 * number), "width": 640, "height": 480, "#
            + #""faces": [{"landmarks": [\#(points.joined(separator: ", "))], "#
            + #""blendshapes": {"jawOpen": \#(jaw), "eyeBlinkLeft": \#(lid), "mouthClose": 0}}]}"#)
      }
      try bench.write(lines.joined(separator: "\n") + "\n", to: file)
    }
    for words in [
      ["import", "mediapipe"] + files + ["-o", "faces.h5"],
      ["import", "mediapipe"] + files + ["--of", "faces.h5", "-o", "predicted.h5"],
      ["evaluate", "faces.h5", "--predictions", "predicted.h5", "-o", "run", "--resamples", "0"],
    ] {
      let result = try bench.facegauge(words)
      try #require(result.status == 0, "\(words): \(result.errors)")
    }
  }

  @Test func `a head is fitted to labels, and predicts held-out faces`() throws {
    try faces(videos: 6)
    let result = try bench.facegauge(["fit", "blendshapes", "run", "-o", "head.json"])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    #expect(
      result.output.hasPrefix("60 faces of 6 subjects, videos or stills; 6 folds held out\n"))
    #expect(result.output.hasSuffix("head: head.json\n"))
    let head = try BlendshapeHead(json: try bench.bytes("head.json"), source: "head.json")
    #expect(try Schema.problems(ofFile: bench.bytes("head.json")) == [])
    #expect(head.channels.map(\.name) == ["eyeBlinkLeft", "jawOpen", "mouthClose"])
    #expect(head.fitted.teachers.isEmpty && head.fitted.runs.map(\.faces) == [60])
    for channel in head.channels.dropLast() {
      let concordance = try #require(channel.heldOut?.concordance)
      #expect(concordance > 0.9, "\(channel.name)")
    }
    // mouthClose is 0 on all faces: nothing can be said of how well it is told.
    #expect(head.channels[2].weights.isEmpty && head.channels[2].heldOut?.concordance == nil)
    #expect(head.notes.contains { $0.contains("browInnerUp") }, "\(head.notes)")
    let again = try bench.facegauge(["fit", "blendshapes", "run", "-o", "head.json"])
    #expect(again.status == 73)
    #expect(again.errors.contains("cannot write head.json: it exists already"))
  }

  @Test func `a head is not fitted to fewer than 20 faces`() throws {
    try faces(videos: 1)
    let few = try bench.facegauge(["fit", "blendshapes", "run", "-o", "head.json"])
    #expect(few.status == 65)
    #expect(
      few.errors
        == "error: cannot fit a head: expected 20 faces with landmarks and coefficients or "
        + "more, found 10\n")
    #expect(!bench.exists("head.json"))
  }

  @Test func `coefficients of a foreign tracker are no teacher`() throws {
    try faces(videos: 2)
    let result = try bench.facegauge(["fit", "blendshapes", "run", "--teacher", "-o", "head.json"])
    #expect(result.status == 65)
    #expect(
      result.errors == "error: cannot fit to run: expected a blendshape model, found none\n")
    #expect(!bench.exists("head.json"))
  }

  @Test(arguments: [
    ("fit blendshapes run -o head.json --time-offset 1", "'--time-offset' requires '--recording'"),
    ("fit blendshapes a b -o head.json --recording c.h5", "'--recording' requires a single run"),
    (
      "fit blendshapes run -o head.json --teacher --recording c.h5",
      "'--recording' cannot be combined with '--teacher'"
    ),
  ])
  func `options that do not go together are refused`(words: String, reason: String) throws {
    let result = try bench.facegauge(words.split(separator: " ").map(String.init))
    #expect(result.status == 64 && result.errors.contains(reason), "\(result.errors)")
  }
}
