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

  static let cases = (try? Oracles.read("tflite_unsupported", as: [Case].self)) ?? []

  @Test func `there are cases`() { #expect(UnsupportedModelTests.cases.count >= 61) }

  @Test func `a line break in the name of a tensor does not get into the error`() throws {
    let test = try #require(UnsupportedModelTests.cases.first { $0.name == "quantised input" })
    var bytes = [UInt8](test.model)
    let name = try #require(bytes.indices.last { bytes[$0...].starts(with: "t0".utf8) })
    bytes[name] = 0x0A
    let error = #expect(throws: ModelError.self) { try Model(bytes: bytes[...]) }
    #expect(error?.description == "input ' 0' of INT8, expected FLOAT32 without a value")
  }

  @Test(arguments: cases)
  func `it is refused with a message that names node and value`(_ test: Case) throws {
    let error = #expect(throws: ModelError.self) { try Model(bytes: [UInt8](test.model)[...]) }
    #expect(error?.message.contains(test.message) == true, "\(String(describing: error))")
    #expect(error?.kind == (test.kind == "unsupported" ? .unsupported : .corrupt))
  }
}
