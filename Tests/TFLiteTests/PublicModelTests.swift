import Foundation
import TFLite
import Tensor
import TestSupport
import Testing

/// Models of other makers against LiteRT's reference kernels (Tests/Oracles/live/public_models.py).
///
/// `FACEGAUGE_OTHER_MODELS` names a folder with further `.tflite` files.
@Suite struct PublicModelTests {
  private struct Entry: Decodable {
    var name: String
    var inputs: Int
    var outputs: [[Int]]
    var operators: [String: Int]
  }

  private static let environment = ProcessInfo.processInfo.environment
  private static let python = environment["FACEGAUGE_PYTHON"]

  /// What the engine says of those of the package's models that it does not run.
  private static let refused = ["hey_jarvis": "3 subgraphs, expected 1"]

  @Test(.enabled(if: python != nil, "needs FACEGAUGE_PYTHON"))
  func `models of other makers give LiteRT's outputs, or are refused by what they need`() throws {
    let folder = try TemporaryFolder()
    let script = Checkout.root.appending(path: "Tests/Oracles/live/public_models.py")
    let result = try ProcessResult(
      running: try #require(Self.python),
      [script.path, folder.url.path]
        + (Self.environment["FACEGAUGE_OTHER_MODELS"].map { [$0] } ?? []))
    try #require(result.status == 0, "\(result.errors)")
    let entries = try JSONDecoder().decode([Entry].self, from: Data(result.output.utf8))
    var equal = 0
    for (index, entry) in entries.enumerated() {
      let model: Model
      do {
        model = try Model(bytes: folder.bytes("\(index).tflite")[...])
      } catch {
        let reason = try #require(Self.refused[entry.name], "\(entry.name): \(error)")
        #expect("\(error)".contains(reason), "\(entry.name): \(error)")
        continue
      }
      let session = Session(model)
      #expect(model.outputs.map(\.shape.dimensions) == entry.outputs)
      for input in 0..<entry.inputs {
        let values = try folder.bytes("\(index).input\(input)").littleEndianFloats
        session.withInput(input) { span in
          for position in span.indices { span[position] = values[position] }
        }
      }
      session.run()
      for output in entry.outputs.indices {
        let expected = try folder.bytes("\(index).output\(output)").littleEndianFloats
        let difference = greatestDifference(session.output(output), expected)
        print("\(entry.name), output \(output): differs by up to \(difference)")
        #expect(difference <= 1e-4, "\(entry.name), output \(output)")
      }
      equal += 1
    }
    #expect(equal >= 5, "the package of requirements-live.txt has five that run")
  }
}
