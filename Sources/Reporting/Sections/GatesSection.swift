import Records

extension ReportSection {
  /// Each limit with its verdict and the sentence that explains it, worst first.
  package static let gates = ReportSection(
    id: "gates", title: "Gates", claims: { _ in false },
    blocks: { record in
      guard !record.gates.isEmpty else { return [] }
      let order: [Verdict] = [.fail, .inconclusive, .pass]
      let sorted = order.flatMap { verdict in record.gates.filter { $0.verdict == verdict } }
      return [
        .table(
          Table(
            title: "Limits and what was found",
            columns: [
              .words("Verdict"), .words("Metric"), .words("Slice"), .words("Why"),
            ],
            rows: sorted.map { result in
              [
                .verdict(result.verdict), .code(result.gate.metric),
                .text(result.gate.slice ?? "all"), .text(result.message),
              ]
            },
            isWide: true))
      ]
    })
}
