internal import Datasets
internal import FaceCore
internal import Foundation
internal import Metrics
internal import Platform
package import Records
package import Running

/// Measures how far coefficients move with the head and with each other; needs no labels.
package enum LeakageRun {
  /// Reads all frames once, then resamples.
  ///
  /// Throws `.wrongData` where no frame has one face with coefficients and a head pose.
  package static func run(
    _ plan: MeasurementPlan, monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> Measured<Leakage> {
    let monitor = monitor.keepingNothing
    return try EvaluationError.wrapping {
      let run = try plan.source.isFolder ? StoredRun(plan.source) : nil
      let dataset = try DatasetReader(try run?.dataset(plan.dataset) ?? plan.source)
      let predictions = try run?.opened(for: dataset)
      return try Measured(
        into: plan.output, replaces: plan.replaces, inputs: [plan.source] + dataset.files
      ) { _ in
        try run?.check(dataset, to: "measure", monitor)
        var result = try measure(plan, dataset, predictions, monitor)
        result.notes = (run?.cautions ?? []) + result.notes
        return result
      }
    }
  }

  private static func measure(
    _ plan: MeasurementPlan, _ dataset: DatasetReader, _ run: StoredRun.Opened?,
    _ monitor: RunMonitor
  ) throws -> Leakage {
    var reader = LeakageReader(clusters: try monitor.clusters(of: dataset))
    try reader.read(dataset, run, monitor)
    monitor.begin(.resampling, plan.bootstrap.resamples)
    guard
      let slopes = try LeakageSlopes(
        reader.sums, bootstrap: plan.bootstrap, advance: monitor.resampled)
    else {
      throw EvaluationError.wrongData(
        "cannot measure leakage of \(plan.source.relativePath): expected 2 frames or more with one "
          + "face that has coefficients and a head pose, found \(reader.words)")
    }
    return Leakage(
      tool: HostFacts.tool, created: Date().formatted(.iso8601),
      source: run == nil
        ? "labels of \(dataset.name)"
        : "predictions of \(plan.source.standardizedFileURL.lastPathComponent) on \(dataset.name)",
      frames: dataset.frameCount, faces: slopes.faces, clips: reader.sums.clipCount,
      stills: reader.sums.isOfStills ? reader.sums.stillCount : 0,
      resampled: reader.sums.isOfStills ? "subjects, else stills" : "subjects, else clips",
      units: slopes.sizes.count,
      resamples: plan.bootstrap.resamples, seed: Int(clamping: plan.bootstrap.seed),
      turning: zip(["yaw", "pitch", "roll"], slopes.turning).map {
        Leakage.Turning(angle: $0, deviation: $1.deviation, range: $1.range)
      },
      angles: slopes.angles.map(\.rawValue),
      turns: slopes.turns.map { turn in
        Leakage.Turn(
          coefficient: turn.coefficient.rawValue,
          slopes: zip(turn.slopes, turn.intervals).map { Leakage.Slope($0, $1) },
          explained: turn.explained)
      },
      mutual: slopes.mutual.map { mutual in
        let rows = mutual.coefficients.map(\.rawValue)
        return Leakage.Matrix(
          rows: rows, columns: rows + mutual.angles.map(\.rawValue),
          slopes: zip(mutual.slopes, mutual.intervals).map { slopes, intervals in
            zip(slopes, intervals).map { Leakage.Slope($0, $1) }
          })
      },
      leftOut: slopes.leftOut.map {
        Leakage.LeftOut(coefficient: $0.coefficient.rawValue, reason: $0.reason)
      }, notes: notes(slopes, reader))
  }

  private static func notes(_ slopes: LeakageSlopes, _ reader: LeakageReader) -> [String] {
    var notes: [String] = []
    if reader.sums.isOfStills {
      notes.append(
        "There is no clip: people are compared with each other, so a slope may be a difference of "
          + "faces or cameras.")
    } else if reader.sums.stillCount > 0 {
      notes.append(
        "\(reader.sums.stillCount.groupedText) stills take no part: frames are compared within clips."
      )
    }
    for (angle, turning) in zip(["yaw", "pitch", "roll"], slopes.turning)
    where turning.deviation < LeakageSlopes.minDeviation {
      notes.append(
        "The head turns too little to give slopes on \(angle): the standard deviation within clips is "
          + "\(turning.deviation.text(significantDigits: 2))°, "
          + "\(LeakageSlopes.minDeviation.plainText)° are needed.")
    }
    notes += reader.notes + slopes.notes
    if let caution = ClusterBootstrap.caution(slopes.sizes) { notes.append(caution) }
    return notes
  }
}
