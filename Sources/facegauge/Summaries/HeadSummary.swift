import FacePipeline
import Platform

/// The summary that `fit blendshapes` prints.
enum HeadSummary {
  /// What the head was fitted to, a line for each coefficient, notes, and where the file is.
  static func text(_ head: BlendshapeHead, output: String) -> String {
    let fitted = head.fitted
    let rows = head.channels.map { channel in
      [
        "  \(channel.name)",
        channel.heldOut?.concordance?.text(decimals: 3) ?? "–",
        channel.heldOut?.meanAbsoluteError.text(decimals: 4) ?? "–",
      ]
    }
    let held = fitted.folds == 0 ? "nothing held out" : "\(fitted.folds) folds held out"
    let lines =
      ["\(fitted.faces) faces of \(fitted.clustersText); \(held)"]
      + TextTable([.left, .right], rows: [["  coefficient", "CCC", "MAE"]] + rows).lines
      + [head.evidence] + head.notes + ["head: \(output)"]
    return lines.map { "\($0)\n" }.joined()
  }
}
