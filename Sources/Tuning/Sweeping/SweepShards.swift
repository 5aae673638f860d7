internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Platform
internal import Records
package import Running
internal import Scoring
internal import Tensor

extension ShardRun {
  /// Takes all settings over one part of a sweep, and writes the plan of all parts where no other shard has.
  ///
  /// The part holds what each setting did in each sequence, so that the join adds up in the order of one machine.
  package static func run(
    _ plan: SweepPlan, _ request: ShardRequest, monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> Finished {
    var monitor = monitor
    monitor.interruptionNote = interruptionNote
    let began = WorkMeter()
    return try EvaluationError.wrapping {
      try SweepRun.check(plan)
      let dataset = try DatasetReader(plan.evaluation.dataset)
      BLAS.setThreadCount(1)
      let preparation = try SweepRun.Preparation(plan, of: dataset, monitor: monitor)
      guard let models = preparation.models else {
        throw EvaluationError.wrongData(
          "cannot sweep \(plan.predictions?.relativePath ?? "stored faces") in shards: expected settings "
            + "of models, found only those of stored faces (--shard is not needed for them)")
      }
      let facts = models.facts
      let folder = ShardFolder(of: plan.evaluation.run)
      let (sha256, hashing) = try hash(dataset, in: folder, request, monitor)
      try plan.check(dataset, sha256, monitor: monitor)
      return try make(
        request,
        of: try ShardPlan(
          .sweep, request, of: dataset, sha256: sha256,
          options: try plan.partOptions(preparation.settings), facts: facts),
        dataset, in: folder, replaces: plan.evaluation.replaces, since: began, hashing: hashing
      ) { frames, file in
        monitor.begin(.sweeping, frames.count)
        return try sweep(frames, of: dataset, plan, preparation.pass, models, to: file)
      }
    }
  }

  private static func sweep(
    _ frames: Range<Int>, of dataset: DatasetReader, _ plan: SweepPlan, _ pass: SweepPass,
    _ models: SweepModels, to file: URL
  ) throws -> (PredictionsPart) throws -> Void {
    let writer = try SweepPartWriter(file, sums: plan.layout.names)
    let workers = pass.workers(for: dataset)
    var cost = SweepCost()
    var bad: [PredictionPass.BadFrame] = []
    try pass.run(over: frames, of: dataset, workers) { finding in
      for branch in finding.branches { try writer.add(SweptStretch(branch)) }
      cost.add(finding.cost)
      bad += finding.bad
      try plan.evaluation.running.checkBad(bad, of: dataset)
      try writer.add(
        detections: finding.scores.detections.map { SweptScore($0) },
        presences: finding.scores.presences.map { SweptScore($0) })
    }
    var totals = SweepPartTotals()
    totals.frames = frames.count
    totals.hasLoadedModels = models.isLoaded
    let stages = models.stages(with: plan.evaluation.settings)
    totals.stages = String(decoding: try JSONEncoder.line.encode(stages), as: UTF8.self)
    totals.cost = cost.byName
    totals.brokenFrames = bad.map(\.frame)
    totals.detectorNanoseconds = workers.times.detector
    totals.regionNanoseconds = workers.times.region
    return { [totals] in try writer.finish(totals, part: $0) }
  }
}

extension SweepRun {
  /// What the settings did according to the parts of a sweep.
  static func find(
    _ plan: SweepPlan, in dataset: DatasetReader, sha256: String, joining joined: JoinedParts,
    monitor: RunMonitor
  ) throws -> Findings {
    var options = plan.evaluation.running.predictionOptions.merging(
      plan.evaluation.pairing.options
    ) { $1 }
    options[RunOption.predictions] = try plan.predictionsDigest()
    try joined.check(
      dataset: dataset.name, sha256: sha256, frames: dataset.frameCount, options: options)
    try plan.checkRules(of: joined)
    let facts = joined.plan.facts
    let layout = plan.layout
    let settings = try plan.settings(landmarks: facts.landmarks)
    let clusters = try clusters(of: dataset, monitor: monitor)
    var outcome = SweepPass.Outcome(sums: plan.sums(settings: settings.count, clusters))
    var times = BranchingReplay.Times()
    var stages: (isLoaded: Bool, json: String)?
    monitor.begin(.joining, dataset.frameCount)
    for index in joined.parts.indices {
      let reader = try SweepPartReader(joined.folder.file(ofPart: index))
      let frames = joined.plan.frames(ofPart: index)
      for start in stride(from: 0, to: reader.stretchCount, by: stretchesAtOnce) {
        try monitor.check("while joining")
        var finding = SweepPass.Finding()
        finding.branches = try reader.stretches(
          start..<min(start + stretchesAtOnce, reader.stretchCount)
        ).map { stretch in
          guard
            let branch = stretch.branch(settings: settings.count, layout: layout, frames: frames)
          else {
            throw EvaluationError.wrongData(
              "cannot join \(reader.url.relativePath): expected frames \(frames.lowerBound) to "
                + "\(frames.upperBound - 1), settings below \(settings.count) and sums below "
                + "\(layout.count) in its stretches, found others")
          }
          return branch
        }
        outcome.add(finding, of: clusters)
      }
      let totals = reader.totals
      var rest = SweepPass.Finding()
      rest.cost = SweepCost(byName: totals.cost)
      rest.bad = totals.brokenFrames.map { .init(frame: $0, reason: SweepPass.brokenImage) }
      let scores = try reader.scores()
      rest.scores = SweptScores(
        detections: scores.detections.map(\.scored), presences: scores.presences.map(\.scored))
      outcome.add(rest, of: clusters)
      try plan.evaluation.running.checkBad(outcome.bad, of: dataset)
      let kept = max(timesKept / joined.parts.count, 1)
      times.detector += totals.detectorNanoseconds.prefix(kept)
      times.region += totals.regionNanoseconds.prefix(kept)
      if stages == nil || (totals.hasLoadedModels && stages?.isLoaded == false) {
        stages = (totals.hasLoadedModels, totals.stages)
      }
      monitor.advance(by: frames.count)
    }
    // Those of one machine say nothing of another.
    if joined.kinds <= 1 { outcome.take(times) }
    return Findings(
      settings: settings, defaults: plan.defaults(landmarks: facts.landmarks), outcome: outcome,
      clusters: clusters.sizes, models: facts.models.map(\.model),
      stages: try JSONDecoder().decode(
        [Record.Stage].self, from: Data((stages?.json ?? "[]").utf8)),
      isLabelled: dataset.isLabelled, known: plan.metrics, stored: nil)
  }

