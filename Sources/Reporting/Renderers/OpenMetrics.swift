internal import Foundation
internal import Platform
package import Records

/// A run's metrics as OpenMetrics text, version 1.0.0, which Prometheus and its kin read.
package struct OpenMetrics: Sendable {
  private let record: Record

  /// The metrics of that record.
  package init(_ record: Record) {
    self.record = record
  }

  /// A family for each metric and one for each end of its interval, a sample for each slice; then gates and findings.
  ///
  /// What is undefined has no sample. Units but those that `suffixes` names stand in the help line.
  package var text: String {
    var families = [
      Family(
        "run", "The run.", type: "info",
        samples: [
          Sample(
            [
              ("kind", record.kind), ("version", record.tool.version),
              ("commit", record.tool.commit ?? ""), ("sha256", record.dataset.sha256),
            ], 1, suffix: "_info")
        ])
    ]
    if let began = try? Date(record.created, strategy: .iso8601) {
      families.append(
        Family(
          "run_start_time_seconds", "When the run began, since 1970.", unit: "seconds",
          samples: [Sample([], began.timeIntervalSince1970)]))
    }
    families += record.measurements.map(\.name).uniqued.flatMap { name in
      self.families(record.measurements.filter { $0.name == name })
    }
    families.append(
      Family(
        "gate", "The verdict of a gate.", type: "stateset",
        samples: record.gates.flatMap { result in
          [Verdict.pass, .fail, .inconclusive].map { verdict in
            Sample(
              [("metric", result.gate.metric)] + (result.gate.slice.map { [("slice", $0)] } ?? [])
                + [
                  ("condition", result.gate.condition()), ("facegauge_gate", verdict.rawValue),
                ], result.verdict == verdict ? 1 : 0)
          }
        }))
    families.append(
      Family(
        "suspect_findings", "What makes numbers wrong, and nobody has accepted.",
        samples: record.findings.map { [Sample([], Double($0.count(where: \.isOpen)))] } ?? []))
    return families.map { $0.text(dataset: record.dataset.name) }.joined() + "# EOF\n"
  }

  private func families(_ measurements: [Records.Measurement]) -> [Family] {
    let first = measurements[0]
    let unit = Self.suffixes[first.unit]
    let title =
      first.title + (unit != nil || first.unit == "1" ? "" : ", in \(first.unit)")
      + (first.better.isDirected ? "; \(first.better.phrase(target: first.target))." : ".")
    func family(_ end: String, _ value: (Records.Measurement) -> Double?) -> Family {
      Family(
        Self.name(first.name) + end + (unit.map { "_\($0)" } ?? ""), title, unit: unit,
        samples: measurements.compactMap { one in
          value(one).map { Sample(one.slice.map { [("slice", $0)] } ?? [], $0) }
        })
    }
    return [family("", \.value), family("_low", \.interval.low), family("_high", \.interval.high)]
  }

  /// The word of a unit that ends a family's name.
  private static let suffixes = [
    "ms": "milliseconds", "px": "pixels", "°": "degrees", "mm": "millimeters", "rad": "radians",
  ]

  /// A metric's name with `_` for what is neither a letter nor a digit.
  private static func name(_ metric: String) -> String {
    String(metric.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }

  private struct Sample {
    let labels: [(name: String, value: String)]
    let value: Double
    let suffix: String

    init(_ labels: [(name: String, value: String)], _ value: Double, suffix: String = "") {
      (self.labels, self.value, self.suffix) = (labels, value, suffix)
    }
  }

  private struct Family {
    let name: String
    let help: String
    let type: String
    let unit: String?
    let samples: [Sample]

    init(
      _ name: String, _ help: String, type: String = "gauge", unit: String? = nil,
      samples: [Sample]
    ) {
      self.name = "facegauge_\(name)"
      (self.help, self.type, self.unit) = (help, type, unit)
      self.samples = samples.filter(\.value.isFinite)
    }

    func text(dataset: String) -> String {
      guard !samples.isEmpty else { return "" }
      let head =
        "# TYPE \(name) \(type)\n" + (unit.map { "# UNIT \(name) \($0)\n" } ?? "")
        + "# HELP \(name) \(help.escapedForOpenMetrics)\n"
      return head
        + samples.map { sample in
          let labels = ([("dataset", dataset)] + sample.labels).map {
            "\($0)=\"\($1.escapedForOpenMetrics)\""
          }
          return "\(name)\(sample.suffix){\(labels.joined(separator: ","))} \(sample.value)\n"
        }.joined()
    }
  }
}

extension String {
  fileprivate var escapedForOpenMetrics: String {
    withControlCharactersEscaped.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }
}
