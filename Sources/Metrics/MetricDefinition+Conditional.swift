internal import Records

extension MetricDefinition {
  /// The same figure over found faces alone, to stand beside one that misses leave undefined.
  package var conditional: MetricDefinition {
    MetricDefinition(
      name: name + ".conditional", title: title + " of found faces", stage: stage, unit: unit,
      direction: direction, target: target, formula: "as \(name), over the found faces alone",
      source: source
    ).within(range)
  }

  /// The figure, undefined where a labelled face was missed, and the same over found faces.
  func figures(
    _ value: Double?, n: Int, missed: Int, else reason: String, needs: Int? = nil
  ) -> [Measurement] {
    let found =
      value.map { conditional.measurement($0, n: n) }
      ?? conditional.undefined(reason, needs: needs, n: n)
    guard missed > 0 else {
      return [
        value.map { measurement($0, n: n) } ?? undefined(reason, needs: needs, n: n), found,
      ]
    }
    return [
      undefined(
        "\(missed) of \(n + missed) labelled faces have no prediction; \(name).conditional is of "
          + "the others", n: n + missed), found,
    ]
  }
}
