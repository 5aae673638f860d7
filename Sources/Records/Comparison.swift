internal import Foundation

/// The versioned result of comparing two runs on the same frames.
public struct Comparison: Sendable, Hashable, Codable {
  /// The schema that the file follows.
  public var schema = Comparison.schemaName
  /// Version of the schema.
  public var version = Comparison.schemaVersion
  /// The program that compared.
  public var tool: Record.Tool
  /// When it compared, ISO 8601 in UTC.
  public var created: String
  /// What both runs were measured on.
  public var dataset: Record.DatasetSummary
  /// The run to compare with.
  public var base: Side
  /// The run that is judged.
  public var candidate: Side
  /// How intervals and p were made.
  public var method: Method
  /// What a reader must know before trusting the figures, a sentence each.
  public var notes: [String]
  /// The figures of both runs side by side, whole dataset first, then slices.
  public var differences: [Difference]
  /// The frames that changed most, worse ones first, then better ones.
  public var frames: [ChangedFrame]
  /// The verdicts; empty where no gates were given.
  public var gates: [GateResult]

  /// The name that `schema` must hold.
  public static let schemaName = "facegauge.comparison"
  /// The version that this library writes.
  public static let schemaVersion = 1

  /// Makes a comparison of the current schema.
  public init(
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
  public struct Side: Sendable, Hashable, Codable {
    /// Name of the run's folder.
    public var name: String
    /// When the run began.
    public var created: String
    /// The program that measured.
    public var tool: Record.Tool
    /// The nets that ran.
    public var models: [Record.Model]
    /// The settings of the run, by option name without dashes.
    public var options: [String: String]
    /// The machine.
    public var host: Record.Host

    /// Describes a run by its record.
    public init(name: String, record: Record) {
      self.name = name
      created = record.created
      tool = record.tool
      models = record.models
      options = record.options
      host = record.host
    }
  }

  /// How intervals and p were made.
  public struct Method: Sendable, Hashable, Codable {
    /// Subjects, else videos, else stills, that are drawn and swapped whole.
    public var clusters: Int
    /// How many resamples the intervals rest on.
    public var resamples: Int
    /// How many permutations p rests on.
    public var permutations: Int
    /// Where resampling and permuting start.
    public var seed: Int
    /// The intervals' stated probability.
    public var level: Double
    /// The largest adjusted p of a decisive difference.
    public var significance: Double

    /// Describes the method.
    public init(
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

  /// What can be said of a difference.
  public enum Outcome: String, Sendable, Codable {
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

  /// One figure of both runs.
  public struct Difference: Sendable, Hashable, Codable {
    /// Dotted name in the catalogue.
    public var name: String
    /// Heading for people.
    public var title: String
    /// The stage that it judges.
    public var stage: String
    /// The unit.
    public var unit: String
    /// Which way it improves.
    public var better: Direction
    /// The best value there is; set exactly where `better` is `closest`.
    public var target: Double?
    /// The part of the dataset; nil means all of it.
    @Nullable public var slice: String?
    /// How many observations the candidate's figure rests on.
    public var n: Int
    /// The base's figure; nil where it is undefined.
    @Nullable public var base: Double?
    /// The candidate's figure; nil where it is undefined.
    @Nullable public var candidate: Double?
    /// Candidate minus base, of distances from the target where there is one; nil where either is undefined.
    @Nullable public var difference: Double?
    /// Why there is no difference; nil where there is one.
    @Nullable public var reason: String?
    /// The uncertainty of the difference.
    public var interval: Interval
    /// Chance of a difference as large if the runs did not differ, unadjusted; nil where it was not computed.
    @Nullable public var p: Double?
    /// The same after Holm's adjustment over the figures that are judged together; nil for others.
    @Nullable public var adjustedP: Double?
    /// What can be said; nil for figures that are not among those judged together.
    @Nullable public var outcome: Outcome?

    /// Sets two measurements of one figure side by side.
    public init(base: Measurement?, candidate: Measurement) {
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
  public struct ChangedFrame: Sendable, Hashable, Codable {
    /// The frame's name.
    public var frame: String
    /// Whether it got better or worse.
    public var outcome: Outcome
    /// What the base run did on it, such as `1 missed, 2 of 3 found`.
    public var base: String
    /// What the candidate run did on it.
    public var candidate: String
    /// The two pictures, base first; empty where the dataset has none.
    public var pictures: [Record.Picture]

    /// Describes a frame.
    public init(
      frame: String, outcome: Outcome, base: String, candidate: String,
      pictures: [Record.Picture] = []
    ) {
      self.frame = frame
      self.outcome = outcome
      self.base = base
      self.candidate = candidate
      self.pictures = pictures
    }
  }

  /// The figure of that name over all frames or in a slice, or nil.
  public func difference(_ name: String, slice: String? = nil) -> Difference? {
    differences.first { $0.name == name && $0.slice == slice }
  }

  /// The bytes of `comparison.json`: sorted keys, the same bytes for equal comparisons.
  public func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try Array(encoder.encode(self)) + [UInt8(ascii: "\n")]
  }
}
