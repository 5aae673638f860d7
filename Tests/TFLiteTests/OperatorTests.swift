import Foundation
import TFLite
import Tensor
import Testing

/// Single-operator models against LiteRT's reference kernels (Tests/Oracles/tflite_operators.py).
///
/// Tolerance: 1e-5 of the largest magnitude in the output and at least 1e-5. Sums of up to 500 terms of
/// size 4 in another order, and with fused multiply-adds, differ by some 1e-6 of the sum of magnitudes.
@Suite struct OperatorTests {
  struct Case: Decodable, CustomTestStringConvertible {
    var name: String
    var model: Data
    var inputs: [Data]
    var outputs: [Data]
    var shapes: [[Int]]
    var testDescription: String { name }
  }

  struct File: Decodable { var cases: [Case] }

  static let cases = (try? Oracle.read(File.self, "tflite_operators.json"))?.cases ?? []

  static let choices: [KernelChoice] =
    [.automatic] + Kernels.available.flatMap { [.blas($0.level), .direct($0.level)] }

  @Test func `the oracle file has a case of every registered operator`() {
    for type in OperatorRegistry.all {
      #expect(
        OperatorTests.cases.contains { $0.name.hasPrefix(type.name) }, "no case of \(type.name)")
    }
  }

  @Test(arguments: cases, choices)
  func `an operator gives LiteRT's results with every kernel`(
    _ test: Case, _ choice: KernelChoice
  ) throws {
    let model = try Model(bytes: [UInt8](test.model)[...], kernels: choice)
    let session = Session(model)
    #expect(model.outputs.map(\.shape.dimensions) == test.shapes)
    for run in 0..<2 {
      for (index, data) in test.inputs.enumerated() {
        let values = [UInt8](data).littleEndianFloats
        session.withInput(index) { input in
          for place in input.indices { input[place] = values[place] }
        }
      }
      session.run()
      for (index, data) in test.outputs.enumerated() {
        let expected = [UInt8](data).littleEndianFloats
        let found = session.output(index)
        try #require(found.count == expected.count)
        let magnitude = expected.reduce(1) { max($0, abs($1)) }
        for place in expected.indices
        where !(abs(found[place] - expected[place]) <= 1e-5 * magnitude) {
          Issue.record(
            "run \(run), output \(index)[\(place)]: \(found[place]), expected \(expected[place])")
          return
        }
      }
    }
  }
}
