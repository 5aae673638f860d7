import Metrics
import Records
import Reporting

extension FuzzTarget {
  /// A run's `record.json`, rendered in every way there is, and written again.
  static let record = FuzzTarget("record") { bytes in
    let record = try Record(json: bytes, source: "record.json")
    let report = Report(record: record)
    _ = report.html { _ in nil }
    _ = report.markdown()
    _ = report.junit()
    let again = try Record(json: record.json())
    precondition(again == record, "a record that is not what was written")
  }

  /// A file of gates.
  static let gates = FuzzTarget("gates") { bytes in
    let directions = Dictionary(
      MetricCatalog.all.map { ($0.name, $0.direction) }, uniquingKeysWith: { first, _ in first })
    _ = try GatesFile(json: bytes, source: "gates.json", metrics: directions)
  }
}
