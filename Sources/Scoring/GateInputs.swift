internal import FacePipeline
package import Foundation
package import Metrics
internal import Platform
package import Records
package import Running

/// The gates of a run, and the base run that they measure changes against.
package struct GateInputs: Sendable {
  /// The gates in the order of their file.
  package let gates: [Gate]
  /// The base run's record; nil where none was given.
  package let base: Record?
  private let baseFile: String
  /// The metrics of predicted points against labelled ones.
  private static let ofLabelledPoints = Set(
    [
      LandmarkAccuracy.definitions, LandmarkRegression.definitions, LandmarkVisibility.definitions,
      LabelledJitter.definitions,
    ].joined().map(\.name))

  /// Reads a gates file and the base run; throws where a gate limits a change and there is no base.
  ///
  /// `stages` are those of another tracker, and `baseHint` says how a base is given.
  package init(
    _ file: URL, base: URL?, rules: ExpressionRules = .builtIn, attributes: AttributeRules = .none,
    stages: [String] = [], baseHint: String = "--base"
  ) throws {
    gates = try Self.gates(of: file, rules: rules, attributes: attributes, stages: stages)
    if base == nil { try Self.requireBase(of: gates, in: file, hint: baseHint) }
    let record = base.map(RunFolder.record)
    baseFile = record?.relativePath ?? ""
    self.base = try record.map { try Record(file: $0) }
  }

  /// Throws where a gate limits a change.
  static func requireBase(
    of gates: [Gate], in file: URL, hint: String = "--base"
  ) throws(EvaluationError) {
    guard let index = gates.firstIndex(where: \.limitsChange) else { return }
    let key = gates[index].maxWorsening == nil ? "max_relative_worsening" : "max_worsening"
    throw EvaluationError.wrongData(
      "cannot evaluate 'gates[\(index)].\(key)' in \(file.relativePath): expected a base run to "
        + "measure the change against (\(hint)), found none")
  }

  /// Throws where the base was measured on another dataset.
  package func check(dataset name: String, sha256: String) throws(EvaluationError) {
    guard let other = base?.dataset, other.sha256 != sha256 else { return }
    throw EvaluationError.wrongData(
      "cannot evaluate by \(baseFile): expected a run on the dataset '\(name)' with SHA-256 \(sha256), "
        + "found one on '\(other.name)' with \(other.sha256)")
  }

  /// Puts the verdicts into a record, with notes of what else differs from the base.
  ///
  /// `count` returns how many frames are over a binomial gate's limit.
  func evaluate(_ record: inout Record, count: (Gate) -> LimitCount?) {
    record.gates = record.evaluate(gates, base: base, count: count)
      .withheld(by: record.findings)
      .withheld(forBase: base?.findings?.objection(accepting: "evaluate the base again with"))
      .withheld(forBase: base.flatMap { record.otherLabels(than: $0) }) {
        Self.ofLabelledPoints.contains($0.gate.metric) && !$0.lacksValue
      }
    if let base, let changed = OptionChanges.text(from: base.options, to: record.options) {
      record.notes.append("Options differ from the base's: \(changed).")
    }
    guard let base, gates.contains(where: \.limitsChange) else { return }
    if base.dataset.badFrames != record.dataset.badFrames {
      record.notes.append(
        "Broken images left out: \(record.dataset.badFrames) here, \(base.dataset.badFrames) in the "
          + "base, so changes are not over the same frames.")
    }
  }

  /// Reads a gates file alone, for a caller that has the base run itself.
  ///
  /// `stages` are those of another tracker, which gates may name in addition.
  package static func gates(
    of file: URL, rules: ExpressionRules = .builtIn, attributes: AttributeRules = .none,
    stages: [String] = []
  ) throws -> [Gate] {
    let gates = try GatesFile(
      json: try InputFile.bytes(of: file, mebibytes: 1), source: file.relativePath,
      metrics: directions(with: rules, attributes, stages: stages), aliases: MetricCatalog.aliases
    ).gates
    for (index, gate) in gates.enumerated() {
      guard let reason = gate.faultOfRange else { continue }
      throw FileError(
        .wrongData,
        "cannot read 'gates[\(index)]' in \(file.relativePath): expected \(reason)")
    }
    return gates
  }

  /// Every metric that a gate may name, with the way it improves.
  private static func directions(
    with rules: ExpressionRules, _ attributes: AttributeRules, stages: [String]
  ) -> [String: Direction] {
    var known: [String: Direction] = [:]
    for definition in MetricCatalog.all {
      guard !definition.isOfAttribute else {
        for name in attributes.names {
          known[definition.at(attribute: name).name] = definition.direction
        }
        continue
      }
      for stage in Set(PipelineStage.names + SeededSource.stages + StageLatency.reserved + stages) {
        let expanded = definition.at(stage: stage)
        for name in rules.names {
          known[expanded.at(expression: name).name] = expanded.direction
        }
      }
    }
    return known
  }
}

