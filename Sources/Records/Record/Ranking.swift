package import Platform

/// The versioned result of comparing three or more runs on the same frames.
package struct Ranking: Hashable, ResultDocument {
  /// The schema that the file follows.
  package var schema = Ranking.schemaName
  /// Version of the schema.
  package var version = Ranking.schemaVersion
  /// The program that compared.
  package var tool: Record.Tool
  /// When it compared, ISO 8601 in UTC.
  package var created: String
  /// What all runs were measured on.
  package var dataset: Record.DatasetSummary
  /// The runs, in the order that they were given.
  package var runs: [Comparison.Side]
  /// How intervals and p were made.
  package var method: Comparison.Method
  /// How many differences were tested together.
  package var tests: Int
  /// What suggests of a run that its labels and predictions do not speak of the same thing; nil where nobody checked.
  package var findings: [Finding]?
  /// What a reader must know before trusting the metrics, a sentence each.
  package var notes: [String]
  /// The metrics of all runs, those that are tested first.
  package var metrics: [Metric]
  /// How far the runs agree with one another, without labels.
  package var agreement: Agreement

  package static let schemaName = "facegauge.ranking"
  package static let schemaVersion = 1
  package static let fileName = "ranking.json"
  package static let noun = "a ranking"

  /// Makes a ranking of the current schema.
  package init(
    tool: Record.Tool, created: String, dataset: Record.DatasetSummary, runs: [Comparison.Side],
    method: Comparison.Method, tests: Int, notes: [String], metrics: [Metric],
    agreement: Agreement
  ) {
    self.tool = tool
    self.created = created
    self.dataset = dataset
    self.runs = runs
    self.method = method
    self.tests = tests
    self.notes = notes
    self.metrics = metrics
    self.agreement = agreement
  }

  /// One metric of all runs.
  package struct Metric: Sendable, Hashable, Codable {
    /// Dotted name in the catalogue.
    package var name: String
    /// Heading for people.
    package var title: String
    /// The unit.
    package var unit: String
    /// Which way it improves.
    package var better: Direction
    /// The best value there is; set exactly where `better` is `closest`.
    package var target: Double?
    /// Each run's value, in the order of the runs.
    package var entries: [Entry]
    /// The paired differences, each pair of runs once; empty for a metric that is not tested.
    package var pairs: [Pair]

    /// Sets the values of one metric side by side.
    package init(
      name: String, title: String, unit: String, better: Direction, target: Double?,
      entries: [Entry], pairs: [Pair] = []
    ) {
      self.name = name
      self.title = title
      self.unit = unit
      self.better = better
      self.target = target
      self.entries = entries
      self.pairs = pairs
    }
  }

  /// A run's value of a metric, and its ranks.
  package struct Entry: Sendable, Hashable, Codable {
    /// The value; nil where it is undefined.
    @Nullable package var value: Double?
    /// Why there is no value; nil where there is one.
    @Nullable package var reason: String?
    /// How many observations it rests on.
    package var n: Int
    /// The uncertainty of the value.
    package var interval: Interval
    /// The best and the worst rank, from 1, that the tests leave possible; nil where nothing was tested.
    @Nullable package var ranks: [Int]?
    /// The share of the resamples in which it has each rank, first to last; nil without resamples.
    @Nullable package var rankShares: [Double]?

    /// A value without ranks.
    package init(value: Double?, reason: String?, n: Int, interval: Interval) {
      self.value = value
      self.reason = reason
      self.n = n
      self.interval = interval
    }
  }

  /// The difference of two runs in a metric.
  package struct Pair: Sendable, Hashable, Codable {
    /// Position of the run to compare with.
    package var base: Int
    /// Position of the run that is evaluated.
    package var candidate: Int
    /// Candidate minus base, of distances from the target where there is one; nil where either is undefined.
    @Nullable package var difference: Double?
    /// The uncertainty of the difference.
    package var interval: Interval
    /// Chance of a difference as large if the two did not differ, unadjusted; nil where it was not computed.
    @Nullable package var p: Double?
    /// The same after Holm's adjustment over all pairs and metrics; nil where it was not computed.
    @Nullable package var adjustedP: Double?
    /// The candidate's outcome; nil where a value is undefined.
    @Nullable package var outcome: Comparison.Outcome?

    /// Takes a difference of two runs.
    package init(base: Int, candidate: Int, _ difference: Comparison.Difference) {
      self.base = base
      self.candidate = candidate
      self.difference = difference.difference
      interval = difference.interval
      p = difference.p
      adjustedP = difference.adjustedP
      outcome = difference.outcome
    }
  }

  /// How far runs agree, without labels.
  package struct Agreement: Sendable, Hashable, Codable {
    /// Frames that all runs analysed.
    package var frames: Int
    /// Each pair of runs once.
    package var pairs: [PairAgreement]
    /// Each run against the others, in the order of the runs.
    package var runs: [RunAgreement]

    /// Joins pairs and runs.
    package init(frames: Int, pairs: [PairAgreement], runs: [RunAgreement]) {
      self.frames = frames
      self.pairs = pairs
      self.runs = runs
    }
  }

  /// A share or a mean with its uncertainty.
  package struct Estimate: Sendable, Hashable, Codable {
    /// The value; nil where nothing can be compared.
    @Nullable package var value: Double?
    /// How many faces, pairs of faces or frames it rests on.
    package var n: Int
    /// Its uncertainty.
    package var interval: Interval

    /// A value with its interval.
    package init(value: Double?, n: Int, interval: Interval) {
      self.value = value
      self.n = n
      self.interval = interval
    }
  }

  /// How far two runs agree.
  package struct PairAgreement: Sendable, Hashable, Codable {
    /// Positions of the runs.
    package var first, second: Int
    /// Faces that both have, by an IoU of .50 or more, over the mean of what each has.
    package var faces: Estimate
    /// Mean distance of the points of these faces over √(width · height) of their boxes.
    package var points: Estimate
    /// Mean absolute difference of the coefficients of these faces.
    package var coefficients: Estimate

    /// How far two runs agree.
    package init(
      first: Int, second: Int, faces: Estimate, points: Estimate, coefficients: Estimate
    ) {
      self.first = first
      self.second = second
      self.faces = faces
      self.points = points
      self.coefficients = coefficients
    }
  }

  /// Where a run differs from all others.
  package struct RunAgreement: Sendable, Hashable, Codable {
    /// Share of the frames in which its faces differ from those of every other run, and the others agree.
    package var alone: Estimate
    /// The frames in which it differs most, faces first, then points.
    package var frames: [DifferingFrame]

    /// Where a run differs.
    package init(alone: Estimate, frames: [DifferingFrame]) {
      self.alone = alone
      self.frames = frames
    }
  }

  /// A frame in which one run differs from all others.
  package struct DifferingFrame: Sendable, Hashable, Codable {
    /// The frame's name.
    package var frame: String
    /// Its position in the dataset.
    package var index: Int
    /// What differs, such as `1 face, the others 2`.
    package var text: String

    /// Describes a frame.
    package init(frame: String, index: Int, text: String) {
      self.frame = frame
      self.index = index
      self.text = text
    }
  }

  /// The metrics that are tested.
  package var tested: [Metric] { metrics.filter { !$0.pairs.isEmpty } }
}

