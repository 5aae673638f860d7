import Foundation
import Records
import Reporting
import Testing

struct FindingReportTests {
  private static let record: Record = {
    var finding = Finding(
      "boxes.corners", .suspect, "Boxes <b> agree | as corners.", statistic: "share found",
      before: 0, after: 0.75, n: 12, remedy: "Import again with --repair corners.",
      frames: [
        Finding.Frame(index: 3, name: "3.jpg"), Finding.Frame(index: 4, name: "4.jpg"),
      ])
    finding.images = [
      Record.Image(
        file: "finding-1-1.jpg", frame: "3.jpg", caption: "1 missed", width: 1, height: 1)
    ]
    var record = Sample.record
    record.findings = [
      finding, Finding("scores.ties", .note, "Scores are equal.", statistic: "ties", n: 4),
    ]
    return record
  }()

  @Test func `the page shows findings before the decision and the metrics`() throws {
    let html = Report(record: Self.record).html { _ in nil }
    let finding = try #require(html.range(of: "Boxes &lt;b&gt; agree | as corners."))
    let metrics = try #require(html.range(of: "id=\"headlines\""))
    let answers = try #require(html.range(of: "class=\"wide answers\""))
    #expect(finding.lowerBound < metrics.lowerBound && finding.lowerBound < answers.lowerBound)
    let document = try ParsedXML(html.replacing("<!DOCTYPE html>", with: ""))
    let classes = document.elements("div").compactMap { $0["class"] }
    #expect(
      classes.count { $0 == "finding suspect" } == 1 && classes.count { $0 == "finding" } == 1)
    #expect(html.contains("Import again with --repair corners."))
    #expect(html.contains("frames 4 4.jpg") && !html.contains("frames 3 3.jpg"))
  }

  @Test func `Markdown names the finding, the remedy and the frames`() {
    let text = Report(record: Self.record).markdown()
    #expect(
      text.contains("> **⚠ suspect:** Boxes &lt;b&gt; agree \\| as corners.  \n> Import again"))
    #expect(text.contains("> `boxes.corners` · share found: 0.000, 0.750 with the remedy, n = 12"))
    #expect(text.contains("](images/finding-1-1.jpg)"))
    #expect(text.contains("> **ⓘ note:** Scores are equal."))
    #expect(Report(record: Self.record).summaryMarkdown().contains("⚠ suspect"))
  }

  @Test(arguments: [false, true])
  func `a suspect finding is a failed test of its own until it is accepted`(isAccepted: Bool) throws
  {
    var record = Self.record
    if isAccepted { record.findings = record.findings?.accepting(["boxes.corners"]) }
    let before = try ParsedXML(Report(record: Sample.record).junit())
    let document = try ParsedXML(Report(record: record).junit())
    #expect(document.elements("testsuite").first?["name"] == "findings")
    #expect(
      document.elements("testcase").count == before.elements("testcase").count + 1)
    #expect(
      document.elements("failure").count == before.elements("failure").count + (isAccepted ? 0 : 1))
    #expect(document.elements("testcase").first?["name"] == "boxes.corners")
  }
}
