import FaceCore
import Records

extension ReportSection {
  /// Accuracy of the coefficients where they are labelled, and what was predicted anyway.
  package static let blendshapes = ReportSection(
    id: "blendshapes", title: "Blendshapes", claims: { $0.hasPrefix("blendshapes.") },
    blocks: { record in
      headBlocks(
        of: "blendshapes", in: record, model: "blendshapes",
        without: "The dataset labels no blendshapes")
    })

  /// What is known of one output of a head, and a sentence where nothing of it is an accuracy.
  ///
  /// `model` is the stage of the model that gives it, `reason` begins that sentence.
  static func headBlocks(
    of stage: String, in record: Record, model: String, without reason: String
  ) -> [Block] {
    let own = { (name: String) in name.hasPrefix("\(stage).") }
    let isOutput = { (name: String) in
      ["given_share", "change", "output"].contains { name == "\(stage).\($0)" }
    }
    let metrics = record.measurements.filter { $0.slice == nil && own($0.name) }
    let series = record.series.filter { own($0.name) }
    guard !metrics.isEmpty || !series.isEmpty else { return [] }
    let accuracy = metrics.filter { !isOutput($0.name) }
    let output = metrics.filter { isOutput($0.name) }
    var blocks = [Block].metrics("Against the labels", accuracy)
    // One row for each coefficient.
    let rows = Blendshape.allCases.count
    blocks += series.filter { !isOutput($0.name) }.map { $0.block(caption: "", rowLimit: rows) }
    if accuracy.isEmpty {
      let used = record.models.filter { $0.stage == model }
      let source =
        used.isEmpty ? "the tracker" : used.map(\.name).joined(separator: " and ")
      blocks.append(
        .paragraph(
          "\(reason): this is what \(source) predicted, not how accurate it is. A change from frame"
            + " to frame is jitter where the face holds still."))
      blocks += used.compactMap { used in
        used.remark.map { .paragraph("\(used.name): \($0).") }
      }
    }
    return blocks + [Block].metrics("Predicted", output)
      + series.filter { isOutput($0.name) }.map { $0.block(caption: "", rowLimit: rows) }
  }
}
