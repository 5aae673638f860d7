package import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
package import Platform
internal import Records
internal import Tensor

/// What all shards of a run have in common, as `plan.json` next to their parts has it.
///
/// It follows from the dataset's tables, the options, the models and the machine's numerics alone, so that whoever comes
/// first writes the bytes that any other would have written.
package struct ShardPlan: Hashable, JSONDocument {
  /// What the shards do.
  package enum Command: String, Sendable, Hashable, Codable {
    case evaluate, sweep
  }

  /// A model that the shards load.
  struct Model: Sendable, Hashable, Codable {
    var name: String
    var stage: String
    var sha256: String
    /// Whether its bytes are the pinned ones.
    var remark: String?
    var isPinned: Bool
  }

  /// A stage that cannot run.
  struct AbsentStage: Sendable, Hashable, Codable {
    var stage: String
    var reason: String
  }

  struct Dataset: Sendable, Hashable, Codable {
    var name: String
    var sha256: String
    var frames: Int
    var sequences: Int
  }

  var schema = Self.schemaName
  var version = Self.schemaVersion
  /// The command whose parts these are.
  package var command: Command
  var tool: Record.Tool
  var dataset: Dataset
  /// Where each part begins, and at last where all end.
  var bounds: [Int]
  /// The settings that the predictions depend on, by option name.
  package var options: [String: String]
  var models: [Model]
  var absent: [AbsentStage]
  /// The landmark model's variant; nil without one.
  var landmarks: String?
  /// Name of the scheme of points; nil in parts of an earlier version, which have mediapipe478.
  var scheme: String?
  var numerics: Numerics
  /// The options that are given, without the shard, in a fixed order.
  package var arguments: [Argument]
  /// SHA-256 of the plan without this; parts name their plan by it.
  var sha256: String?

  /// The value of a parameter; a name that repeats has several values.
  package struct Argument: Sendable, Hashable, Codable {
    /// The parameter's name, without dashes.
    package var name: String
    /// The value as text; empty for a flag.
    package var value: String

    /// Gives a parameter a value.
    package init(_ name: String, _ value: String = "") {
      self.name = name
      self.value = value
    }
  }

  package static let schemaName = "facegauge.shard-plan"
  package static let schemaVersion = 4
  package static let fileName = "plan.json"
  package static let noun = "a plan of shards"

  /// How many parts there are.
  package var count: Int { bounds.count - 1 }

  /// The frames of a part.
  package func frames(ofPart index: Int) -> Range<Int> { bounds[index]..<bounds[index + 1] }

  /// Its bytes, the same for equal plans.
  package func bytes() throws -> [UInt8] {
    var sealed = self
    sealed.sha256 = try digest()
    return try JSONEncoder.document.bytes(of: sealed)
  }

  /// SHA-256 of all that it says.
  func digest() throws -> String {
    var plain = self
    plain.sha256 = nil
    return try SHA256.hexadecimal(of: JSONEncoder.document.bytes(of: plain))
  }

  /// What is damaged; nil for a plan as a shard wrote it.
  package var firstProblem: JSONProblem? {
    guard let digest = try? digest(), digest == sha256 else {
      return JSONProblem(position: "", expected: "a plan as a shard wrote it", found: "it damaged")
    }
    guard bounds.count > 1, bounds[0] == 0, bounds[bounds.count - 1] == dataset.frames,
      zip(bounds, bounds.dropFirst()).allSatisfy({ $0 <= $1 })
    else {
      return JSONProblem(
        position: "bounds", expected: "ascending bounds from 0 to the number of frames",
        found: "others")
    }
    return nil
  }

  /// Throws where a shard would compute something else than this plan says: `.wrongData`, or `.unavailable` where only the
  /// machine's numerics differ.
  func check(_ own: ShardPlan, allowsOtherNumerics: Bool, in source: String) throws(EvaluationError)
  {
    func compare(_ what: String, _ known: String, _ found: String) throws(EvaluationError) {
      guard known != found else { return }
      throw EvaluationError.wrongData(
        "cannot add to \(source): expected \(what) \(known) as before, found \(found) (another run "
          + "needs another folder, or this one removed)")
    }
    try compare("parts of", command.rawValue, own.command.rawValue)
    try compare("a number of shards of", "\(count)", "\(own.count)")
    try compare("FaceGauge", tool.words, own.tool.words)
    try compare(
      "the dataset with SHA-256", "\(dataset.sha256) ('\(dataset.name)')",
      "\(own.dataset.sha256) ('\(own.dataset.name)')")
    for name in Set(options.keys).union(own.options.keys).sorted() {
      try compare(name, options[name] ?? "none", own.options[name] ?? "none")
    }
    try compare("the models", Self.words(models), Self.words(own.models))
    try compare(
      "missing stages:", absent.map { "\($0.stage), \($0.reason)" }.joined(separator: "; "),
      own.absent.map { "\($0.stage), \($0.reason)" }.joined(separator: "; "))
    try compare("the arguments", Self.words(arguments), Self.words(own.arguments))
    guard !allowsOtherNumerics, numerics != own.numerics else { return }
    throw EvaluationError(
      .unavailable,
      "cannot compute as \(source) asks: expected \(numerics.words), found \(own.numerics.words); "
        + "their results differ (set \(Kernels.limitVariable)=\(numerics.kernels) "
        + "OPENBLAS_CORETYPE=\(numerics.core) where the machine has the instructions, ask for machines of one kind, or "
        + "allow it with --mixed-numerics)")
  }

  private static func words(_ arguments: [Argument]) -> String {
    arguments.map { $0.value.isEmpty ? $0.name : "\($0.name)=\($0.value)" }.joined(separator: " ")
  }

  private static func words(_ models: [Model]) -> String {
    models.map { "\($0.name) \($0.sha256.prefix(12))" }.joined(separator: ", ")
  }
}

extension Record.Tool {
  fileprivate var words: String { "\(version), \(build) build, commit \(commit ?? "unknown")" }
}

extension ShardPlan {
  /// The plan of a run that has these models, in the parts of a request; `options` are what predictions depend on.
  package init(
    _ command: Command, _ request: ShardRequest, of dataset: DatasetReader, sha256: String,
    options: [String: String], facts: PipelineFacts
  ) throws {
    self.command = command
    tool = HostFacts.tool
    self.dataset = Dataset(
      name: dataset.name, sha256: sha256, frames: dataset.frameCount,
      sequences: dataset.sequenceCount)
    bounds = try dataset.shardBounds(request.count)
    self.options = options
    models = facts.models.map {
      Model(
        name: $0.model.name, stage: $0.model.stage, sha256: $0.model.sha256,
        remark: $0.model.remark, isPinned: $0.isPinned)
    }
    absent = facts.absent.map { AbsentStage(stage: $0.stage.rawValue, reason: $0.reason) }
    landmarks = facts.landmarks?.rawValue
    scheme = facts.scheme.name
    numerics = .own
    arguments = request.arguments
  }

  /// What the shards' pipelines consist of.
  package var facts: PipelineFacts {
    PipelineFacts(
      models: models.map {
        (
          Record.Model(name: $0.name, stage: $0.stage, sha256: $0.sha256, remark: $0.remark),
          $0.isPinned
        )
      },
      absent: absent.compactMap { stage in
        PipelinePart(rawValue: stage.stage).map { ($0, stage.reason) }
      },
      landmarks: landmarks.flatMap(LandmarkVariant.init),
      scheme: scheme.flatMap(LandmarkScheme.named) ?? .mediapipe478)
  }
}
