import Records

extension ReportSection {
  /// Which stages ran, and why the others did not.
  package static let stages = ReportSection(
    id: "stages", title: "What ran", claims: { _ in false },
    blocks: { record in
      guard let stages = record.stages, !stages.isEmpty else { return [] }
      return [
        Block.table(
          title: "Stages of the pipeline",
          columns: [.words("Stage"), .words("State"), .words("Model"), .words("Why not")],
          rows: stages.map { stage in
            let models = record.models.filter { $0.stage == stage.name }.map(\.name)
            return [
              .text(stage.name.prefix(1).uppercased() + stage.name.dropFirst()),
              .text(stage.state.rawValue),
              .text(models.isEmpty ? "–" : models.joined(separator: ", ")),
              .text(stage.reason ?? ""),
            ]
          },
          isWide: true)
      ]
        + record.models.compactMap { model in
          model.remark.map { .paragraph("\(model.name): \($0).") }
        }
    })
}
