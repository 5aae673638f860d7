internal import Metrics
internal import Records

/// Figures that rest on the same frames.
struct FigureGroup {
  var figures: [Measurement]
  /// The frames that count, ascending.
  var frames: [Int]

  init(_ figures: [Measurement], frames: [Int]) {
    self.figures = figures
    self.frames = frames
  }

  init(_ metric: some FrameMetric) {
    self.init(metric.summarize(), frames: metric.countedFrames)
  }

  /// The same, some figures without their values, and why.
  func without(
    _ definitions: [MetricDefinition], because reason: String
  ) -> FigureGroup {
    var group = self
    for index in figures.indices where figures[index].value != nil {
      guard definitions.contains(where: { $0.name == figures[index].name }) else { continue }
      group.figures[index] = figures[index].undefined(reason)
    }
    return group
  }

  /// The same, without values where there is a reason.
  func judged(because reason: String?) -> FigureGroup {
    reason.map { reason in FigureGroup(figures.map { $0.undefined(reason) }, frames: []) } ?? self
  }
}

extension Measurement {
  /// The same figure without a value.
  func undefined(_ reason: String) -> Measurement {
    var measurement = self
    measurement.value = nil
    measurement.reason = reason
    measurement.needs = nil
    measurement.interval = .none("the figure is undefined")
    return measurement
  }

  /// The same figure, without a value where it is of a slice and its n is too small.
  func suppressed(under least: Int) -> Measurement {
    guard let slice, slice.contains("="), value != nil, n < least else { return self }
    return undefined("suppressed: n is \(n), under the least of \(least)")
  }
}
