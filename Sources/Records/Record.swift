/// The versioned result of a run: all that reports, gates and comparisons are made from.
public struct Record: Sendable, Hashable, Codable {
  /// The schema that the file follows.
  public var schema = Record.schemaName
  /// Version of the schema.
  public var version = Record.schemaVersion
  /// The program that measured.
  public var tool: Tool
  /// When the run began, ISO 8601 in UTC.
  public var created: String
  /// What was measured on.
  public var dataset: DatasetSummary
  /// The nets that ran.
  public var models: [Model]
  /// What became of each stage, in the order of the pipeline; nil where the run does not say.
  public var stages: [Stage]?
  /// The settings of the run, by option name without dashes.
  public var options: [String: String]
  /// The machine.
  public var host: Host
  /// What a reader must know before trusting the figures, a sentence each.
  public var notes: [String]
  /// The figures.
  public var measurements: [Measurement]
  /// The curves, histograms and tables.
  public var series: [Series]
  /// The pictures that the report shows, worst first.
  public var gallery: [Picture]
  /// The verdicts; empty where no gates were given.
  public var gates: [GateResult]
  /// The figures of many settings; nil where one alone was run.
  public var sweep: Sweep?
  /// What a timing run knows besides; nil for other runs.
  public var profile: Profile?

  /// Makes a record of the current schema.
  public init(
    tool: Tool, created: String, dataset: DatasetSummary, models: [Model],
    stages: [Stage]? = nil, options: [String: String], host: Host, notes: [String] = [],
    measurements: [Measurement] = [], series: [Series] = [], gallery: [Picture] = [],
    gates: [GateResult] = [], sweep: Sweep? = nil, profile: Profile? = nil
  ) {
    self.tool = tool
    self.created = created
    self.dataset = dataset
    self.models = models
    self.stages = stages
    self.options = options
    self.host = host
    self.notes = notes
    self.measurements = measurements
    self.series = series
    self.gallery = gallery
    self.gates = gates
    self.sweep = sweep
    self.profile = profile
  }

  /// The measurement of that name over the whole dataset, or nil.
  public func measurement(_ name: String) -> Measurement? {
    measurements.first { $0.name == name && $0.slice == nil }
  }

  /// The series of that name, or nil.
  public func series(named name: String) -> Series? {
    series.first { $0.name == name }
  }

  /// The program that measured.
  public struct Tool: Sendable, Hashable, Codable {
    /// Program name.
    public var name: String
    /// Program version.
    public var version: String
    /// `release` or `debug`; figures of a debug build say nothing about speed.
    public var build: String
    /// Hash of the commit that was built, `+` after it where files had changed; nil where it is not known.
    public var commit: String?

    /// Names a program.
    public init(name: String, version: String, build: String, commit: String? = nil) {
      self.name = name
      self.version = version
      self.build = build
      self.commit = commit
    }
  }

  /// What was measured on.
  public struct DatasetSummary: Sendable, Hashable, Codable {
    /// The dataset's own name.
    public var name: String
    /// Where the dataset was, as seen from the run's folder; nil where the run does not say.
    public var file: String?
    /// SHA-256 of the dataset file, in lower-case hexadecimal.
    public var sha256: String
    /// How many frames the file has.
    public var frames: Int
    /// How many labelled faces the file has.
    public var faces: Int
    /// How many sequences the file has.
    public var sequences: Int
    /// Frames whose picture could not be decoded; they are left out of every figure.
    public var badFrames: Int

    /// Summarises a dataset.
    public init(
      name: String, file: String? = nil, sha256: String, frames: Int, faces: Int,
      sequences: Int, badFrames: Int
    ) {
      self.name = name
      self.file = file
      self.sha256 = sha256
      self.frames = frames
      self.faces = faces
      self.sequences = sequences
      self.badFrames = badFrames
    }
  }

  /// A net that ran.
  public struct Model: Sendable, Hashable, Codable {
    /// Name in the model catalogue.
    public var name: String
    /// The stage that it serves.
    public var stage: String
    /// SHA-256 of the net's bytes, in lower-case hexadecimal.
    public var sha256: String

    /// Names a net.
    public init(name: String, stage: String, sha256: String) {
      self.name = name
      self.stage = stage
      self.sha256 = sha256
    }
  }

  /// What became of a stage of the pipeline.
  public struct Stage: Sendable, Hashable, Codable {
    /// Whether a stage ran.
    public enum State: String, Sendable, Codable {
      /// It ran.
      case ran
      /// It was not asked for.
      case off
      /// It could not run for want of a model.
      case noModel = "no model"
    }

    /// Name of the stage, such as `blendshapes`.
    public var name: String
    /// Whether it ran.
    public var state: State
    /// Why it did not run; nil where it ran.
    @Nullable public var reason: String?

    /// Says what became of a stage; give a reason exactly when it did not run.
    public init(name: String, state: State, reason: String? = nil) {
      self.name = name
      self.state = state
      self.reason = reason
    }
  }

  /// The machine that measured.
  public struct Host: Sendable, Hashable, Codable {
    /// The processor's own name.
    public var cpu: String
    /// Logical processors available to the run.
    public var cores: Int
    /// Version of the BLAS library.
    public var blasVersion: String
    /// The kernel set that BLAS chose, such as `SkylakeX`.
    public var blasCore: String
    /// Threads that BLAS may use.
    public var blasThreads: Int
    /// Environment variables that change the speed, where they are set.
    public var environment: [String: String]
    /// One-minute load average when the run began; nil where it is unknown.
    @Nullable public var loadAverage: Double?
    /// Operating system name and version.
    public var system: String

    /// Describes a machine.
    public init(
      cpu: String, cores: Int, blasVersion: String, blasCore: String, blasThreads: Int,
      environment: [String: String], loadAverage: Double?, system: String
    ) {
      self.cpu = cpu
      self.cores = cores
      self.blasVersion = blasVersion
      self.blasCore = blasCore
      self.blasThreads = blasThreads
      self.environment = environment
      self.loadAverage = loadAverage
      self.system = system
    }
  }

  /// A picture that the report shows, with what is drawn on it already.
  public struct Picture: Sendable, Hashable, Codable {
    /// File name inside the run's `pictures` folder.
    public var file: String
    /// The frame's name.
    public var frame: String
    /// What is to be seen, such as `2 missed, 1 false positive`.
    public var caption: String
    /// Width in pixels.
    public var width: Int
    /// Height in pixels.
    public var height: Int

    /// Names a picture.
    public init(file: String, frame: String, caption: String, width: Int, height: Int) {
      self.file = file
      self.frame = frame
      self.caption = caption
      self.width = width
      self.height = height
    }
  }
}