  private static let stretchesAtOnce = 4096
  /// How many times of a model are kept of all parts together.
  private static let timesKept = 1 << 20
}

extension SweepPlan {
  /// What the parts depend on, by name; where there are many settings, their digest.
  fileprivate func partOptions(_ settings: [[Double]]) throws -> [String: String] {
    var options = evaluation.running.predictionOptions
    options["jobs"] = "\(evaluation.jobs)"
    options["with-blendshapes"] = "\(evaluation.settings.outputFaceBlendshapes)"
    let names = values.map(\.parameter.name).joined(separator: " ")
    let digest = try SHA256.hexadecimal(of: Array("\(settings)".utf8))
    options["settings"] = "\(settings.count) of \(names) with SHA-256 \(digest)"
    return options.merging(try inputOptions()) { $1 }
  }

  /// What sums depend on among other files than the dataset, and among the objectives, by name.
  func inputOptions() throws -> [String: String] {
    var options = objectiveOptions
    options[RunOption.predictions] = try predictionsDigest()
    options[Self.rulesOption] = try rulesDigest()
    return options.merging(evaluation.pairing.options) { $1 }
  }

  /// The digest of the stored predictions; nil without any.
  fileprivate func predictionsDigest() throws -> String? {
    try predictions.map { "SHA-256 " + (try SHA256.hexadecimal(ofFile: $0.path) { _, _ in }) }
  }

  private static let rulesOption = "expressions"

  /// The digest of the rules of expressions; nil where no threshold of theirs is swept.
  private func rulesDigest() throws -> String? {
    guard !expressions.isEmpty else { return nil }
    let rules = rules.rules.map { rule in
      "\(rule.name) \(rule.formula) \(rule.side) \(rule.threshold) \(rule.words.sorted())\n"
    }
    return "SHA-256 " + (try SHA256.hexadecimal(of: Array(rules.joined().utf8)))
  }

  /// Throws `.wrongData` for other rules of expressions than those of the parts.
  fileprivate func checkRules(of joined: JoinedParts) throws {
    let (known, found) = (joined.plan.options[Self.rulesOption], try rulesDigest())
    guard known == found else {
      throw EvaluationError.wrongData(
        "cannot join \(joined.folder.url.relativePath): expected the rules of expressions with "
          + "\(known ?? "no SHA-256"), found \(found ?? "none")")
    }
    let (kept, asked) = (
      joined.plan.options[Self.metricsOption], objectiveOptions[Self.metricsOption]
    )
    guard kept != asked else { return }
    throw EvaluationError.wrongData(
      "cannot join \(joined.folder.url.relativePath): expected objectives with the metrics of "
        + "\(kept ?? "every sweep"), found \(asked ?? "none of their own") (the parts keep only what "
        + "their objectives named)")
  }
}

extension SweptStretch {
  fileprivate init(_ branch: SweepPass.Finding.Branch) {
    self.init(
      firstFrame: branch.firstFrame, settings: branch.settings,
      sums: branch.tally.sums.enumerated().filter { $1 != 0 }.map {
        Sum(position: $0, value: $1)
      },
      errors: branch.wrong.map { FrameErrors(frame: $0.frame, count: $0.errors) })
  }

  /// What a sweep adds up; nil where a number is none of the sweep's.
  fileprivate func branch(
    settings count: Int, layout: SweepCounts.Layout, frames: Range<Int>
  ) -> SweepPass.Finding.Branch? {
    let positions = 0..<layout.count
    guard frames.contains(firstFrame), settings.allSatisfy((0..<count).contains),
      sums.allSatisfy({ positions.contains($0.position) && $0.value.isFinite }),
      errors.allSatisfy({ frames.contains($0.frame) && $0.count > 0 })
    else { return nil }
    var dense = [Double](repeating: 0, count: positions.count)
    for sum in sums { dense[sum.position] = sum.value }
    return SweepPass.Finding.Branch(
      firstFrame: firstFrame, settings: settings,
      tally: SweepCounts(dense, layout),
      wrong: errors.map { WrongFrames.Entry(frame: $0.frame, errors: $0.count) })
  }
}
