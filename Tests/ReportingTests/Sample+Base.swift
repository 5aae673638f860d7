import Records

extension Sample {
  /// The sample evaluated against a base run, with a gate for each outcome.
  static let evaluatedAgainstABase: Record = {
    var base = record
    func set(_ name: String, _ value: Double) {
      for index in base.measurements.indices where base.measurements[index].name == name {
        base.measurements[index].value = value
      }
    }
    set("detection.recall@score", 0.62)
    set("detection.fp_per_image@score", 0.032)
    set("detection.ap50", 0.74)
    base.measurements.removeAll { $0.name == "detection.ap75" }
    var evaluated = record
    evaluated.gates = record.evaluate(
      [
        Gate(
          metric: "detection.recall@score", direction: .atLeast, limit: 0.6, maxWorsening: 0.02),
        Gate(
          metric: "detection.fp_per_image@score", direction: .atMost, maxRelativeWorsening: 0.1),
        Gate(metric: "detection.ap75", direction: .atLeast, maxWorsening: 0.02),
        Gate(metric: "detection.ap50", direction: .atLeast, maxWorsening: 0.01),
      ], base: base
    ) { gate in
      gate.metric == "detection.ap50"
        ? Interval(low: -0.03, high: 0.01, method: "paired bootstrap") : nil
    }
    return evaluated
  }()
}
