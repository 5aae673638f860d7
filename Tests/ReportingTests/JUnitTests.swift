import Foundation
import Records
import Reporting
import Testing

@Suite struct JUnitTests {
  @Test func `the sample gives the golden file`() throws {
    try expectGolden(Report(record: Sample.record).junit(), "junit.xml")
  }

  @Test func `a run without gates has no tests`() throws {
    let document = try ParsedXML(Report(record: Sample.empty).junit())
    #expect(document.elements("testsuites").map { $0["tests"] } == ["0"])
    #expect(document.elements("testsuite").isEmpty)
  }

  @Test func `a broken limit a missing value and an open verdict are kept apart`() throws {
    let document = try ParsedXML(Report(record: Sample.record).junit())
    #expect(
      document.elements("testsuite").map { $0["name"] } == ["detection", "latency", "landmarks"])
    #expect(document.elements("testcase").count == Sample.record.gates.count)
    #expect(document.elements("failure").count == 1)
    #expect(document.elements("error").count == 2)
    #expect(document.elements("skipped").count == 1)
    for key in ["tests", "failures", "errors"] {
      let total = document.elements("testsuites").compactMap { $0[key].flatMap(Int.init) }
      let parts = document.elements("testsuite").compactMap { $0[key].flatMap(Int.init) }
      #expect(total == [parts.reduce(0, +)], "\(key)")
    }
  }

  @Test func `a finding of a comparison names its run`() throws {
    var comparison = Sample.comparison
    comparison.findings = ["before", "after"].map { run in
      var finding = Finding("time.shift", .suspect, "Late.", statistic: "difference", n: 20)
      finding.run = run
      return finding
    }
    let document = try ParsedXML(ComparisonReport(comparison: comparison).junit())
    #expect(
      document.elements("testcase").map { $0["name"] }
        == ["time.shift in before", "time.shift in after"])
  }

  @Test func `control characters are escaped`() throws {
    var record = Sample.empty
    record.dataset.name = "a\u{0}b\u{1B}[31m<&\"'>\u{FFFE}"
    record.gates = [
      GateResult(
        gate: Gate(metric: "m\n\t", direction: .atLeast, limit: 1), stage: "s", verdict: .fail,
        value: 0, message: "x\u{8}]]>y")
    ]
    let document = try ParsedXML(Report(record: record).junit())
    #expect(
      document.elements("testcase").map { $0["classname"] } == ["a\\u{0}b\\u{1b}[31m<&\"'>.s"])
    #expect(document.elements("testcase").map { $0["name"] } == ["m\n\t at least 1"])
    #expect(document.elements("failure").map { $0["message"] } == ["x\\u{8}]]>y"])
  }

  @Test func `only what the usual schema knows is written`() throws {
    let known: [String: (attributes: Set<String>, required: Set<String>)] = [
      "testsuites": (["name", "time", "tests", "failures", "errors"], []),
      "testsuite": (
        ["name", "tests", "failures", "errors", "skipped", "time", "timestamp"],
        ["name", "tests", "failures", "errors"]
      ),
      "testcase": (["name", "classname", "time"], ["name"]),
      "failure": (["type", "message"], []), "error": (["type", "message"], []),
      "skipped": (["type", "message"], []), "system-out": ([], []),
    ]
    let document = try ParsedXML(Report(record: Sample.evaluatedAgainstABase).junit())
    for (name, attributes) in document.all {
      let element = try #require(known[name], "\(name)")
      #expect(Set(attributes.keys).isSubset(of: element.attributes), "\(name)")
      #expect(element.required.isSubset(of: attributes.keys), "\(name)")
    }
    #expect(Set(document.all.map(\.name)) == Set(known.keys))
    let names = document.elements("testcase").compactMap { $0["name"] }
    #expect(Set(names).count == names.count)
  }

  @Test func `a change is a case and a base without the value an error`() throws {
    let document = try ParsedXML(Report(record: Sample.evaluatedAgainstABase).junit())
    let names = document.elements("testcase").compactMap { $0["name"] }
    #expect(
      names.contains("detection.recall@score at least 0.6 and at most 0.02 worse than the base"))
    #expect(names.contains("detection.fp_per_image@score at most 10 % worse than the base"))
    #expect(
      document.elements("failure").compactMap { $0["message"] }.map { $0.prefix(60) }
        == ["detection.fp_per_image@score is 0.0374 per image, 0.0054 per"])
    #expect(
      document.elements("error").compactMap { $0["message"] }.map { $0.prefix(50) }
        == ["detection.ap75 was not measured in the base, which"])
    #expect(
      document.elements("skipped").compactMap { $0["message"] }.first?
        .contains("does not decide the limit of at most 0.01 worse than the base.") == true)
  }
}
