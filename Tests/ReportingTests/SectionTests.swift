import Records
import Reporting
import Testing

@Suite struct SectionTests {
  private func blocks(_ id: String, of record: Record) -> [Block] {
    Report(record: record).document.sections.first { $0.id == id }?.blocks ?? []
  }

  @Test func identifiersOfSectionsAreUnique() {
    let identifiers = ReportSections.all.map(\.id)
    #expect(Set(identifiers).count == identifiers.count)
  }

  @Test func aSectionWithoutDataIsLeftOut() {
    #expect(Report(record: Sample.empty).document.sections.map(\.id) == ["provenance"])
  }

  @Test func noMeasurementIsClaimedTwiceOrShownNowhere() {
    for measurement in Sample.record.measurements {
      #expect(ReportSections.all.count { $0.claims(measurement.name) } == 1, "\(measurement.name)")
    }
  }

  @Test func figuresAndSeriesOfUnknownNamesAreShownGenerically() {
    var record = Sample.empty
    record.measurements = [
      Measurement(
        name: "jitter.static", stage: "time", value: 1.5, unit: "px", better: .lower, n: 9),
      Measurement(
        name: "detection.recall@score", stage: "detection", value: 0.5, unit: "1", better: .higher,
        n: 9,
        slice: "yaw/0-30"),
    ]
    record.series = [
      Series(
        name: "jitter.spectrum", title: "Spectrum",
        content: .curve(Series.Curve(xLabel: "Hz", yLabel: "power", lines: [])))
    ]
    let blocks = blocks("other-figures", of: record)
    #expect(blocks.count == 3)
    guard case .table(let whole)? = blocks.first,
      case .table(let sliced)? = blocks.dropFirst().first
    else {
      Issue.record("expected two tables")
      return
    }
    #expect(whole.rows.map { $0[0] } == [.code("jitter.static")])
    #expect(sliced.rows.map { $0[1] } == [.text("yaw/0-30")])
  }

  @Test func aLongListOfMissesSaysHowManyAreLeftOut() {
    guard case .table(let table)? = blocks("misses", of: Sample.record).first else {
      Issue.record("expected a table")
      return
    }
    #expect(table.rows.count == 40)
    #expect(table.remark == "and 17 more")
  }

  @Test func gatesStandWorstFirst() {
    guard case .table(let table)? = blocks("gates", of: Sample.record).first else {
      Issue.record("expected a table")
      return
    }
    let order: [Verdict] = [.fail, .fail, .fail, .inconclusive, .pass, .pass]
    #expect(table.rows.map { $0[0] } == order.map { .verdict($0) })
  }

  @Test func aDebugBuildWarnsBesideItsLatencies() {
    var record = Sample.record
    #expect(!blocks("latency", of: record).contains { if case .notes = $0 { true } else { false } })
    record.tool.build = "debug"
    #expect(blocks("latency", of: record).contains { if case .notes = $0 { true } else { false } })
  }

  @Test func aPercentileThatNeedsMoreFramesSaysSo() {
    let notes = blocks("latency", of: Sample.record).compactMap { block -> [String]? in
      if case .table(let table) = block { table.notes } else { nil }
    }
    #expect(notes == [["n is 1,201; this figure needs 2,000"]])
  }
}
