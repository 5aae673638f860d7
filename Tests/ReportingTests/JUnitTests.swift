import Foundation
import Records
import Reporting
import Testing

@Suite struct JUnitTests {
  @Test func theSampleGivesTheGoldenFile() throws {
    try expectGolden(Report(record: Sample.record).junit(), "junit.xml")
  }

  @Test func aRunWithoutGatesHasNoTests() throws {
    let document = try ParsedXML(Report(record: Sample.empty).junit())
    #expect(document.elements("testsuites").map { $0["tests"] } == ["0"])
    #expect(document.elements("testsuite").isEmpty)
  }

  @Test func aBrokenLimitAMissingValueAndAnOpenVerdictAreKeptApart() throws {
    let document = try ParsedXML(Report(record: Sample.record).junit())
    #expect(
      document.elements("testsuite").map { $0["name"] } == ["detection", "latency", "landmarks"])
    #expect(document.elements("testcase").count == Sample.record.gates.count)
    #expect(document.elements("failure").count == 1)
    #expect(document.elements("error").count == 2)
    #expect(document.elements("skipped").count == 1)
    for key in ["tests", "failures", "errors", "skipped"] {
      let total = document.elements("testsuites").compactMap { $0[key].flatMap(Int.init) }
      let parts = document.elements("testsuite").compactMap { $0[key].flatMap(Int.init) }
      #expect(total == [parts.reduce(0, +)], "\(key)")
    }
  }

  @Test func charactersThatXMLForbidsAreRemoved() throws {
    var record = Sample.empty
    record.dataset.name = "a\u{0}b\u{1B}[31m<&\"'>\u{FFFE}"
    record.gates = [
      GateResult(
        gate: Gate(metric: "m\n\t", direction: .atLeast, limit: 1), stage: "s", verdict: .fail,
        value: 0, message: "x\u{8}]]>y")
    ]
    let document = try ParsedXML(Report(record: record).junit())
    #expect(document.elements("testcase").map { $0["classname"] } == ["ab[31m<&\"'>.s"])
    #expect(document.elements("testcase").map { $0["name"] } == ["m\n\t at least 1"])
    #expect(document.elements("failure").map { $0["message"] } == ["x]]>y"])
  }
}
