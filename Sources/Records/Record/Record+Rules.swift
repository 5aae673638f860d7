package import Platform

extension Record: JSONDocument {
  package static let schemaName = "facegauge.record"
  package static let schemaVersion = 3
  package static let fileName = "record.json"
  package static let noun = "a record"

  /// A broken rule: where, what the rule wants, what is there.
  package typealias Problem = JSONProblem

  package var firstProblem: Problem? {
    if schema != Record.schemaName {
      return Problem(
        position: "schema", expected: "\"\(Record.schemaName)\"", found: "\"\(schema)\"")
    }
    if version != Record.schemaVersion {
      return Problem(position: "version", expected: "\(Record.schemaVersion)", found: "\(version)")
    }
    let counts = [
      ("frames", dataset.frames), ("faces", dataset.faces), ("sequences", dataset.sequences),
      ("badFrames", dataset.badFrames),
    ]
    for (name, count) in counts where count < 0 {
      return Problem(position: "dataset.\(name)", expected: "0 or more", found: "\(count)")
    }
    for (index, stage) in (stages ?? []).enumerated()
    where (stage.state == .ran) != (stage.reason == nil) {
      return Problem(
        position: "stages[\(index)].reason",
        expected: stage.state == .ran ? "null for a stage that ran" : "why the stage did not run",
        found: stage.reason.map { "\"\($0)\"" } ?? "null")
    }
    for (index, measurement) in measurements.enumerated() {
      if let problem = measurement.problem(at: "measurements[\(index)]") { return problem }
    }
    for (index, series) in series.enumerated() {
      if let problem = series.content.problem(at: "series[\(index)].content") { return problem }
    }
    for (index, image) in gallery.enumerated() where !image.hasPlainFileName {
      return Problem(
        position: "gallery[\(index)].file", expected: "a file name without a folder",
        found: "\"\(image.file)\"")
    }
    for (index, finding) in (findings ?? []).enumerated() {
      for (place, image) in (finding.images ?? []).enumerated() where !image.hasPlainFileName {
        return Problem(
          position: "findings[\(index)].images[\(place)].file",
          expected: "a file name without a folder", found: "\"\(image.file)\"")
      }
    }
    for (index, result) in gates.enumerated() {
      if let problem = result.problem(at: "gates[\(index)]") { return problem }
    }
    return sweep?.problem(at: "sweep")
  }
}

extension GateResult {
  fileprivate func problem(at position: String) -> Record.Problem? {
    if gate.limit == nil, !gate.limitsChange {
      return Record.Problem(
        position: "\(position).gate", expected: "limit, max_worsening or max_relative_worsening",
        found: "none of them")
    }
    let allowances = [
      ("max_worsening", gate.maxWorsening),
      ("max_relative_worsening", gate.maxRelativeWorsening),
    ]
    for case (let key, let value?) in allowances where value < 0 {
      return Record.Problem(
        position: "\(position).gate.\(key)", expected: "0 or more", found: value.plainText)
    }
    return difference?.problem(at: "\(position).difference")
  }
}

extension Record.Image {
  fileprivate var hasPlainFileName: Bool {
    !file.isEmpty && !file.hasPrefix(".") && !file.contains { "/\\\0".contains($0) }
  }
}

extension Measurement {
  fileprivate func problem(at position: String) -> Record.Problem? {
    if n < 0 {
      return Record.Problem(position: "\(position).n", expected: "0 or more", found: "\(n)")
    }
    if (value == nil) != (reason != nil) {
      return Record.Problem(
        position: "\(position).reason",
        expected: value == nil ? "the reason for an undefined value" : "null with a value",
        found: reason.map { "\"\($0)\"" } ?? "null")
    }
    if (better == .closest) != (target != nil) {
      return Record.Problem(
        position: "\(position).target",
        expected: better == .closest
          ? "the target of a metric that is best near it" : "none for a metric without a target",
        found: target?.plainText ?? "none")
    }
    if let problem = interval.problem(at: "\(position).interval") { return problem }
    guard let value, interval.holdsItsValue, let low = interval.low, let high = interval.high,
      !(low...max(low, high)).contains(value)
    else { return nil }
    return Record.Problem(
      position: "\(position).interval", expected: "bounds that hold the value, \(value.plainText)",
      found: "\(low.plainText) to \(high.plainText)")
  }
}

extension Interval {
  /// The first rule that it breaks, or nil.
  func problem(at position: String) -> Record.Problem? {
    let hasBounds = low != nil && high != nil && method != nil
    let hasNothing = low == nil && high == nil && method == nil
    guard hasBounds ? reason == nil : hasNothing && reason != nil else {
      return Record.Problem(
        position: position, expected: "either low, high and method or a reason",
        found: "another mixture")
    }
    if let low, let high, !(low <= high) {
      return Record.Problem(
        position: position, expected: "a low of at most the high, \(high.plainText)",
        found: low.plainText)
    }
    return nil
  }
}

extension Series.Content {
  fileprivate func problem(at position: String) -> Record.Problem? {
    switch self {
    case .curve(let curve):
      for (index, line) in curve.lines.enumerated()
      where (line.thresholds ?? line.x).count != line.x.count {
        return Record.Problem(
          position: "\(position).lines[\(index)].thresholds",
          expected: "as many thresholds as x, \(line.x.count)",
          found: "\(line.thresholds?.count ?? 0)")
      }
      for (index, line) in curve.lines.enumerated() where line.x.count != line.y.count {
        return Record.Problem(
          position: "\(position).lines[\(index)]", expected: "as many y as x, \(line.x.count)",
          found: "\(line.y.count)")
      }
    case .histogram(let histogram):
      return histogram.problem(at: position)
    case .table(let table):
      for (index, row) in table.rows.enumerated() where row.count != table.columns.count {
        return Record.Problem(
          position: "\(position).rows[\(index)]",
          expected: "a cell for each of \(table.columns.count) columns", found: "\(row.count)")
      }
    }
    return nil
  }
}

extension Series.Histogram {
  fileprivate func problem(at position: String) -> Record.Problem? {
    guard zip(edges, edges.dropFirst()).allSatisfy({ $0 < $1 }) else {
      return Record.Problem(
        position: "\(position).edges", expected: "increasing edges",
        found: "edges that do not increase")
    }
    guard counts.count == groups.count else {
      return Record.Problem(
        position: "\(position).counts", expected: "a row for each of \(groups.count) groups",
        found: "\(counts.count)")
    }
    let bins = max(0, edges.count - 1)
    for (index, row) in counts.enumerated() {
      if row.count != bins {
        return Record.Problem(
          position: "\(position).counts[\(index)]", expected: "a count for each of \(bins) bins",
          found: "\(row.count)")
      }
      if let negative = row.first(where: { $0 < 0 }) {
        return Record.Problem(
          position: "\(position).counts[\(index)]", expected: "counts of 0 or more",
          found: "\(negative)")
      }
    }
    return nil
  }
}
