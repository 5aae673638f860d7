import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite struct GatesFileTests {
  static let metrics: [String: Direction] = [
    "detection.recall": .higher, "detection.precision": .higher, "latency.total.p99": .lower,
  ]

  private func read(_ text: String) throws(FileError) -> GatesFile {
    try GatesFile(json: Array(text.utf8), source: "g.json", metrics: Self.metrics)
  }

  private static func file(_ gates: String, version: String = "2") -> String {
    "{\"schema\":\"facegauge.gates\",\"version\":\(version),\"gates\":\(gates)}"
  }

  private static func gate(
    metric: String = "\"detection.recall\"", direction: String = "\"at_least\"",
    limit: String = "0.9", more: String = ""
  ) -> String {
    "{\"metric\":\(metric),\"direction\":\(direction),\"limit\":\(limit)\(more)}"
  }

  @Test func `gates keep the order of the file`() throws {
    let latency = Self.gate(
      metric: "\"latency.total.p99\"", direction: "\"at_most\"", limit: "40",
      more: ",\"slice\":null")
    let sliced = Self.gate(more: ",\"slice\":\"yaw/0-30\"")
    let gates = try read(Self.file("[\(latency),\(Self.gate()),\(sliced)]")).gates
    #expect(
      gates == [
        Gate(metric: "latency.total.p99", direction: .atMost, limit: 40),
        Gate(metric: "detection.recall", direction: .atLeast, limit: 0.9),
        Gate(metric: "detection.recall", slice: "yaw/0-30", direction: .atLeast, limit: 0.9),
      ])
  }

  static let accepted: [(String, Gate)] = [
    (
      #"{"metric":"detection.recall","max_worsening":0.01}"#,
      Gate(metric: "detection.recall", direction: .atLeast, maxWorsening: 0.01)
    ),
    (
      #"{"metric":"latency.total.p99","max_relative_worsening":0,"direction":"at_most"}"#,
      Gate(metric: "latency.total.p99", direction: .atMost, maxRelativeWorsening: 0)
    ),
    (
      #"{"metric":"detection.recall","direction":"at_least","limit":-1,"max_worsening":2,"#
        + #""max_relative_worsening":0.5,"evaluated_by":"interval","slice":"yaw/0-30"}"#,
      Gate(
        metric: "detection.recall", slice: "yaw/0-30", direction: .atLeast, limit: -1,
        maxWorsening: 2, maxRelativeWorsening: 0.5, evaluatedBy: .interval)
    ),
    (
      gate(more: ",\"evaluated_by\":\"value\""),
      Gate(metric: "detection.recall", direction: .atLeast, limit: 0.9, evaluatedBy: .value)
    ),
  ]

  @Test(arguments: accepted)
  func `everything a gate may say is read`(text: String, gate: Gate) throws {
    #expect(try read(Self.file("[\(text)]")).gates == [gate])
    let json = try JSONSerialization.jsonObject(with: Data(Self.file("[\(text)]").utf8))
    #expect(try Schema("gates").problems(in: json) == [])
  }

  @Test func `a gate of a record can be copied into a file`() throws {
    for (_, gate) in Self.accepted {
      let text = String(decoding: try JSONEncoder().encode(gate), as: UTF8.self)
      let again = text.replacing("\"limit\":null,", with: "").replacing(",\"limit\":null", with: "")
      #expect(try read(Self.file("[\(again)]")).gates == [gate])
      #expect(try JSONDecoder().decode(Gate.self, from: Data(text.utf8)) == gate)
    }
  }

  /// What only the reader knows: the names of metrics, their directions, and repeated gates.
  private static let beyondTheSchema = [
    "name of a metric,", "is better", "one gate for each", "each key once",
  ]

  @Test(arguments: broken)
  func `the schema refuses what the reader refuses`(text: String, message: String) throws {
    let isJSON = !["expected JSON", "expected a value", "a JSON value"].contains(
      where: message.contains)
    guard isJSON,
      !Self.beyondTheSchema.contains(where: message.contains) || message.hasSuffix("found 3")
    else { return }
    let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
    #expect(try Schema("gates").problems(in: json) != [])
  }

  static let broken: [(String, String)] = [
    ("", "g.json, line 1, column 1: expected JSON, found"),
    ("{\"schema\":", "g.json, line 1, column 11: expected a value, found"),
    (
      file("[\(gate(limit: "NaN"))]"),
      "'gates[0].limit' in g.json: expected a JSON value, found NaN"
    ),
    (
      file("[\(gate(more: ",\"limit\":1"))]"),
      "'gates[0]' in g.json: expected each key once, found 'limit' twice"
    ),
    ("[]", "g.json: expected an object with the schema \"facegauge.gates\", found an empty list"),
    (
      "{\"schema\":\"facegauge.gates\",\"version\":2}",
      "g.json: expected the key \"gates\", found none"
    ),
    (
      file("[]", version: "2,\"limits\":[]"),
      "g.json: expected only the keys schema, version, gates, found the key \"limits\""
    ),
    (file("[\(gate())]", version: "3"), "'version' in g.json: expected 2, found 3"),
    (file("[\(gate())]", version: "true"), "'version' in g.json: expected 2, found true"),
    (
      file("[\(gate())]").replacing("facegauge.gates", with: "facegauge.record"),
      "'schema' in g.json: expected \"facegauge.gates\", found \"facegauge.record\""
    ),
    (file("[]"), "'gates' in g.json: expected a list of 1 or more gates, found an empty list"),
    (file("{}"), "'gates' in g.json: expected a list of gates, found an object"),
    (
      file("[\(gate()),7]"),
      "'gates[1]' in g.json: expected an object with the keys metric, slice, direction, limit, max_worsening, max_relative_worsening, evaluated_by, confidence, found 7"
    ),
    (
      file("[\(gate(more: ",\"limits\":1"))]"),
      "'gates[0]' in g.json: expected only the keys metric, slice, direction, limit, max_worsening, max_relative_worsening, evaluated_by, confidence, perhaps \"limit\", found the key \"limits\""
    ),
    (
      file("[{\"metric\":\"detection.recall\",\"limit\":1}]"),
      "'gates[0]' in g.json: expected the key \"direction\" with \"limit\", found none"
    ),
    (
      file("[{\"limit\":1}]"),
      "'gates[0]' in g.json: expected the key \"metric\", found none"
    ),
    (
      file("[{\"metric\":\"detection.recall\",\"direction\":\"at_least\"}]"),
      "'gates[0]' in g.json: expected limit, max_worsening or max_relative_worsening, found none of them"
    ),
    (
      file("[\(gate(more: ",\"max_worsening\":-0.1"))]"),
      "'gates[0].max_worsening' in g.json: expected 0 or more, found -0.1"
    ),
    (
      file("[\(gate(more: ",\"max_worsening\":\"1 %\""))]"),
      "'gates[0].max_worsening' in g.json: expected a finite number, found \"1 %\""
    ),
    (
      file("[\(gate(more: ",\"max_worsening\":null"))]"),
      "'gates[0].max_worsening' in g.json: expected a finite number, found null"
    ),
    (
      file("[\(gate(more: ",\"max_relative_worsening\":-1"))]"),
      "'gates[0].max_relative_worsening' in g.json: expected 0 or more, found -1"
    ),
    (
      file("[\(gate(more: ",\"max_relative_worsening\":[0.1]"))]"),
      "'gates[0].max_relative_worsening' in g.json: expected a finite number, found a list"
    ),
    (
      file("[\(gate(more: ",\"evaluated_by\":\"median\""))]"),
      "'gates[0].evaluated_by' in g.json: expected one of value, interval, binomial, found \"median\""
    ),
    (
      file("[\(gate(more: ",\"evaluated_by\":true"))]"),
      "'gates[0].evaluated_by' in g.json: expected one of value, interval, binomial, found true"
    ),
    (
      file("[\(gate(more: ",\"slice\":\"\""))]"),
      "'gates[0].slice' in g.json: expected the name of a slice or null, found \"\""
    ),
    (
      file("[\(gate(metric: "3"))]"),
      "'gates[0].metric' in g.json: expected the name of a metric, found 3"
    ),
    (
      file("[\(gate(metric: "\"detection.recal\""))]"),
      "'gates[0].metric' in g.json: expected the name of a metric, perhaps \"detection.recall\", found \"detection.recal\""
    ),
    (
      file("[\(gate(metric: "\"zzz\""))]"),
      "'gates[0].metric' in g.json: expected the name of a metric, found \"zzz\""
    ),
    (
      file("[\(gate(direction: "\">=\""))]"),
      "'gates[0].direction' in g.json: expected one of at_least, at_most, found \">=\""
    ),
    (
      file("[\(gate(direction: "\"at_most\""))]"),
      "'gates[0].direction' in g.json: expected \"at_least\", as higher detection.recall is better, found \"at_most\""
    ),
    (
      file("[\(gate(metric: "\"latency.total.p99\""))]"),
      "'gates[0].direction' in g.json: expected \"at_most\", as lower latency.total.p99 is better, found \"at_least\""
    ),
    (
      file("[\(gate(limit: "\"0.9\""))]"),
      "'gates[0].limit' in g.json: expected a finite number, found \"0.9\""
    ),
    (
      file("[\(gate(limit: "null"))]"),
      "'gates[0].limit' in g.json: expected a finite number, found null"
    ),
    (
      file("[\(gate(limit: "true"))]"),
      "'gates[0].limit' in g.json: expected a finite number, found true"
    ),
    (
      file("[\(gate(more: ",\"slice\":4"))]"),
      "'gates[0].slice' in g.json: expected the name of a slice or null, found 4"
    ),
    (
      file("[\(gate()),\(gate(limit: "0.5"))]"),
      "'gates[1]' in g.json: expected one gate for each metric and slice, found the metric and slice of gates[0] again"
    ),
  ]

  @Test(arguments: broken)
  func `what is not understood is an error in one line`(text: String, message: String) {
    let error = #expect(throws: FileError.self) { try read(text) }
    #expect(
      error?.description.hasPrefix("cannot read \(message)") == true, "\(error.debugDescription)")
    #expect(error?.description.contains("\n") == false)
  }

  @Test(arguments: ["1e999", "-1e999"])
  func `a limit beyond the range of numbers is refused`(limit: String) {
    #expect(throws: FileError.self) { try read(Self.file("[\(Self.gate(limit: limit))]")) }
  }
}
