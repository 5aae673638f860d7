internal import FacePipeline
internal import Foundation
internal import Profiling
internal import Records
internal import TFLite

/// The timeline of a timing run: start, warm-up and steady frames, with their stages inside.
struct ProfileTrace {
  let plan: ProfilePlan
  let start: ProfileRun.Start
  let steady: ProfilePass.Steady
  let operators: OperatorTiming

  /// The bytes of `trace.json`.
  func json() -> [UInt8] {
    var file = TraceFile()
    file.name(process: 1, "frames")
    file.name(thread: 0, ofProcess: 1, "start")
    if let process = start.processNanoseconds {
      file.add(
        "start of the process", category: "start", process: 1, thread: 0,
        begin: start.load.begin &- process, end: start.load.begin)
    }
    file.add(
      "load models", category: "start", process: 1, thread: 0, begin: start.load.begin,
      end: start.load.end)
    let first = [(start.firstFrame.traces, "first frame"), (start.warmUp.traces, "warm-up frame")]
    for (frames, name) in first {
      for frame in frames { add(frame, as: name, thread: 0, to: &file) }
    }
    for (index, lane) in steady.lanes.enumerated() {
      file.name(thread: index + 1, ofProcess: 1, "worker \(index + 1), steady")
      for frame in lane.samples.traces {
        add(frame, as: "frame", thread: index + 1, isSteady: true, to: &file)
      }
    }
    addOperators(to: &file)
    return file.json()
  }

  private func add(
    _ frame: FrameSamples.Trace, as name: String, thread: Int, isSteady: Bool = false,
    to file: inout TraceFile
  ) {
    func milliseconds(_ nanoseconds: UInt64) -> String {
      String(format: "%.3f", Double(nanoseconds) / 1e6)
    }
    let population = frame.detectorRan ? FramePopulation.detectorRan : .tracked
    var arguments = [
      (name: "frame", value: "\(frame.frame)"),
      (name: "population", value: population.rawValue),
      (name: "faces", value: "\(frame.faces)"),
    ]
    if plan.schedule == .paced, frame.begin > frame.due {
      arguments.append((name: "late by, ms", value: milliseconds(frame.begin - frame.due)))
    }
    if isSteady, let time = budgeted(frame), Double(time) > plan.budgetNanoseconds {
      arguments.append((name: "over budget", value: "yes"))
    }
    file.add(
      name, category: "frame", process: 1, thread: thread, begin: frame.begin, end: frame.end,
      arguments: arguments)
    for group in Self.groups(of: frame.spans) {
      file.add(
        group.name, category: "group", process: 1, thread: thread, begin: group.begin,
        end: group.end)
    }
    for span in frame.spans {
      file.add(
        PipelineStage.names[span.stage], category: "stage", process: 1, thread: thread,
        begin: span.begin, end: span.end)
    }
  }

  /// The time of a steady frame that the budget evaluates, as `ProfileResult.inOrder` has it; nil offline.
  private func budgeted(_ frame: FrameSamples.Trace) -> UInt64? {
    switch plan.schedule {
    case .closed:
      let decoding = frame.spans.filter { $0.stage == PipelineStage.decode.rawValue }
      return decoding.reduce(frame.end &- frame.begin) { $0 &- min($0, $1.end &- $1.begin) }
    case .paced: return frame.end &- frame.due
    case .offline: return nil
    }
  }

  /// Spans in a row of one model's stages, such as `detect` for `detect.preprocess` to `detect.decode`.
  private static func groups(
    of spans: [StageTimer.Span]
  ) -> [(name: String, begin: UInt64, end: UInt64)] {
    var groups: [(name: String, begin: UInt64, end: UInt64)] = []
    var last: String?
    for span in spans {
      let words = PipelineStage.names[span.stage].split(separator: ".")
      let name = words.count > 1 ? String(words[0]) : nil
      if let name {
        if name == last, !groups.isEmpty {
          groups[groups.count - 1].end = span.end
        } else {
          groups.append((name, span.begin, span.end))
        }
      }
      last = name
    }
    return groups
  }

  /// The median run of each model, step after step, as a process of its own.
  private func addOperators(to file: inout TraceFile) {
    guard operators.runs > 0 else { return }
    file.name(process: 2, "operators, medians of runs of their own")
    for (index, model) in operators.models.enumerated() {
      file.name(thread: index, ofProcess: 2, model.stage.name)
      var moment = start.load.begin
      for (step, duration) in zip(model.plan, model.steps) {
        let end = moment &+ UInt64(max(duration, 0))
        file.add(
          step.name, category: "operator", process: 2, thread: index, begin: moment, end: end,
          arguments: [
            (name: "output", value: "\(step.outputShape)"),
            (name: "MACs", value: "\(step.multiplyAccumulates)"),
          ])
        moment = end
      }
    }
  }
}
