import CommandSyntax
import Datasets
import Foundation
import Platform

/// The contents of each split, in aligned lines.
struct SplitTable {
  let summary: DatasetSplit.Summary

  /// A head, a line for each split, and with strata a line for each of them.
  var text: String {
    var rows = [["split", "groups", "frames", "share", "asked"]]
    for share in summary.shares {
      rows.append([
        share.part.name, "\(share.groups)", "\(share.frames)",
        Self.percent(share.frames, of: summary.frames), Self.percent(share.part.fraction),
      ])
    }
    rows.append([
      "all", "\(summary.groups)", "\(summary.frames)", Self.percent(1), Self.percent(1),
    ])
    var text = Self.aligned(rows)
    guard summary.strata != [""] else { return text }
    var strata = [["faces"] + summary.shares.map(\.part.name)]
    for (index, name) in summary.strata.enumerated() {
      let total = summary.shares.reduce(0) { $0 + $1.strata[index] }
      strata.append(
        [name]
          + summary.shares.map {
            "\($0.strata[index]) (\(Self.percent($0.strata[index], of: total)))"
          })
    }
    text += "\n" + Self.aligned(strata)
    return text
  }

  private static func percent(_ part: Int, of all: Int) -> String {
    percent(all > 0 ? Double(part) / Double(all) : 0)
  }

  private static func percent(_ fraction: Double) -> String {
    String(format: "%.1f %%", 100 * fraction)
  }

  private static func aligned(_ rows: [[String]]) -> String {
    TextTable([.left, .right], rows: rows).lines.printed
  }
}
