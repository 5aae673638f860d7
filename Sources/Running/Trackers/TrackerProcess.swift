internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Platform
internal import Profiling
internal import Records

/// A tracker that runs as another program and speaks the line protocol.
///
/// One that is not there, ends early, keeps silent, hangs or talks of something else gives one error each.
package final class TrackerProcess {
  /// The command line that started it.
  let command: String
  /// Its first message.
  package let hello: TrackerHello
  /// How long an answer may take.
  private let limit: Duration
  private var program: ChildProgram
  /// When the last answer was there, by `MonotonicClock`.
  private(set) var answered: UInt64 = 0
  private static let lineBytes = 32 << 20

  /// Starts a command with the shell and waits for its first line.
  ///
  /// Throws `.wrongData` where that is no hello of this protocol's version.
  package init(
    _ command: String, limit: Duration, isInterrupted: @escaping @Sendable () -> Bool
  ) throws(EvaluationError) {
    self.command = command
    self.limit = limit
    var program = try Self.start(command, limit, isInterrupted)
    let line: String?
    do {
      line = try program.line(limit: Self.lineBytes)
    } catch {
      throw Self.failure(command, "a first line", error, limit)
    }
    let expected =
      "a first line of the protocol \(TrackerHello.protocolName), version "
      + "\(TrackerHello.protocolVersion)"
    guard let line else {
      throw Self.ended(command, "start", expected, try? program.finish())
    }
    guard
      let hello = try? JSONDecoder().decode(TrackerHello.self, from: Data(line.utf8)),
      hello.protocol == TrackerHello.protocolName, hello.version == TrackerHello.protocolVersion
    else {
      throw Self.wrong(command, "start", expected, "'\(Self.short(line))'")
    }
    self.hello = hello
    self.program = program
    try check(hello)
  }

  /// The stages in the order of files: its own with the total last.
  package var stages: [String] {
    (hello.stages ?? []).filter { $0 != MetricName.total } + [MetricName.total]
  }

  /// Hands over a frame and waits for the answer; its times have the total, by this program's clock if need be.
  func analyse(
    _ request: TrackerRequest, rgb: [UInt8] = []
  ) throws(EvaluationError) -> TrackerAnswer {
    let step = "frame \(request.frame)"
    let line: String?
    let nanoseconds: UInt64
    do {
      var bytes = [UInt8](try JSONEncoder().encode(request))
      bytes.append(UInt8(ascii: "\n"))
      program.endWaiting(after: limit)
      let begin = MonotonicClock.nanoseconds()
      // A tracker that ended may have reported why; `line` then finds it.
      if try program.write(bytes), !rgb.isEmpty { _ = try program.write(rgb) }
      line = try program.line(limit: Self.lineBytes)
      answered = MonotonicClock.nanoseconds()
      nanoseconds = answered &- begin
    } catch {
      throw Self.failure(command, "an answer to \(step)", error, limit)
    }
    guard let line else {
      throw Self.ended(command, step, "an answer", try? program.finish())
    }
    var answer: TrackerAnswer
    do {
      answer = try JSONDecoder().decode(TrackerAnswer.self, from: Data(line.utf8))
    } catch {
      throw Self.wrong(command, step, "an answer", "'\(Self.short(line))'")
    }
    guard answer.frame == request.frame else {
      throw Self.wrong(command, step, "an answer to it", "one to frame \(answer.frame)")
    }
    if let strange = answer.nanoseconds?.keys.sorted().first(where: { !stages.contains($0) }) {
      throw Self.wrong(
        command, step, "times of \(stages.joined(separator: ", "))", "'\(Self.short(strange))'")
    }
    if answer.nanoseconds?[MetricName.total] == nil, answer.error == nil {
      answer.nanoseconds = (answer.nanoseconds ?? [:])
        .merging([MetricName.total: nanoseconds]) { $1 }
    }
    return answer
  }

  /// Ends the input and waits for the end of the program; throws where it does not end well.
  package func finish() throws(EvaluationError) {
    program.endWaiting(after: limit)
    do {
      let ending = try program.finish()
      guard ending.isSuccess else {
        throw Self.ended(command, "the end", "status 0", ending)
      }
    } catch let error as EvaluationError {
      throw error
    } catch {
      throw Self.failure(command, "its end", error, limit)
    }
  }

  /// An error about an answer of this tracker.
  func wrong(_ frame: Int, _ expected: String, _ found: String) -> EvaluationError {
    Self.wrong(command, "frame \(frame)", expected, found)
  }

  /// An error about an answer of this tracker that cannot be stored.
  func wrong(_ error: FileError) -> EvaluationError {
    EvaluationError(
      .wrongData, "cannot track with '\(Self.short(command))': \(error.description)")
  }

  /// Puts this program's folder last in the shell's PATH, so 'facegauge serve' is found despite an alias.
  private static var searchPath: String {
    let folder = URL(fileURLWithPath: ProgramArguments.program).deletingLastPathComponent().path
      .replacingOccurrences(of: "'", with: "'\\''")
    return "PATH=\"$PATH\":'\(folder)'\nexport PATH\n"
  }

  private static func start(
    _ command: String, _ limit: Duration, _ isInterrupted: @escaping @Sendable () -> Bool
  ) throws(EvaluationError) -> ChildProgram {
    do {
      var program = try ChildProgram.start(
        "sh", ["-c", searchPath + command], in: .own, hasInput: true, isInterrupted: isInterrupted)
      program.endWaiting(after: limit)
      return program
    } catch {
      throw EvaluationError(error)
    }
  }

  private func check(_ hello: TrackerHello) throws(EvaluationError) {
    guard !hello.inputs.isEmpty else {
      throw Self.wrong(command, "start", "inputs", "none")
    }
    if let scheme = hello.scheme, LandmarkScheme.named(scheme) == nil {
      throw Self.wrong(
        command, "start",
        "a scheme of \(LandmarkScheme.all.map(\.name).joined(separator: ", "))",
        "'\(Self.short(scheme))'")
    }
    for fact in hello.facts ?? [] where PredictionsHeader.Fact(rawValue: fact) == nil {
      throw Self.wrong(
        command, "start",
        "facts of \(PredictionsHeader.Fact.allCases.map(\.rawValue).joined(separator: ", "))",
        "'\(Self.short(fact))'")
    }
    if hello.isPipeline, hello.options?[RunOption.detector].flatMap(RunDetector.init) == nil {
      throw Self.wrong(
        command, "start", "models and the options of our pipeline with candidate_floor",
        "'\(Self.short(hello.options?[RunOption.detector] ?? "none"))' as detector")
    }
    let stages = hello.stages ?? []
    guard stages.count <= 1000, Set(stages).count == stages.count, !stages.contains("") else {
      throw Self.wrong(
        command, "start", "at most 1000 names of stages, each once", "\(stages.count)")
    }
    if let reserved = stages.first(where: MetricName.reservedStages.contains) {
      throw Self.wrong(
        command, "start",
        "names of stages other than \(MetricName.reservedStages.joined(separator: ", "))",
        "'\(reserved)'")
    }
  }

  private static func short(_ text: String) -> String {
    let limit = 80
    let plain = text.prefix(limit).map { $0.isASCII && !$0.isNewline && $0 >= " " ? $0 : "?" }
    return String(plain) + (text.count > limit ? "…" : "")
  }

  private static func wrong(
    _ command: String, _ step: String, _ expected: String, _ found: String
  ) -> EvaluationError {
    EvaluationError(
      .wrongData,
      "cannot track with '\(short(command))', \(step): expected \(expected), found \(found)")
  }

  private static func ended(
    _ command: String, _ step: String, _ expected: String, _ ending: ChildProgram.Ending?
  ) -> EvaluationError {
    let status = ending?.status.map { "with status \($0)" } ?? "by a signal"
    let line =
      ending?.lastErrorLine.map { ", last error line: \($0.withControlCharactersEscaped)" } ?? ""
    return wrong(command, step, expected, "the program's end \(status)\(line)")
  }

  private static func failure(
    _ command: String, _ expected: String, _ error: any Error, _ limit: Duration
  ) -> EvaluationError {
    guard let error = error as? FileError, error.kind == .inputOutput else {
      return EvaluationError(error)
    }
    return EvaluationError(
      .wrongData,
      "cannot track with '\(short(command))': expected \(expected) within "
        + "\(limit.components.seconds) s, found none: \(error.description)")
  }
}
