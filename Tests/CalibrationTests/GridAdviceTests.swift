import Calibration
import Foundation
import Metrics
import Records
import Testing

private let parameter = Sweep.Parameter(name: "threshold", values: [0.25, 0.5, 0.75])
private let metrics = [
  Sweep.Metric(name: "f1", title: "F1", unit: "1", better: .higher),
  Sweep.Metric(name: "fp", title: "False positives", unit: "1/min", better: .lower),
]

private func table(_ f1: [Double?], _ fp: [Double?] = [4, 2, 1]) throws -> SettingTable {
  try SettingTable(settings: parameter.values.map { [$0] }, columns: ["f1": f1, "fp": fp])
}

private func grid(
  _ all: SettingTable, draws: [SettingTable] = [], folds: [SweepGrid.Fold] = [],
  clusters: Int = 10, level: Double = 0.5
) throws -> SweepGrid {
  try SweepGrid(
    parameters: [parameter], metrics: metrics, all: all, draws: draws, folds: folds,
    clusters: ClusterSizes(equal: clusters),
    bootstrap: ClusterBootstrap(resamples: draws.count, level: level))
}

@Suite("Advice from a grid")
struct GridAdviceTests {
  @Test
  func
    `the best setting, its interval over draws, and its metrics held out are worked out by hand`()
    throws
  {
    // The draws prefer 0.5, 0.5, 0.75, 0.25, by 0, 0, 0.2 and 0.1 over 0.5.
    let draws = try [[0.6, 0.8, 0.7], [0.5, 0.9, 0.6], [0.5, 0.6, 0.8], [0.7, 0.6, 0.5]].map {
      try table($0)
    }
    let folds = try [
      SweepGrid.Fold(rest: table([0.9, 0.8, 0.7]), heldOut: table([0.5, 0.7, 0.7])),
      SweepGrid.Fold(rest: table([0.6, 0.8, 0.7]), heldOut: table([0.5, 0.7, 0.9])),
    ]
    let advice = try grid(table([0.6, 0.8, 0.7]), draws: draws, folds: folds).advice(
      for: Objective(parsing: "max f1"), default: 0)
    #expect(advice.setting == 1 && advice.reason == nil && advice.objective == "max f1")
    #expect(advice.draws == 4 && advice.infeasibleDraws == 0 && advice.brokenDraws == 0)
    // The quartiles of 0.25, 0.5, 0.5, 0.75 are 0.4375 and 0.5625; outward that is 0.25 and 0.75.
    let choice = try #require(advice.parameters.first)
    #expect(choice.value == 0.5 && choice.share == 0.5)
    #expect(choice.interval.low == 0.25 && choice.interval.high == 0.75)
    // The choices of the draws look better there than on all data by 0, 0.1, 0.1 and 0.1, and f1 at 0.5, which is
    // 0.8, 0.9, 0.6 and 0.6, by 0, 0.1, −0.2 and −0.2: the optimism is the mean of 0, 0, 0.3 and 0.3.
    let own = ClusterBootstrap(resamples: 4, level: 0.5).interval(
      of: [0.8, 0.9, 0.6, 0.6], about: 0.8, in: .unit, sizes: ClusterSizes(equal: 10))
    let f1 = try #require(advice.metrics.first)
    #expect(try abs(#require(f1.interval.low) - (#require(own.low) - 0.15)) < 1e-9)
    #expect(f1.interval.high == own.high)
    #expect(f1.value == 0.8 && f1.heldOut == [0.5, 0.7] && f1.heldOutMean == 0.6)
    #expect(advice.foldSettings == [0, 1])
    #expect(try abs(#require(advice.optimism) - 0.2) < 1e-12)
    let fp = try #require(advice.metrics.last)
    // Draws that are all alike bound nothing.
    #expect(fp.value == 2 && fp.interval.low == nil && fp.heldOut == [4, 2])
    // Gains over the default in the draws: 0.2, 0.4, 0.1, −0.1 at 0.5 and 0.1, 0.1, 0.3, −0.2 at 0.75.
    let gain = try #require(advice.gain)
    let errors = (0.2081665999466133, 0.2061552812808830)
    let largest = [
      max(0.0, 0.0), 0.2 / errors.0, max(0.1 / errors.0, 0.2 / errors.1),
      max(0.3 / errors.0, 0.3 / errors.1),
    ].sorted()
    // The quartiles of Student's t of 9 and of the normal distribution, by scipy, and √(10/9).
    let few = 0.7027221467513264 / 0.6744897501960817 * (10.0 / 9).squareRoot()
    let reach = few * errors.0 * (largest[1] + largest[2]) / 2
    #expect(try abs(#require(gain.value) - 0.2) < 1e-12)
    #expect(try abs(#require(gain.interval.low) - (0.2 - reach)) < 1e-9)
    #expect(try abs(#require(gain.interval.high) - (0.2 + reach)) < 1e-9)
  }

