import Calibration
import Metrics
import Records
import Testing

private let knob = Sweep.Knob(name: "threshold", values: [0.25, 0.5, 0.75])
private let figures = [
  Sweep.Figure(name: "f1", title: "F1", unit: "1", better: .higher),
  Sweep.Figure(name: "fp", title: "False positives", unit: "1/min", better: .lower),
]

private func table(_ f1: [Double?], _ fp: [Double?] = [4, 2, 1]) throws -> SettingTable {
  try SettingTable(settings: knob.values.map { [$0] }, columns: ["f1": f1, "fp": fp])
}

private func grid(
  _ all: SettingTable, draws: [SettingTable] = [], folds: [SweptGrid.Fold] = [],
  clusters: Int = 10, level: Double = 0.5
) throws -> SweptGrid {
  try SweptGrid(
    knobs: [knob], figures: figures, all: all, draws: draws, folds: folds, clusters: clusters,
    bootstrap: ClusterBootstrap(resamples: draws.count, level: level))
}

@Suite("Advice from a grid")
struct GridAdviceTests {
  @Test(
    "the best setting, its interval over draws, and its figures held out are worked out by hand")
  func byHand() throws {
    // The draws prefer 0.5, 0.5, 0.75, 0.25, by 0, 0, 0.2 and 0.1 over 0.5.
    let draws = try [[0.6, 0.8, 0.7], [0.5, 0.9, 0.6], [0.5, 0.6, 0.8], [0.7, 0.6, 0.5]].map {
      try table($0)
    }
    let folds = try [
      SweptGrid.Fold(rest: table([0.9, 0.8, 0.7]), heldOut: table([0.5, 0.7, 0.7])),
      SweptGrid.Fold(rest: table([0.6, 0.8, 0.7]), heldOut: table([0.5, 0.7, 0.9])),
    ]
    let advice = try grid(table([0.6, 0.8, 0.7]), draws: draws, folds: folds).advice(
      for: Objective(parsing: "max f1"), default: 0)
    #expect(advice.setting == 1 && advice.reason == nil && advice.objective == "max f1")
    #expect(advice.draws == 4 && advice.infeasibleDraws == 0 && advice.brokenDraws == 0)
    // The quartiles of 0.25, 0.5, 0.5, 0.75 are 0.4375 and 0.5625; outward that is 0.25 and 0.75.
    let choice = try #require(advice.knobs.first)
    #expect(choice.value == 0.5 && choice.share == 0.5)
    #expect(choice.interval.low == 0.25 && choice.interval.high == 0.75)
    // f1 at 0.5 in the draws is 0.8, 0.9, 0.6, 0.6, less the mean excess of 0.075.
    let f1 = try #require(advice.figures.first)
    #expect(abs(try #require(f1.interval.low) - (0.6 - 0.075)) < 1e-12)
    #expect(abs(try #require(f1.interval.high) - (0.825 - 0.075)) < 1e-12)
    #expect(f1.value == 0.8 && f1.heldOut == [0.5, 0.7] && f1.heldOutMean == 0.6)
    #expect(advice.foldSettings == [0, 1])
    #expect(abs(try #require(advice.optimism) - 0.2) < 1e-12)
    let fp = try #require(advice.figures.last)
    #expect(fp.value == 2 && fp.interval.low == 2 && fp.heldOut == [4, 2])
    // Gains over the default in the draws: 0.2, 0.4, 0.1, −0.1 at 0.5 and 0.1, 0.1, 0.3, −0.2 at 0.75.
    let gain = try #require(advice.gain)
    let errors = (0.2081665999466133, 0.2061552812808830)
    let largest = [
      max(0.0, 0.0), 0.2 / errors.0, max(0.1 / errors.0, 0.2 / errors.1),
      max(0.3 / errors.0, 0.3 / errors.1),
    ].sorted()
    let reach = errors.0 * (largest[1] + largest[2]) / 2
    #expect(abs(try #require(gain.value) - 0.2) < 1e-12)
    #expect(abs(try #require(gain.interval.low) - (0.2 - reach)) < 1e-9)
    #expect(abs(try #require(gain.interval.high) - (0.2 + reach)) < 1e-9)
  }

  @Test("where less is better, optimism and gain still count for the recommended setting")
  func lower() throws {
    let draws = try (0..<20).map { draw in
      let first = 4 + Double(draw % 3 - 1) / 4
      let second = 2 + Double(draw % 5 - 2) / 8
      return try table([1, 1, 1], [first, second, 3])
    }
    let folds = try [
      SweptGrid.Fold(rest: table([1, 1, 1]), heldOut: table([1, 1, 1], [5, 4, 3]))
    ]
    let advice = try grid(table([1, 1, 1], [4, 2, 3]), draws: draws, folds: folds, level: 0.95)
      .advice(for: Objective(parsing: "min fp"), default: 0)
    #expect(advice.setting == 1 && advice.foldSettings == [2] && advice.optimism == 1)
    #expect(advice.gain?.value == 2 && advice.gain?.conclusion == .better)
  }

