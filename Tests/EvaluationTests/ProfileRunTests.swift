import FacePipeline
import Foundation
import Platform
import Profiling
import Records
import Running
import Scoring
import TestSupport
import Testing
import Timing

@Suite(.enabled(if: PulledModels.giveLandmarks, "needs the models of 'models pull'"))
struct ProfileRunTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A plan over a drawn clip of so many frames.
  private func plan(
    _ frames: Int, _ schedule: Record.Profile.Schedule = .closed
  ) throws -> ProfilePlan {
    var pipeline = EvaluationPlan.test(
      try DrawnClips.write([.init("clip", DrawnClips.moving(frames))], in: folder)
    ).running
    pipeline.settings.runningMode = .video
    pipeline.settings.outputFaceBlendshapes = true
    pipeline.settings.outputFacialTransformationMatrixes = true
    var plan = ProfilePlan(pipeline)
    plan.schedule = schedule
    plan.warmUpFrames = 3
    plan.overheadPairs = 5
    plan.operatorRuns = 3
    return plan
  }

  private func finish(_ plan: ProfilePlan) throws -> Record {
    let finished = try ProfileRun.run(plan)
    try finished.folder.commit()
    let file = plan.pipeline.run.appending(path: "record.json")
    return try Record(json: [UInt8](Data(contentsOf: file)), source: file.path)
  }

  @Test func `populations, phases and raw samples of a closed loop add up`() throws {
    var plan = try plan(10)
    plan.repeats = 3
    let record = try finish(plan)
    let profile = try #require(record.profile)
    #expect(profile.steadyFrames == 30 && profile.warmUpFrames == 3 && profile.workers == 1)
    #expect(profile.nanoseconds(stage: "total", slice: nil).count == 30)
    // Tracking begins anew with each repeat, and a found face is tracked from then on.
    #expect(profile.nanoseconds(stage: "total", slice: .detectorRan).count == 3)
    #expect(profile.nanoseconds(stage: "detect.infer", slice: .tracked).isEmpty)
    #expect(profile.nanoseconds(stage: "landmark.infer", slice: .tracked).count == 27)
    let sorted = profile.nanoseconds(stage: "total", slice: .tracked).sorted()
    let median = try #require(record.measurement("latency.total.p50", in: "tracked"))
    #expect(median.value == Double(sorted[13]) / 1e6)
    let (low, high) = (try #require(median.interval.low), try #require(median.interval.high))
    #expect(Double(sorted[0]) / 1e6 <= low && low <= Double(sorted[13]) / 1e6)
    #expect(Double(sorted[13]) / 1e6 <= high)
    #expect(
      median.interval.method?.hasSuffix("10 stretches, this clip only") == true)
    let p99 = try #require(record.measurement("latency.total.p99", in: "tracked"))
    #expect(p99.value == nil && p99.needs == 100)
    for name in ["startup.models", "startup.first_frame", "startup.warm_up.p50"] {
      #expect(try #require(record.value(name)) > 0)
    }
    #expect(try #require(record.value("throughput.frames_per_second")) > 0)
  }

  @Test func `the stages of a frame do not take more than the frame`() throws {
    let record = try finish(plan(40))
    let profile = try #require(record.profile)
    var (frames, inStages): (Int64, Int64) = (0, 0)
    for slice in FramePopulation.allCases {
      let totals = profile.nanoseconds(stage: "total", slice: slice)
      let stages = PipelineStage.allCases.filter { $0 != .total }
        .map { profile.nanoseconds(stage: $0.name, slice: slice) }.filter { !$0.isEmpty }
      #expect(!stages.isEmpty && stages.allSatisfy { $0.count == totals.count })
      for (frame, total) in totals.enumerated() {
        let sum = stages.reduce(0) { $0 + $1[frame] }
        #expect(sum <= total)
        inStages += sum
      }
      frames += totals.reduce(0, +)
    }
    let share = try #require(record.value("profiler.unaccounted_share"))
    #expect(abs(share - (1 - Double(inStages) / Double(frames))) < 1e-12)
  }

  @Test func `work, memory and plan are told and the same in every run`() throws {
    let plan = try plan(4)
    let first = try finish(plan)
    var again = plan
    again.pipeline.replaces = true
    let second = try finish(again)
    for name in ["cost.landmark.infer.macs", "cost.detect.infer.arena_bytes"] {
      #expect(try #require(first.value(name)) > 1e5)
      #expect(first.value(name) == second.value(name))
    }
    #expect(first.profile?.planSHA256 == second.profile?.planSHA256)
    // The detector's multiplications in millions, with planes of its first convolution and without.
    let millions = try #require(first.value("cost.detect.infer.macs")) / 1e6
    #expect([28.55, 30.76].contains { abs(millions - $0) <= 0.005 })
    #expect(first.series(named: "profile.operators.detect.infer") != nil)
    guard AllocationCount.isAvailable else { return }
    #expect(first.value("cost.allocations") == second.value("cost.allocations"))
  }

  @Test func `a paced run counts every frame and its misses by the response`() throws {
    var plan = try plan(20, .paced)
    plan.framesPerSecond = 1000
    let record = try finish(plan)
    let profile = try #require(record.profile)
    let responses = FramePopulation.allCases.flatMap { slice in
      zip(
        profile.nanoseconds(stage: "response", slice: slice),
        profile.nanoseconds(stage: "total", slice: slice))
    }
    #expect(responses.count == 20)
    #expect(responses.allSatisfy { response, total in response >= total })
    let misses = responses.count { response, _ in response > 1_000_000 }
    #expect(record.value("budget.miss_rate") == Double(misses) / 20)
    #expect(try #require(record.value("budget.longest_miss_run")) <= Double(misses))
    #expect(record.measurement("throughput.frames_per_second")?.value == nil)
  }

  @Test func `the budget of a run without pace counts no decoding of files`() throws {
    let record = try finish(plan(20))
    let profile = try #require(record.profile)
    func milliseconds(_ stage: String) -> [Double] {
      FramePopulation.allCases.flatMap { profile.nanoseconds(stage: stage, slice: $0) }
        .map { Double($0) / 1e6 }.sorted()
    }
    guard case .curve(let curve)? = record.series(named: "budget.frames")?.content else {
      Issue.record("expected a curve")
      return
    }
    #expect(curve.lines[0].y.sorted() == milliseconds("pipeline"))
    #expect(milliseconds("pipeline") != milliseconds("total"))
  }

  @Test func `offline workers share the repeats and no frame is lost or done twice`() throws {
    var plan = try plan(6, .offline)
    plan.workers = 3
    plan.repeats = 7
    let record = try finish(plan)
    let profile = try #require(record.profile)
    #expect(profile.workers == 3 && profile.steadyFrames == 42)
    #expect(profile.nanoseconds(stage: "total", slice: .detectorRan).count == 7)
    #expect(record.measurement("budget.miss_rate")?.reason == "an offline run has no frame budget")
  }

  @Test func `a time limit ends the run, and the record has a note`() throws {
    var plan = try plan(10)
    plan.repeats = 100_000
    plan.timeLimitSeconds = 1e-9
    let record = try finish(plan)
    #expect(try #require(record.profile).steadyFrames == 1)
    #expect(
      record.notes.contains { $0 == "The time limit ended the run after 1 of 1000000 frames." })
  }

  @Test func `budgets are evaluated by counting frames`() throws {
    var plan = try plan(10)
    plan.repeats = 10
    func gate(_ limit: Double, _ slice: String? = nil) -> Gate {
      Gate(
        metric: "latency.total.p95", slice: slice, direction: .atMost, limit: limit,
        evaluatedBy: .binomial, confidence: 0.99)
    }
    plan.budgets = [gate(60_000), gate(0.001), gate(60_000, "detector_ran")]
    let gates = try finish(plan).gates
    #expect(gates.map(\.verdict) == [.pass, .fail, .inconclusive])
    #expect(gates[2].message.contains("0 of 10 samples are over"))
  }

  @Test func `the trace keeps the rules of trace events`() throws {
    var plan = try plan(6)
    plan.repeats = 2
    _ = try finish(plan)
    let file = plan.pipeline.run.appending(path: "trace.json")
    let problems = try TraceRules(Data(contentsOf: file))
    #expect(problems.broken == [])
    #expect(problems.count(of: "frame") == 12)
    #expect(problems.count(of: "warm-up frame") == 3)
    #expect(problems.count(of: "first frame") == 1)
    #expect(problems.count(of: "load models") == 1)
    #expect(problems.count(of: "detect") == problems.count(of: "detect.infer"))
    #expect(problems.count(of: "landmark") >= 12)
  }

  @Test(arguments: Record.Profile.Schedule.allCases)
  func `the trace marks the frames that the budget counts as missed, and no others`(
    schedule: Record.Profile.Schedule
  ) throws {
    var plan = try plan(6, schedule)
    plan.workers = 1
    plan.framesPerSecond = 1000
    if schedule == .closed {
      // Between the times of frames with decoding and without.
      let profile = try #require(finish(plan).profile)
      func middle(_ stage: String) -> Int64 {
        profile.nanoseconds(stage: stage, slice: nil).sorted()[3]
      }
      plan.framesPerSecond = 2e9 / Double(middle("pipeline") + middle("total"))
      plan.pipeline.replaces = true
    }
    let record = try finish(plan)
    let file = plan.pipeline.run.appending(path: "trace.json")
    let trace = try TraceRules(Data(contentsOf: file))
    let misses = (record.value("budget.miss_rate") ?? 0) * 6
    #expect(trace.count(of: "frame", with: "over budget") == Int(misses.rounded()))
    #expect(trace.count(of: "first frame", with: "over budget") == 0)
    #expect(trace.count(of: "warm-up frame", with: "over budget") == 0)
  }

  @Test func `a plan of models that is interrupted cannot be resumed`() {
    let stopping = RunMonitor(begin: { _, _ in }, advanceBy: { _ in }, isInterrupted: { true })
    let error = #expect(throws: EvaluationError.self) {
      try ModelPlans(
        detector: .shortRange, landmarks: nil, from: PulledModels.folder, runs: 1,
        monitor: stopping)
    }
    #expect(error?.description == "interrupted while timing operators; nothing was written")
  }

  @Test func `a dataset without frames is refused and leaves nothing`() throws {
    var plan = try plan(3)
    plan.pipeline.dataset = try DrawnClips.write([], as: "none.h5", in: folder)
    let error = #expect(throws: EvaluationError.self) { try ProfileRun.run(plan) }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains("expected a frame or more, found none") == true)
    #expect(
      !FileManager.default.fileExists(atPath: plan.pipeline.run.path + ".partial"))
  }
}
