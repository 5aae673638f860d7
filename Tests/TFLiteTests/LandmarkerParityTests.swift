import Foundation
import TFLite
import Tensor
import TestSupport
import Testing

/// The bundle's landmark and blendshape models against MediaPipe's wheel, whose XNNPACK sums in another order.
///
/// Tolerances are four times the largest differences seen with two other engines: landmarks 2.5e-4 pixels of
/// 256, logits 8.4e-5, blendshapes 4.9e-6. On the crops without a face landmarks differ four times as much.
@Suite(.enabled(if: Shared.isAvailable, "needs the shared golden files and models"))
struct LandmarkerParityTests {
  /// A golden file, as far as the models' own inputs and outputs are in it.
  struct Golden: Decodable {
    struct Size: Decodable { var width, height: Float }
    struct Category: Decodable { var score: Float }
    struct Faces: Decodable {
      /// Normalised x, y, z.
      var face_landmarks: [[[Float]]]
      var face_blendshapes: [[Category]]
    }
    enum Tensor: Decodable {
      case number(Float), other
      init(from decoder: any Decoder) throws {
        let number = try? decoder.singleValueContainer().decode(Float.self)
        self = number.map { .number($0) } ?? .other
      }
    }
    var image: Size
    var face_landmarker: Faces
    var tensors: [String: Tensor]

    init(_ name: String) throws {
      self = try JSONDecoder().decode(Golden.self, from: Data(Shared.golden("\(name).json")))
    }

    func number(_ key: String) -> Float? {
      guard case .number(let number) = tensors[key] else { return nil }
      return number
    }
  }

  struct Crop: CustomTestStringConvertible, Sendable {
    var image: String
    var index: Int
    var hasFace: Bool
    var testDescription: String { "\(image) lm\(index)" }
  }

  static let crops: [Crop] = [
    ("2008_002506", 3, true), ("2008_007676", 2, false), ("2009_004587", 2, true),
    ("Tom_Cruise_avp_2014_4", 1, true),
  ].flatMap { image, count, hasFace in
    (0..<count).map { Crop(image: image, index: $0, hasFace: hasFace) }
  }

  private func model(_ member: String, _ choice: KernelChoice) throws -> Model {
    try Model.load(
      path: Shared.bundle.path, member: member, kernels: choice)
  }

  @Test(arguments: crops, OperatorTests.choices)
  func `the landmark model gives the golden landmarks, presence and tongue`(
    _ crop: Crop, _ choice: KernelChoice
  ) throws {
    let model = try model("face_landmarks_detector.tflite", choice)
    #expect(model.inputs.map(\.shape.dimensions) == [[1, 256, 256, 3]])
    #expect(model.outputs.map(\.shape.dimensions) == [[1, 1, 1, 1434], [1, 1, 1, 1], [1, 1]])
    #expect(abs(Double(model.multiplyAccumulates) / 1e6 - 112.86) <= 0.005)
    let golden = try Golden(crop.image)
    let name = "lm\(crop.index)"
    let values = try Shared.goldenFloats("\(crop.image).\(name)_input_256x256x3.f32")
    let session = Session(model)
    // Twice: the second run must not see what the first left in the arena.
    for _ in 0..<2 {
      session.withInput { input in
        for position in input.indices { input[position] = values[position] }
      }
      session.run()
    }
    let landmarks = greatestDifference(
      session.output(0), try Shared.goldenFloats("\(crop.image).\(name)_landmarks_478x3.f32"))
    let presence = abs(
      session.output(1)[0] - (try #require(golden.number("\(name)_presence_logit"))))
    let tongue = abs(session.output(2)[0] - (try #require(golden.number("\(name)_tongue_out"))))
    if choice == .automatic {
      print("\(crop.testDescription): landmarks \(landmarks), logit \(presence), tongue \(tongue)")
    }
    #expect(landmarks <= (crop.hasFace ? 1e-3 : 3e-3))
    #expect(presence <= 3e-4)
    // A quarter of the logits' tolerance, the steepest that a probability follows its logit.
    #expect(tongue <= 3e-4 / 4)
  }

  /// The model's input as the landmarker makes it: 146 of the landmarks, in pixels of the image.
  private static let points = [
    0, 1, 4, 5, 6, 7, 8, 10, 13, 14, 17, 21, 33, 37, 39, 40, 46, 52, 53, 54, 55, 58, 61, 63, 65, 66,
    67, 70, 78, 80, 81, 82, 84, 87, 88, 91, 93, 95, 103, 105, 107, 109, 127, 132, 133, 136, 144,
    145, 146, 148, 149, 150, 152, 153, 154, 155, 157, 158, 159, 160, 161, 162, 163, 168, 172, 173,
    176, 178, 181, 185, 191, 195, 197, 234, 246, 249, 251, 263, 267, 269, 270, 276, 282, 283, 284,
    285, 288, 291, 293, 295, 296, 297, 300, 308, 310, 311, 312, 314, 317, 318, 321, 323, 324, 332,
    334, 336, 338, 356, 361, 362, 365, 373, 374, 375, 377, 378, 379, 380, 381, 382, 384, 385, 386,
    387, 388, 389, 390, 397, 398, 400, 402, 405, 409, 415, 454, 466, 468, 469, 470, 471, 472, 473,
    474, 475, 476, 477,
  ]

  @Test(arguments: ["2008_002506", "2009_004587", "Tom_Cruise_avp_2014_4"], OperatorTests.choices)
  func `the blendshape model gives the golden scores for the golden landmarks`(
    _ image: String, _ choice: KernelChoice
  ) throws {
    let model = try model("face_blendshapes.tflite", choice)
    #expect(model.inputs.map(\.shape.dimensions) == [[1, 146, 2]])
    #expect(model.outputs.map(\.shape.dimensions) == [[52]])
    #expect(abs(Double(model.multiplyAccumulates) / 1e6 - 31.83) <= 0.005)
    let golden = try Golden(image)
    let session = Session(model)
    try #require(!golden.face_landmarker.face_landmarks.isEmpty)
    var worst: Float = 0
    for (landmarks, scores) in zip(
      golden.face_landmarker.face_landmarks, golden.face_landmarker.face_blendshapes)
    {
      session.withInput { input in
        for (index, point) in LandmarkerParityTests.points.enumerated() {
          input[index * 2] = landmarks[point][0] * golden.image.width
          input[index * 2 + 1] = landmarks[point][1] * golden.image.height
        }
      }
      session.run()
      worst = max(worst, greatestDifference(session.output(0), scores.map(\.score)))
    }
    if choice == .automatic { print("\(image): blendshapes \(worst)") }
    #expect(worst <= 2e-5)
  }

  @Test(arguments: OperatorTests.choices)
  func `the blendshape model does not see the scale or position of the face`(
    _ choice: KernelChoice
  ) throws {
    let session = Session(try model("face_blendshapes.tflite", choice))
    let landmarks = try #require(Golden("2009_004587").face_landmarker.face_landmarks.first)
    let scores = [(Float(512), Float(0)), (64, 16)].map { scale, shift in
      session.withInput { input in
        for (index, point) in LandmarkerParityTests.points.enumerated() {
          input[index * 2] = landmarks[point][0] * scale + shift
          input[index * 2 + 1] = landmarks[point][1] * scale + shift
        }
      }
      session.run()
      return session.output(0)
    }
    // Moving the points rounds them to 1e-6 of their size, which the scores follow.
    #expect(greatestDifference(scores[0], scores[1]) <= 1e-4)
    #expect(scores[0].contains { $0 > 0.1 })
  }
}
