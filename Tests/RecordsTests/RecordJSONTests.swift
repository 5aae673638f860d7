import Foundation
import Platform
import Records
import Testing

@Suite struct RecordJSONTests {
  @Test func `a record reads back equal`() throws {
    #expect(try Record(json: fullRecord.json()) == fullRecord)
  }

  @Test func `equal records give the same bytes`() throws {
    var other = fullRecord
    other.options = [:]
    for key in fullRecord.options.keys.sorted() { other.options[key] = fullRecord.options[key] }
    #expect(try other.json() == fullRecord.json())
  }

  @Test func `keys are sorted and the file ends in a newline`() throws {
    let text = try String(decoding: fullRecord.json(), as: UTF8.self)
    let keys = text.split(separator: "\n").filter { $0.hasPrefix("  \"") }.map(String.init)
    #expect(keys.count == 18)
    #expect(keys == keys.sorted())
    #expect(text.hasSuffix("}\n"))
  }

  @Test func `absence is an explicit null`() throws {
    let root = try object(JSONSerialization.jsonObject(with: Data(fullRecord.json())))
    let measurements = try #require(root["measurements"] as? [[String: Any]])
    #expect(measurements[1]["value"] is NSNull)
    #expect(measurements[0]["reason"] is NSNull)
    #expect(measurements[0]["slice"] is NSNull)
    #expect(measurements[0]["needs"] is NSNull)
    let interval = try object(measurements[1]["interval"])
    for key in ["low", "high", "method"] { #expect(interval[key] is NSNull, "\(key)") }
    #expect(try object(measurements[0]["interval"])["reason"] is NSNull)
    #expect(try object(root["host"])["loadAverage"] is NSNull)
    let gates = try #require(root["gates"] as? [[String: Any]])
    #expect(gates[1]["value"] is NSNull)
    #expect(try object(gates[0]["gate"])["slice"] is NSNull)
  }

  @Test func `a record that says nothing of stages has no such key and reads back`() throws {
    var record = fullRecord
    record.stages = nil
    let json = try record.json()
    #expect(!String(decoding: json, as: UTF8.self).contains("stages"))
    #expect(try Record(json: json) == record)
  }

  @Test(arguments: [(0, "a reason"), (1, nil), (2, nil)])
  func `a reason belongs to a stage that did not run`(index: Int, reason: String?) throws {
    var record = fullRecord
    record.stages?[index].reason = reason
    let error = #expect(throws: FileError.self) { try record.json() }
    #expect(error?.description.contains("'stages[\(index)].reason' in") == true)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `a number that is not finite is refused`(value: Double) throws {
    var record = fullRecord
    record.measurements[2].value = value
    let error = #expect(throws: FileError.self) { try record.json() }
    #expect(
      error?.description
        == "cannot write 'measurements[2].value' in record.json: expected a finite number, found \(value)"
    )
  }

  static let edits: [(String, String, String)] = [
    (
      "\"facegauge.record\"", "\"facegauge.gates\"",
      "'schema' in r.json: expected \"facegauge.record\", found \"facegauge.gates\""
    ),
    ("\"version\" : 3\n", "\"version\" : 2\n", "'version' in r.json: expected 3, found 2"),
    ("\"value\" : null,\n      ", "", "expected the key \"value\", found none"),
    (
      "\"value\" : 12.5", "\"value\" : \"12.5\"",
      "'measurements[2].value' in r.json: expected a number, found \"12.5\""
    ),
    (
      "\"n\" : 5", "\"n\" : 5.5",
      "r.json: expected whole numbers where things are counted, and no number beyond 3.4e38, found one with decimals or "
        + "out of range"
    ),
    (
      "\"better\" : \"lower\"", "\"better\" : \"less\"",
      "'measurements[2].better' in r.json: expected a value of the schema, found \"less\""
    ),
    (
      "\"notes\" : [", "\"notes\" : 3, \"x\" : [",
      "'notes' in r.json: expected a list, found 3"
    ),
    (
      "\"reason\" : \"no faces\"", "\"reason\" : null",
      "'measurements[1].reason' in r.json: expected the reason for an undefined value, found null"
    ),
    (
      "\"p.jpg\"", "\"../p.jpg\"",
      "'gallery[0].file' in r.json: expected a file name without a folder, found \"../p.jpg\""
    ),
    ("\"kind\" : \"table\"", "\"kind\" : \"pie\"", "'series[2].content.kind' in r.json: expected"),
    (
      "\"low\" : 0.2", "\"low\" : null",
      "'measurements[0].interval' in r.json: expected either low, high and method or a reason"
    ),
    (
      "\"low\" : 0.2", "\"low\" : 0.35",
      "'measurements[0].interval' in r.json: expected bounds that hold the value, "
        + "0.30000000000000004, found 0.35 to 0.4"
    ),
    (
      "\"low\" : 0.2", "\"low\" : 0.5",
      "'measurements[0].interval' in r.json: expected a low of at most the high, 0.4, found 0.5"
    ),
  ]

