/// The splits that the column `Usage` of FER2013's tables names.
struct UsageSplits {
  private var counts: [String: Int] = [:]
  private var unused = 0

  /// Maximum number of splits of a table.
  private static let limit = 64

  /// The splits of a row of that usage.
  mutating func splits(of usage: String) -> [String] {
    guard DatasetLayout.isTableName(usage), counts.count < Self.limit || counts[usage] != nil else {
      unused += 1
      return []
    }
    counts[usage, default: 0] += 1
    return [usage]
  }

  /// How many rows are in which split, and how many in none.
  var remarks: [ImportRemark] {
    var remarks = counts.sorted { $0.key < $1.key }.map { usage, count in
      ImportRemark.assumed("\(count) images of usage \(usage) are split \(usage)")
    }
    remarks.drop("usage of \(unused) rows left out: it cannot name a split", if: unused > 0)
    return remarks
  }
}
