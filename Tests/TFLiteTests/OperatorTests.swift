import Foundation
import TFLite
import Tensor
import TestSupport
import Testing

/// Small models against LiteRT's reference kernels (tflite_operators.py, tflite_arithmetic.py, tflite_stages.py and
/// tflite_quantized.py in Tests/Oracles; INT8 arithmetic must agree to the last bit), and those of MediaPipe's custom
/// operators against NumPy in double precision (tflite_custom_operators.py).
///
/// Moving numbers and rounding once an operation leave no choice: those operators must agree to the
/// last bit. LOGISTIC may be 4 units in the last place off, as exponentials of two libraries, a sum
/// and a division are. All others sum: 1e-5 of the largest magnitude in the output and at least
/// 1e-5, since sums of up to 500 terms of size 4 in another order, and with fused multiply-adds,
/// differ by some 1e-6 of the sum of magnitudes.
@Suite struct OperatorTests {
  struct Case: Decodable, CustomTestStringConvertible {
    var name: String
    var model: Data
    var inputs: [Data]
    var outputs: [Data]
    var shapes: [[Int]]
    var testDescription: String { name }

    /// The operators that the model consists of, where its name begins with them.
    var operators: [String] {
      name.split(separator: " ").map(String.init)
        .prefix { word in OperatorRegistry.all.contains { $0.name == word } }.map { $0 }
    }

    /// How far each result may be from the expected one.
    func tolerances(for expected: [Float]) -> [Float] {
      if operators == ["LOGISTIC"] { return expected.map { 4 * $0.ulp } }
      let isExact =
        name.contains(" INT8 ") || name.hasSuffix(" INT8")
        || !operators.isEmpty && operators.allSatisfy(OperatorTests.exactOperators.contains)
      let one = isExact ? 0 : 1e-5 * expected.reduce(1) { max($0, abs($1)) }
      return expected.map { _ in one }
    }
  }

  static let exactOperators: Set = [
    "ADD", "CONCATENATION", "DEPTH_TO_SPACE", "DIV", "MAX_POOL_2D", "MUL", "NEG", "PAD", "PRELU",
    "RELU", "RESHAPE", "RSQRT", "SQRT", "SQUARED_DIFFERENCE", "STRIDED_SLICE", "SUB", "TRANSPOSE",
    "BATCH_TO_SPACE_ND", "EXPAND_DIMS", "LEAKY_RELU", "MAXIMUM", "MINIMUM", "PACK",
    "QUANTIZE", "REDUCE_MAX", "RELU6", "RESIZE_NEAREST_NEIGHBOR", "SHAPE", "SPACE_TO_BATCH_ND",
    "SQUEEZE",
  ]

  struct File: Decodable { var cases: [Case] }

  static let cases = [
    "tflite_operators", "tflite_arithmetic", "tflite_stages", "tflite_custom_operators",
    "tflite_quantized",
  ].flatMap {
    (try? Oracles.read($0, as: File.self))?.cases ?? []
  }

  static let choices: [KernelChoice] =
    [.automatic] + Kernels.available.flatMap { [.blas($0.level), .direct($0.level)] }

  @Test func `the oracle file has a case of every registered operator`() {
    for type in OperatorRegistry.all {
      #expect(
        OperatorTests.cases.contains { $0.operators.contains(type.name) },
        "no case of \(type.name)")
    }
  }

  @Test(arguments: cases, choices)
  func `an operator gives the oracle's results with every kernel`(
    _ test: Case, _ choice: KernelChoice
  ) throws {
    let model = try Model(bytes: [UInt8](test.model)[...], kernels: choice)
    let session = Session(model)
    #expect(model.outputs.map(\.shape.dimensions) == test.shapes)
    for run in 0..<2 {
      for (index, data) in test.inputs.enumerated() {
        let values = [UInt8](data).littleEndianFloats
        session.withInput(index) { input in
          for position in input.indices { input[position] = values[position] }
        }
      }
      session.run()
      for (index, data) in test.outputs.enumerated() {
        let expected = [UInt8](data).littleEndianFloats
        let found = session.output(index)
        try #require(found.count == expected.count)
        let tolerances = test.tolerances(for: expected)
        for (position, (a, b)) in zip(found, expected).enumerated()
        where a != b && !(abs(a - b) <= tolerances[position]) && !(a.isNaN && b.isNaN) {
          Issue.record(
            "run \(run), output \(index)[\(position)]: \(a), expected \(b)")
          return
        }
      }
    }
  }
}
