internal import Platform
import Records

extension Table {
  /// What each of some runs on one dataset was: time, program, machine, models and options, a column a run.
  static func runs(
    _ title: String, _ runs: [Comparison.Side], of dataset: Record.DatasetSummary,
    withKernels: Bool = false
  ) -> Table {
    func row(_ what: String, _ value: (Comparison.Side) -> String) -> [Cell] {
      [.text(what)] + runs.map { .text(value($0)) }
    }
    let kernels = [
      row("Kernels") { $0.host.kernels ?? "not recorded" },
      row("BLAS") { "\($0.host.blasVersion), \($0.host.blasCore) kernels" },
    ]
    let models = row("Models") { run in
      run.models.isEmpty
        ? "none"
        : run.models.map { "\($0.name) \($0.sha256.prefix(12))…" }.joined(separator: ", ")
    }
    return Table(
      title: title, columns: [.words("What")] + runs.map { .words($0.name) },
      rows: [
        row("Begun") { $0.created },
        row("Program") { "\($0.tool.name) \($0.tool.version), \($0.tool.build) build" },
        row("Processor") { $0.host.cpu },
      ] + (withKernels ? kernels : []) + [models]
        + Set(runs.flatMap(\.options.keys)).sorted().map { name in
          row("--\(name)") { $0.options[name] ?? "–" }
        }, remark: "Dataset SHA-256 \(dataset.sha256).", isWide: true)
  }
}

extension Table.Cell {
  /// A value with four digits and its unit.
  static func value(_ value: Double?, unit: String, note: String? = nil) -> Table.Cell {
    .text(
      value.map { $0.shortText(significantDigits: 4) + Measurement.unitSuffix(unit) } ?? "–",
      note: note)
  }

  /// A number with so many decimals.
  static func number(_ value: Double?, decimals: Int = 3) -> Table.Cell {
    .text(value.map { $0.text(decimals: decimals) } ?? "–")
  }

  /// Both ends with three digits, or why there are none.
  static func interval(_ interval: Interval) -> Table.Cell {
    interval.text { $0.shortText(significantDigits: 3) }.map { .text($0) }
      ?? .text("–", note: interval.reason)
  }
}

/// A difference with its sign, three digits and its unit.
func signedText(_ difference: Double, unit: String = "1") -> String {
  (difference > 0 ? "+" : "") + difference.shortText(significantDigits: 3)
    + Measurement.unitSuffix(unit)
}

extension [ReportDocument.Section] {
  /// The parts of a report that have something to show, those of some names folded.
  init(_ parts: [(id: String, title: String, blocks: [Block])], folded: [String] = []) {
    self = parts.filter { !$0.blocks.isEmpty }.map { id, title, blocks in
      var section = ReportDocument.Section(id: id, title: title, blocks: blocks)
      section.isFolded = folded.contains(id)
      return section
    }
  }
}
