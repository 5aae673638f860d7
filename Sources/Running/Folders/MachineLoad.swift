internal import Foundation
internal import Platform
package import Records
internal import Tensor

/// Processor times of the machine up to a moment; differences show who used the processors.
package struct MachineLoad: Sendable {
  /// Ticks of all processors since the system started; nil where the system does not report them.
  private let ticks: MachineFacts.Ticks?
  /// Seconds of processor time that this process took.
  private let ownSeconds: Double
  private let involuntarySwitches: Int
  /// One-minute load average; nil where it is unknown.
  let average: Double?

  /// Reads the counters now.
  package static func now() -> MachineLoad { MachineLoad() }

  private init() {
    average = MachineFacts.loadAverage
    ticks = MachineFacts.ticks
    ownSeconds = ProcessFacts.processorSeconds
    involuntarySwitches = ProcessFacts.involuntarySwitches
  }

  /// The machine between an earlier moment and this one.
  package func machine(since earlier: MachineLoad, cores: Int) -> Record.Profile.Machine {
    var stolen: Double?
    var others: Double?
    if let ticks, let before = earlier.ticks, ticks.all - before.all >= 50 {
      let all = ticks.all - before.all
      let own = (ownSeconds - earlier.ownSeconds) * MachineFacts.Ticks.perSecond
      stolen = min(max((ticks.stolen - before.stolen) / all, 0), 1)
      others = min(max((ticks.busy - before.busy - own) / all, 0), 1)
    }
    return Record.Profile.Machine(
      instructionSets: HostFacts.instructionSets, loadBefore: earlier.average, loadAfter: average,
      stealShare: stolen, otherProcessesShare: others,
      involuntarySwitches: involuntarySwitches - earlier.involuntarySwitches,
      noise: Self.noise(stolen: stolen, others: others, load: earlier.average, cores: cores),
      compiler: "Swift \(HostFacts.swiftVersion), \(Kernels.compiler)",
      compilerFlags: HostFacts.compilerFlags)
  }

  /// Why a machine is noisy: a rule that it breaks, a sentence each.
  static func noise(
    stolen: Double?, others: Double?, load: Double?, cores: Int
  ) -> [String] {
    func percent(_ share: Double) -> String { String(format: "%.1f %%", share * 100) }
    var noise: [String] = []
    if let stolen, stolen > 0.01 {
      noise.append("the host gave \(percent(stolen)) of the processors' time to others (over 1 %)")
    }
    if let others, others > 0.1 {
      noise.append("other processes took \(percent(others)) of the processors' time (over 10 %)")
    }
    if let load, load >= Double(cores) / 2 {
      noise.append(
        "the load average was \(NumberText.text(load)) when timing began (half of \(cores) processors "
          + "or more)")
    }
    return noise
  }
}
