import Records

extension ReportSection {
  /// How steadily faces are followed, and jitter, which is never shown without lag.
  package static let tracking: ReportSection = ReportSection(
    id: "tracking", title: "Tracking over time",
    claims: { name in
      ["tracking.", "jitter.", "lag."].contains { name.hasPrefix($0) }
    },
    blocks: { record in
      let metrics = record.measurements(of: tracking)
      let following = metrics.filter { $0.name.hasPrefix("tracking.") }
      let jitter = metrics.filter { $0.name.hasPrefix("jitter.") }
      let lag = metrics.filter { $0.name.hasPrefix("lag.") }
      var blocks = [Block].metrics("Faces over time", following)
      if !jitter.isEmpty || !lag.isEmpty {
        blocks.append(.table(.metrics("Jitter and lag", jitter + lag)))
        if lag.isEmpty {
          blocks.append(
            .notes([
              "Lag was not measured. Smoothing lowers jitter and raises lag, so a low jitter alone"
                + " is no evidence of good tracking."
            ]))
        }
      }
      return blocks
        + record.series(of: tracking).map { series in
          series.name == SeriesName.losses
            ? losses(series) : series.block(caption: caption(of: series))
        }
    })

  private static func caption(of series: Series) -> String {
    switch series.name {
    case SeriesName.clipAmplitudes:
      "Of the face followed longest in each clip: displacement between frames of seven points, in "
        + "thousandths of the interocular distance, by Welch's method. Clips that move most above "
        + "4 Hz come first. What a subject does is in it too, mostly at low frequencies."
    case SeriesName.clipRemoved:
      "(before − after smoothing) / the larger of both amplitudes, measured in each clip: the share "
        + "that smoothing removes, and below 0 the share of what is given out that it adds. The "
        + "clips are those of the jitter spectrum."
    default: ""
    }
  }

  /// The losses, each of which selects the frames from the one lost to the one found again.
  private static func losses(_ series: Series) -> Block {
    guard case .table(let rows) = series.content else { return series.block(caption: "") }
    var table = Table(series.title, rows)
    for index in table.rows.indices where rows.rows[index].count > 3 {
      table.rows[index][2].selection = SelectionAxis.selection(
        from: rows.rows[index][2], to: rows.rows[index][3])
    }
    return .table(table)
  }
}
