package import Platform

extension Record {
  /// What a timing run records in addition to its metrics: raw samples, plan, machine before and
  /// after.
  package struct Profile: Sendable, Hashable, Codable {
    /// How frames followed one another.
    package var schedule: Schedule
    /// The frame rate that the budget, and a paced run's schedule, follow.
    package var framesPerSecond: Double
    /// Threads that worked on frames at once.
    package var workers: Int
    /// Frames between the first and the steady ones.
    package var warmUpFrames: Int
    /// Steady frames, all repeats together.
    package var steadyFrames: Int
    /// The raw times of steady frames, one entry a stage and population.
    package var samples: [Samples]
    /// Frames from one miss of the budget to the next, where misses come back regularly; else nil.
    @Nullable package var stutterPeriodFrames: Int?
    /// Why there is no such period; nil where there is one.
    @Nullable package var stutterReason: String?
    /// SHA-256 over the steps of all models with their kernels; the same for the same plan.
    package var planSHA256: String
    /// The machine around the run.
    package var machine: Machine

    /// Describes a timing run.
    package init(
      schedule: Schedule, framesPerSecond: Double, workers: Int, warmUpFrames: Int,
      steadyFrames: Int, samples: [Samples], stutterPeriodFrames: Int?, stutterReason: String?,
      planSHA256: String, machine: Machine
    ) {
      self.schedule = schedule
      self.framesPerSecond = framesPerSecond
      self.workers = workers
      self.warmUpFrames = warmUpFrames
      self.steadyFrames = steadyFrames
      self.samples = samples
      self.stutterPeriodFrames = stutterPeriodFrames
      self.stutterReason = stutterReason
      self.planSHA256 = planSHA256
      self.machine = machine
    }

    /// How frames follow one another.
    package enum Schedule: String, Sendable, Codable, CaseIterable {
      /// One frame after the other, on one core.
      case closed
      /// Frame i is due i / rate after the first, on one core.
      case paced
      /// As fast as all workers together can.
      case offline
    }

    /// The times of one stage in the frames of one population, in the order of the frames.
    package struct Samples: Sendable, Hashable, Codable {
      /// The stage, such as `landmark.infer`.
      package var stage: String
      /// The frames.
      package var slice: FramePopulation
      /// Nanoseconds, one entry per frame in which the stage ran.
      package var nanoseconds: [Int64]

      /// Names a row of times.
      package init(stage: String, slice: FramePopulation, nanoseconds: [Int64]) {
        self.stage = stage
        self.slice = slice
        self.nanoseconds = nanoseconds
      }
    }

    /// What a machine did around a timing run, and what the program was built with.
    package struct Machine: Sendable, Hashable, Codable {
      /// SIMD instruction sets that the processor reports, such as `avx2`.
      package var instructionSets: [String]
      /// One-minute load average when timing began; nil where it is unknown.
      @Nullable package var loadBefore: Double?
      /// One-minute load average when timing ended; nil where it is unknown.
      @Nullable package var loadAfter: Double?
      /// Share of the processors' time that the host gave to others, in [0, 1]; nil where it is unknown.
      @Nullable package var stealShare: Double?
      /// Share of the processors' time that other processes took, in [0, 1]; nil where it is unknown.
      @Nullable package var otherProcessesShare: Double?
      /// Times that the system took the processor from this process while it was timed.
      package var involuntarySwitches: Int
      /// Why the machine counts as noisy, a sentence each; empty where it does not.
      package var noise: [String]
      /// The compilers, with versions.
      package var compiler: String
      /// How they were called, as far as the program knows.
      package var compilerFlags: String

      /// Describes a machine.
      package init(
        instructionSets: [String], loadBefore: Double?, loadAfter: Double?, stealShare: Double?,
        otherProcessesShare: Double?, involuntarySwitches: Int, noise: [String], compiler: String,
        compilerFlags: String
      ) {
        self.instructionSets = instructionSets
        self.loadBefore = loadBefore
        self.loadAfter = loadAfter
        self.stealShare = stealShare
        self.otherProcessesShare = otherProcessesShare
        self.involuntarySwitches = involuntarySwitches
        self.noise = noise
        self.compiler = compiler
        self.compilerFlags = compilerFlags
      }
    }

    /// The nanoseconds of a stage over a population, or over all frames for nil.
    package func nanoseconds(stage: String, slice: FramePopulation?) -> [Int64] {
      samples.filter { $0.stage == stage && (slice == nil || $0.slice == slice) }
        .flatMap(\.nanoseconds)
    }
  }
}

extension Record {
  /// What kind of run it is, in a word for titles.
  package var kind: String { sweep != nil ? "sweep" : profile != nil ? "profile" : "evaluation" }
}
