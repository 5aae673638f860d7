import CommandSyntax
import Foundation
import Platform
import Records
import Running
import Timing

/// The options of `profile` that time another build of the program along with this one.
enum RelativeGateOptions {
  private static let against = Option(
    "against", valueName: "program|run", .path, otherwise: "nothing to compare with",
    help: "Base: another build of facegauge, timed alternating; or a stored run, see above.")
  private static let tolerance = Option(
    "tolerance", valueName: "share", .number(in: 0.001...10), default: 0.05,
    help: "Minimum slow-down of a stage that fails; up to twice as much where noise is.")
  /// The most pairs of frames.
  static let maxPairs = Option(
    "max-pairs", valueName: "n", .integer(in: 192...1_000_000), default: 1536,
    help: "Maximum number of frame pairs; what is undecided is then inconclusive.")
  /// The most time for them.
  static let maxSeconds = Option(
    "max-pair-seconds", valueName: "seconds", .number(in: 1...86_400), otherwise: "no limit",
    help: "Maximum time for pairs, in seconds; what is undecided is then inconclusive.")
  private static let stored = Option(
    "stored", valueName: "weight", .choice(StoredWeight.self), default: .advisory,
    help: "How to use a stored run as base: advisory adds a note, gate evaluates it as a gate.")

  /// How a stored run as base is used.
  enum StoredWeight: String, Sendable, CaseIterable {
    case advisory, gate
  }

  /// All of them.
  static let all: [any Parameter] = [against, tolerance, maxPairs, maxSeconds, stored]

  /// The base named on the command line.
  enum Base {
    /// Another build, ready to be timed alternating with this one.
    case program(ABTiming, name: String)
    /// A stored run.
    case run(StoredBase, tolerance: Double, isAdvisory: Bool)

    /// Times the base, if it is a program, and puts verdicts into the record.
    func evaluate(_ record: inout Record, monitor: RunMonitor) throws {
      let asked: Double
      switch self {
      case .program(let timing, let name):
        asked = timing.minTolerance
        try timing.run(monitor: monitor).add(to: &record, against: name)
        record.options[RunOption.against] = name
      case .run(let stored, let tolerance, let isAdvisory):
        asked = tolerance
        stored.evaluate(&record, tolerance: tolerance, isAdvisory: isAdvisory)
        record.options[RunOption.against] = stored.name
      }
      if asked >= 1 {
        record.notes.append(
          "--tolerance \(asked.plainText) allows a stage to take \((100 * asked).plainText) % longer: 5 % is 0.05."
        )
      }
    }
  }

  /// Throws if options of a base are given without a base.
  static func check(_ arguments: ParsedArguments) throws {
    try arguments.require(against, for: tolerance, maxPairs, maxSeconds, stored)
  }

  /// The base named on the command line, built and started once or read, to report problems early.
  ///
  /// nil if none is named.
  static func base(
    _ arguments: ParsedArguments, dataset: String, isVideo: Bool, frames: Int?,
    monitor: RunMonitor
  ) throws -> Base? {
    guard let name = arguments[against] else { return nil }
    if isRun(name) {
      return .run(
        try StoredBase(URL(fileURLWithPath: name)), tolerance: arguments[tolerance],
        isAdvisory: arguments[stored] == .advisory)
    }
    guard URL(fileURLWithPath: name).isProgram else {
      let isThere = URL(fileURLWithPath: name).isThere
      throw EvaluationError(
        isThere ? .wrongData : .notFound,
        "cannot time against \(name): expected a program or a run, found "
          + (isThere ? "neither" : "nothing"))
    }
    let program = URL(fileURLWithPath: name).standardizedFileURL.path
    let words =
      ["serve", "--mode", isVideo ? "video" : "image"]
      + PipelineOptions.given(in: arguments).flatMap { ["--\($0.name)", $0.value] }
    func line(_ program: String) -> String {
      ([program] + words).map { "'\($0.replacingOccurrences(of: "'", with: "'\\''"))'" }
        .joined(separator: " ")
    }
    var timing = try ABTiming(
      dataset: URL(fileURLWithPath: dataset), base: "exec " + line(program),
      candidate: "exec " + line(ProgramArguments.program))
    timing.isVideo = isVideo
    timing.frameLimit = frames
    timing.minTolerance = arguments[tolerance]
    timing.maxPairs = arguments[maxPairs]
    timing.secondsLimit = arguments[maxSeconds]
    try timing.tryBase(monitor: monitor)
    return .program(timing, name: name)
  }

  private static func isRun(_ path: String) -> Bool {
    let url = URL(fileURLWithPath: path)
    return url.isFolder || url.isThere && path.hasSuffix(".json")
  }
}
