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
  /// Where it is.
  let place: TrackerPlace
  /// Its first message.
  package let hello: TrackerHello
  /// How long an answer may take.
  private let limit: Duration
  private var program: ChildProgram
  /// When the last answer was there, by `MonotonicClock`.
  private(set) var answered: UInt64 = 0
  /// How long the last answer took from the request's first byte, and from its last byte.
  private(set) var took: (whole: UInt64, afterRequest: UInt64) = (0, 0)
  /// Whether its next request begins a sequence, of which it could be given no frame yet.
  var owesReset = false
  /// Round trips to its clock.
  private(set) var clock = TrackerClock()
  private var synchronized: UInt64 = 0
  private static let lineBytes = 32 << 20
  private static let maxNotes = 100
  /// The coarsest step of a clock of today's browsers: 100 ms.
  static let coarsestClock: UInt64 = 100_000_000
  /// Round trips to its clock at the start and at the end.
  private static let roundTrips = 16
  /// The time between two round trips in a run.
  private static let nanosecondsBetweenTrips: UInt64 = 2_000_000_000

  /// Starts a command with the shell, or is connected to an address, and waits for the first line.
  ///
  /// Throws `.wrongData` where that is no hello of this protocol's versions.
  package init(
    _ place: TrackerPlace, limit: Duration, monitor: RunMonitor
  ) throws(EvaluationError) {
    var program = try Self.start(place, limit, monitor)
    let command = place.shown
    self.place = place
    self.limit = limit
    var line: String?
    do {
      line = try program.line(limit: Self.lineBytes)
      var notes = 0
      while notes < Self.maxNotes, let said = line,
        let note = try? JSONDecoder().decode(TrackerNote.self, from: Data(said.utf8))
      {
        notes += 1
        monitor.note(String(note.note.prefix(300)).withControlCharactersEscaped)
        // It may wait for a person.
        program.endWaiting(after: .seconds(TrackerPlace.secondsToConnect))
        line = try program.line(limit: Self.lineBytes)
      }
    } catch {
      throw Self.failure(command, "a first line", error, limit)
    }
    let expected =
      "a first line of the protocol \(TrackerHello.protocolName), version 1 or 2"
    guard let line else { throw Self.ended(place, "start", expected, try? program.finish()) }
    guard
      let hello = try? JSONDecoder().decode(TrackerHello.self, from: Data(line.utf8)),
      hello.protocol == TrackerHello.protocolName,
      TrackerHello.protocolVersions.contains(hello.version)
    else {
      throw Self.wrong(command, "start", expected, "'\(Self.short(line))'")
    }
    self.hello = hello
    self.program = program
    try check(hello)
    try synchronize(trips: Self.roundTrips)
  }

  /// The command line that started it, or its address.
  var command: String { place.shown }

  /// Whether it can be ended and started again, or ends a connection and makes another.
  package var canRestart: Bool { hello.restarts ?? place.isCommand }

  /// The stages in the order of files: its own, the way there and back where it tells the time, and the total.
  package var stages: [String] {
    (hello.stages ?? []).filter { $0 != MetricName.total }
      + (hello.tellsTime ? [MetricName.transfer] : []) + [MetricName.total]
  }

  /// Hands over a frame and waits for the answer; its times have the total, by this program's clock if need be.
  ///
  /// `bytes` are those that follow the request.
  func analyse(
    _ request: TrackerRequest, bytes image: ArraySlice<UInt8> = []
  ) throws(EvaluationError) -> TrackerAnswer {
    let step = "frame \(request.frame)"
    let line: String?
    let nanoseconds: UInt64
    do {
      let bytes = [UInt8](try JSONEncoder().encode(request)) + [UInt8(ascii: "\n")]
      program.endWaiting(after: limit)
      let begin = MonotonicClock.nanoseconds()
      // A tracker that ended may have reported why; `line` then finds it.
      if try program.write(bytes), !image.isEmpty { _ = try program.write(image) }
      let handedOver = MonotonicClock.nanoseconds()
      line = try program.line(limit: Self.lineBytes)
      answered = MonotonicClock.nanoseconds()
      nanoseconds = answered &- begin
      took = (nanoseconds, answered &- handedOver)
    } catch {
      throw Self.failure(command, "an answer to \(step)", error, limit)
    }
    guard let line else { throw Self.ended(place, step, "an answer", try? program.finish()) }
    var answer: TrackerAnswer
    do {
      answer = try JSONDecoder().decode(TrackerAnswer.self, from: Data(line.utf8))
      try Self.checkKeys(of: line)
    } catch {
      throw Self.unreadable(line, command, step)
    }
    guard answer.frame == request.frame else {
      throw Self.wrong(command, step, "an answer to it", "one to frame \(answer.frame)")
    }
    let own = stages.filter { $0 != MetricName.transfer }
    if let strange = answer.nanoseconds?.keys.sorted().first(where: { !own.contains($0) }) {
      throw Self.wrong(
        command, step, "times of \(own.joined(separator: ", "))", "'\(Self.short(strange))'")
    }
    let readings = hello.readings ?? []
    if let strange = answer.readings?.keys.sorted().first(where: { !readings.contains($0) }) {
      throw Self.wrong(
        command, step, "readings that its first line names", "'\(Self.short(strange))'")
    }
    if answer.nanoseconds?[MetricName.total] == nil, answer.error == nil {
      answer.nanoseconds = (answer.nanoseconds ?? [:])
        .merging([MetricName.total: nanoseconds]) { $1 }
    }
    if hello.tellsTime, let received = answer.receivedNanoseconds,
      let finished = answer.finishedNanoseconds
    {
      guard received <= finished, finished - received <= nanoseconds + Self.coarsestClock else {
        throw Self.wrong(
          command, step, "received_ns and finished_ns at most \(nanoseconds) ns apart, in order",
          "\(received) and \(finished)")
      }
      // A coarse clock may say that the tracker took longer than we waited: the way is then unknown.
      if finished - received <= nanoseconds {
        answer.nanoseconds?[MetricName.transfer] = nanoseconds - (finished - received)
      }
    }
    if answered &- synchronized > Self.nanosecondsBetweenTrips { try synchronize(trips: 1) }
    return answer
  }

  /// Asks the tracker's clock, if it has one.
  private func synchronize(trips: Int) throws(EvaluationError) {
    guard hello.tellsTime else { return }
    for _ in 0..<trips {
      let step = "the time"
      do {
        let question = TrackerSync(sync: clock.trips.count)
        let bytes = [UInt8](try JSONEncoder().encode(question)) + [UInt8(ascii: "\n")]
        program.endWaiting(after: limit)
        let sent = MonotonicClock.nanoseconds()
        _ = try program.write(bytes[...])
        let line = try program.line(limit: 1 << 16)
        let arrived = MonotonicClock.nanoseconds()
        guard let line else { throw Self.ended(place, step, "an answer", try? program.finish()) }
        guard let answer = try? JSONDecoder().decode(TrackerSync.self, from: Data(line.utf8)),
          answer.sync == question.sync, let received = answer.receivedNanoseconds,
          let replied = answer.sentNanoseconds
        else {
          throw Self.wrong(
            command, step, "sync \(question.sync) with received_ns and sent_ns",
            "'\(Self.short(line))'")
        }
        clock.add(.init(sent: sent, received: received, replied: replied, arrived: arrived))
        synchronized = arrived
      } catch {
        throw Self.failure(command, "\(step)", error, limit)
      }
    }
  }

  /// Ends the input and waits for the end of the program; throws where it does not end well.
  package func finish() throws(EvaluationError) {
    try synchronize(trips: Self.roundTrips)
    program.endWaiting(after: limit)
    do {
      let ending = try program.finish()
      guard ending.isSuccess else { throw Self.ended(place, "the end", "status 0", ending) }
    } catch {
      throw Self.failure(command, "its end", error, limit)
    }
  }

  /// An error about an answer of this tracker.
  func wrong(_ frame: Int, _ expected: String, _ found: String) -> EvaluationError {
    Self.wrong(command, "frame \(frame)", expected, found)
  }

  /// An error about the times of this tracker.
  func wrong(_ fault: (expected: String, found: String)) -> EvaluationError {
    Self.wrong(command, "its times", fault.expected, fault.found)
  }

  /// An error about an answer of this tracker that cannot be stored.
  func wrong(_ error: FileError) -> EvaluationError {
    EvaluationError.wrongData("cannot track with '\(Self.short(command))': \(error.description)")
  }

  private static func start(
    _ place: TrackerPlace, _ limit: Duration, _ monitor: RunMonitor
  ) throws(EvaluationError) -> ChildProgram {
    try EvaluationError.wrapping {
      var program = try place.program(limit, monitor)
      program.endWaiting(after: limit)
      return program
    }
  }

  private func check(_ hello: TrackerHello) throws(EvaluationError) {
    func refusal(_ expected: String, _ found: String) -> EvaluationError {
      Self.wrong(command, "start", expected, found)
    }
    guard !hello.inputs.isEmpty else { throw refusal("inputs", "none") }
    if let scheme = hello.scheme, LandmarkScheme.named(scheme) == nil {
      throw refusal(
        "a scheme of \(LandmarkScheme.all.map(\.name).joined(separator: ", "))",
        "'\(Self.short(scheme))'")
    }
    for fact in hello.facts ?? [] where PredictionsHeader.Fact(rawValue: fact) == nil {
      throw refusal(
        "facts of \(PredictionsHeader.Fact.allCases.map(\.rawValue).joined(separator: ", "))",
        "'\(Self.short(fact))'")
    }
    if hello.isPipeline, hello.options?[RunOption.detector].flatMap(RunDetector.init) == nil {
      throw refusal(
        "models and the options of our pipeline with candidate_floor",
        "'\(Self.short(hello.options?[RunOption.detector] ?? "none"))' as detector")
    }
    let device = hello.device ?? [:]
    guard device.count <= 32,
      device.allSatisfy({ DatasetLayout.isTableName($0) && $1.utf8.count <= 200 })
    else {
      throw refusal(
        "at most 32 facts of the device, by names of letters, digits, '_', '-' and '.', of at most "
          + "200 bytes", "others")
    }
    let readings = hello.readings ?? []
    guard readings.count <= PredictionsHeader.maxReadings, Set(readings).count == readings.count,
      readings.allSatisfy({ DatasetLayout.isTableName($0) && $0 != PredictionsHeader.answered })
    else {
      throw refusal(
        "at most \(PredictionsHeader.maxReadings) names of readings, each once, of letters, digits, "
          + "'_', '-' and '.', without \(PredictionsHeader.answered)", "others")
    }
    let stages = hello.stages ?? []
    guard stages.count <= 1000, Set(stages).count == stages.count, !stages.contains("") else {
      throw refusal("at most 1000 names of stages, each once", "\(stages.count)")
    }
    if let reserved = stages.first(where: MetricName.reservedStages.contains) {
      throw refusal(
        "names of stages other than \(MetricName.reservedStages.joined(separator: ", "))",
        "'\(reserved)'")
    }
  }

  /// A text of another program, so that an error with it stays one line.
  static func short(_ text: String) -> String {
    let limit = 80
    let plain = text.prefix(limit).map { $0.isASCII && !$0.isNewline && $0 >= " " ? $0 : "?" }
    return String(plain) + (text.count > limit ? "…" : "")
  }

  /// Times of stages, whatever numbers they are.
  private struct Times: Decodable {
    var stages_ns: [String: Double]?
  }

  private static let answerName = "its answer"

  /// Throws for a key that an object of an answer has twice, of which the decoder takes one.
  private static func checkKeys(of line: String) throws(FileError) {
    var json = JSONText(Array(line.utf8), name: answerName)
    try json.skip()
  }

  /// An error about a line that is no answer, with the key that is at fault.
  private static func unreadable(
    _ line: String, _ command: String, _ step: String
  ) -> EvaluationError {
    guard line.utf8.count < lineBytes else {
      return wrong(command, step, "a line of at most \(lineBytes >> 20) MiB", "a longer one")
    }
    // What names no frame is no answer, such as an error of the tracker's own.
    guard line.hasPrefix("{"), line.contains("\"frame\"") else {
      return wrong(command, step, "an answer", "'\(short(line))'")
    }
    let times = (try? JSONDecoder().decode(Times.self, from: Data(line.utf8)))?.stages_ns ?? [:]
    if let (name, value) = times.sorted(by: { $0.key < $1.key }).first(where: {
      UInt64(exactly: $0.value) == nil
    }) {
      return wrong(command, step, "whole nanoseconds in stages_ns.\(short(name))", "\(value)")
    }
    do {
      _ = try JSONDecoder().value(
        TrackerAnswer.self, from: Array(line.utf8), source: answerName, noun: "an answer")
      try checkKeys(of: line)
      return wrong(command, step, "an answer", "'\(short(line))'")
    } catch {
      return EvaluationError.wrongData(
        "cannot track with '\(short(command))', \(step): \(error.description)")
    }
  }

  private static func wrong(
    _ command: String, _ step: String, _ expected: String, _ found: String
  ) -> EvaluationError {
    EvaluationError.wrongData(
      "cannot track with '\(short(command))', \(step): expected \(expected), found \(found)")
  }

  private static func ended(
    _ place: TrackerPlace, _ step: String, _ expected: String, _ ending: ChildProgram.Ending?
  ) -> EvaluationError {
    guard place.isCommand else {
      return wrong(place.shown, step, expected, "the end of the connection")
    }
    let status = ending?.status.map { "with status \($0)" } ?? "by a signal"
    let line =
      ending?.lastErrorLine.map { ", last error line: \($0.withControlCharactersEscaped)" } ?? ""
    return wrong(place.shown, step, expected, "the program's end \(status)\(line)")
  }

  private static func failure(
    _ command: String, _ expected: String, _ error: any Error, _ limit: Duration
  ) -> EvaluationError {
    guard let error = error as? FileError, error.kind == .inputOutput else {
      return EvaluationError(error)
    }
    return EvaluationError.wrongData(
      "cannot track with '\(short(command))': expected \(expected) within "
        + "\(limit.components.seconds) s, found none: \(error.description)")
  }
}
