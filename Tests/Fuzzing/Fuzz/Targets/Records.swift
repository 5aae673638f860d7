import Calibration
import Metrics
import Platform
import Records
import Reporting
import Running
import Tuning

extension FuzzTarget {
  /// A run's `record.json`, rendered in every way there is, and written again.
  static let record = FuzzTarget("record") { bytes in
    let record = try Record(json: bytes, source: "record.json")
    let report = Report(record: record)
    _ = report.html { _ in nil }
    _ = report.markdown()
    _ = report.junit()
    let again = try Record(json: record.json())
    precondition(again == record, "a record that is not what was written")
  }

  /// A file of gates, each evaluated by a metric of its own and against a base.
  static let gates = FuzzTarget("gates") { bytes in
    let directions = Dictionary(
      MetricCatalog.all.map { ($0.name, $0.direction) }, uniquingKeysWith: { first, _ in first })
    for gate in try GatesFile(json: bytes, source: "gates.json", metrics: directions).gates {
      func metric(_ value: Double) -> Measurement {
        Measurement(
          name: gate.metric, stage: "", value: value, unit: "1", better: .higher, n: 1,
          interval: Interval(low: value, high: value, method: ""))
      }
      let result = gate.evaluate(metric(0.5), base: metric(gate.limit ?? 0))
      precondition(gate.limit != nil || result.verdict != .pass || result.base != nil)
    }
  }

  /// A `calibration.json`, applied to scores and written as source text.
  static let calibration = FuzzTarget("calibration") { bytes in
    let file = try CalibrationFile(json: bytes, source: "calibration.json")
    for language in SettingsLanguage.allCases { _ = try? file.source(in: language) }
    for kind in [ScoreKind.detection, .presence] {
      guard let calibrator = file.calibrator(of: kind) else { continue }
      for score in [0, 0.1, 0.5, 1] {
        precondition((0...1).contains(calibrator.calibrated(score)), "no probability")
      }
    }
    let again = try CalibrationFile(json: file.json(), source: "calibration.json")
    precondition(again == file, "a calibration that is not what was written")
  }

  /// A file of `profile --baseline-out`, written again.
  static let baseline = FuzzTarget("baseline") { bytes in
    let baseline = try Baseline(json: bytes, source: "baseline.json")
    let again = try Baseline(json: baseline.json(), source: "baseline.json")
    precondition(again == baseline, "a baseline that is not what was written")
  }

  /// A comparison, a ranking or a measurement of response, equivariance or leakage, rendered in every way there is, and written again.
  static let results = FuzzTarget("results") { bytes in
    if let comparison = try? Comparison(json: bytes, source: "comparison.json") {
      _ = ComparisonReport(comparison: comparison).document.markdown()
      let again = try Comparison(json: comparison.json(), source: "comparison.json")
      precondition(again == comparison, "a comparison that is not what was written")
    } else if let ranking = try? Ranking(json: bytes, source: "ranking.json") {
      _ = RankingReport(ranking: ranking).document.markdown()
      let again = try Ranking(json: ranking.json(), source: "ranking.json")
      precondition(again == ranking, "a ranking that is not what was written")
    } else if let response = try? Response(json: bytes, source: "response.json") {
      _ = ResponseReport(response).document.markdown()
      let again = try Response(json: response.json(), source: "response.json")
      precondition(again == response, "a measurement of response that is not what was written")
    } else if let result = try? Equivariance(json: bytes, source: "equivariance.json") {
      _ = EquivarianceReport(result).document.markdown()
      let again = try Equivariance(json: result.json(), source: "equivariance.json")
      precondition(again == result, "a measurement of equivariance that is not what was written")
    } else {
      let leakage = try Leakage(json: bytes, source: "leakage.json")
      _ = LeakageReport(leakage).document.markdown()
      let again = try Leakage(json: leakage.json(), source: "leakage.json")
      precondition(again == leakage, "a leakage measurement that is not what was written")
    }
  }

  /// A file of prompts, of labelled numbers or of expressions, used.
  static let rules = FuzzTarget("rules") { bytes in
    if let schedule = try? PromptSchedule(json: bytes, source: "prompts.json") {
      let moments = schedule.entries.prefix(50).compactMap { entry in
        schedule.moment(
          second: (entry.seconds.lowerBound + entry.seconds.upperBound) / 2,
          ofVideo: entry.video ?? "a")
      }
      precondition(moments.allSatisfy { $0.prompt.coefficients.count == 52 && $0.repetition >= 0 })
      _ = schedule.unknownVideos(among: ["a", "b.mp4"])
    } else if let rules = try? AttributeRules(json: bytes, source: "attributes.json") {
      _ = (rules.columns(of: \.label), rules.columns(of: \.prediction))
    } else {
      let rules = try ExpressionRules(json: bytes, source: "rules.json").rules
      let face = [Float](repeating: 0.5, count: 52)
      precondition(rules.allSatisfy { $0.formula.value(of: face)?.isNaN != true })
    }
  }

  /// A `plan.json` of `evaluate --shard`, written again.
  static let shardPlan = FuzzTarget("shard-plan") { bytes in
    let plan = try ShardPlan(json: bytes, source: "plan.json")
    let again = try ShardPlan(json: plan.bytes(), source: "plan.json")
    precondition(again == plan, "a plan that is not what was written")
  }
}
