import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct BrokenPredictionsTests {
  typealias Case = (
    name: String, spoil: @Sendable (inout PlainPredictions) -> Void, message: String
  )

  /// FILE stands for the path.
  static let cases: [Case] = [
    (
      "another format", { $0.format = "facegauge.dataset" },
      "cannot read '/' in FILE: expected format facegauge.predictions, found facegauge.dataset "
        + "('facegauge import … --of DATASET' makes predictions of a tracker's output)"
    ),
    (
      "the first version", { $0.version = 1 },
      "cannot read '/' in FILE: expected version 4 of facegauge.predictions, found version 1 "
        + "(evaluate again to make a new file)"
    ),
    (
      "a later version", { $0.version = 5 },
      "cannot read '/' in FILE: expected version 4 of facegauge.predictions, found version 5"
    ),
    (
      "models without digests", { $0.attributes["model_sha256"] = [] },
      "cannot read attributes of '/' in FILE: expected as many model_stages and model_sha256 as "
        + "models, found 1, 1 and 0"
    ),
    (
      "an unknown status", { $0.tables["frames/status"]?.values = .flags([0, 3, 1]) },
      "cannot read 'frames/status'[1] in FILE: expected 0 to 2, found 3"
    ),
    (
      "a broken frame with faces",
      {
        $0.tables["frames/status"]?.values = .flags([0, 1, 1])
      },
      "cannot read 'frames/status'[1] in FILE: expected 0 for a frame with rows in other tables, "
        + "found 1"
    ),
    (
      "a dropped frame with candidates",
      {
        $0.tables["frames/status"]?.values = .flags([0, 0, 2])
        $0.tables["detector/offsets"]?.values = .offsets([0, 1, 1, 2])
      },
      "cannot read 'frames/status'[2] in FILE: expected 0 for a frame with rows in other tables, "
        + "found 2"
    ),
    (
      "too few sizes", { $0.tables["frames/size"]?.values = .integers([1, 1]) },
      "cannot read 'frames/size' in FILE: expected i32 [3, 2], found i32 [1, 2]"
    ),
    (
      "an image with a negative side",
      { $0.tables["frames/size"]?.values = .integers([9, 8, 9, -8, 0, 0]) },
      "cannot read 'frames/size'[1] in FILE: expected sides of 0 to 65500 and at most 134217728 "
        + "pixels, found 9x-8"
    ),
    (
      "an image beyond what is decoded",
      { $0.tables["frames/size"]?.values = .integers([60_000, 60_000, 9, 8, 0, 0]) },
      "cannot read 'frames/size'[0] in FILE: expected sides of 0 to 65500 and at most 134217728 "
        + "pixels, found 60000x60000"
    ),
    (
      "an image with the largest sides",
      { $0.tables["frames/size"]?.values = .integers([.max, .max, 9, 8, 0, 0]) },
      "cannot read 'frames/size'[0] in FILE: expected sides of 0 to 65500 and at most 134217728 "
        + "pixels, found 2147483647x2147483647"
    ),
    (
      "more columns than stages", { $0.tables["frames/stage_ns"]?.row = [3] },
      "cannot read 'frames/stage_ns' in FILE: expected u64 [3, 1], found u64 [1, 3]"
    ),
    (
      "no times", { $0.tables["frames/stage_ns"] = nil },
      "cannot read attribute 'stages' of 'frames/stage_ns' in FILE: there is no such object"
    ),
    (
      "flags that are no flags", { $0.tables["faces/kept"]?.values = .flags([1, 2]) },
      "cannot read 'faces/kept'[1] in FILE: expected 0 to 1, found 2"
    ),
    (
      "a detector that half ran", { $0.tables["frames/detector_ran"]?.values = .flags([9, 0, 0]) },
      "cannot read 'frames/detector_ran'[0] in FILE: expected 0 to 1, found 9"
    ),
    (
      "faces that go back", { $0.tables["faces/frame"]?.values = .integers([1, 0]) },
      "cannot read 'faces/frame'[1] in FILE: expected 1 to 2 in ascending order, found 0"
    ),
    (
      "a detection of no frame", { $0.tables["detections/frame"]?.values = .integers([3]) },
      "cannot read 'detections/frame'[0] in FILE: expected 0 to 2 in ascending order, found 3"
    ),
    (
      "a frame below 0", { $0.tables["detections/frame"]?.values = .integers([-1]) },
      "cannot read 'detections/frame'[0] in FILE: expected 0 to 2 in ascending order, found -1"
    ),
    (
      "boxes of faces that are not there",
      { $0.tables["faces/box"]?.values = .floats(Array(repeating: 0, count: 12)) },
      "cannot read 'faces/box' in FILE: expected f32 [2, 4], found f32 [3, 4]"
    ),
    (
      "points in the plane", { $0.tables["faces/landmarks/ibug68/points"]?.row = [68, 2] },
      "cannot read 'faces/landmarks/ibug68/points' in FILE: expected f32 [2, 68, 3], found f32 "
        + "[3, 68, 2]"
    ),
    (
      "points in doubles",
      {
        $0.tables["faces/landmarks/ibug68/points"]?.values = .doubles(
          Array(repeating: 0, count: 408))
      },
      "cannot read 'faces/landmarks/ibug68/points' in FILE: expected f32 [2, 68, 3], found f64 "
        + "[2, 68, 3]"
    ),
    (
      "too few unsmoothed points",
      {
        $0.tables["faces/landmarks/ibug68/unsmoothed"] = (
          .floats(Array(repeating: 0, count: 204)), [68, 3]
        )
      },
      "cannot read 'faces/landmarks/ibug68/unsmoothed' in FILE: expected f32 [2, 68, 3], found "
        + "f32 [1, 68, 3]"
    ),
    (
      "two schemes",
      {
        $0.tables["faces/landmarks/mediapipe478/points"] = (
          .floats(Array(repeating: 0, count: 2 * 478 * 3)), [478, 3]
        )
      },
      "cannot read 'faces/landmarks' in FILE: expected one known scheme, found ibug68, mediapipe478"
    ),
    (
      "an unknown scheme",
      {
        $0.tables["faces/landmarks/mine/points"] = $0.tables["faces/landmarks/ibug68/points"]
        $0.tables["faces/landmarks/ibug68/points"] = nil
      },
      "cannot read 'faces/landmarks' in FILE: expected one known scheme, found mine"
    ),
    (
      "blendshapes in another order", { $0.blendshapeNames.reverse() },
      "cannot read attribute 'names' of 'faces/blendshapes' in FILE: expected 52 names in "
        + "MediaPipe's order, found 52: noseSneerRight, noseSneerLeft, mouthUpperUpRight …"
    ),
    (
      "a pose of 12 numbers",
      { $0.tables["faces/pose"] = (.floats(Array(repeating: 0, count: 24)), [3, 4]) },
      "cannot read 'faces/pose' in FILE: expected f64 [2, 4, 4], found f32 [2, 3, 4]"
    ),
    (
      "candidates that run backwards",
      { $0.tables["detector/offsets"]?.values = .offsets([0, 2, 1, 2]) },
      "cannot read 'detector/offsets'[2] in FILE: expected 2 to 2, found 1"
    ),
    (
      "candidates beyond the end",
      { $0.tables["detector/offsets"]?.values = .offsets([0, 2, 2, .max]) },
      "cannot read 'detector/offsets'[3] in FILE: expected 2 to 2, found 18446744073709551615"
    ),
    (
      "candidates before the first frame",
      { $0.tables["detector/offsets"]?.values = .offsets([1, 2, 2, 2]) },
      "cannot read 'detector/offsets'[0] in FILE: expected 0, found 1"
    ),
    (
      "candidates after the last frame",
      { $0.tables["detector/offsets"]?.values = .offsets([0, 1, 1, 1]) },
      "cannot read 'detector/offsets'[3] in FILE: expected 2, the number of candidates, found 1"
    ),
  ]

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `the file that the cases spoil is sound`() throws {
    let url = folder.file("p.h5")
    try PlainPredictions().write(to: url)
    let frames = try PredictionsReader(url).predictions(0..<3)
    #expect(frames.map(\.faces.count) == [1, 0, 0])
    #expect(frames.map(\.rejected.count) == [0, 1, 0])
    #expect(frames.map(\.candidates.count) == [2, 0, 0])
  }

  @Test func `a file need not name models`() throws {
    var predictions = PlainPredictions()
    for name in ["models", "model_stages", "model_sha256"] { predictions.attributes[name] = nil }
    let folder = try TemporaryFolder()
    try predictions.write(to: folder.file("p.h5"))
    let header = try PredictionsReader(folder.file("p.h5")).header
    #expect(header.models.isEmpty && header.facts.isEmpty && header.options == ["a": "b"])
  }

  @Test(arguments: cases)
  func `a file that does not fit together is refused`(broken: Case) throws {
    var plain = PlainPredictions()
    broken.spoil(&plain)
    let url = folder.file("p.h5")
    try plain.write(to: url)
    let error = #expect(throws: FileError.self) {
      let reader = try PredictionsReader(url)
      _ = try reader.predictions(0..<reader.frameCount)
    }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.replacing(url.path, with: "FILE") == broken.message)
  }

  @Test func `a file cut off anywhere is refused or reads as before`() throws {
    let url = folder.file("p.h5")
    try PlainPredictions().write(to: url)
    let whole = try Data(contentsOf: url)
    let frames = try PredictionsReader(url).predictions(0..<3)
    for length in stride(from: 0, to: whole.count, by: 97) {
      let cut = folder.file("cut.h5")
      try whole.prefix(length).write(to: cut)
      do {
        let reader = try PredictionsReader(cut)
        #expect(try reader.predictions(0..<reader.frameCount).map(\.status) == frames.map(\.status))
      } catch {
        #expect(error.kind == .wrongData, "\(error)")
      }
    }
  }
}
