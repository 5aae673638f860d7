package import FacePipeline
package import Foundation
internal import Platform
internal import Profiling
package import Running
internal import TFLite
internal import Tensor

/// What the steps of each model compute, by which kernel, how fast, and how much of the processor's peak that is.
package struct ModelPlans: Sendable, Encodable {
  /// A step of a model.
  package struct Step: Sendable, Encodable {
    /// Position in the order of execution, from 0.
    package var step: Int
    /// Operator and kernel.
    package var kernel: String
    /// Shape of the output.
    package var output: [Int]
    /// Multiply-accumulates in one run.
    package var multiplyAccumulates: Int
    /// Bytes of inputs, constants and output.
    package var bytes: Int
    /// Median time.
    package var microseconds: Double
    /// 10⁹ floating-point operations a second, two for a multiply-accumulate; nil for a step without any.
    package var gigaflops: Double?
    /// `gigaflops` as a share of the peak.
    package var shareOfPeak: Double?
  }

  /// A model.
  package struct Plan: Sendable, Encodable {
    /// Name in the catalogue.
    package var model: String
    /// Multiply-accumulates in one run.
    package var multiplyAccumulates: Int
    /// Working memory of one session.
    package var arenaBytes: Int
    /// Median time of a run without a clock between its steps.
    package var microseconds: Double
    /// 10⁹ floating-point operations a second of a whole run.
    package var gigaflops: Double
    /// `gigaflops` as a share of the peak.
    package var shareOfPeak: Double
    /// The steps in the order of execution.
    package var steps: [Step]
  }

  /// Name of the strongest instruction set in use.
  package let kernels: String
  /// The core that OpenBLAS chose.
  package let blasCore: String
  /// 10⁹ floating-point operations a second of multiply-adds in registers with these kernels, one thread.
  package let peakGigaflops: Double
  /// Timed runs of each model.
  package let runs: Int
  /// The models in the order of the pipeline.
  package let models: [Plan]

  /// Loads the models as a run of the pipeline does, and times so many runs of each.
  package init(
    detector: DetectorVariant, landmarks: LandmarkVariant?, from folder: URL?, runs: Int,
    monitor: RunMonitor
  ) throws {
    BLAS.setThreadCount(1)
    let models = try FaceLandmarkerModels(detector: detector, landmarks: landmarks, from: folder)
    let names = [
      models.detector.loaded.name, models.landmarks?.loaded.name,
      models.blendshapes?.model?.loaded.name,
    ].compactMap(\.self)
    kernels = Kernels.available.last?.name ?? "none"
    blasCore = BLAS.coreName
    self.runs = runs
    let before = Self.measuredPeak()
    let timing = try OperatorTiming(models, runs: runs, monitor: monitor.keepingNothing)
    let peak = max(before, Self.measuredPeak())
    peakGigaflops = peak
    self.models = zip(names, timing.models).map { name, model in
      Plan(name, model, peak: peak)
    }
  }

  /// The best of some runs of a few tens of microseconds, in 10⁹ operations a second.
  private static func measuredPeak() -> Double {
    guard let kernels = Kernels.available.last else { return 0 }
    let rounds = 10_000
    return (0..<200).reduce(0) { best, _ in
      let begin = MonotonicClock.nanoseconds()
      let operations = kernels.multiplyAdd(rounds: rounds)
      let time = MonotonicClock.nanoseconds() &- begin
      return max(best, Double(operations) / Double(max(time, 1)))
    }
  }
}

extension ModelPlans.Plan {
  fileprivate init(_ name: String, _ timing: OperatorTiming.ModelTiming, peak: Double) {
    func speed(_ multiplyAccumulates: Int, _ nanoseconds: Int64) -> Double {
      Double(2 * multiplyAccumulates) / Double(max(nanoseconds, 1))
    }
    model = name
    multiplyAccumulates = timing.multiplyAccumulates
    arenaBytes = timing.arenaBytes
    microseconds = Double(timing.whole) / 1000
    gigaflops = speed(timing.multiplyAccumulates, timing.whole)
    shareOfPeak = gigaflops / peak
    steps = timing.plan.indices.map { index in
      let step = timing.plan[index]
      let work = step.multiplyAccumulates
      let speed = work == 0 ? nil : speed(work, timing.steps[index])
      return ModelPlans.Step(
        step: index, kernel: step.name, output: step.outputShape.dimensions,
        multiplyAccumulates: work, bytes: step.bytes,
        microseconds: Double(timing.steps[index]) / 1000, gigaflops: speed,
        shareOfPeak: speed.map { $0 / peak })
    }
  }
}