  @Test func `an image of a finding lies in the folder of the run`() {
    var record = fullRecord
    record.findings?[0].images?[0].file = "../p.jpg"
    #expect(record.firstProblem?.position == "findings[0].images[0].file")
  }

  @Test(arguments: edits)
  func `a broken record is an error that names the place`(old: String, new: String, message: String)
    throws
  {
    let text = try String(decoding: fullRecord.json(), as: UTF8.self)
    let broken = text.replacingOccurrences(of: old, with: new)
    try #require(broken != text)
    let error = #expect(throws: FileError.self) {
      try Record(json: Array(broken.utf8), source: "r.json")
    }
    #expect(error?.description.hasPrefix("cannot read ") == true)
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test func `percentiles alone need not hold the value`() throws {
    var record = fullRecord
    record.measurements[0].interval = Interval(
      low: 0.35, high: 0.4, method: "\(Interval.percentileBootstrap) of 12 clusters")
    #expect(try Record(json: record.json(), source: "r.json") == record)
  }

  @Test(arguments: ["", "{", "[1, 2]", "nonsense", "{\"schema\": \"facegauge.record\"}", "3"])
  func `what is no record is refused in one line`(text: String) {
    let error = #expect(throws: FileError.self) {
      try Record(json: Array(text.utf8), source: "r.json")
    }
    #expect(error?.description.hasPrefix("cannot read ") == true)
    #expect(error?.description.contains("\n") == false)
  }

  static let unevenContents: [(Series.Content, String)] = [
    (
      .curve(
        Series.Curve(xLabel: "", yLabel: "", lines: [Series.Line(label: "", x: [1], y: [])])),
      "lines[0]"
    ),
    (
      .histogram(Series.Histogram(xLabel: "", edges: [0, 1], groups: ["a"], counts: [[1, 2]])),
      "counts[0]"
    ),
    (.histogram(Series.Histogram(xLabel: "", edges: [0, 1], groups: ["a"], counts: [])), "counts"),
    (
      .histogram(Series.Histogram(xLabel: "", edges: [1, 1], groups: ["a"], counts: [[1]])),
      "edges"
    ),
    (
      .histogram(Series.Histogram(xLabel: "", edges: [0, 1], groups: ["a"], counts: [[-1]])),
      "counts[0]"
    ),
    (.table(Series.Table(columns: ["a"], rows: [["1"], []])), "rows[1]"),
  ]

  @Test(arguments: unevenContents)
  func `a series whose parts do not fit is refused`(content: Series.Content, position: String) {
    var record = fullRecord
    record.series = [Series(name: "s", title: "", content: content)]
    let error = #expect(throws: FileError.self) { try record.json() }
    #expect(error?.description.contains("'series[0].content.\(position)' in") == true)
  }

  private func object(_ value: Any?) throws -> [String: Any] {
    try #require(value as? [String: Any])
  }
}
