import Foundation
import TFLite
import Tensor
import Testing

/// The face detectors against MediaPipe's wheel and LiteRT, both with XNNPACK.
///
/// Tolerances are the project's for engines that sum in another order: regressors, which range over
/// ±340 network pixels, 5e-4, and logits 1.5e-3 (three times the largest differences seen with two others).
@Suite struct DetectorParityTests {
  static let pictures = ["2008_002506", "2008_007676", "2009_004587", "Tom_Cruise_avp_2014_4"]

  @Test(.enabled(if: Shared.isAvailable), arguments: pictures, OperatorTests.choices)
  func `the short-range detector gives the golden regressors and logits`(
    _ picture: String, _ choice: KernelChoice
  ) throws {
    let model = try Model.load(
      path: Shared.path("models/face_landmarker.task"), member: "face_detector.tflite",
      kernels: choice)
    #expect(model.inputs.map(\.shape.dimensions) == [[1, 128, 128, 3]])
    #expect(model.outputs.map(\.shape.dimensions) == [[1, 896, 16], [1, 896, 1]])
    #expect(model.outputs.map(\.name) == ["regressors", "classificators"])
    #expect(model.multiplyAccumulates == 30_760_960)
    let session = Session(model)
    let values = try Shared.floats("golden/\(picture).det_input_128x128x3.f32")
    // Twice: the second run must not see what the first left in the arena.
    for _ in 0..<2 {
      session.withInput { input in
        for place in input.indices { input[place] = values[place] }
      }
      session.run()
    }
    let regressors = try Shared.floats("golden/\(picture).det_regressors_896x16.f32")
    let logits = try Shared.floats("golden/\(picture).det_scores_896x1.f32")
    let ofRegressors = greatestDifference(session.output(0), regressors)
    let ofLogits = greatestDifference(session.output(1), logits)
    if choice == .automatic { print("\(picture): regressors \(ofRegressors), logits \(ofLogits)") }
    #expect(ofRegressors <= 5e-4)
    #expect(ofLogits <= 1.5e-3)
  }

  struct Record: Decodable {
    struct Output: Decodable {
      var name: String
      var places: [Int]
      var greatest: Float
      var values: [Float]
    }
    var seed: UInt32
    var outputs: [Output]
  }

  /// Tolerance 1e-5 of an output's greatest magnitude and at least that of magnitude 100: 1e-3, five
  /// times the largest difference seen over all kernels (2e-4).
  @Test(.enabled(if: DetectorModels.fullRange != nil), arguments: OperatorTests.choices)
  func `the full-range detector gives LiteRT's outputs for seeded inputs`(
    _ choice: KernelChoice
  ) throws {
    let records = try Oracle.read([Record].self, "tflite_full_range.json")
    try #require(records.count >= 20)
    let path = try #require(DetectorModels.fullRange)
    let model = try Model.load(path: path, member: "", kernels: choice)
    #expect(model.outputs.map(\.shape.dimensions) == [[1, 2304, 16], [1, 2304, 1]])
    let session = Session(model)
    var greatest: [Float] = [0, 0]
    for record in records {
      session.withInput { input in
        var state = record.seed
        for place in input.indices {
          if place % 16 == 0 || record.seed % 2 == 1 {
            state = 1_664_525 &* state &+ 1_013_904_223
          }
          input[place] = Float(state >> 8) / Float(1 << 23) - 1
        }
      }
      session.run()
      for (index, output) in record.outputs.enumerated() {
        #expect(model.outputs[index].name == output.name)
        let found = session.output(index)
        let difference = greatestDifference(output.places.map { found[$0] }, output.values)
        greatest[index] = max(greatest[index], difference)
        #expect(difference <= 1e-5 * max(output.greatest, 100), "seed \(record.seed)")
      }
    }
    if choice == .automatic { print("full range: \(greatest)") }
  }

  @Test(.enabled(if: DetectorModels.shortRange != nil && Shared.isAvailable))
  func `the wheel's short-range detector is the bundle's net`() throws {
    let a = Session(try Model.load(path: #require(DetectorModels.shortRange), member: ""))
    let b = Session(
      try Model.load(
        path: Shared.path("models/face_landmarker.task"), member: "face_detector.tflite"))
    let values = try Shared.floats("golden/2008_002506.det_input_128x128x3.f32")
    for session in [a, b] {
      session.withInput { input in
        for place in input.indices { input[place] = values[place] }
      }
      session.run()
    }
    #expect(a.output(0) == b.output(0))
    #expect(a.output(1) == b.output(1))
  }
}

func greatestDifference(_ a: [Float], _ b: [Float]) -> Float {
  guard a.count == b.count else { return .infinity }
  return zip(a, b).reduce(0) { worst, pair in
    let difference = abs(pair.0 - pair.1)
    return difference.isNaN ? .infinity : max(worst, difference)
  }
}
