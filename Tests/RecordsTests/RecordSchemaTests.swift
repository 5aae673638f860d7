import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite struct RecordSchemaTests {
  @Test func `a record with everything keeps the schema`() throws {
    let schema = try Schema("record")
    #expect(try schema.problems(in: parsed(fullRecord.json())) == [])
  }

  @Test func `every property of the schema is in a record with everything`() throws {
    let schema = try Schema("record")
    schema.unseen = Set(schema.propertyPaths)
    _ = schema.problems(in: try parsed(fullRecord.json()))
    #expect(schema.unseen == [])
  }

  @Test(arguments: ["value", "reason", "slice", "needs", "interval"])
  func `a measurement without a key breaks the schema`(key: String) throws {
    var record = try #require(try parsed(fullRecord.json()) as? [String: Any])
    var measurements = try #require(record["measurements"] as? [[String: Any]])
    measurements[0][key] = nil
    record["measurements"] = measurements
    #expect(try Schema("record").problems(in: record) == ["measurements[0] lacks \(key)"])
  }

  @Test func `an unknown key breaks the schema`() throws {
    var record = try #require(try parsed(fullRecord.json()) as? [String: Any])
    record["extra"] = 1
    #expect(try Schema("record").problems(in: record) == [" has the unknown key extra"])
  }

  private func parsed(_ json: [UInt8]) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(json))
  }
}
