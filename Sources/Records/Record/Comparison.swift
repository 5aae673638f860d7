package import Platform

/// The versioned result of comparing two runs on the same frames.
package struct Comparison: Hashable, ResultDocument {
  /// The schema that the file follows.
  package var schema = Comparison.schemaName
  /// Version of the schema.
  package var version = Comparison.schemaVersion
  /// The program that compared.
  package var tool: Record.Tool
  /// When it compared, ISO 8601 in UTC.
  package var created: String
  /// What both runs were measured on.
  package var dataset: Record.DatasetSummary
  /// The run to compare with.
  package var base: Side
  /// The run that is evaluated.
  package var candidate: Side
  /// How intervals and p were made.
  package var method: Method
  /// What suggests of a run that its labels and predictions do not speak of the same thing; nil where nobody checked.
  package var findings: [Finding]?
  /// What a reader must know before trusting the metrics, a sentence each.
  package var notes: [String]
  /// The metrics of both runs side by side, whole dataset first, then slices.
  package var differences: [Difference]
  /// The frames with the largest changes: degraded ones first, then improved ones.
  package var frames: [ChangedFrame]
  /// The verdicts; empty where no gates were given.
  package var gates: [GateResult]

  package static let schemaName = "facegauge.comparison"
  package static let schemaVersion = 2
  package static let fileName = "comparison.json"
  package static let noun = "a comparison"

  /// Makes a comparison of the current schema.
  package init(
    tool: Record.Tool, created: String, dataset: Record.DatasetSummary, base: Side,
    candidate: Side, method: Method, notes: [String] = [], differences: [Difference] = [],
    frames: [ChangedFrame] = [], gates: [GateResult] = []
  ) {
    self.tool = tool
    self.created = created
    self.dataset = dataset
    self.base = base
    self.candidate = candidate
    self.method = method
    self.notes = notes
    self.differences = differences
    self.frames = frames
    self.gates = gates
  }

  /// One of the two runs.
  package struct Side: Sendable, Hashable, Codable {
    /// Name of the run's folder.
    package var name: String
    /// When the run began.
    package var created: String
    /// The program that measured.
    package var tool: Record.Tool
    /// The models that ran.
    package var models: [Record.Model]
    /// The settings of the run, by option name without dashes.
    package var options: [String: String]
    /// The machine.
    package var host: Record.Host

    /// Describes a run by its record.
    package init(name: String, record: Record) {
      self.name = name
      created = record.created
      tool = record.tool
      models = record.models
      options = record.options
      host = record.host
    }
  }

  /// How intervals and p were made.
  package struct Method: Sendable, Hashable, Codable {
    /// Subjects, else videos, else stills, that are drawn and swapped whole.
    package var clusters: Int
    /// How many resamples the intervals rest on.
    package var resamples: Int
    /// How many permutations p rests on.
    package var permutations: Int
    /// Where resampling and permuting start.
    package var seed: Int
    /// The intervals' stated probability.
    package var level: Double
    /// The largest adjusted p of a decisive difference.
    package var significance: Double

    /// Describes the method.
    package init(
      clusters: Int, resamples: Int, permutations: Int, seed: Int, level: Double,
      significance: Double
    ) {
      self.clusters = clusters
      self.resamples = resamples
      self.permutations = permutations
      self.seed = seed
      self.level = level
      self.significance = significance
    }
  }

  /// The outcome of a tested difference.
  package enum Outcome: String, Sendable, Codable {
    /// The candidate is better, beyond what the choice of frames explains.
    case better
    /// The candidate is worse, beyond what the choice of frames explains.
    case worse
    /// The frames at hand do not tell.
    case notDecisive = "not decisive"
    /// There is no interval or no p, as under 10 clusters.
    case notTested = "not tested"
    /// Both runs have the same results on every resample.
    case equal
  }

  /// One metric of both runs.
  package struct Difference: Sendable, Hashable, Codable {
    /// Dotted name in the catalogue.
    package var name: String
    /// Heading for people.
    package var title: String
    /// The stage that it evaluates.
    package var stage: String
    /// The unit.
    package var unit: String
    /// Which way it improves.
    package var better: Direction
    /// The best value there is; set exactly where `better` is `closest`.
    package var target: Double?
    /// The part of the dataset; nil means all of it.
    @Nullable package var slice: String?
    /// How many observations the candidate's metric rests on.
    package var n: Int
    /// The base's metric; nil where it is undefined.
    @Nullable package var base: Double?
    /// The candidate's metric; nil where it is undefined.
    @Nullable package var candidate: Double?
    /// The uncertainty of the base's metric as its own run gives it; nil where the run has none.
    package var baseInterval: Interval?
    /// The uncertainty of the candidate's metric as its own run gives it; nil where the run has none.
    package var candidateInterval: Interval?
    /// Candidate minus base, of distances from the target where there is one; nil where either is undefined.
    @Nullable package var difference: Double?
    /// Why there is no difference; nil where there is one.
    @Nullable package var reason: String?
    /// The uncertainty of the difference.
    package var interval: Interval
    /// Chance of a difference as large if the runs did not differ, unadjusted; nil where it was not computed.
    @Nullable package var p: Double?
    /// The same after Holm's adjustment over the metrics that are evaluated together; nil for others.
    @Nullable package var adjustedP: Double?
    /// The outcome; nil for metrics that are not tested together.
    @Nullable package var outcome: Outcome?

    /// Sets two measurements of one metric side by side.
    package init(base: Measurement?, candidate: Measurement) {
      name = candidate.name
      title = candidate.title
      stage = candidate.stage
      unit = candidate.unit
      better = candidate.better
      target = candidate.target
      slice = candidate.slice
      n = candidate.n
      self.base = base?.value
      self.candidate = candidate.value
      interval = .none("there is no difference")
      if let base = base?.value, let own = candidate.value {
        difference = candidate.difference(of: own, from: base)
      } else if candidate.value == nil {
        reason = "the candidate's is undefined: " + (candidate.reason ?? "no reason")
      } else {
        reason = "the base's is undefined: " + (base?.reason ?? "it was not measured")
      }
    }
  }

  /// A frame that got better or worse.
  package struct ChangedFrame: Sendable, Hashable, Codable {
    /// The frame's name.
    package var frame: String
    /// Whether it got better or worse.
    package var outcome: Outcome
    /// What the base run did on it, such as `1 missed, 2 of 3 found`.
    package var base: String
    /// What the candidate run did on it.
    package var candidate: String
    /// The two images, base first; empty where the dataset has none.
    package var images: [Record.Image]

    /// Describes a frame.
    package init(
      frame: String, outcome: Outcome, base: String, candidate: String,
      images: [Record.Image] = []
    ) {
      self.frame = frame
      self.outcome = outcome
      self.base = base
      self.candidate = candidate
      self.images = images
    }
  }

  /// The metric of that name over all frames or in a slice, or nil.
  package func difference(_ name: String, slice: String? = nil) -> Difference? {
    differences.first { $0.name == name && $0.slice == slice }
  }
}
