import TFLite
import Tensor
import TestSupport
import Testing

/// Sampled outputs of LiteRT for an input that a seed spells out (Tests/Oracles/tflite_full_range.py).
struct SeededRecord: Decodable {
  struct Output: Decodable {
    var name: String
    var positions: [Int]
    var greatest: Float
    var values: [Float]
  }
  var seed: UInt32
  var outputs: [Output]

  /// Runs the model for each record and holds each output within 1e-5 of its greatest magnitude, or of the
  /// least one given; returns the greatest difference of each output.
  static func check(_ records: [SeededRecord], of model: Model, minMagnitude: Float) -> [Float] {
    let session = Session(model)
    var greatest = [Float](repeating: 0, count: model.outputs.count)
    for record in records {
      session.withInput { input in
        var state = record.seed
        for position in input.indices {
          if position % 16 == 0 || record.seed % 2 == 1 {
            state = 1_664_525 &* state &+ 1_013_904_223
          }
          input[position] = Float(state >> 8) / Float(1 << 23) - 1
        }
      }
      session.run()
      for (index, output) in record.outputs.enumerated() {
        #expect(model.outputs[index].name == output.name)
        let found = session.output(index)
        let difference = greatestDifference(output.positions.map { found[$0] }, output.values)
        greatest[index] = max(greatest[index], difference)
        #expect(difference <= 1e-5 * max(output.greatest, minMagnitude), "seed \(record.seed)")
      }
    }
    return greatest
  }
}