  @Test func `where less is better, optimism and gain still count for the recommended setting`()
    throws
  {
    let draws = try (0..<20).map { draw in
      let first = 4 + Double(draw % 3 - 1) / 4
      let second = 2 + Double(draw % 5 - 2) / 8
      return try table([1, 1, 1], [first, second, 3])
    }
    let folds = try [
      SweepGrid.Fold(rest: table([1, 1, 1]), heldOut: table([1, 1, 1], [5, 4, 3]))
    ]
    let advice = try grid(table([1, 1, 1], [4, 2, 3]), draws: draws, folds: folds, level: 0.95)
      .advice(for: Objective(parsing: "min fp"), default: 0)
    #expect(advice.setting == 1 && advice.foldSettings == [2] && advice.optimism == 1)
    #expect(advice.gain?.value == 2 && advice.gain?.conclusion == .better)
  }

  @Test
  func
    `equal settings are settled by the default in every draw and fold, else by the higher threshold`()
    throws
  {
    let same = try table([0.5, 0.5, 0.5])
    let advice = try grid(
      same, draws: [same, same], folds: [SweepGrid.Fold(rest: same, heldOut: same)]
    ).advice(for: Objective(parsing: "max f1"), default: 0)
    #expect(advice.setting == 0 && advice.foldSettings == [0])
    #expect(advice.parameters[0].share == 1 && advice.parameters[0].interval.low == 0.25)
    #expect(advice.gain?.conclusion == .isDefault)
    #expect(
      advice.warnings == [
        "threshold does not change f1: any value from 0.25 to 0.75 does as well"
      ])
    let without = try grid(same, draws: [same, same]).advice(for: Objective(parsing: "max f1"))
    #expect(without.setting == 2 && without.gain == nil)
  }

  @Test func `a parameter without effect keeps the default's value next to one with an effect`()
    throws
  {
    let settings = [0.25, 0.5, 0.75].flatMap { first in [0.1, 0.5, 0.9].map { [first, $0] } }
    let all = try SettingTable(
      settings: settings, columns: ["f1": settings.map { $0[0] }, "fp": settings.map { _ in 1 }])
    let grid = try SweepGrid(
      parameters: [parameter, Sweep.Parameter(name: "overlap", values: [0.1, 0.5, 0.9])],
      metrics: metrics,
      all: all, clusters: ClusterSizes(equal: 10))
    let advice = try grid.advice(
      for: Objective(parsing: "max f1"), default: settings.firstIndex(of: [0.25, 0.5]))
    #expect(advice.parameters.map(\.value) == [0.75, 0.5])
  }

  @Test func `of few clusters no share of the resamples is given`() throws {
    let all = try table([0.6, 0.8, 0.7])
    for (clusters, share) in [(1, nil), (9, nil), (10, 1.0)] {
      let advice = try grid(all, draws: [all, all], clusters: clusters).advice(
        for: Objective(parsing: "max f1"), default: 0)
      #expect(advice.parameters[0].share == share)
    }
  }

  @Test func `a plateau that ends at the highest value is flat and at the edge`() throws {
    let advice = try grid(table([0.5, 0.75, 0.75])).advice(for: Objective(parsing: "max f1"))
    #expect(advice.setting == 2)
    #expect(
      advice.warnings == [
        "threshold 0.75 is the highest that was tried",
        "threshold is flat: f1 is the same from 0.5 to 0.75",
      ])
  }

  @Test func `one value next to the default is an edge of what was tried`() throws {
    let all = try SettingTable(
      settings: [[0.5], [0.75]], columns: ["f1": [0.6, 0.8], "fp": [1, 1]])
    let swept = try SweepGrid(
      parameters: [Sweep.Parameter(name: "threshold", values: [0.75])], metrics: metrics,
      all: all, clusters: ClusterSizes(equal: 10))
    let advice = try swept.advice(for: Objective(parsing: "max f1"), default: 0)
    #expect(advice.warnings == ["threshold 0.75 is the highest that was tried"])
  }

  @Test(
    arguments: [
      ("min nme", [0.95, 0.9, 0.7], true), ("max precision", [0.95, 0.9, 0.7], true),
      ("min nme where precision >= 0.1", [0.95, 0.9, 0.7], true),
      // As many faces are found, or the objective says how many.
      ("min nme", [0.95, 0.95, 0.95], false), ("min nme", [0.7, 0.9, 0.95], false),
      ("min nme where recall >= 0.5", [0.95, 0.9, 0.7], false),
      ("max f1", [0.95, 0.9, 0.7], false),
    ] as [(String, [Double], Bool)])
  func `a better error of fewer found faces says what it costs in recall`(
    text: String, recall: [Double], isWarned: Bool
  ) throws {
    func table(_ noise: Double) throws -> SettingTable {
      try SettingTable(
        settings: parameter.values.map { [$0] },
        columns: [
          "nme": [0.05, 0.045, 0.04], "precision": [0.5, 0.6, 0.7], "f1": [0.5, 0.6, 0.7],
          "recall": recall.enumerated().map { $1 + noise / Double(1 + $0) },
        ])
    }
    let draws = try (0..<20).map { try table(Double($0 % 5 - 2) / 100) }
    let swept = try SweepGrid(
      parameters: [parameter],
      metrics: ["nme", "precision", "f1", "recall"].map {
        Sweep.Metric(name: $0, title: $0, unit: "1", better: $0 == "nme" ? .lower : .higher)
      },
      all: table(0), draws: draws, clusters: ClusterSizes(equal: 10),
      bootstrap: ClusterBootstrap(resamples: 20))
    let advice = try swept.advice(for: Objective(parsing: text), default: 0)
    #expect(advice.setting == 2)
    #expect((advice.gain?.conclusion == .losesFaces) == isWarned)
    let word = text.contains("where") ? "and" : "where"
    #expect(
      advice.warnings.first?.hasPrefix("recall falls from 0.950 at the default to 0.700 here, by ")
        == isWarned)
    #expect(
      advice.warnings.contains { $0.hasSuffix("write '\(word) recall >= 0.95' after it") }
        == isWarned)
  }

  @Test func `an objective that nothing meets has a reason, and nothing else`() throws {
    let advice = try grid(table([0.6, 0.8, 0.7])).advice(
      for: Objective(parsing: "max f1 where fp < 1"))
    #expect(advice.setting == nil && advice.parameters.isEmpty && advice.metrics.isEmpty)
    #expect(advice.reason == "none of 3 settings meets fp < 1, the nearest has 1")
    let percent = try grid(table([0.6, 0.8, 0.7])).advice(
      for: Objective(parsing: "min fp where f1 >= 90"))
    #expect(
      percent.reason == "none of 3 settings meets f1 >= 90, the nearest has 0.8 (90 % is 0.9)")
  }

  @Test func `limits that resamples, folds or the default break are told`() throws {
    let all = try table([0.6, 0.8, 0.7])
    let tight = try table([0.6, 0.8, 0.7], [5, 3, 1])
    let none = try table([0.6, 0.8, 0.7], [5, 4, 3])
    let draws = [all, tight, none, all]
    let folds = try [
      SweepGrid.Fold(rest: all, heldOut: table([0.6, 0.8, 0.7], [4, 3, 1])),
      SweepGrid.Fold(rest: none, heldOut: all),
    ]
    let advice = try grid(all, draws: draws, folds: folds, clusters: 20).advice(
      for: Objective(parsing: "max f1 where fp <= 2"), default: 0)
    #expect(advice.setting == 1 && advice.infeasibleDraws == 1 && advice.brokenDraws == 2)
    #expect(
      advice.parameters[0].interval.reason == "no setting meets the objective in 1 of 4 resamples")
    #expect(advice.metrics[0].heldOut == [0.8, nil] && advice.metrics[0].heldOutMean == 0.8)
    #expect(advice.gain?.conclusion == .defaultBreaksLimit)
    #expect(
      advice.warnings.prefix(3) == [
        "in 25 % of the resamples no setting meets the objective",
        "in 1 of 2 folds no setting meets the objective",
        "held out, fp <= 2 does not hold: the mean is 3",
      ])
  }

  @Test func `few clusters give no interval but a reason; no resamples give none either`() throws {
    let all = try table([0.6, 0.8, 0.7])
    let few = try grid(all, draws: [all, all], clusters: 9).advice(
      for: Objective(parsing: "max f1"), default: 0)
    #expect(few.parameters[0].interval.low == nil && few.metrics[0].interval.low == nil)
    #expect(few.gain?.conclusion == .unknown && few.gain?.interval.low == nil)
    #expect(few.warnings == ["there are no intervals: \(ClusterBootstrap.tooFew(9))"])
    let without = try grid(all).advice(for: Objective(parsing: "max f1"), default: 1)
    #expect(without.parameters[0].share == nil && without.warnings.isEmpty)
    #expect(without.gain?.conclusion == .isDefault && without.optimism == nil)
    #expect(without.parameters[0].interval.reason == "no resamples were drawn")
  }

  @Test func `resamples that lack a metric of the objective choose nothing and break no limit`()
    throws
  {
    let without = try table([0.6, 0.8, 0.7], [nil, nil, nil])
    let swept = try grid(
      table([0.6, 0.8, 0.7]), draws: [without, without, without, without], clusters: 20)
    for (text, setting) in [("min fp", 2), ("max f1 where fp <= 2", 1)] {
      let advice = try swept.advice(for: Objective(parsing: text), default: 0)
      #expect(advice.setting == setting && advice.draws == 0)
      #expect(advice.infeasibleDraws == 0 && advice.brokenDraws == 0)
      #expect(advice.parameters[0].share == nil)
      #expect(!advice.warnings.contains { $0.contains("of the resamples") })
    }
  }

  @Test func `the share of resamples whose own choice breaks a limit on all data is told`() throws {
    // Each second draw finds the false positives of 0.5 fewer, and takes it.
    let all = try table([0.6, 0.8, 0.7], [5, 3, 1])
    let lucky = try table([0.6, 0.8, 0.7], [5, 2, 1])
    let draws = (0..<20).map { $0 % 2 == 0 ? lucky : all }
    func found(ofClusters count: Int) throws -> Sweep.Advice {
      try grid(all, draws: draws, clusters: count, level: 0.95).advice(
        for: Objective(parsing: "max f1 where fp <= 2"))
    }
    let advice = try found(ofClusters: 20)
    #expect(advice.setting == 2)
    let limits = try #require(advice.limits)
    #expect(limits.plainSetting == 2 && limits.brokenShare == 0.5 && limits.bounds == [nil])
    #expect(
      advice.warnings.contains { $0.contains("50 % of the resamples the setting chosen this way") })
    // Of few clusters the share of the resamples is too low to be told.
    let few = try found(ofClusters: 19)
    #expect(few.setting == 2 && few.limits?.brokenShare == nil)
    #expect(few.warnings.contains { $0.contains("fewer than 20 clusters more") })
  }

  @Test
  func
    `a limit with a confidence is met by the setting whose bound keeps it, next to the plain best`()
    throws
  {
    // Precision rises by 0.1 a step and is uncertain by about 0.02; recall falls.
    let rows = [0.8, 0.905, 0.99]
    func precision(_ shift: Double) throws -> SettingTable {
      try SettingTable(
        settings: parameter.values.map { [$0] },
        columns: [
          "f1": [0.9, 0.8, 0.7], "fp": [1, 1, 1], "precision": rows.map { min(1, $0 + shift) },
        ])
    }
    let draws = try (0..<200).map { try precision(Double($0 % 5 - 2) * 0.003) }
    let swept = try SweepGrid(
      parameters: [parameter],
      metrics: metrics + [
        Sweep.Metric(name: "precision", title: "Precision", unit: "1", better: .higher)
      ], all: precision(0), draws: draws, clusters: ClusterSizes(equal: 30),
      bootstrap: ClusterBootstrap(resamples: draws.count))
    let plain = try swept.advice(for: Objective(parsing: "max f1 where precision >= 0.9"))
    #expect(plain.setting == 1)
    let sure = try swept.advice(
      for: Objective(parsing: "max f1 where precision >= 0.9 with 95 %"), default: 0)
    #expect(sure.setting == 2 && sure.objective.hasSuffix("precision >= 0.9 with 95 %"))
    let limits = try #require(sure.limits)
    #expect(limits.plainSetting == 1 && limits.plainValue == 0.8)
    let bound = try #require(limits.bounds[0])
    #expect(bound >= 0.9 && bound < 0.99)
    let none = try swept.advice(
      for: Objective(parsing: "max f1 where precision >= 0.99 with 95 %"))
    #expect(none.setting == nil && none.limits?.plainSetting == 2)
    #expect(
      none.reason?.contains("keeps precision >= 0.99 with 95 %; the nearest bound is") == true)
    let few = try grid(table([0.6, 0.8, 0.7]), clusters: 9).advice(
      for: Objective(parsing: "max f1 where fp <= 2 with 95 %"))
    #expect(few.reason == "fp <= 2 with 95 % cannot be shown: \(ClusterBootstrap.tooFew(9))")
  }

  @Test
  func
    `a parameter is flat where the metric changes little and no paired difference is told from 0`()
    throws
  {
    func warnings(_ spread: Double, paired: Double) throws -> [String] {
      let draws = try (0..<20).map { draw in
        let shift = spread * Double(draw % 5 - 2)
        let own = paired * Double(draw % 3 - 1)
        return try table([0.6 + shift + own, 0.7 + shift, 0.69 + shift - own])
      }
      return try grid(table([0.6, 0.7, 0.69]), draws: draws, level: 0.95)
        .advice(for: Objective(parsing: "max f1")).warnings
    }
    #expect(try warnings(0.01, paired: 0).isEmpty)
    // The metric's own interval is wide, but 0.5 is better than the others in every resample alike.
    #expect(try warnings(0.1, paired: 0).isEmpty)
    let flat = try warnings(0.1, paired: 0.1)
    #expect(flat.count == 1 && flat[0].contains("no value there can be told from 0.5"))
  }
}
