import FaceCore
import FacePipeline
import Foundation
import Imaging
import Platform
import Profiling
import Tensor
import TestSupport
import Testing

/// The attention model in the whole pipeline against MediaPipe's older Face Mesh with refined landmarks
/// (Tests/Oracles/face_mesh.py).
///
/// Another order of summation than XNNPACK's was seen to move points by 4e-7 for MediaPipe's own regions, and regions
/// by 5e-6; two to three times that is the tolerance of each stage. A region that moves flips roundings of the crop
/// to 1/32 pixel, so whole images have the tolerance of the Face Landmarker's golden ones, or what MediaPipe's own
/// points move when its region does by 1e-6, where that is more.
@Suite(
  .enabled(
    if: Shared.isAvailable && PulledModels.haveAttention,
    "needs the shared images and the models of 'models pull'"))
struct FaceMeshTests {
  struct Image: Decodable, CustomTestStringConvertible {
    var file: String
    var degrees: Int
    var sha256: String
    var regions: [[Float]]
    var faces: [Data]
    /// How far each face of MediaPipe's moves, in x or y and in z, when its region does by 1e-6.
    var spread: [[Float]]
    var testDescription: String { "\(file) turned by \(degrees)" }

    var expectedRegions: [NormalizedRect] {
      regions.map {
        NormalizedRect(
          xCenter: $0[0], yCenter: $0[1], width: $0[2], height: $0[3], rotation: $0[4])
      }
    }

    var expectedFaces: [[SIMD3<Float>]] {
      faces.map { data in
        let bytes = [UInt8](data)
        let floats = stride(from: 0, to: bytes.count, by: 4).map { at in
          Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << (8 * $1) })
        }
        return stride(from: 0, to: floats.count, by: 3).map {
          SIMD3(floats[$0], floats[$0 + 1], floats[$0 + 2])
        }
      }
    }

    /// The pixels that MediaPipe saw.
    func pixels() throws -> PixelBuffer {
      let url = Shared.folder.appending(path: file)
      let bytes = try [UInt8](Data(contentsOf: url))
      let image = try PixelBuffer(decoding: bytes[...])
      return degrees == 0 ? image : try turned(image)
    }

    /// Each pixel from the nearest one, in 1/65536, as the script does it.
    private func turned(_ image: PixelBuffer) throws -> PixelBuffer {
      let angle = Double(degrees) * .pi / 180
      let (c, s) = (Int((cos(angle) * 65536).rounded()), Int((sin(angle) * 65536).rounded()))
      let (width, height) = (image.width, image.height)
      var bytes = [UInt8](repeating: 0, count: width * height * 3)
      for row in 0..<height {
        for column in 0..<width {
          let (x, y) = (2 * column - width, 2 * row - height)
          let u = (c * x + s * y + width * 65536 + 65536) >> 17
          let v = (c * y - s * x + height * 65536 + 65536) >> 17
          guard 0..<width ~= u, 0..<height ~= v else { continue }
          for channel in 0..<3 {
            bytes[(row * width + column) * 3 + channel] =
              image.bytes[(v * width + u) * 3 + channel]
          }
        }
      }
      return try #require(PixelBuffer(width: width, height: height, bytes: bytes))
    }
  }

  struct Refinement: Decodable {
    /// The points that an output of the model gives.
    var points: [Int]
    /// The points whose mean depth they take; none where they keep their own.
    var mean: [Int]
  }

  struct File: Decodable {
    var refinements: [Refinement]
    var numFaces: Int
    var images: [Image]
  }

  static let file = try? Oracles.read("face_mesh", as: File.self)
  static let images = file?.images ?? []

  private func result(_ test: Image) throws -> FaceLandmarkerResult {
    let models = try FaceLandmarkerModels(
      detector: .shortRange, landmarks: .attention, from: PulledModels.folder)
    var options = FaceLandmarkerOptions()
    options.numFaces = try #require(FaceMeshTests.file).numFaces
    let landmarker = try FaceLandmarker(models, options: options)
    var timer = StageTimer(stages: PipelineStage.names)
    let image = try test.pixels()
    #expect(try SHA256.hexadecimal(of: image.bytes) == test.sha256)
    return try landmarker.detect(image, timer: &timer)
  }

  @Test func `there are 20 faces or more, upright and turned`() {
    #expect(FaceMeshTests.images.count { $0.degrees != 0 } >= 6)
    #expect(FaceMeshTests.images.reduce(0) { $0 + $1.faces.count } >= 20)
  }

  @Test(arguments: images)
  func `regions are MediaPipe's within 1e-5 of the image`(_ test: Image) throws {
    let result = try result(test)
    let regions = (result.faces + result.rejected).map(\.region)
    try #require(regions.count == test.regions.count)
    for expected in test.expectedRegions {
      let nearest = regions.map { $0.difference(expected) }.min() ?? .infinity
      #expect(nearest <= 1e-5)
    }
  }

  @Test(arguments: images)
  func `points of MediaPipe's own regions are its own within 1e-6`(_ test: Image) throws {
    let estimator = LandmarkEstimator(
      try LandmarkModel(.mediaPipe(.attention), from: PulledModels.folder))
    let image = try test.pixels()
    var faces: [[SIMD3<Float>]] = []
    for region in test.expectedRegions {
      try estimator.prepare(image, region: region)
      estimator.infer()
      var landmarks: [SIMD3<Float>] = []
      let reading = estimator.reading(of: region, in: image.size, landmarks: &landmarks)
      if LandmarkDecoding.presence(logit: reading.presenceLogit) > 0.5 { faces.append(landmarks) }
    }
    try #require(faces.count == test.faces.count)
    for (face, expected) in zip(faces, test.expectedFaces) {
      #expect(face.difference(expected) <= 1e-6)
    }
  }

  @Test(arguments: images)
  func `faces are MediaPipe's within 5e-5 in x and y and 1e-4 in z`(_ test: Image) throws {
    let result = try result(test)
    try #require(result.faces.count == test.faces.count)
    for (index, (face, expected)) in zip(result.faces, test.expectedFaces).enumerated() {
      try #require(face.landmarks.count == 478 && expected.count == 478)
      var worst = SIMD3<Float>()
      for (point, other) in zip(face.landmarks, expected) {
        let offset = point - other
        worst = pointwiseMax(worst, pointwiseMax(offset, -offset))
      }
      #expect(max(worst.x, worst.y) <= max(5e-5, test.spread[index][0]), "\(worst)")
      #expect(worst.z <= max(1e-4, test.spread[index][1]), "\(worst)")
    }
  }
}