extension Ranking {
  package var firstProblem: Record.Problem? {
    let count = runs.count
    guard count > 1 else {
      return Record.Problem(position: "runs", expected: "2 runs or more", found: "\(count)")
    }
    func order(_ first: Int, _ second: Int, at position: String) -> Record.Problem? {
      first >= 0 && first < second && second < count
        ? nil
        : Record.Problem(
          position: position, expected: "two runs in order, from 0 to \(count - 1)",
          found: "\(first) and \(second)")
    }
    for (index, metric) in metrics.enumerated() {
      let position = "metrics[\(index)]"
      if metric.entries.count != count {
        return Record.Problem(
          position: "\(position).entries", expected: "\(count), one for each run",
          found: "\(metric.entries.count)")
      }
      for (run, entry) in metric.entries.enumerated() {
        if let problem = entry.problem(at: "\(position).entries[\(run)]", runs: count) {
          return problem
        }
      }
      for (pair, runs) in metric.pairs.enumerated() {
        let position = "\(position).pairs[\(pair)]"
        if let problem = order(runs.base, runs.candidate, at: position) { return problem }
      }
    }
    for (pair, runs) in agreement.pairs.enumerated() {
      let position = "agreement.pairs[\(pair)]"
      if let problem = order(runs.first, runs.second, at: position) { return problem }
    }
    return nil
  }
}

extension Ranking.Entry {
  /// Whether ranks and their shares are those of so many runs.
  fileprivate func problem(at position: String, runs: Int) -> Record.Problem? {
    if let ranks, ranks.count != 2 || ranks[0] < 1 || ranks[0] > ranks[1] || ranks[1] > runs {
      return Record.Problem(
        position: "\(position).ranks", expected: "the best and the worst, from 1 to \(runs)",
        found: "\(ranks)")
    }
    if let rankShares, rankShares.count != runs {
      return Record.Problem(
        position: "\(position).rankShares", expected: "\(runs), one for each rank",
        found: "\(rankShares.count)")
    }
    return nil
  }
}
