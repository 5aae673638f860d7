internal import Records

/// The metrics of a profile other than the percentiles of its stages: start, throughput, cost and
/// the profiler's own.
package enum ProfileMetrics: DefinedMetrics {
  /// From the kernel's start of the process to the moment its models begin to load.
  package static let processStart = startup(
    "process", "Start of the process", "until models begin to load, in steps of 10 ms")
  /// Reading, checking and planning the models.
  package static let modelLoad = startup(
    "models", "Loading the models", "reading, checking and planning all models")
  /// The first frame.
  package static let firstFrame = startup(
    "first_frame", "First frame", "decoding and analysing the first frame, with cold caches")
  /// The median frame of the warm-up.
  package static let warmUp = startup(
    "warm_up.p50", "Warm-up frame, median",
    "nearest rank over the frames between the first and the steady ones")
  /// Frames a second of all workers together.
  package static let throughput = MetricDefinition(
    "throughput.frames_per_second", "Throughput", .higher, unit: "1/s",
    "steady frames / seconds from the first's start to the last's end", source: "FaceGauge")
  /// Time of a frame that is in no stage.
  package static let unaccounted = profiler(
    "unaccounted_share", "Share of the time in no stage",
    "1 − sum of all stages / sum of all totals, over steady frames")
  /// What measuring the stages costs.
  package static let overhead = profiler(
    "overhead_share", "Cost of measuring",
    "median of (frame with stages and spans / same frame without) − 1, alternating in order ABBA")
  /// What times of other days are divided by.
  package static let reference = MetricDefinition(
    MetricName.referenceKernel, "Frozen reference kernel, median", .neither, unit: "ms",
    stage: "profiler",
    "nearest rank over runs of a fixed piece of work before and after the steady frames",
    source: "FaceGauge")
  /// Calls of the allocator in a steady frame.
  package static let allocations = cost(
    "allocations", "Allocations of a steady frame, median",
    unit: "calls", "calls of malloc and its kin by the frame's thread, nearest rank")
  /// Bytes asked of the allocator in a steady frame.
  package static let allocatedBytes = cost(
    "allocated_bytes", "Bytes allocated in a steady frame, median", unit: "bytes",
    "bytes asked of malloc and its kin by the frame's thread, nearest rank")
  /// Multiplications with addition of a model.
  package static let multiplyAccumulates = modelCost(
    "macs", "Multiply-accumulates of one run", unit: "MACs", "sum over the plan's convolutions")
  /// Working memory of a model.
  package static let arenaBytes = modelCost(
    "arena_bytes", "Working memory of one run", unit: "bytes", "floats of the arena · 4")
  /// Steps of a model's plan.
  package static let operators = modelCost(
    "operators", "Operators of the plan", unit: "operators", "steps of one run after fusion")

  /// Every one of them.
  package static let definitions = [
    processStart, modelLoad, firstFrame, warmUp, throughput, unaccounted, overhead, reference,
    allocations,
    allocatedBytes, multiplyAccumulates, arenaBytes, operators,
  ]

  private static let startup = DefinitionGroup(prefix: "startup.", unit: "ms", source: "FaceGauge")

  private static let profiler = DefinitionGroup(
    prefix: "profiler.", range: .any, source: "FaceGauge")

  private static let cost = DefinitionGroup(prefix: "cost.", source: "FaceGauge")

  private static let modelCost = DefinitionGroup(
    prefix: "cost.\(MetricDefinition.anyStage).", stage: MetricDefinition.anyStage,
    source: "FaceGauge")
}

extension ProfileMetrics {
  package static let presentation = MetricPresentation(
    headlines: [.init(.timing, [throughput.name, firstFrame.name], isCompared: false)])
}
