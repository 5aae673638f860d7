import TestSupport

extension BrokenInput {
  private static let evaluated = "evaluate good.h5 -o run --gates gates.json"

  /// Files of gates, and the base runs that they need.
  static let gates: [BrokenInput] = [
    gates(
      "an empty file of gates", "",
      "cannot read gates.json, line 1, column 1: expected JSON, found the end of the file"),
    gates(
      "gates that end early", "{\"schema\": ",
      "cannot read gates.json, line 1, column 12: expected a value, found the end of the file"),
    gates(
      "gates with a comma too many", "{\"schema\": \"x\",\n \"version\": 1,, \"gates\": []}",
      "cannot read gates.json, line 2, column 15: expected a key in quotes, found ','"),
    gates(
      "gates of another schema", "{\"schema\": \"x\", \"version\": 1, \"gates\": []}",
      "cannot read 'schema' in gates.json: expected \"facegauge.gates\", found \"x\""),
    gates(
      "gates of a later version",
      "{\"schema\": \"facegauge.gates\", \"version\": 3, \"gates\": []}",
      "cannot read 'version' in gates.json: expected 2, found 3"),
    gates(
      "no gates", "{\"schema\": \"facegauge.gates\", \"version\": 2, \"gates\": []}",
      "cannot read 'gates' in gates.json: expected a list of 1 or more gates, found "
        + "an empty list"),
    gates(
      "a gate of an unknown metric", one("detection.recal@score", "at_least", "0.5"),
      "cannot read 'gates[0].metric' in gates.json: expected the name of a metric, "
        + "perhaps \"detection.recall@score\", found \"detection.recal@score\""),
    gates(
      "a gate in the wrong direction", one("detection.recall@score", "at_most", "0.5"),
      "cannot read 'gates[0].direction' in gates.json: expected \"at_least\", as "
        + "higher detection.recall@score is better, found \"at_most\""),
    gates(
      "a gate in no direction", one("detection.recall@score", "about", "0.5"),
      "cannot read 'gates[0].direction' in gates.json: expected one of at_least, "
        + "at_most, found \"about\""),
    gates(
      "a limit of words", one("detection.recall@score", "at_least", "\"high\""),
      "cannot read 'gates[0].limit' in gates.json: expected a finite number, found "
        + "\"high\""),
    gates(
      "a limit of 1e999", one("detection.recall@score", "at_least", "1e999"),
      "cannot read 'gates[0].limit' in gates.json: expected a number that a double can hold, found "
        + "1e999"),
    gates(
      "a hundred thousand open lists of gates", String(repeating: "[", count: 100_000),
      "cannot read gates.json, line 1, column 65: expected at most 64 nested values, found '['"),
    gates(
      "a list instead of gates", "[]",
      "cannot read gates.json: expected an object with the schema \"facegauge.gates\", found an "
        + "empty list"),
    gates(
      "gates with a word too many", file("[{}]", version: "2, \"limits\": []"),
      "cannot read gates.json: expected only the keys schema, version, gates, found the key "
        + "\"limits\""),
    gates(
      "gates without a version", "{\"schema\": \"facegauge.gates\", \"gates\": []}",
      "cannot read 'version' in gates.json: expected 2, found nothing"),
    gates(
      "a gate that is a name", file("[\"detection.ap\"]"),
      "cannot read 'gates[0]' in gates.json: expected an object with the keys \(keys), found "
        + "\"detection.ap\""),
    gates(
      "a gate without a metric", file("[{\"limit\": 1}]"),
      "cannot read 'gates[0]' in gates.json: expected the key \"metric\", found none"),
    gates(
      "a metric that is a number", file("[{\"metric\": 3}]"),
      "cannot read 'gates[0].metric' in gates.json: expected the name of a metric, found 3"),
    gates(
      "a gate with a word too many", file("[\(ap(more: "\"max_change\": 1"))]"),
      "cannot read 'gates[0]' in gates.json: expected only the keys \(keys), found the key "
        + "\"max_change\""),
    gates(
      "a gate that limits nothing", file("[{\"metric\": \"detection.ap\"}]"),
      "cannot read 'gates[0]' in gates.json: expected limit, max_worsening or "
        + "max_relative_worsening, found none of them"),
    gates(
      "a limit without a direction", file("[{\"metric\": \"detection.ap\", \"limit\": 1}]"),
      "cannot read 'gates[0]' in gates.json: expected the key \"direction\" with \"limit\", "
        + "found none"),
    gates(
      "a worsening below 0", file("[\(ap(more: "\"max_worsening\": -0.01"))]"),
      "cannot read 'gates[0].max_worsening' in gates.json: expected 0 or more, found -0.01"),
    gates(
      "a worsening in words", file("[\(ap(more: "\"max_relative_worsening\": \"5 %\""))]"),
      "cannot read 'gates[0].max_relative_worsening' in gates.json: expected a finite number, "
        + "found \"5 %\""),
    gates(
      "a worsening of null", file("[\(ap(more: "\"max_worsening\": null"))]"),
      "cannot read 'gates[0].max_worsening' in gates.json: expected a finite number, found null"),
    gates(
      "a gate evaluated by its mean", file("[\(ap(more: "\"evaluated_by\": \"mean\""))]"),
      "cannot read 'gates[0].evaluated_by' in gates.json: expected one of value, interval, binomial, "
        + "found \"mean\""),
    gates(
      "a slice without a name", file("[\(ap(more: "\"slice\": \"\""))]"),
      "cannot read 'gates[0].slice' in gates.json: expected the name of a slice or null, found "
        + "\"\""),
    gates(
      "a slice that is a list", file("[\(ap(more: "\"slice\": [\"dark\"]"))]"),
      "cannot read 'gates[0].slice' in gates.json: expected the name of a slice or null, found a "
        + "list"),
    gates(
      "the same gate twice", file("[\(ap()), \(ap(more: "\"max_worsening\": 1"))]"),
      "cannot read 'gates[1]' in gates.json: expected one gate for each metric and slice, found "
        + "the metric and slice of gates[0] again"),
    gates(
      "a gate on a change without a base", file("[\(ap()), \(change)]"),
      "cannot evaluate 'gates[1].max_relative_worsening' in gates.json: expected a base run to "
        + "measure the change against (--base), found none"),
    based("a base that is not there", "missing", status: 66, "cannot read missing: no such file"),
    based(
      "a base without a record", "folder", status: 66,
      "cannot read folder/record.json: no such file"),
    based(
      "a base that is a dataset", "good.h5",
      "cannot read good.h5, line 1, column 1: expected JSON, found an HDF5 file"),
    based(
      "a base that is a gates file", "gates.json",
      "cannot read 'schema' in gates.json: expected \"facegauge.record\", found "
        + "\"facegauge.gates\""),
    BrokenInput(
      "a base without gates", "evaluate good.h5 -o run --base run", status: 64,
      "'--base' requires '--gates', whose limits on changes it is for "
        + "('facegauge compare' compares two runs without gates)"),
  ]

  private static let keys =
    "metric, slice, direction, limit, max_worsening, max_relative_worsening, evaluated_by, confidence"
  private static let change =
    "{\"metric\": \"detection.ap50\", \"max_relative_worsening\": 0.1}"

  private static func gates(_ what: String, _ text: String, _ message: String) -> BrokenInput {
    BrokenInput(what, evaluated, "gates.json", text, message)
  }

  private static func based(
    _ what: String, _ base: String, status: Int32 = 65, _ message: String
  ) -> BrokenInput {
    BrokenInput(what, "\(evaluated) --base \(base)", status: status, message) {
      try $0.write(file("[\(change)]"), to: "gates.json")
      try $0.write("", to: "folder/other")
    }
  }

  private static func file(_ gates: String, version: String = "2") -> String {
    "{\"schema\": \"facegauge.gates\", \"version\": \(version), \"gates\": \(gates)}"
  }

  private static func ap(more: String = "") -> String {
    "{\"metric\": \"detection.ap\", \"direction\": \"at_least\", \"limit\": 0.5"
      + (more.isEmpty ? "" : ", ") + more + "}"
  }

  private static func one(_ metric: String, _ direction: String, _ limit: String) -> String {
    file("[{\"metric\": \"\(metric)\", \"direction\": \"\(direction)\", \"limit\": \(limit)}]")
  }
}
