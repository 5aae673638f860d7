import Foundation
import Synchronization

/// The largest difference from each oracle, kept where FACEGAUGE_ORACLE_TABLE names a file.
///
/// One row a family and its oracle; a case counts once, with its largest difference over the larger of 1
/// and the expected value.
enum OracleTable {
  private struct Row {
    var cases = 0
    var largest = 0.0
  }

  private static let rows = Mutex<[[String]: Row]>([:])

  /// Takes in one case; writes the table so far.
  static func note(_ family: String, _ oracle: String, _ difference: Double) {
    guard let file = ProcessInfo.processInfo.environment["FACEGAUGE_ORACLE_TABLE"] else { return }
    rows.withLock { rows in
      var row = rows[[family, oracle]] ?? Row()
      row.cases += 1
      row.largest = max(row.largest, difference)
      rows[[family, oracle]] = row
      let lines = rows.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, row in
        "| \(key[0]) | \(key[1]) | \(row.cases) | \(String(format: "%.1e", row.largest)) |"
      }
      let head = ["| metrics | oracle | cases | largest difference |", "|---|---|---:|---:|"]
      let text = (head + lines).joined(separator: "\n") + "\n"
      try? text.write(to: URL(filePath: file), atomically: true, encoding: .utf8)
    }
  }
}
