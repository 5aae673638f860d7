import Foundation
import TFLite
import TestSupport
import Testing

/// What the engine does not do fails at load and names node and value (Tests/Oracles/tflite_unsupported.py).
@Suite struct UnsupportedModelTests {
  struct Case: Decodable, CustomTestStringConvertible {
    var name: String
    var model: Data
    var kind: String
    var message: String
    var testDescription: String { name }
  }

  struct QuantizedFile: Decodable { var refused: [Case] }

  static let cases =
    ((try? Oracles.read("tflite_unsupported", as: [Case].self)) ?? [])
    + ((try? Oracles.read("tflite_quantized", as: QuantizedFile.self))?.refused ?? [])

  @Test func `there are cases`() { #expect(UnsupportedModelTests.cases.count >= 93) }

  @Test func `a line break in the name of a tensor does not get into the error`() throws {
    let test = try #require(UnsupportedModelTests.cases.first { $0.name == "quantised input" })
    var bytes = [UInt8](test.model)
    let name = try #require(bytes.indices.last { bytes[$0...].starts(with: "t0".utf8) })
    bytes[name] = 0x0A
    let error = #expect(throws: ModelError.self) { try Model(bytes: bytes[...]) }
    #expect(error?.description == "input ' 0': INT8 without a scale, expected one above 0")
  }

  @Test(arguments: cases)
  func `it is refused with a message that names node and value`(_ test: Case) throws {
    let error = #expect(throws: ModelError.self) { try Model(bytes: [UInt8](test.model)[...]) }
    #expect(error?.message.contains(test.message) == true, "\(String(describing: error))")
    #expect(error?.kind == (test.kind == "unsupported" ? .unsupported : .corrupt))
  }
}
