import FaceCore
import FacePipeline
import Foundation
import Imaging
import Tensor
import TestSupport
import Testing

/// The short range against MediaPipe's own tensors and results on the golden images.
@Suite(.enabled(if: Shared.isAvailable, "needs the shared golden files and models"))
struct GoldenDetectorTests {
  private func detector() throws -> FaceDetector {
    FaceDetector(try DetectorModel(.blazeFace(.shortRange), from: Shared.bundle))
  }

  @Test(arguments: GoldenCase.names)
  func `the input of the model is the golden one bit for bit`(name: String) throws {
    let crop = DetectionDecoder(geometry: .shortRange).crop
    let image = try GoldenCase.image(name)
    var tensor = [Float](repeating: .nan, count: crop.count)
    _ = try tensor.withUnsafeMutableBufferPointer {
      try crop.convert(image, region: .whole, into: $0)
    }
    let golden = try Shared.goldenFloats("\(name).det_input_128x128x3.f32")
    #expect(tensor.map(\.bitPattern) == golden.map(\.bitPattern))
  }

  /// Another order of summation than XNNPACK's was seen to differ by 1.7e-4; the limit is three times that.
  @Test(arguments: GoldenCase.names)
  func `the model's regressors are within 5e-4 input pixels and its scores within 4e-4`(
    name: String
  ) throws {
    let detector = try detector()
    _ = try detector.prepare(GoldenCase.image(name))
    detector.infer()
    let candidates = detector.candidates(floor: 0)
    let regressors = try Shared.goldenFloats("\(name).det_regressors_896x16.f32")
    let logits = try Shared.goldenFloats("\(name).det_scores_896x1.f32")
    try #require(candidates.count == 896)
    var worst: Float = 0
    var worstScore = 0.0
    for candidate in candidates {
      for lane in 0..<16 {
        let golden = regressors[candidate.anchor * 16 + lane]
        worst = max(worst, abs(candidate.regressors[lane] - golden))
      }
      let score = 1 / (1 + exp(-Double(logits[candidate.anchor])))
      worstScore = max(worstScore, abs(Double(candidate.score) - score))
    }
    #expect(worst <= 5e-4)
    // A logit within 1.5e-3 moves the score by a quarter of that at most.
    #expect(worstScore <= 1.5e-3 / 4)
  }

  /// Everything after the model is specified to the last bit; 1e-6 leaves room for the way from
  /// corner to centre.
  @Test(arguments: GoldenCase.names, [0.5, 0.3])
  func `the golden outputs of the model decode to the golden faces within 1e-6`(
    name: String, overlap: Double
  ) throws {
    let golden = try GoldenCase(name)
    let expected = overlap == 0.5 ? golden.landmarkerFaces : golden.detectorFaces
    let decoder = DetectionDecoder(geometry: .shortRange)
    let size = try GoldenCase.image(name).size
    let regressors = try Shared.goldenFloats("\(name).det_regressors_896x16.f32")
    let logits = try Shared.goldenFloats("\(name).det_scores_896x1.f32")
    let faces = decoder.normalizedDetections(
      from: DetectorCandidate.all(
        logits: logits.view, regressors: regressors.view, floor: 0.01),
      projection: decoder.crop.projection(of: .whole, in: size), threshold: 0.5,
      overlap: overlap)
    try #require(faces.count == expected.count)
    let deviation = Deviation(faces, expected)
    #expect(deviation.isWithin(1e-6), "\(deviation)")
  }

  @Test(arguments: GoldenCase.names, [0.5, 0.3])
  func `faces are the golden ones within 1e-5 of the image`(
    name: String, overlap: Double
  ) throws {
    let golden = try GoldenCase(name)
    let expected = overlap == 0.5 ? golden.landmarkerFaces : golden.detectorFaces
    let faces = try detector().faces(
      in: GoldenCase.image(name), threshold: 0.5, overlap: overlap)
    try #require(faces.count == expected.count)
    let deviation = Deviation(faces, expected)
    #expect(deviation.isWithin(1e-5), "\(deviation)")
  }

  /// The task cuts each number off to whole pixels, which a difference of 1e-5 can move only at a border.
  @Test(arguments: GoldenCase.names)
  func `whole-pixel boxes are those of the Face Detector task`(name: String) throws {
    let golden = try GoldenCase(name)
    let image = try GoldenCase.image(name)
    let faces = try detector().faces(in: image, threshold: 0.5, overlap: 0.3)
    let (w, h) = (Float(image.width), Float(image.height))
    func whole(_ value: Float, of side: Float) -> Int {
      min(max(Int(value * side), 0), Int(side))
    }
    let boxes = faces.map {
      [
        whole($0.xmin, of: w), whole($0.ymin, of: h), whole($0.width, of: w),
        whole($0.height, of: h),
      ]
    }
    #expect(boxes == golden.publicFaces.map(\.bbox))
    for (face, other) in zip(faces, golden.publicFaces) {
      #expect(abs(face.score - other.score) <= 1e-5)
      for (point, expected) in zip(face.keypoints, other.keypoints) {
        #expect(abs(point.x - expected[0]) <= 1e-5 && abs(point.y - expected[1]) <= 1e-5)
      }
    }
  }

  @Test(arguments: GoldenCase.names)
  func `stored candidates decode to the same faces without the model`(name: String) throws {
    let detector = try detector()
    let image = try GoldenCase.image(name)
    let projection = try detector.prepare(image)
    detector.infer()
    let candidates = detector.candidates(floor: 0.01)
    let direct = detector.decoder.normalizedDetections(
      from: candidates, projection: projection, threshold: 0.5, overlap: 0.5)
    #expect(!direct.isEmpty)
    #expect(
      direct.map { $0.inPixels(of: image.size) }
        == DetectionDecoder(geometry: .shortRange).detections(
          from: candidates, size: image.size, threshold: 0.5, overlap: 0.5))
  }
}
