import FaceCore
import FacePipeline
import Foundation
import Imaging
import Platform
import Profiling
import Tensor
import TestSupport
import Testing

/// Models of the user's own by their cards, on the models of Tests/Oracles/own_models.py.
@Suite struct ModelCardTests {
  static let models = (try? Oracles.read("own_models", as: [String: Data].self)) ?? [:]

  static let input = #""input": {"size": [16, 16], "layout": "nhwc", "divisor": 255}"#
  static let landmarks = """
    {"schema": "facegauge.landmark-model", "version": 1, "name": "centre", "file": "float.tflite", "scheme": "five",
     \(input), "output": {"unit": "crop"}, "presence": {"index": 1, "activation": "none"}}
    """
  static let detector = """
    {"schema": "facegauge.detector-model", "version": 1, "name": "light", "file": "detector.tflite", \(input),
     "outputs": [{"boxes": 0, "scores": 1}], "box": {"form": "center", "unit": "input"},
     "score": {"activation": "none"}}
    """

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for (name, model) in Self.models { try folder.write(model, to: "\(name).tflite") }
  }

  private func landmarkCard(_ text: String = landmarks) throws -> LandmarkCard {
    try LandmarkCard(folder.write(Array(text.utf8), to: "landmarks.json"))
  }

  private func detectorCard(_ text: String = detector) throws -> DetectorCard {
    try DetectorCard(folder.write(Array(text.utf8), to: "detector.json"))
  }

  /// Black with a light square, and the position of its centre.
  private func image(_ x: Int, _ y: Int, side: Int = 40) -> PixelBuffer {
    var pixels = PixelBuffer(width: 320, height: 240, color: RGB(0, 0, 0))
    for row in y..<y + side {
      pixels.stroke(
        BoundingBox(x: Double(x), y: Double(row), width: Double(side), height: 1),
        color: RGB(255, 255, 255))
    }
    return pixels
  }

  private func faces(
    _ own: OwnModels, in image: borrowing PixelBuffer, rotation: Int = 0,
    engine: any InferenceModel.Type = ModelCatalog.engine
  ) throws -> FaceLandmarkerResult {
    let models = try FaceLandmarkerModels(
      detector: .shortRange, own: own, from: PulledModels.folder, engine: engine)
    var options = FaceLandmarkerOptions()
    options.outputFaceBlendshapes = true
    options.outputFacialTransformationMatrixes = true
    let landmarker = try FaceLandmarker(models, options: options)
    var timer = StageTimer(stages: PipelineStage.names)
    return try landmarker.detect(image, rotationDegrees: rotation, timer: &timer)
  }

  @Test(arguments: [(40, 60), (200, 30), (131, 163)])
  func `an own detector and an own landmark model find a square where it is`(
    _ x: Int, _ y: Int
  ) throws {
    let result = try faces(
      OwnModels(detector: detectorCard(), landmarks: landmarkCard()), in: image(x, y))
    let face = try #require(result.faces.first)
    #expect(result.faces.count == 1 && result.detections.count == 1)
    let detection = result.detections[0].inPixels(of: result.size)
    // The logistic of 0.2 · light - 2, with 4 to 9 pixels of the input in the square, 3 channels each.
    #expect(detection.keypoints.isEmpty && 0.59...0.97 ~= detection.score)
    // A pixel of the input is 20 x 15 of the image, in which the square is sampled once or twice across.
    #expect(abs(detection.box.width - 96) < 0.01 && abs(detection.box.height - 96) < 0.01)
    let center = (Double(x) + 20, Double(y) + 20)
    #expect(abs(detection.box.x + 48 - center.0) < 8 && abs(detection.box.y + 48 - center.1) < 8)
    let points = face.prediction.points
    let expected: [(Double, Double)] = [
      (-0.2, -0.1), (0.2, -0.1), (0, 0.05), (-0.15, 0.2), (0.15, 0.2),
    ]
    for (point, offset) in zip(points, expected) {
      // A pixel of the crop is 6 of the image.
      #expect(abs(Double(point.x) - center.0 - offset.0 * 96) < 2)
      #expect(abs(Double(point.y) - center.1 - offset.1 * 96) < 2)
    }
    #expect(face.prediction.box == face.prediction.ownBox)
    #expect(abs((face.prediction.box?.width ?? 0) - 96) < 0.01)
    #expect(face.prediction.scheme == .five && face.presence > 0.9 && face.blendshapes == nil)
  }

  /// The models add at most 768 products of numbers up to 1, whose order moves a sum by some 1e-6.
  @Test(.enabled(if: LiteRTModel.python != nil, "needs FACEGAUGE_PYTHON"))
  func `another engine finds the same square with own models`() throws {
    let own = try OwnModels(detector: detectorCard(), landmarks: landmarkCard())
    let known = try #require(faces(own, in: image(131, 163)).faces.first)
    let found = try faces(own, in: image(131, 163), engine: LiteRTModel.self).faces
    try #require(found.count == 1)
    #expect(abs(found[0].presenceLogit - known.presenceLogit) <= 1e-5)
    for (point, twin) in zip(found[0].landmarks, known.landmarks) {
      #expect(abs(point.x - twin.x) <= 1e-6 && abs(point.y - twin.y) <= 1e-6)
    }
  }

  @Test(arguments: [(40, 60), (131, 163)])
  func `a JPEG that was decoded smaller has the square at the same place`(
    _ x: Int, _ y: Int
  ) throws {
    let bytes = try image(x, y).jpegBytes(quality: 95)
    let own = try OwnModels(detector: detectorCard(), landmarks: landmarkCard())
    let known = try faces(own, in: PixelBuffer(decoding: bytes[...]))
    let found = try faces(own, in: PixelBuffer(decoding: bytes[...], minSide: 160))
    #expect(found.size == known.size && found.faces.count == 1)
    let face = try #require(found.faces.first).prediction
    let twin = try #require(known.faces.first).prediction
    // A pixel of the detector's input is 20 x 15 of the image, one of the crop 6.
    for (point, place) in zip(face.points, twin.points) {
      #expect(abs(point.x - place.x) < 2 && abs(point.y - place.y) < 2)
    }
  }

  @Test func `quarter turns of the image leave boxes where they are`() throws {
    for turn in [90, 180, 270] {
      let result = try faces(
        OwnModels(detector: detectorCard(), landmarks: landmarkCard()), in: image(180, 40),
        rotation: turn)
      let detection = try #require(result.detections.first).inPixels(of: result.size)
      let center = (
        detection.box.x + detection.box.width / 2, detection.box.y + detection.box.height / 2
      )
      #expect(abs(center.0 - 200) < 8 && abs(center.1 - 60) < 8, "\(turn): \(center)")
    }
  }

  @Test
  func `weights of FLOAT16 and INT8 are read, and move points by no more than they are rounded`()
    throws
  {
    func points(_ model: String) throws -> [SIMD3<Float>] {
      let card = try landmarkCard(
        Self.landmarks.replacingOccurrences(of: "float.tflite", with: "\(model).tflite"))
      let result = try faces(
        OwnModels(detector: detectorCard(), landmarks: card), in: image(150, 100))
      return try #require(result.faces.first).prediction.points
    }
    let exact = try points("float")
    // The weights are odd numbers of 32nds, which FLOAT16 holds.
    #expect(try points("float16").map { [$0.x, $0.y] } == exact.map { [$0.x, $0.y] })
    for (model, rounding) in [("int8", 0.5 / 127)] {
      let distance = zip(exact, try points(model)).map { max(abs($0.x - $1.x), abs($0.y - $1.y)) }
      // Of a crop of 96 pixels.
      #expect(Double(distance.max() ?? .infinity) <= rounding * 96 + 1e-3)
      #expect(distance.contains { $0 > 0 })
    }
  }

  @Test func `stages that need the mesh are left out with the reason, and no mode but image runs`()
    throws
  {
    let card = try landmarkCard()
    let models = try FaceLandmarkerModels(
      detector: .shortRange, own: OwnModels(detector: detectorCard(), landmarks: card),
      from: PulledModels.folder)
    #expect(models.loaded.map(\.name) == ["light", "centre"])
    #expect(models.loaded.allSatisfy { $0.sha256.count == 64 && $0.remark?.isEmpty == false })
    #expect(models.absent.map(\.stage) == [.blendshapes, .geometry])
    #expect(
      models.absent.allSatisfy {
        $0.reason == "it needs the points of mediapipe478, and the landmark model has five"
      })
    var options = FaceLandmarkerOptions()
    options.runningMode = .video
    let error = #expect(throws: FaceLandmarkerError.self) {
      try FaceLandmarker(models, options: options)
    }
    #expect(error?.description.contains("expected running mode image for the model of") == true)
    options.runningMode = .live
    let live = #expect(throws: FaceLandmarkerError.self) {
      try LiveFaceLandmarker(models, options: options, resultListener: { _ in }, ended: {})
    }
    #expect(live?.description == error?.description.replacing("found video", with: "found live"))
  }

  /// What is replaced in the landmark card, and the rest of the error.
  static let wrongLandmarkCards: [(String, String, String)] = [
    (
      "facegauge.landmark", "facegauge.detector",
      #"'schema' in |: expected "facegauge.landmark-model", found "facegauge.detector-model""#
    ),
    (#""version": 1"#, #""version": 2"#, "'version' in |: expected 1, found 2"),
    (#""name": "centre", "#, "", #": expected the key "name", found none"#),
    (
      #""scheme": "five""#, #""scheme": "six""#,
      #"'scheme' in |: expected one of ibug68, wflw98, cofw29, five, lapa106, aflw21, aflw19, mediapipe478, dlib5, blazeface6, facepp83, helen194, found "six""#
    ),
    ("[16, 16]", "[16]", "'input.size' in |: expected a list of 2 numbers, found 1"),
    (
      "[16, 16]", "[16, 16.5]",
      "'input.size[1]' in |: expected a whole number from 1 to 4096, found 16.5"
    ),
    (
      #""layout": "nhwc""#, #""layout": "nhcw""#,
      #"'input.layout' in |: expected one of nhwc, nchw, found "nhcw""#
    ),
    (
      #""divisor": 255"#, #""divisor": 0"#,
      "'input.divisor' in |: expected numbers other than 0, found 0"
    ),
    (
      #""divisor": 255"#, #""divisor": [1, 2]"#,
      "'input.divisor' in |: expected a list of 3 numbers, found 2"
    ),
    (#""unit": "crop""#, "", #"'output' in |: expected the key "unit", found none"#),
    (
      #""unit": "crop""#, #""unit": "crop", "from": 1"#,
      #"'output' in |: expected only the keys unit, index, order, found the key "from""#
    ),
    (
      #", "output""#, #", "crop": {"sise": 1}, "output""#,
      #"'crop' in |: expected only the keys scale, shift|found the key "sise""#
    ),
    ("{", "", "expected an object|found \"schema\""),
    // Those that the model's own sizes decide.
    (
      "[16, 16]", "[16, 17]",
      "landmarks.json, input: expected [[1, 16, 16, 3]] as in float.tflite, found [1, 17, 16, 3]"
    ),
    (
      #""scheme": "five""#, #""scheme": "ibug68""#,
      "landmarks.json, output: expected 10 numbers as in float.tflite, found the 136 of ibug68"
    ),
    (
      #"{"index": 1,"#, #"{"index": 2,"#,
      "landmarks.json, presence.index: expected 0 to 1 as in float.tflite, found 2"
    ),
    (
      #"{"index": 1,"#, #"{"index": 1, "column": 1,"#,
      "landmarks.json, presence.column: expected 0 to 0 as in float.tflite, found 1"
    ),
    // Those that images without a face decide: black has a logit of -2, noise points from 0.306 to 0.706.
    (
      #""activation": "none""#, #""activation": "logistic""#,
      "landmarks.json, presence.activation: expected none for probabilities of 0.119 to 1.0 as in float.tflite, found logistic"
    ),
    (
      #""unit": "crop""#, #""unit": "pixels""#,
      "landmarks.json, output.unit: expected crop for points of 0.|as in float.tflite, found pixels"
    ),
  ]

  @Test(arguments: wrongLandmarkCards)
  func `a wrong card is one line with the key, what is expected and what was found`(
    _ part: String, _ other: String, _ message: String
  ) throws {
    let range = try #require(Self.landmarks.range(of: part))
    let text = Self.landmarks.replacingCharacters(in: range, with: other)
    let error = #expect(throws: FileError.self) {
      _ = try LandmarkModel(.own(landmarkCard(text)))
    }
    #expect(error?.kind == .wrongData)
    #expect(
      message.split(separator: "|").allSatisfy { error?.description.contains($0) == true },
      "\(String(describing: error))")
  }

  static let wrongDetectorCards: [(String, String, String)] = [
    (
      #""box": {"form": "center", "unit": "input"}"#, #""box": {"form": "center"}"#,
      "'box.unit' in |: expected one of input, pixels, found nothing"
    ),
    (
      #""score": {"activation": "none"}"#, #""score": {}"#,
      #"'score' in |: expected the key "activation", found none"#
    ),
    (
      #"[{"boxes": 0, "scores": 1}]"#, "[]",
      "'outputs' in |: expected a list of 1 to 16 elements, found an empty list"
    ),
    (
      #"[{"boxes": 0, "scores": 1}]"#, #"[{"boxes": 0, "scores": 9}]"#,
      "detector.json, outputs[0].scores: expected 0 to 1 as in detector.tflite, found 9"
    ),
    (
      #""score": {"#, #""keypoints": {"count": 5}, "score": {"#,
      "detector.json, keypoints: expected 4 numbers for each box as in detector.tflite, found 14"
    ),
    (
      #""score": {"#, #""keypoints": {"count": 7}, "score": {"#,
      "'keypoints.count' in |: expected a whole number from 0 to 6, found 7"
    ),
    (
      #""score": {"#, #""score": {"column": 1, "#,
      "detector.json, score.column: expected 0 to 0 as in detector.tflite, found 1"
    ),
    (
      #""score": {"#, #""anchors": {}, "score": {"#,
      "'box' in |: expected no form and no unit of boxes that are relative to anchors, found an object"
    ),
    (
      #""box": {"form": "center", "unit": "input"}"#,
      #""anchors": {"strides": [{"stride": 8, "boxes": [[8, 8]]}], "variance": [1, 1], "sizes": "linear"}"#,
      "detector.json, anchors: expected 1 rows as in detector.tflite, found 4 anchors"
    ),
    (
      #""box": {"form": "center", "unit": "input"}"#,
      #""anchors": {"strides": [{"stride": 8, "boxes": [[8, -8]]}], "variance": [1, 1], "sizes": "linear"}"#,
      "'anchors.strides[0].boxes[0][1]' in |: expected a number from 0.001 to 1000000, found -8"
    ),
    (
      #""activation": "none""#, #""activation": "logistic""#,
      "detector.json, score.activation: expected none for probabilities of 0.119 to 1.0 as in detector.tflite, found logistic"
    ),
  ]

  @Test(arguments: wrongDetectorCards)
  func `a wrong card of a detector is one line too`(
    _ part: String, _ other: String, _ message: String
  ) throws {
    let range = try #require(Self.detector.range(of: part))
    let text = Self.detector.replacingCharacters(in: range, with: other)
    let error = #expect(throws: FileError.self) {
      _ = try DetectorModel(.own(detectorCard(text)))
    }
    #expect(
      message.split(separator: "|").allSatisfy { error?.description.contains($0) == true },
      "\(String(describing: error))")
  }

  @Test(.enabled(if: PulledModels.areAvailable, "needs the models of 'models pull'"))
  func `logits are told from probabilities`() throws {
    let file = PulledModels.shortRange.path
    func model(_ activation: String) throws -> DetectorModel {
      let text = """
        {"schema": "facegauge.detector-model", "version": 1, "name": "blaze", "file": "\(file)",
         "input": {"size": [128, 128], "layout": "nhwc", "mean": 127.5, "divisor": 127.5},
         "outputs": [{"boxes": 0, "scores": 1}], "box": {"form": "center", "unit": "pixels"},
         "score": {"activation": "\(activation)"}}
        """
      return try DetectorModel(.own(detectorCard(text)))
    }
    _ = try model("logistic")
    let error = #expect(throws: FileError.self) { _ = try model("none") }
    let text = error?.description ?? ""
    #expect(text.contains("score.activation: expected logistic for logits of -"), "\(text)")
  }

  @Test func `a missing card and a missing model are named`() throws {
    let missing = #expect(throws: FileError.self) {
      try LandmarkCard(folder.file("none.json"))
    }
    #expect(missing?.kind == .notFound)
    let text = Self.landmarks.replacingOccurrences(of: "float.tflite", with: "none.tflite")
    let error = #expect(throws: FileError.self) {
      _ = try LandmarkModel(.own(landmarkCard(text)))
    }
    #expect(error?.kind == .notFound && error?.description.contains("none.tflite") == true)
  }
}

extension LandmarkedFace {
  fileprivate var prediction: FacePrediction {
    let result = FaceLandmarkerResult(
      timestampMicroseconds: nil, size: ImageSize(width: 320, height: 240), detectorRan: true,
      isSmoothed: false)
    var copy = result
    copy.faces = [self]
    return copy.prediction(frame: 0, stageNanoseconds: []).faces[0]
  }
}
