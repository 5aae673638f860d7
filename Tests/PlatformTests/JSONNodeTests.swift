import Foundation
import Platform
import Testing

@Suite struct JSONNodeTests {
  private static let header = JSONHeader("facegauge.test", version: 1)

  private func node(_ members: String) throws(FileError) -> JSONNode {
    try JSONNode(
      Array(#"{"schema": "facegauge.test", "version": 1\#(members)}"#.utf8), source: "t.json",
      header: Self.header, keys: [], optional: ["a", "b"])
  }

  @Test(arguments: [
    ("{", "t.json, line 1, column 2: expected a key in quotes, found the end of the file"),
    ("{\n  \"a\": 1,\n}", "t.json, line 3, column 1: expected a key in quotes, found '}'"),
    ("7", "t.json: expected an object with the schema \"facegauge.test\", found 7"),
    ("{} {}", "t.json, line 1, column 4: expected the end of the file, found '{'"),
    ("{}", "'schema' in t.json: expected \"facegauge.test\", found nothing"),
    (#"{"schema": "facegauge.test"}"#, "'version' in t.json: expected 1, found nothing"),
    (
      #"{"schema": "facegauge.test", "version": 1.5}"#, "'version' in t.json: expected 1, found 1.5"
    ),
    (#"{"a": {"b": 1, "b": 2}}"#, "'a' in t.json: expected each key once, found 'b' twice"),
    (
      #"{"a": [1e400]}"#,
      "'a[0]' in t.json: expected a number that a double can hold, found 1e400"
    ),
    (
      #"{"schema": "facegauge.test", "version": 1, "a": NaN}"#,
      "'a' in t.json: expected a JSON value, found NaN, which Python writes and JSON does not have"
    ),
    (
      #"{"schema": "facegauge.test", "version": 1, "aa": 1}"#,
      "t.json: expected only the keys schema, version, a, b, found the key \"aa\""
    ),
  ])
  func `what is no file of the schema is one line with its position`(text: String, message: String)
  {
    let error = #expect(throws: FileError.self) {
      try JSONNode(
        Array(text.utf8), source: "t.json", header: Self.header, keys: [], optional: ["a", "b"])
    }
    #expect(error?.description == "cannot read \(message)")
    #expect(error?.kind == .wrongData)
  }

  @Test(arguments: [2, 15, 16, 17, 18, 40])
  func `a key is found twice however many keys an object has, and nested ones do not count`(
    count: Int
  )
    throws
  {
    let keys = (0..<count).map { #""k\#($0)": {"k0": 1}"# }.joined(separator: ", ")
    #expect(try node(#", "a": {\#(keys)}, "b": {\#(keys)}"#)["a"].isGiven)
    for repeated in [0, count / 2, count - 1] {
      let error = #expect(throws: FileError.self) {
        try node(#", "a": {\#(keys), "k\#(repeated)": 1}"#)
      }
      #expect(
        error?.description
          == "cannot read 'a' in t.json: expected each key once, found 'k\(repeated)' twice")
    }
  }

  @Test func `values nest 64 deep and no deeper`() throws {
    func nested(_ depth: Int) -> String {
      #", "a": "# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(try node(nested(63))["a"].isGiven)
    let error = #expect(throws: FileError.self) { try node(nested(64)) }
    #expect(error?.description.contains("expected at most 64 nested values") == true)
  }

  @Test func `a value of another kind is named with its position`() throws {
    let root = try node(#", "a": [1, "x", {"c": 0.5}], "b": null"#)
    func message(_ read: () throws -> Void) -> String? {
      #expect(throws: FileError.self, performing: read)?.description
    }
    #expect(
      message { _ = try root["a"].numbers(count: 3) }
        == "cannot read 'a[1]' in t.json: expected a finite number, found \"x\"")
    #expect(
      message { _ = try root["a"].items(4...4, of: "columns") }
        == "cannot read 'a' in t.json: expected a list of 4 columns, found 3")
    let items = try root["a"].items()
    #expect(try items[2]["c"].number(0...1) == 0.5)
    #expect(
      message { _ = try items[2]["c"].integer(0...1) }
        == "cannot read 'a[2].c' in t.json: expected a whole number from 0 to 1, found 0.5")
    #expect(
      message { _ = try items[2]["d"].text() }
        == "cannot read 'a[2].d' in t.json: expected a text, found nothing")
    #expect(root["b"].isGiven && root["b"].unlessNull == nil && root["c"].given == nil)
  }
}
