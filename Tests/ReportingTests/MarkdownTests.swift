import Records
import Reporting
import Testing

@Suite struct MarkdownTests {
  @Test func `the sample gives the golden page`() throws {
    try expectGolden(Report(record: Sample.record).markdown(), "report.md")
  }

  @Test func `a run of the whole pipeline gives the golden page`() throws {
    try expectGolden(Report(record: Sample.pipeline).markdown(), "pipeline.md")
  }

  @Test func `a run without metrics gives the golden page`() throws {
    try expectGolden(Report(record: Sample.empty).markdown(), "empty.md")
  }

  @Test func `special characters stay text`() {
    var record = Sample.empty
    record.dataset.name = "a|b <script> `c` *d* [e](f)"
    record.series = [
      Series(
        name: "detection.misses", title: "t",
        content: .table(Series.Table(columns: ["x|y"], rows: [["one|two\nthree"]])))
    ]
    record.gallery = [
      Record.Image(file: "a b)|<é.jpg", frame: "f`|x", caption: "c]", width: 1, height: 1)
    ]
    let text = Report(record: record).markdown()
    #expect(
      text.hasPrefix("# FaceGauge evaluation: a\\|b &lt;script&gt; \\`c\\` \\*d\\* \\[e\\](f)\n"))
    #expect(text.contains("| x\\|y |\n| :-- |\n| one\\|two three |"))
    #expect(text.contains("](images/a%20b%29%7C%3C%C3%A9.jpg)"))
    #expect(!text.contains("<script"))
  }

  @Test func `a title that unfolds a part is HTML, in which a backslash would be seen`() {
    var record = Sample.record
    for index in record.series.indices
    where record.series[index].name == SeriesName.precisionRecall {
      record.series[index].title = "a_b <c>"
    }
    let text = Report(record: record).markdown()
    #expect(text.contains("<details><summary>a_b &lt;c&gt;</summary>\n"))
  }

  @Test func `a table row has as many cells as its head`() {
    let lines = [Sample.record, Sample.pipeline].flatMap {
      Report(record: $0).markdown().split(separator: "\n", omittingEmptySubsequences: false)
    }
    var columns = 0
    for line in lines {
      guard line.hasPrefix("|") else {
        columns = 0
        continue
      }
      let cells = line.replacing("\\|", with: "").split(
        separator: "|", omittingEmptySubsequences: false)
      if columns == 0 { columns = cells.count }
      #expect(cells.count == columns, "\(line)")
    }
  }
}
