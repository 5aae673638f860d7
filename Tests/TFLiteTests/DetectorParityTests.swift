import Foundation
import TFLite
import Tensor
import TestSupport
import Testing

/// The face detectors against MediaPipe's wheel and LiteRT, both with XNNPACK.
///
/// Tolerances are the project's for engines that sum in another order: regressors, which range over
/// ±340 network pixels, 5e-4, and logits 1.5e-3 (three times the largest differences seen with two others).
@Suite struct DetectorParityTests {
  static let images = ["2008_002506", "2008_007676", "2009_004587", "Tom_Cruise_avp_2014_4"]

  @Test(.enabled(if: Shared.isAvailable), arguments: images, OperatorTests.choices)
  func `the short-range detector gives the golden regressors and logits`(
    _ image: String, _ choice: KernelChoice
  ) throws {
    let model = try Model.load(
      path: Shared.bundle.path, member: "face_detector.tflite",
      kernels: choice)
    #expect(model.inputs.map(\.shape.dimensions) == [[1, 128, 128, 3]])
    #expect(model.outputs.map(\.shape.dimensions) == [[1, 896, 16], [1, 896, 1]])
    #expect(model.outputs.map(\.name) == ["regressors", "classificators"])
    // In planes the first convolution takes 7 products of rows in place of 10.
    let isPlane = model.plan[0].name.contains("in planes")
    let saved = isPlane ? 64 * 64 * 24 * (5 * 5 * 3) * 3 / 10 : 0
    #expect(model.multiplyAccumulates == 30_760_960 - saved)
    let session = Session(model)
    let values = try Shared.goldenFloats("\(image).det_input_128x128x3.f32")
    // Twice: the second run must not see what the first left in the arena.
    for _ in 0..<2 {
      session.withInput { input in
        for position in input.indices { input[position] = values[position] }
      }
      session.run()
    }
    let regressors = try Shared.goldenFloats("\(image).det_regressors_896x16.f32")
    let logits = try Shared.goldenFloats("\(image).det_scores_896x1.f32")
    let ofRegressors = greatestDifference(session.output(0), regressors)
    let ofLogits = greatestDifference(session.output(1), logits)
    if choice == .automatic { print("\(image): regressors \(ofRegressors), logits \(ofLogits)") }
    #expect(ofRegressors <= 5e-4)
    #expect(ofLogits <= 1.5e-3)
  }

  /// Tolerance 1e-5 of an output's greatest magnitude and at least that of magnitude 100: 1e-3, five
  /// times the largest difference seen over all kernels (2e-4).
  @Test(.enabled(if: PulledModels.areAvailable), arguments: OperatorTests.choices)
  func `the full-range detector gives LiteRT's outputs for seeded inputs`(
    _ choice: KernelChoice
  ) throws {
    let records = try Oracles.read("tflite_full_range", as: [SeededRecord].self)
    try #require(records.count >= 20)
    let path = PulledModels.fullRange.path
    let model = try Model.load(path: path, member: "", kernels: choice)
    #expect(model.outputs.map(\.shape.dimensions) == [[1, 2304, 16], [1, 2304, 1]])
    let greatest = SeededRecord.check(records, of: model, minMagnitude: 100)
    if choice == .automatic { print("full range: \(greatest)") }
  }

  @Test(.enabled(if: PulledModels.areAvailable && Shared.isAvailable))
  func `the wheel's short-range detector is the bundle's model`() throws {
    let a = Session(try Model.load(path: PulledModels.shortRange.path, member: ""))
    let b = Session(
      try Model.load(
        path: Shared.bundle.path, member: "face_detector.tflite"))
    let values = try Shared.goldenFloats("2008_002506.det_input_128x128x3.f32")
    for session in [a, b] {
      session.withInput { input in
        for position in input.indices { input[position] = values[position] }
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
