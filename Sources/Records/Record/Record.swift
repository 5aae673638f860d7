package import Platform

/// The versioned result of a run: all that reports, gates and comparisons are made from.
package struct Record: Sendable, Hashable, Codable {
  /// The schema that the file follows.
  package var schema = Record.schemaName
  /// Version of the schema.
  package var version = Record.schemaVersion
  /// The program that measured.
  package var tool: Tool
  /// When the run began, ISO 8601 in UTC.
  package var created: String
  /// What was measured on.
  package var dataset: DatasetSummary
  /// The models that ran.
  package var models: [Model]
  /// What became of each stage, in the order of the pipeline; nil where the run does not state it.
  package var stages: [Stage]?
  /// The settings of the run, by option name without dashes.
  package var options: [String: String]
  /// The machine.
  package var host: Host
  /// What suggests that labels and predictions do not speak of the same thing; nil where nobody checked.
  package var findings: [Finding]?
  /// What a reader must know before trusting the metrics, a sentence each.
  package var notes: [String]
  /// The metrics.
  package var measurements: [Measurement]
  /// Names of the metrics that stand for the run, in reading order.
  package var headlines: [String]
  /// The curves, histograms and tables.
  package var series: [Series]
  /// The images that the report shows, worst first.
  package var gallery: [Image]
  /// The verdicts; empty where no gates were given.
  package var gates: [GateResult]
  /// The metrics of many settings; nil where one alone was run.
  package var sweep: Sweep?
  /// What a timing run records in addition; nil for other runs.
  package var profile: Profile?

  /// Makes a record of the current schema.
  package init(
    tool: Tool, created: String, dataset: DatasetSummary, models: [Model],
    stages: [Stage]? = nil, options: [String: String], host: Host, findings: [Finding]? = nil,
    notes: [String] = [], measurements: [Measurement] = [], headlines: [String] = [],
    series: [Series] = [], gallery: [Image] = [], gates: [GateResult] = [], sweep: Sweep? = nil,
    profile: Profile? = nil
  ) {
    self.tool = tool
    self.created = created
    self.dataset = dataset
    self.models = models
    self.stages = stages
    self.options = options
    self.host = host
    self.findings = findings
    self.notes = notes
    self.measurements = measurements
    self.headlines = headlines
    self.series = series
    self.gallery = gallery
    self.gates = gates
    self.sweep = sweep
    self.profile = profile
  }

  /// The measurement of that name over a part of the dataset, or all of it for nil; nil where there is none.
  package func measurement(_ name: String, in slice: String? = nil) -> Measurement? {
    measurements.first { $0.name == name && $0.slice == slice }
  }

  /// The series of that name, or nil.
  package func series(named name: String) -> Series? {
    series.first { $0.name == name }
  }

  /// The program that measured.
  package struct Tool: Sendable, Hashable, Codable {
    /// Program name.
    package var name: String
    /// Program version.
    package var version: String
    /// `release` or `debug`; timings of a debug build do not apply to a release build.
    package var build: String
    /// Hash of the commit that was built, `+` after it where files had changed; nil where it is not known.
    package var commit: String?

    /// Names a program.
    package init(name: String, version: String, build: String, commit: String? = nil) {
      self.name = name
      self.version = version
      self.build = build
      self.commit = commit
    }

    /// How a program is built.
    package enum Build: String, Sendable {
      /// With optimization.
      case release
      /// Without: metrics say nothing about speed.
      case debug
    }

    /// Whether it was built without optimization.
    package var isDebug: Bool { build == Build.debug.rawValue }
  }

  /// What was measured on.
  package struct DatasetSummary: Sendable, Hashable, Codable {
    /// The dataset's own name.
    package var name: String
    /// Path of the dataset, relative to the run's folder; nil where the run does not state it.
    package var file: String?
    /// SHA-256 of the dataset file, in lower-case hexadecimal.
    package var sha256: String
    /// How many frames the file has.
    package var frames: Int
    /// How many labelled faces the file has.
    package var faces: Int
    /// How many sequences the file has.
    package var sequences: Int
    /// Frames whose image could not be decoded; they are left out of every metric.
    package var badFrames: Int

    /// Summarises a dataset.
    package init(
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

  /// A model that ran.
  package struct Model: Sendable, Hashable, Codable {
    /// Name in the model catalogue.
    package var name: String
    /// The stage that it serves.
    package var stage: String
    /// SHA-256 of the model's bytes, in lower-case hexadecimal.
    package var sha256: String
    /// What a reader must know of the model, part of a sentence; nil for nothing.
    package var remark: String?

    /// Names a model.
    package init(name: String, stage: String, sha256: String, remark: String? = nil) {
      self.name = name
      self.stage = stage
      self.sha256 = sha256
      self.remark = remark
    }
  }

  /// What became of a stage of the pipeline.
  package struct Stage: Sendable, Hashable, Codable {
    /// Whether a stage ran.
    package enum State: String, Sendable, Codable {
      /// It ran.
      case ran
      /// It was not asked for.
      case off
      /// It could not run without a model.
      case noModel = "no model"
    }

    /// Name of the stage, such as `blendshapes`.
    package var name: String
    /// Whether it ran.
    package var state: State
    /// Why it did not run; nil where it ran.
    @Nullable package var reason: String?

    /// The outcome of a stage; give a reason exactly when it did not run.
    package init(name: String, state: State, reason: String? = nil) {
      self.name = name
      self.state = state
      self.reason = reason
    }
  }

  /// The machine that measured.
  package struct Host: Sendable, Hashable, Codable {
    /// The processor's own name.
    package var cpu: String
    /// Logical processors available to the run.
    package var cores: Int
    /// Version of the BLAS library.
    package var blasVersion: String
    /// The kernel set that BLAS chose, such as `SkylakeX`.
    package var blasCore: String
    /// Threads that BLAS may use.
    package var blasThreads: Int
    /// The strongest instruction set of our own kernels, such as `x86-64-v3`; nil where it is not known.
    package var kernels: String?
    /// Environment variables that change speed or numerics, where they are set.
    package var environment: [String: String]
    /// One-minute load average when the run began; nil where it is unknown.
    @Nullable package var loadAverage: Double?
    /// Operating system name and version.
    package var system: String

    /// Describes a machine.
    package init(
      cpu: String, cores: Int, blasVersion: String, blasCore: String, blasThreads: Int,
      kernels: String? = nil, environment: [String: String], loadAverage: Double?, system: String
    ) {
      self.cpu = cpu
      self.cores = cores
      self.blasVersion = blasVersion
      self.blasCore = blasCore
      self.blasThreads = blasThreads
      self.kernels = kernels
      self.environment = environment
      self.loadAverage = loadAverage
      self.system = system
    }
  }

  /// An image that the report shows, with what is drawn on it already.
  package struct Image: Sendable, Hashable, Codable {
    /// File name inside the run's `images` folder.
    package var file: String
    /// The frame's name.
    package var frame: String
    /// What is to be seen, such as `2 missed, 1 false positive`.
    package var caption: String
    /// Width in pixels.
    package var width: Int
    /// Height in pixels.
    package var height: Int

    /// Names an image.
    package init(file: String, frame: String, caption: String, width: Int, height: Int) {
      self.file = file
      self.frame = frame
      self.caption = caption
      self.width = width
      self.height = height
    }
  }
}
