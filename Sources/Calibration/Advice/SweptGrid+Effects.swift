internal import Metrics
package import Records

extension SweptGrid {
  /// How far each knob moves each of some figures, knob by knob.
  ///
  /// `setting` is where the other knobs stay, the default or a recommended one. `reasons` say by a knob's name why
  /// it can't have an effect; one is given only where none is seen. Throws for unknown figures.
  package func effects(
    on names: [String], at setting: Int, reasons: [String: String] = [:]
  ) throws(CalibrationError) -> [Sweep.Effect] {
    guard all.settings.indices.contains(setting) else {
      throw .malformedGrid(
        "the knob report", expected: "a setting in 0..<\(all.settings.count)", found: "\(setting)")
    }
    var columns: [(name: String, values: [Double?], width: Double?)] = []
    for name in names {
      let column = try all.column(name)
      let interval = bootstrap.interval(
        of: draws.map { $0.columns[name]?[setting] ?? nil }, clusters: clusters)
      var width: Double?
      if let low = interval.low, let high = interval.high, high > low { width = high - low }
      columns.append((name, column, width))
    }
    return knobs.indices.flatMap { knob in
      let lines = lines(along: knob)
      let own = line(along: knob, through: setting)
      return columns.map { column in
        effect(
          of: knob, on: column, lines: lines, own: own, reason: reasons[knobs[knob].name])
      }
    }
  }

  /// All lines of two or more settings that differ in one knob alone.
  private func lines(along knob: Int) -> [[Int]] {
    Dictionary(grouping: all.settings.indices) { index in
      var others = all.settings[index]
      others.remove(at: knob)
      return others
    }
    .values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
  }

  private func effect(
    of knob: Int, on column: (name: String, values: [Double?], width: Double?), lines: [[Int]],
    own: [Int], reason: String?
  ) -> Sweep.Effect {
    func span(_ line: [Int]) -> (low: Double, high: Double)? {
      let known = line.compactMap { column.values[$0] }
      guard known.count > 1, let low = known.min(), let high = known.max() else { return nil }
      return (low, high)
    }
    let here = span(own)
    let spans = lines.compactMap(span)
    var isThere: Bool?
    var why: String?
    if lines.isEmpty {
      why = "no two settings differ in this knob alone"
    } else if lines.joined().allSatisfy({ column.values[$0] == nil }) {
      why = "the figure is undefined at every setting"
    } else {
      isThere = lines.contains { line in
        line.contains { column.values[$0] != column.values[line[0]] }
      }
      if isThere == false { why = reason }
    }
    return Sweep.Effect(
      knob: knobs[knob].name, figure: column.name, low: here?.low, high: here?.high,
      meanSpan: spans.isEmpty
        ? nil : spans.reduce(0) { $0 + $1.high - $1.low } / Double(spans.count),
      intervalWidths: here.flatMap { here in column.width.map { (here.high - here.low) / $0 } },
      isThere: isThere, reason: why)
  }
}
