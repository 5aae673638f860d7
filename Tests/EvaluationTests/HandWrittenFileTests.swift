import Datasets
import FacePipeline
import Foundation
import Metrics
import Platform
import Scoring
import TestSupport
import Testing

/// Files that users write: what a reader takes keeps the published schema, and what it refuses breaks it.
@Suite struct HandWrittenFileTests {
  private static let readers: [String: @Sendable (URL) throws -> Void] = [
    "expressions": { _ = try ExpressionRules(json: bytes($0), source: "f.json") },
    "attributes": { _ = try AttributeRules(json: bytes($0), source: "f.json") },
    "prompts": { _ = try PromptSchedule(json: bytes($0), source: "f.json") },
    "points": { _ = try PointMapping(json: bytes($0), source: "f.json") },
    "columns": { _ = try ColumnMapping(json: bytes($0), source: "f.json") },
    "drawing": { _ = try DrawingSession($0) },
    "landmark-model": { _ = try LandmarkCard($0) },
    "detector-model": { _ = try DetectorCard($0) },
    "labels": { try read($0, by: LabelsJSON()) },
    "mediapipe": { try read($0, by: MediaPipeResults()) },
    "vision": { try read($0, by: VisionObservations()) },
    "arkit": { try read($0, by: ARKitSession()) },
  ]

  private static func bytes(_ url: URL) throws -> [UInt8] { try [UInt8](Data(contentsOf: url)) }

  private static func read(_ url: URL, by format: some DatasetFormat) throws {
    _ = try format.read([url], options: ImportOptions()) { _ in }
  }

  /// A schema, a file or lines of one without its first two keys, and parts with what each may and may not become.
  private typealias Sample = (
    schema: String, text: String, fine: [(String, String)], wrong: [(String, String)]
  )

  private static let input = #""input": {"size": [16, 8], "layout": "nhwc"}"#
  private static let plane = #"{"transform": [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]}"#
  private static let camera =
    #"{"transform": [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]], "intrinsics": [[9,0,0],[0,9,0],[3,2,1]]}"#