extension Gate {
  /// What is expected of a limit or a worsening that the range of the metric decides, with what was found; nil where
  /// the run decides.
  fileprivate var faultOfRange: String? {
    guard let definition = MetricCatalog.definition(of: metric) else { return nil }
    let range = definition.range
    if let limit, let words = range.words {
      if range.cannotMiss(limit, isUpper: direction == .atMost) {
        return "a limit that \(metric) can miss, \(words), found \(limit.plainText)"
      }
      if range.cannotMiss(limit, isUpper: direction == .atLeast) {
        return "a limit that \(metric) can keep, \(words), found \(limit.plainText)"
      }
    }
    if let maxWorsening, let span = range.span, maxWorsening >= span {
      return
        "max_worsening below \(span.plainText), as \(metric) is "
        + "\(range.words ?? ""), found \(maxWorsening.plainText) (2 points of 100 are 0.02)"
    }
    if let maxRelativeWorsening, maxRelativeWorsening >= 1, definition.direction == .higher,
      range.lowest == 0
    {
      return "max_relative_worsening below 1, as \(metric) gets no lower than 0, found "
        + "\(maxRelativeWorsening.plainText) (5 % is 0.05)"
    }
    if let maxRelativeWorsening, maxRelativeWorsening > 1 {
      let bound =
        definition.direction == .lower && range.lowest == 0
        ? "twice the base" : "the magnitude of the base"
      return "max_relative_worsening of at most 1, which is \(bound), found "
        + "\(maxRelativeWorsening.plainText) (5 % is 0.05; a 'limit' allows more)"
    }
    return nil
  }
}

extension Record {
  /// Why the landmark errors of a base are of other labelled points; nil where they are not, and where nobody knows.
  fileprivate func otherLabels(than base: Record) -> String? {
    guard let own = labelledSchemes, let others = base.labelledSchemes, own != others,
      own.isDisjoint(with: others)
    else { return nil }
    func words(_ schemes: Set<String>) -> String {
      schemes.isEmpty
        ? "labels without outer eye corners"
        : "labels in \(schemes.sorted().joined(separator: ", "))"
    }
    return "its landmarks are compared with \(words(others)), those here with \(words(own)) "
      + "('facegauge compare' takes the same labels for both)."
  }

  /// The schemes of labels that its errors of points are of, none for labels without outer eye corners; nil where no
  /// face was found.
  private var labelledSchemes: Set<String>? {
    guard let rate = measurement(LandmarkAccuracy.failureRate.name, in: nil) else { return nil }
    guard rate.value != nil else { return [] }
    let errors = series.first { $0.name == SeriesName.pointErrors }
    guard case .curve(let curve)? = errors?.content else { return nil }
    return Set(curve.lines.map(\.label))
  }
}

extension RunFolder {
  /// The record of a run that is named by its folder or by the record itself.
  package static func record(of run: URL) -> URL {
    run.isFolder ? run.appendingPathComponent("record.json") : run
  }
}
