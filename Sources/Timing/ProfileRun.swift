internal import Datasets
internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Platform
internal import Profiling
internal import Records
package import Running
package import Scoring
internal import Statistics
internal import Tensor

/// Times the pipeline on a dataset and evaluates only time and cost.
package enum ProfileRun {
  /// What came before the steady frames, and how long it took.
  struct Start: Sendable {
    /// When models began to load, and when they were there, in nanoseconds of `MonotonicClock`.
    var load: (begin: UInt64, end: UInt64)
    /// From the kernel's start of the process to the moment models began to load; nil where it is unknown.
    var processNanoseconds: UInt64?
    var firstFrame: FrameSamples
    var warmUp: FrameSamples
  }

  /// Times and leaves record and trace in the run's partial folder, which any failure deletes.
  ///
  /// `prepare` is called when models, dataset and folder are known to be fine, before frames are timed.
  package static func run(
    _ plan: ProfilePlan, monitor: RunMonitor = .silent, prepare: () throws -> Void = {}
  ) throws(EvaluationError) -> Evaluation.Finished {
    let monitor = monitor.keepingNothing
    return try EvaluationError.wrapping {
      let pipeline = plan.pipeline
      let gates = try plan.gates.map {
        try GateInputs($0, base: nil, baseHint: "profile limits changes of latency with --against")
      }
      let age = ProcessFacts.ageNanoseconds
      BLAS.setThreadCount(1)
      let begin = MonotonicClock.nanoseconds()
      let models = try pipeline.loadedModels()
      let load = (begin: begin, end: MonotonicClock.nanoseconds())
      let dataset = try DatasetReader(pipeline.dataset)
      let began = Date()
      let folder = try RunFolder(
        pipeline.run, replaces: pipeline.replaces, resumes: false,
        inputs: [pipeline.dataset] + dataset.files
          + [plan.gates, pipeline.models, pipeline.blendshapeHead].compactMap { $0 })
      return try folder.filling {
        try prepare()
        let clip = try ProfiledClip(dataset, plan: plan, monitor: monitor)
        let pass = ProfilePass(plan: plan, clip: clip, models: models, monitor: monitor)
        let worker = try pass.makeWorker()
        let first = try pass.run(1, on: worker)
        let warmUp = try pass.run(plan.warmUpFrames, on: worker)
        let ratios = try pass.overhead(on: worker)
        let operators = try OperatorTiming(models, runs: plan.operatorRuns, monitor: monitor)
        let start = Start(load: load, processNanoseconds: age, firstFrame: first, warmUp: warmUp)
        let host = HostFacts.host()
        var reference = ReferenceKernel.nanoseconds(runs: 25)
        let before = MachineLoad.now()
        let steady = try pass.steady(on: worker)
        let machine = MachineLoad.now().machine(since: before, cores: host.cores)
        reference += ReferenceKernel.nanoseconds(runs: 25)
        let sha256 = try monitor.hash(dataset)
        var record = Record(
          tool: HostFacts.tool, created: began.formatted(.iso8601),
          dataset: Record.DatasetSummary(
            name: dataset.name, file: pipeline.dataset.path(from: folder.url), sha256: sha256,
            frames: dataset.frameCount, faces: dataset.faceCount,
            sequences: dataset.sequenceCount, badFrames: 0),
          models: models.loaded.map { Record.Model($0) },
          stages: models.stages(with: pipeline.settings), options: plan.options, host: host)
        record.notes += clip.note.map { [$0] } ?? []
        var result = ProfileResult(
          plan: plan, start: start, steady: steady, overheadRatios: ratios,
          wantedFrames: clip.steps.count * plan.repeats, machine: machine, operators: operators,
          planSHA256: try models.planSHA256())
        let evaluated = (gates?.gates ?? []) + plan.budgets
        result.gatesPopulations = evaluated.contains { gate in
          FramePopulation.allCases.contains { $0.rawValue == gate.slice }
        }
        let latency = try result.fill(&record)
        let sorted = reference.map { Int64(clamping: $0) }.sorted()
        if let median = NearestRank.percentile(50, ofSorted: sorted) {
          record.measurements.append(
            ProfileMetrics.reference.measurement(Double(median) / 1e6, n: sorted.count))
        }
        record.headlines = MetricCatalog.headlines(among: record.measurements)
        record.gates = record.evaluate(evaluated, count: { latency.count(beyondLimitOf: $0) })
        let trace = ProfileTrace(plan: plan, start: start, steady: steady, operators: operators)
        try folder.write(trace.json(), to: "trace.json")
        try folder.write(try record.json(), to: "record.json")
        return Evaluation.Finished(record: record, folder: folder)
      }
    }
  }
}
