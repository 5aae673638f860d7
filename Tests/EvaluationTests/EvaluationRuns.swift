import Datasets
import FaceCore
import FacePipeline
import Foundation
import Records
import Running
import Scoring
import Synchronization
import TestSupport
import Testing

extension EvaluationPlan {
  /// A run in the folder of its dataset, with the models that were pulled.
  static func test(_ dataset: URL, run: String = "run") -> EvaluationPlan {
    var plan = EvaluationPlan(
      dataset: dataset, run: dataset.deletingLastPathComponent().appending(path: run))
    plan.models = PulledModels.folder
    return plan
  }

  /// Evaluates, commits, and reads everything back.
  func finish(monitor: RunMonitor = .silent) throws -> (
    record: Record, predictions: [FramePrediction]
  ) {
    let finished = try Evaluation.run(self, monitor: monitor)
    try finished.folder.commit()
    let reader = try PredictionsReader(self.run.appending(path: "predictions.h5"))
    return (finished.record, try reader.predictions(0..<reader.frameCount))
  }

  /// The error of a run that must fail.
  func failure(monitor: RunMonitor = .silent) -> EvaluationError? {
    #expect(throws: EvaluationError.self) { try Evaluation.run(self, monitor: monitor) }
  }
}

extension RunMonitor {
  /// Asks a run to stop when so many frames have been analysed.
  static func interrupting(after frames: Int) -> RunMonitor {
    let phase = Mutex<RunPhase?>(nil)
    let done = Mutex(0)
    return RunMonitor(
      begin: { begun, _ in phase.withLock { $0 = begun } },
      advanceBy: { steps in
        if phase.withLock({ $0 }) == .evaluating { done.withLock { $0 += steps } }
      },
      isInterrupted: { done.withLock { $0 } >= frames })
  }
}

extension [FramePrediction] {
  /// The predictions without their times, which no two runs share.
  var untimed: [FramePrediction] {
    map {
      var prediction = $0
      prediction.stageNanoseconds = []
      prediction.readings = []
      return prediction
    }
  }
}

extension Record {
  /// The metrics that do not depend on the clock.
  var accuracy: [Records.Measurement] { measurements.filter { !$0.name.hasPrefix("latency.") } }

  /// The notes but for what the machine did meanwhile, which no two runs share.
  var quietNotes: [String] { notes.filter { !$0.hasPrefix("The machine was noisy") } }

  func value(_ name: String) -> Double? { measurement(name)?.value ?? nil }
}