  @Test("equal settings are settled by the higher threshold in every draw and fold")
  func ties() throws {
    let same = try table([0.5, 0.5, 0.5])
    let advice = try grid(
      same, draws: [same, same], folds: [SweptGrid.Fold(rest: same, heldOut: same)]
    ).advice(for: Objective(parsing: "max f1"), default: 0)
    #expect(advice.setting == 2 && advice.foldSettings == [2])
    #expect(advice.knobs[0].share == 1 && advice.knobs[0].interval.low == 0.75)
    #expect(advice.gain?.conclusion == .noEvidence && advice.gain?.interval.high == 0)
    #expect(
      advice.warnings == [
        "threshold does not change f1: any value from 0.25 to 0.75 does as well"
      ])
  }

  @Test("a plateau that ends at the highest value is flat and at the edge")
  func plateau() throws {
    let advice = try grid(table([0.5, 0.75, 0.75])).advice(for: Objective(parsing: "max f1"))
    #expect(advice.setting == 2)
    #expect(
      advice.warnings == [
        "threshold 0.75 is the highest that was tried",
        "threshold is flat: f1 is the same from 0.5 to 0.75",
      ])
  }

  @Test("an objective that nothing meets says why, and has nothing else")
  func infeasible() throws {
    let advice = try grid(table([0.6, 0.8, 0.7])).advice(
      for: Objective(parsing: "max f1 where fp < 1"))
    #expect(advice.setting == nil && advice.knobs.isEmpty && advice.figures.isEmpty)
    #expect(advice.reason == "none of 3 settings meets fp < 1, the nearest has 1")
  }

  @Test("limits that resamples, folds or the default break are told")
  func limits() throws {
    let all = try table([0.6, 0.8, 0.7])
    let tight = try table([0.6, 0.8, 0.7], [5, 3, 1])
    let none = try table([0.6, 0.8, 0.7], [5, 4, 3])
    let draws = [all, tight, none, all]
    let folds = try [
      SweptGrid.Fold(rest: all, heldOut: table([0.6, 0.8, 0.7], [4, 3, 1])),
      SweptGrid.Fold(rest: none, heldOut: all),
    ]
    let advice = try grid(all, draws: draws, folds: folds).advice(
      for: Objective(parsing: "max f1 where fp <= 2"), default: 0)
    #expect(advice.setting == 1 && advice.infeasibleDraws == 1 && advice.brokenDraws == 2)
    #expect(advice.knobs[0].interval.reason == "no setting will do in 1 of 4 resamples")
    #expect(advice.figures[0].heldOut == [0.8, nil] && advice.figures[0].heldOutMean == 0.8)
    #expect(advice.gain?.conclusion == .defaultBreaksLimit)
    #expect(
      advice.warnings.prefix(4) == [
        "in 25 % of the resamples no setting meets the objective",
        "in 25 % of the resamples this setting breaks a limit that another meets",
        "in 1 of 2 folds no setting meets the objective",
        "held out, fp <= 2 does not hold: the mean is 3",
      ])
  }

  @Test("few clusters give no interval and say so; no resamples give none either")
  func fewClusters() throws {
    let all = try table([0.6, 0.8, 0.7])
    let few = try grid(all, draws: [all, all], clusters: 9).advice(
      for: Objective(parsing: "max f1"), default: 0)
    #expect(few.knobs[0].interval.low == nil && few.figures[0].interval.low == nil)
    #expect(few.gain?.conclusion == .unknown && few.gain?.interval.low == nil)
    #expect(few.warnings == ["there are no intervals: \(ClusterBootstrap.tooFew(9))"])
    let without = try grid(all).advice(for: Objective(parsing: "max f1"), default: 1)
    #expect(without.knobs[0].share == nil && without.warnings.isEmpty)
    #expect(without.gain?.conclusion == .isDefault && without.optimism == nil)
    #expect(without.knobs[0].interval.reason == "no resamples were drawn")
  }

  @Test("a knob is flat where the figure changes by no more than half its interval")
  func flat() throws {
    func warnings(_ spread: Double) throws -> [String] {
      let draws = try (0..<20).map { draw in
        let shift = spread * Double(draw % 5 - 2)
        return try table([0.6 + shift, 0.8 + shift, 0.79 + shift])
      }
      return try grid(table([0.6, 0.8, 0.79]), draws: draws, level: 0.95)
        .advice(for: Objective(parsing: "max f1")).warnings
    }
    #expect(try warnings(0.01).isEmpty)
    #expect(
      try warnings(0.15) == [
        "threshold is flat: f1 changes by 0.2 from 0.25 to 0.75, half its interval is 0.3"
      ])
  }
}
