import Calibration
import Metrics
import Records
import Testing

private let threshold = Sweep.Parameter(name: "threshold", values: [0.25, 0.5, 0.75])
private let overlap = Sweep.Parameter(name: "overlap", values: [0.3, 0.5])
private let metrics = [
  Sweep.Metric(name: "f1", title: "F1", unit: "1", better: .higher),
  Sweep.Metric(name: "lag", title: "Lag", unit: "ms", better: .lower),
]
private let settings = threshold.values.flatMap { first in overlap.values.map { [first, $0] } }

private func table(_ f1: [Double?], _ lag: [Double?]? = nil) throws -> SettingTable {
  try SettingTable(
    settings: settings, columns: ["f1": f1, "lag": lag ?? [10, 10, 20, 20, nil, 40]])
}

private let best = [0.5, 0.5, 0.75, 0.75, 0.25, 0.5]

@Suite("Swept grids")
struct SweptGridTests {
  @Test func `nonsense in a grid is refused in one line with its position`() throws {
    let all = try table(best)
    let other = try SettingTable(settings: settings.reversed(), columns: all.columns)
    let short = try SettingTable(settings: settings, columns: ["f1": best])
    let twice = try SettingTable(
      settings: [[1, 1], [1, 1]], columns: ["f1": [1, 1], "lag": [1, 1]])
    let narrow = try SettingTable(settings: [[1]], columns: ["f1": [1], "lag": [1]])
    let endless = try SettingTable(
      settings: [[.infinity, 1]], columns: ["f1": [1], "lag": [1]])
    let empty = try SettingTable(settings: [], columns: ["f1": [], "lag": []])
    func problem(
      parameters: [Sweep.Parameter] = [threshold, overlap], all: SettingTable,
      draws: [SettingTable] = [],
      folds: [SweepGrid.Fold] = []
    ) -> String {
      do {
        _ = try SweepGrid(
          parameters: parameters, metrics: metrics, all: all, draws: draws, folds: folds,
          clusters: ClusterSizes(equal: 20),
          bootstrap: ClusterBootstrap(resamples: 2))
        return "none"
      } catch {
        return error.description.replacing("cannot use the swept settings: expected ", with: "")
      }
    }
    #expect(problem(all: all) == "none")
    #expect(problem(parameters: [], all: all) == "one or more in the parameters, found none")
    #expect(problem(all: empty) == "one or more in the list of settings, found none")
    #expect(
      problem(parameters: [threshold, Sweep.Parameter(name: "k", values: [])], all: all)
        == "ascending finite numbers in the values of k, found none")
    #expect(
      problem(parameters: [threshold, Sweep.Parameter(name: "k", values: [0.5, 0.5])], all: all)
        == "ascending finite numbers in the values of k, found 0.5, 0.5")
    #expect(
      problem(parameters: [threshold, Sweep.Parameter(name: "k", values: [.nan])], all: all)
        == "ascending finite numbers in the values of k, found nan")
    #expect(problem(all: narrow) == "2 values in setting 1, found 1")
    #expect(problem(all: endless) == "finite numbers in setting 1, found inf")
    #expect(
      problem(all: twice) == "a setting that is not there already in setting 2, found 1.0, 1.0")
    #expect(problem(all: short) == "the metrics f1, lag in all data, found f1")
    #expect(
      try problem(all: table([1, 1, .nan, 1, 1, 1]))
        == "a finite f1 or none at setting 3 in all data, found nan")
    #expect(problem(all: all, draws: [all]) == "2 tables in the resamples, found 1")
    #expect(
      problem(all: all, draws: [all, other])
        == "the settings of all data in resample 2, found others")
    #expect(
      problem(all: all, folds: [SweepGrid.Fold(rest: all, heldOut: short)])
        == "the metrics f1, lag in fold 1, found f1")
  }

  @Test
  func
    `an unknown metric in an objective, a front or a parameter report is named with the nearest`()
    throws
  {
    let grid = try SweepGrid(
      parameters: [threshold, overlap], metrics: metrics, all: table(best),
      clusters: ClusterSizes(equal: 1))
    let errors = [
      #expect(throws: CalibrationError.self) {
        _ = try grid.advice(for: Objective(parsing: "max ff1"))
      },
      #expect(throws: CalibrationError.self) { _ = try grid.front(over: ["f1", "lags"]) },
      #expect(throws: CalibrationError.self) { _ = try grid.effects(on: ["flag"], at: 0) },
    ]
    #expect(
      errors.map { $0?.description.split(separator: " ").last } == ["'f1'", "'lag'", "'lag'"])
    #expect(throws: CalibrationError.self) { _ = try grid.effects(on: ["f1"], at: 6) }
    #expect(throws: CalibrationError.self) {
      _ = try grid.advice(for: Objective(parsing: "max f1"), default: -1)
    }
  }

  @Test func `a front goes by the distance from the target of a metric that has one`() throws {
    let lag = Sweep.Metric(name: "lag", title: "Lag", unit: "ms", better: .closest, target: 0)
    let grid = try SweepGrid(
      parameters: [threshold, overlap], metrics: [metrics[0], lag],
      all: table([0.5, 0.6, 0.7, 0.8, 0.9, 0.9], [0, -10, -20, 5, -30, 30]),
      clusters: ClusterSizes(equal: 1))
    #expect(try grid.front(over: ["lag", "f1"]).settings == [0, 3, 5])
  }

  @Test func `the least of a metric with a target is the nearest to it, by which gains count`()
    throws
  {
    let lag = Sweep.Metric(name: "lag", title: "Lag", unit: "ms", better: .closest, target: 0)
    let all = try table(best, [-40, 10, -5, 20, nil, 40])
    let folds = [SweepGrid.Fold(rest: all, heldOut: try table(best, [0, 0, -15, 0, 0, 0]))]
    let grid = try SweepGrid(
      parameters: [threshold, overlap], metrics: [metrics[0], lag], all: all, folds: folds,
      clusters: ClusterSizes(equal: 1))
    let advice = try grid.advice(for: Objective(parsing: "min lag"), default: 0)
    #expect(advice.setting == 2 && advice.foldSettings == [2])
    #expect(advice.gain?.value == 35 && advice.optimism == 10)
  }

  @Test
  func
    `the parameter report has the span, the main effect, and plainly no effect where there is none`()
    throws
  {
    let bootstrap = ClusterBootstrap(resamples: 3, level: 0.5)
    // At setting 2 the draws have 0.5, 0.75 and 1: the middle half is 0.625 to 0.875.
    let draws = try [0.5, 0.75, 1].map { value in
      try table(best.enumerated().map { $0.offset == 2 ? value : $0.element })
    }
    let grid = try SweepGrid(
      parameters: [threshold, overlap], metrics: metrics, all: table(best), draws: draws,
      clusters: ClusterSizes(equal: 10), bootstrap: bootstrap)
    let effects = try grid.effects(
      on: ["f1", "lag"], at: 2, reasons: ["overlap": "no score", "threshold": "unused"])
    #expect(
      effects == [
        // Over threshold 0.5, 0.75, 0.25 where the overlap is 0.3 and 0.5, 0.75, 0.5 where it is 0.5.
        Sweep.Effect(
          parameter: "threshold", metric: "f1", low: 0.25, high: 0.75, meanSpan: (0.5 + 0.25) / 2,
          intervalWidths: 2, isThere: true, reason: nil),
        Sweep.Effect(
          parameter: "threshold", metric: "lag", low: 10, high: 20, meanSpan: (10 + 30) / 2,
          intervalWidths: nil, isThere: true, reason: nil),
        Sweep.Effect(
          parameter: "overlap", metric: "f1", low: 0.75, high: 0.75, meanSpan: (0 + 0 + 0.25) / 3,
          intervalWidths: 0, isThere: true, reason: nil),
        Sweep.Effect(
          parameter: "overlap", metric: "lag", low: 20, high: 20, meanSpan: 0, intervalWidths: nil,
          isThere: true, reason: nil),
      ])
    let same = try SweepGrid(
      parameters: [threshold, overlap], metrics: metrics,
      all: table([0.5, 0.5, 0.75, 0.75, 0.25, 0.25], [nil, nil, nil, nil, nil, nil]),
      clusters: ClusterSizes(equal: 1))
    let none = try same.effects(on: ["f1", "lag"], at: 0, reasons: ["overlap": "no score"])
    #expect(none.map(\.isThere) == [true, nil, false, nil])
    #expect(none[2].reason == "no score" && none[2].low == 0.5 && none[2].high == 0.5)
    #expect(none[1].reason == "the metric is undefined at every setting")
  }

  @Test
  func
    `with one parameter at a time the span is that parameter's alone, and a parameter that never moved is unknown`()
    throws
  {
    let settings = [[0.25, 0.3], [0.5, 0.3], [0.75, 0.3], [0.5, 0.5], [0.5, 0.7]]
    let parameters = [
      threshold, Sweep.Parameter(name: "overlap", values: [0.3, 0.5, 0.7]),
    ]
    let grid = try SweepGrid(
      parameters: parameters, metrics: [metrics[0]],
      all: SettingTable(settings: settings, columns: ["f1": [0.1, 0.2, 0.4, 0.8, 0.7]]),
      clusters: ClusterSizes(equal: 1))
    let effects = try grid.effects(on: ["f1"], at: 1)
    #expect(effects.map(\.low) == [0.1, 0.2] && effects.map(\.high) == [0.4, 0.8])
    #expect(effects.map(\.meanSpan) == [0.4 - 0.1, 0.8 - 0.2])
    let apart = try SweepGrid(
      parameters: [threshold, overlap], metrics: [metrics[0]],
      all: SettingTable(settings: [[0.25, 0.3], [0.5, 0.5]], columns: ["f1": [1, 2]]),
      clusters: ClusterSizes(equal: 1))
    let unknown = try apart.effects(on: ["f1"], at: 0)
    #expect(unknown.allSatisfy { $0.isThere == nil && $0.low == nil && $0.meanSpan == nil })
    #expect(unknown[0].reason == "no two settings differ in this parameter alone")
  }
}