/// The joining of the model's outputs, by the lists of MediaPipe's own graph (Tests/Oracles/face_mesh.py).
struct AttentionRefinementTests {
  @Test func `the points are those that MediaPipe's refinements give, in its order`() throws {
    let refinements = try #require(FaceMeshTests.file).refinements
    try #require(refinements.map(\.points.count) == [468, 80, 71, 71, 5, 5])
    // Numbers that tell output, point and coordinate.
    let outputs = refinements.enumerated().map { output, refinement in
      (0..<refinement.points.count * (output == 0 ? 3 : 2)).map { Float(output * 4096 + $0) }
    }
    var expected = [Float](repeating: .nan, count: 478 * 3)
    for (output, refinement) in zip(outputs, refinements) {
      let dimensions = output.count / refinement.points.count
      for (position, point) in refinement.points.enumerated() {
        for lane in 0..<dimensions {
          expected[3 * point + lane] = output[dimensions * position + lane]
        }
      }
      guard !refinement.mean.isEmpty else { continue }
      let depths = refinement.mean.map { Double(expected[3 * $0 + 2]) }
      let mean = Float(depths.reduce(0, +) / Double(depths.count))
      for point in refinement.points { expected[3 * point + 2] = mean }
    }
    let (mesh, lips) = (outputs[0], outputs[1])
    let (leftEye, rightEye, leftIris, rightIris) = (outputs[2], outputs[3], outputs[4], outputs[5])
    var points: [Float] = [7]
    for _ in 0..<2 {
      AttentionRefinement.points(
        mesh: mesh.view, lips: lips.view, imageLeftEye: leftEye.view, imageRightEye: rightEye.view,
        leftIris: leftIris.view, rightIris: rightIris.view, into: &points)
      #expect(points == expected)
    }
  }
}
