import FaceCore
import Records
import Reporting
import Testing

private let metrics: [(name: String, title: String, unit: String)] = [
  ("detection.recall@score", "Recall", "1"),
  ("faces.failure_to_acquire", "Failure to acquire", "1"),
  ("landmarks.nme.interocular", "NME by interocular distance", "1"),
  ("landmarks.nme.interocular.conditional", "NME of found faces", "1"),
  ("pose.geodesic", "Rotation error", "°"),
  ("blendshapes.mae", "Mean absolute error", "1"),
]

private func sliced(_ slice: String, _ index: Int, _ value: Double?, n: Int) -> Measurement {
  let metric = metrics[index]
  var measurement = Measurement(
    name: metric.name, title: metric.title,
    stage: String(metric.name.split(separator: ".")[0]), value: value,
    reason: value == nil ? "suppressed: n is \(n), below the minimum of 20" : nil,
    unit: metric.unit,
    better: index == 0 ? .higher : .lower, n: n)
  measurement.slice = slice
  if let value, n >= 30 {
    measurement.interval = Interval(
      low: value * 0.9, high: value * 1.1, method: "percentile bootstrap of 31 clusters")
  }
  return measurement
}

/// Two metrics by size, and six by yaw, of which one is undefined where a face was missed.
private let record: Record = {
  var record = Sample.empty
  for (slice, n) in [("size=small", 812), ("size=large", 7)] {
    for index in 0..<2 {
      record.measurements.append(sliced(slice, index, n < 20 ? nil : 0.25, n: n))
    }
  }
  for (position, slice) in ["yaw=0-30", "yaw=30-60"].enumerated() {
    for index in metrics.indices {
      let value = index == 2 && position == 1 ? nil : Double(index + 1) * 0.11 + Double(position)
      record.measurements.append(sliced(slice, index, value, n: index == 4 ? 25 : 1400))
    }
  }
  record.series = [
    Series(
      name: "slices.spread", title: "Worst and best slices",
      content: .table(
        Series.Table(
          columns: ["metric", "worst slice", "value", "best slice", "value", "spread"],
          rows: [["detection.recall@score", "yaw=0-30", "0.11", "yaw=30-60", "1.11", "1"]])))
  ]
  return record
}()

@Suite("The section of slices")
struct SlicesSectionTests {
  private let blocks =
    Report(record: record).document.sections.first { $0.id == "slices" }?.blocks ?? []

  private func table(_ title: String) throws -> Table {
    for case .table(let table) in blocks where table.title == title { return table }
    throw Missing()
  }

  private struct Missing: Error {}

  @Test func `the Markdown report is the golden file`() throws {
    try expectGolden(Report(record: record).markdown(), "slices.md")
  }

  @Test func `few metrics are columns of one table; a suppressed one has its reason in a footnote`()
    throws
  {
    let table = try table("By size")
    #expect(table.columns.map(\.title) == ["size", "Recall", "Failure to acquire"])
    #expect(table.rows[0][1] == .text("0.250 (812; 0.225 to 0.275)"))
    #expect(table.rows[1][1] == .text("–", note: "suppressed: n is 7, below the minimum of 20"))
    #expect(table.notes == ["suppressed: n is 7, below the minimum of 20"])
  }

  @Test func `many metrics stand under each other, so that no table is wider than a page`() throws {
    let table = try table("By yaw")
    #expect(table.columns.map(\.title) == ["Metric", "yaw", "Value"])
    #expect(table.rows.count == 12 && table.rows.allSatisfy { $0.count == 3 })
    #expect(table.rows.map { $0[0] }.filter { $0 != .text("") } == metrics.map { .text($0.title) })
    #expect(table.rows[5][2] == .text("–", note: "suppressed: n is 1400, below the minimum of 20"))
  }

  @Test func `a property whose slices are all suppressed says why`() throws {
    var record = Sample.empty
    for slice in ["yaw=0-30", "yaw=30-60"] {
      for index in metrics.indices {
        record.measurements.append(sliced(slice, index, nil, n: 7))
      }
    }
    let blocks = try #require(
      Report(record: record).document.sections.first { $0.id == "slices" }?.blocks)
    let tables = blocks.compactMap { if case .table(let table) = $0 { table } else { nil } }
    let table = try #require(tables.first { $0.title == "By yaw" })
    #expect(table.columns.map(\.title) == ["yaw", "Recall"])
    #expect(table.notes == ["suppressed: n is 7, below the minimum of 20"])
  }

  @Test
  func `a record without slices has no such section, and no other section repeats their metrics`() {
    let sections = Report(record: record).document.sections
    #expect(!Report(record: Sample.empty).document.sections.contains { $0.id == "slices" })
    for section in sections where section.id != "slices" {
      for case .table(let table) in section.blocks {
        #expect(!table.rows.joined().contains(.code("pose.geodesic")), "\(section.id)")
      }
    }
  }
}