  private static let samples: [Sample] = [
    (
      "expressions", #""rules": [{"name": "a", "value": "jawOpen"}]"#,
      [
        (#"}]"#, #", "above": 0.5}]"#), (#"}]"#, #", "at_most": -1, "labels": ["b"]}]"#),
        (#"}]"#, #"}, {"name": "b_1", "value": "1 - jawOpen"}]"#),
      ],
      [
        (#""rules""#, #""extra": 1, "rules""#), (#"}]"#, #", "abov": 1}]"#),
        (#"}]"#, #", "above": "1"}]"#), (#"}]"#, #", "above": 1, "at_most": 1}]"#),
        (#""a""#, #""a.b""#), (#""jawOpen""#, "1"), (#"}]"#, #", "labels": []}]"#),
        (#"}]"#, #", "labels": [1]}]"#), (#"{"name": "a", "value": "jawOpen"}"#, ""),
        (#"{"name": "a", "value": "jawOpen"}"#, "1"), (#", "value": "jawOpen""#, ""),
      ]
    ),
    (
      "attributes", #""attributes": [{"name": "a"}]"#,
      [
        (#"}]"#, #", "as": "number", "scale": 2, "offset": -1, "unknown": [9]}]"#),
        (#"}]"#, #", "label": "b", "prediction": "-c"}]"#),
        (#"}]"#, #", "as": "binary", "label_above": 1, "prediction_at_most": 0}]"#),
        (#"}]"#, #", "as": "angle", "label_unit": "degrees"}]"#),
        (
          #"}]"#, #", "as": "direction", "label": ["y", "-p"], "prediction": ["x", "y", "z"]}]"#
        ),
      ],
      [
        (#""attributes""#, #""extra": 1, "attributes""#), (#"}]"#, #", "lable": "b"}]"#),
        (#"}]"#, #", "as": "vector"}]"#), (#"}]"#, #", "scale": 0}]"#), (#""a""#, #""""#),
        (#"}]"#, #", "label": "-"}]"#), (#"}]"#, #", "label": ["y", "p"]}]"#),
        (#"}]"#, #", "label_above": 1}]"#), (#"}]"#, #", "as": "binary", "label_above": 1}]"#),
        (
          #"}]"#,
          #", "as": "binary", "label_above": 1, "label_at_most": 1, "prediction_above": 0}]"#
        ),
        (#"}]"#, #", "as": "angle", "scale": 2}]"#),
        (#"}]"#, #", "as": "angle", "label_unit": "turns"}]"#),
        (#"}]"#, #", "as": "direction"}]"#), (#"}]"#, #", "unknown": 9}]"#),
        (#"}]"#, #", "as": "direction", "label": ["y"], "prediction": ["x", "y"]}]"#),
      ]
    ),
    (
      "prompts", #""prompts": [{"start": 0, "end": 2, "prompt": "smile"}]"#,
      [
        (#"}]"#, #", "video": "a"}]"#),
        (#""prompt": "smile""#, #""coefficients": {"jawOpen": 1, "jawLeft": 0}"#),
      ],
      [
        (#""prompts""#, #""extra": 1, "prompts""#), (#"}]"#, #", "when": 1}]"#), ("smile", "smiel"),
        (#", "prompt": "smile""#, ""), (#"}]"#, #", "coefficients": {"jawOpen": 1}}]"#),
        (#""prompt": "smile""#, #""coefficients": {"jawopen": 1}"#),
        (#""prompt": "smile""#, #""coefficients": {"jawOpen": 2}"#),
        (#""prompt": "smile""#, #""coefficients": {}"#), (#"0, "#, #"-1, "#), ("2", #""2""#),
        (#"}]"#, #", "video": ""}]"#), ("2", "90000"),
      ]
    ),
    (
      "points", #""scheme": "five", "points": {"0": 4, "nose": "n"}"#,
      [(#""scheme""#, #""extra": 1, "scheme""#), (#""nose": "n""#, #""4": 0"#)],
      [
        ("five", "six"), ("4", "-1"), ("4", "1.5"), ("4", "null"), ("4", "[4]"),
        (#""scheme": "five", "#, ""), (#""0": 4, "nose": "n""#, ""),
      ]
    ),
    (
      "columns", #""columns": {"image": "f", "x": "l", "y": "t", "width": "w", "h": "h"}"#,
      [
        (#""columns""#, #""extra": 1, "columns""#), (#"{"image"#, #"{"file"#),
        (#"}"#, #", "p0x": "a", "point.nose.y": "b", "attribute.AU-1": "c", "jawOpen": "j"}"#),
        (#"}"#, #", "px": "x_{}", "py": "y_{}", "pv": "v_{}", "coefficients": "{}"}"#),
        (#"}"#, #", "space": "relative", "time-unit": "ms", "header": "no", "base": "1"}"#),
      ],
      [
        (#"}"#, #", "imag": "a"}"#), (#"}"#, #", "space": "pixel"}"#), (#"}"#, #", "px": "x_{}"}"#),
        (#""f""#, #""""#), (#""f""#, "1"), (#"}"#, #", "base": 1}"#), (#"}"#, #", "box": "b"}"#),
        (#"}"#, #", "attribute.": "a"}"#), (#"}"#, #", "jawopen": "j"}"#),
        (#"{"image": "f", "x": "l", "y": "t", "width": "w", "h": "h"}"#, "{}"),
      ]
    ),
    (
      "drawing", #""plane": \#(plane), "reference": [[0, 0], [1, 0]], "frames": []"#,
      [
        (#""plane""#, #""name": "a", "planes": [{"point": [0,0,1], "normal": [0,1,0]}], "plane""#),
        (#"]]}"#, #"]], "extent": {"width": 1, "height": 2}, "center": [0,0,0]}"#),
        (#"[]"#, #"[{"timestamp": 1, "fingertip": [1, 2], "camera": \#(camera)}]"#),
        (#"[]"#, #"[{"timestamp": 1, "fingertip": null, "camera": \#(camera)}]"#),
        (
          #""frames""#,
          #""display": {"size": [9, 9], "image": [4, 3], "orientation": "portrait"}, "frames""#
        ),
      ],
      [
        (#""plane""#, #""extra": 1, "plane""#), (plane, "{}"), ("[0,0,0,1]]", "[0,0,0]]"),
        (plane, #"{"point": [0,0,1]}"#), (#"]]}"#, #"]], "point": [0,0,0], "normal": [0,1,0]}"#),
        (#"]]}"#, #"]], "extent": {"width": 0, "height": 2}}"#),
        (#"]]}"#, #"]], "center": [0,0,0]}"#),
        (#"]]}"#, #"]], "extents": 1}"#), (", [1, 0]", ""), ("[1, 0]", "[1]"),
        ("[1, 0]", "[1e9, 0]"),
        (#"[]"#, #"[{"timestamp": 1, "camera": \#(camera)}]"#),
        (#"[]"#, #"[{"timestamp": 1, "fingertip": [1], "camera": \#(camera)}]"#),
        (#"[]"#, #"[{"timestamp": "1", "fingertip": null, "camera": \#(camera)}]"#),
        (#""frames""#, #""display": {"size": [9, 9], "image": [4, 3]}, "frames""#),
      ]
    ),
    (
      "landmark-model",
      #""name": "n", "file": "m.tflite", "scheme": "five", \#(input), "output": {"unit": "crop"}"#,
      [
        (#""output""#, #""crop": {"scale": 1.5, "shift": [0, 0.1]}, "output""#),
        (#""output""#, #""presence": {"index": 1, "activation": "logistic"}, "output""#),
        (#""unit""#, #""index": 1, "order": "xyz", "unit""#),
        (#""layout""#, #""channels": "bgr", "mean": [1, 2, 3], "divisor": 255, "layout""#),
      ],
      [
        (#""name""#, #""extra": 1, "name""#), (#", "output": {"unit": "crop"}"#, ""),
        ("five", "six"),
        ("[16, 8]", "[16]"), ("8]", "8.5]"), ("nhwc", "nhcw"),
        (#""layout""#, #""fit": "stretch", "layout""#),
        (#""layout""#, #""mean": "0", "layout""#), (#""unit""#, #""index": 256, "unit""#),
        (#""unit""#, #""order": "yx", "unit""#), (#""output""#, #""crop": {"sise": 1}, "output""#),
        (#""output""#, #""presence": {"index": 1}, "output""#), (#""n""#, "1"),
      ]
    ),
    (
      "detector-model",
      #""name": "n", "file": "m", \#(input), "outputs": [{"boxes": 0, "scores": 1}], "score": {"activation": "none"}, "#
        + #""box": {"form": "center", "unit": "input"}"#,
      [
        (#""box": {"form": "center", "unit": "input"}"#, anchors),
        (#""box": {"form": "center", "unit": "input"}"#, #""box": {}, \#(anchors)"#),
        (#""layout""#, #""fit": "letterbox", "layout""#),
        (#""box""#, #""keypoints": {"count": 6, "first": 4}, "box""#),
      ],
      [
        (#""name""#, #""extra": 1, "name""#), (#", "unit": "input""#, ""), ("center", "centre"),
        (#", "box": {"form": "center", "unit": "input"}"#, ""), (#""box""#, #"\#(anchors), "box""#),
        (#"[{"boxes": 0, "scores": 1}]"#, "[]"), (#""scores": 1"#, #""score": 1"#),
        (#""box""#, #""keypoints": {"count": 7}, "box""#), (#"{"activation": "none"}"#, "{}"),
        (
          #""box": {"form": "center", "unit": "input"}"#,
          anchors.replacing("[[8, 8]]", with: "[[8, -8]]")
        ),
      ]
    ),
    (
      "labels", #""images": [{"name": "a", "file": "a.jpg", "faces": [{"box": [0, 0, 9, 9]}]}]"#,
      [
        (#""images""#, #""source": "mine", "images""#), (#"9]}"#, #"9], "note": 1}"#),
        (#"9]}"#, #"9], "ignore": true, "identity": 3, "attributes": {"AU12": 3}}"#),
        (#"9]}"#, #"9], "ignore": null, "landmarks": {"dlib5": \#(points)}}"#),
        (#"[{"box": [0, 0, 9, 9]}]"#, "[]"),
      ],
      [
        (", 9, 9]", "]"), (", 9, 9]", #", 9, "9"]"#), (#"{"box": [0, 0, 9, 9]}"#, "{}"),
        (#"9]}"#, #"9], "ignore": 1}"#), (#"9]}"#, #"9], "identity": "a"}"#),
        (#"9]}"#, #"9], "attributes": {"a b": 1}}"#), (#"9]}"#, #"9], "attributes": {"a": "1"}}"#),
        (#"9]}"#, #"9], "landmarks": {"mine5": \#(points)}}"#),
        (#"9]}"#, #"9], "landmarks": {"dlib5": \#(points.replacing("2]}", with: "3]}"))}}"#),
        (#""file": "a.jpg", "#, ""),
      ]
    ),
    (
      "mediapipe",
      #""kind": "still"}\#n{"name": "a", "timestamp_ms": 40, "width": 9, "height": 9, "faces": [{"landmarks": \#(mesh)}]"#,
      [
        (#""still""#, #""video", "name": "clip", "fps": 25"#),
        (#""faces""#, #""number": 0, "latency_ns": 1000, "extra": 1, "faces""#),
        ("}]", #", "blendshapes": {"jawOpen": 0.5}, "matrix": \#(matrix)}]"#),
      ],
      [
        ("still", "film"), (#""width": 9, "#, ""), ("9", "0"), ("[0.5, 0.5, 0], ", ""),
        ("[0.5, 0.5, 0]", "[0.5, 0.5]"), ("landmarks", "points"),
        ("}]", #", "matrix": \#(matrix.replacing(", 1]", with: "]"))}]"#),
        ("}]", #", "blendshapes": {"jawOpen": "0"}}]"#),
      ]
    ),
    (
      "vision",
      #""kind": "still"}\#n{"name": "a", "width": 9, "height": 9, "faces": [{"boundingBox": [0, 0, 1, 1]}]"#,
      [
        ("1]}", #"1], "uuid": "u", "confidence": 0.5, "roll": 0.1, "yaw": null}"#),
        ("1]}", #"1], "landmarks": {"space": "image", "regions": {"nose": [[0, 1]]}}}"#),
      ],
      [
        ("boundingBox", "box"), (", 1]", "]"), ("1]}", #"1], "roll": "0"}"#),
        ("1]}", #"1], "landmarks": {"space": "face", "regions": {}}}"#),
        ("1]}", #"1], "landmarks": {"regions": {"nose": [[0]]}}}"#), (#""name": "a", "#, ""),
      ]
    ),
    (
      "arkit",
      #""fps": 60}\#n{"timestamp": 1.5, "faces": [{"identifier": "a", "isTracked": true, "#
        + #""transform": \#(matrix), "blendShapes": {"jawOpen": 0.5}}]"#,
      [
        (#""faces""#, #""camera": {"resolution": [9, 9], "transform": \#(matrix)}, "faces""#),
        (#""faces""#, #""light": {"primaryLightDirection": [0, 1, 0]}, "faces""#),
        (#""jawOpen": 0.5}"#, #"}, "lookAtPoint": [0, 0, 1], "leftEyeTransform": \#(matrix)"#),
      ],
      [
        ("60", #""60""#), ("60", "-1"), (#""timestamp": 1.5, "#, ""), (#""a""#, "1"), ("true", "1"),
        (", [0, 0, 0, 1]", ""), ("0.5", "null"),
        (#""faces""#, #""camera": {"resolution": [9]}, "faces""#),
        (#""faces""#, #""depth": {"width": 1}, "faces""#),
        (#""faces""#, #""light": {"ambientIntensity": "1"}, "faces""#),
      ]
    ),
  ]

  private static let matrix = "[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]"
  private static let mesh =
    "[" + Array(repeating: "[0.5, 0.5, 0]", count: 478).joined(separator: ", ") + "]"
  private static let anchors =
    #""anchors": {"strides": [{"stride": 8, "boxes": [[8, 8]]}], "variance": [0.1, 0.2], "sizes": "linear"}"#
  private static let points =
    #"{"points": [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], "visible": [2, 1, 0, 2, 2]}"#

  @Test(arguments: samples.indices)
  func `readers and schemas agree`(index: Int) throws {
    let (schema, text, fine, wrong) = Self.samples[index]
    let folder = try TemporaryFolder()
    let read = try #require(Self.readers[schema])
    let versions = [(#""version": 1"#, #""version": 2"#), (#""version": 1, "#, "")]
    let cases =
      [("", "", true)] + fine.map { ($0, $1, true) } + (wrong + versions).map { ($0, $1, false) }
    let start = #"{"schema": "facegauge.\#(schema)", "version": 1, \#(text)}"#
    for (part, other, isFine) in cases {
      var file = start
      if !part.isEmpty { file.replaceSubrange(try #require(start.range(of: part)), with: other) }
      let url = try folder.write(file, to: "f.json")
      let isRead = (try? read(url)) != nil
      #expect(isRead == isFine, "\(file)")
      let problems = try file.split(separator: "\n").flatMap {
        try Schema(schema).problems(in: JSONSerialization.jsonObject(with: Data($0.utf8)))
      }
      #expect(problems.isEmpty == isFine, "\(file): \(problems)")
    }
  }
}
