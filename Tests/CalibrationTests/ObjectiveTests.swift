import Calibration
import Records
import Testing

private func table() throws -> SettingTable {
  try SettingTable(
    settings: [[0.3, 0.5], [0.5, 0.5], [0.5, 0.7], [0.7, 0.5]],
    columns: [
      "f1": [0.8, 0.9, 0.9, nil], "nme": [0.04, 0.05, 0.06, 0.03],
      "tracked_share": [0.99, 0.98, 0.5, 0.97], "fp_per_minute": [4, 2, 1, 0],
      "nothing": [nil, .nan, nil, nil],
    ])
}

@Suite("Objectives")
struct ObjectiveTests {
  @Test(
    arguments: [
      ("max f1 where nme <= 5", ["nme <= 5 decides nothing: the nearest of 2 settings has 0.08"]),
      ("max f1 where nme <= 0.1", []), ("max f1 where nme >= 0.001", []),
      ("max f1 where none <= 5", []),
    ] as [(String, [String])])
  func `an upper limit far above all settings is warned of`(text: String, warnings: [String])
    throws
  {
    let columns: [String: [Double?]] = ["nme": [0.04, nil, 0.08], "none": [0, 0, 0]]
    #expect(try Objective(parsing: text).remoteLimits(in: columns) == warnings)
  }

  @Test(
    arguments: [
      ("max nme", .lower, "expected 'min nme', because a lower nme is better, found 'max nme'"),
      (
        "min recall where nme <= 1", .higher,
        "expected 'max recall', because a higher recall is better, found 'min recall where nme <= 1'"
      ),
      ("min nme", .lower, nil), ("max recall where nme >= 1", .higher, nil),
      (
        "max lag", .closest,
        "expected 'min lag', because lag is best near its target, found 'max lag'"
      ),
      ("min lag", .closest, nil), ("min n", .neither, nil), ("min unknown", nil, nil),
    ] as [(String, Direction?, String?)])
  func `a goal that is the worst of its metric is refused`(
    text: String, own: Direction?, wrong: String?
  ) throws {
    let objective = try Objective(parsing: text)
    do {
      try objective.checkDirection(own)
      #expect(wrong == nil)
    } catch {
      #expect(error.description == "cannot evaluate the objective: " + (wrong ?? "nothing"))
    }
  }

  @Test(
    arguments: [
      ("min recall", false), ("max miss_rate", false), ("min f2", false), ("max cost", false),
      ("max recall", true), ("min miss_rate", true), ("min cost", true),
      ("max accepted_share", true), ("min accepted_share", true),
    ])
  func `thresholds are not looked for where their metric is worst`(text: String, isFine: Bool)
    throws
  {
    let objective = try Objective(parsing: text)
    #expect(((try? ThresholdSearch(objective)) != nil) == isFine)
  }

  @Test(
    arguments: [
      ("max f1", "max f1"),
      ("  max\trecall where fp_per_minute<=2 ", "max recall where fp_per_minute <= 2"),
      (
        "min nme where tracked_share >= 0.98 and detector_rate <= 0.1",
        "min nme where tracked_share >= 0.98 and detector_rate <= 0.1"
      ),
      ("min landmarks.fr.box@0.08 where x>-1e-3", "min landmarks.fr.box@0.08 where x > -0.001"),
      (
        "max recall where precision>=.9 with 95% and x <= 2 with 99.5 %",
        "max recall where precision >= 0.9 with 95 % and x <= 2 with 99.5 %"
      ),
    ])
  func `an objective is read as it is written`(text: String, canonical: String) throws {
    let objective = try Objective(parsing: text)
    #expect(objective.description == canonical)
    #expect(try Objective(parsing: canonical) == objective)
  }

  @Test(
    arguments: [
      ("", "expected 'max' or 'min', found the end at character 1"),
      ("best f1", "expected 'max' or 'min', found 'best' at character 1"),
      ("max", "expected the name of a metric, found the end at character 4"),
      ("max where", "expected the name of a metric, found 'where' at character 5"),
      ("max f1 recall", "expected 'where' or the end, found 'recall' at character 8"),
      ("max f1 where", "expected the name of a metric, found the end at character 13"),
      ("max f1 where x = 3", "expected <=, >=, < or >, found '=' at character 16"),
      ("max f1 where x <= nan", "expected a finite number, found 'nan' at character 19"),
      ("max f1 where x <= 1e999", "expected a finite number, found '1e999' at character 19"),
      ("max f1 where x <=", "expected a finite number, found the end at character 18"),
      (
        "max f1 where x <= 1 or y > 2",
        "expected 'and', 'with 95 %' or the end, found 'or' at character 21"
      ),
      (
        "max f1 where x <= 1 with 5 %",
        "expected a confidence between 50 % and 100 %, such as 95 %, found '5' at character 26"
      ),
      (
        "max f1 where x <= 1 with 95",
        "expected a confidence between 50 % and 100 %, such as 95 %, found '95' at character 26"
      ),
      (
        "max f1 where x <= 1 with 95 % with 99 %",
        "expected 'and', 'with 95 %' or the end, found 'with' at character 31"
      ),
      ("max 0.5", "expected the name of a metric, found '0' at character 5"),
    ])
  func `nonsense is refused in one line with what was expected where`(text: String, problem: String)
  {
    let error = #expect(throws: CalibrationError.self) { _ = try Objective(parsing: text) }
    #expect(error?.description == "cannot read the objective: \(problem)")
  }

  @Test func `a text of any length and content is read or refused, nothing else`() {
    for text in [
      String(repeating: "max ", count: 5000), "max " + String(repeating: "x", count: 990),
      "max f1 where " + String(repeating: "a<1 and ", count: 120), "max é", "\u{0}", "<<<", ">=",
    ] {
      if let objective = try? Objective(parsing: text) {
        #expect(objective.metric.count == 990)
      }
    }
  }

  @Test func `the best setting is found, equal ones by the higher threshold`() throws {
    let table = try table()
    let best: [(String, Objective.Choice)] = [
      ("max f1", .best(index: 2, value: 0.9)),
      ("max f1 where tracked_share >= 0.98", .best(index: 1, value: 0.9)),
      ("min nme", .best(index: 3, value: 0.03)),
      ("min nme where tracked_share >= 0.98", .best(index: 0, value: 0.04)),
      ("min nme where tracked_share > 0.98 and fp_per_minute < 5", .best(index: 0, value: 0.04)),
      ("max f1 where fp_per_minute <= 1", .best(index: 2, value: 0.9)),
    ]
    for (text, choice) in best {
      #expect(try table.best(for: Objective(parsing: text)) == choice, "\(text)")
    }
  }

  @Test func `what cannot be met is reported with its limit`() throws {
    let table = try table()
    let reasons = [
      "max f1 where tracked_share >= 0.999":
        "none of 4 settings meets tracked_share >= 0.999, the nearest has 0.99",
      "max f1 where fp_per_minute < 0":
        "none of 4 settings meets fp_per_minute < 0, the nearest has 0",
      "max f1 where fp_per_minute <= 1 and tracked_share >= 0.98":
        "each limit is met by some of 4 settings, but no setting meets all limits",
      "max nothing": "nothing is undefined in all of 4 settings",
      "max f1 where nothing > 1": "nothing is undefined in all of 4 settings",
      "max f1 where fp_per_minute <= 0": "f1 is undefined in each of the 1 that meet the limits",
    ]
    for (text, reason) in reasons {
      #expect(try table.best(for: Objective(parsing: text)) == .infeasible(reason), "\(text)")
    }
    let empty = try SettingTable(settings: [], columns: ["f1": []])
    #expect(
      try empty.best(for: Objective(parsing: "max f1")) == .infeasible("there are no settings"))
  }

  @Test func `an unknown metric is named with the nearest`() throws {
    let error = #expect(throws: CalibrationError.self) {
      _ = try table().best(for: Objective(parsing: "max f1 where fp_per_minut <= 1"))
    }
    #expect(
      error?.description
        == "cannot evaluate the objective: expected a metric of f1, fp_per_minute, nme, nothing, "
        + "tracked_share, found 'fp_per_minut', perhaps 'fp_per_minute'")
    #expect(throws: CalibrationError.self) {
      _ = try ThresholdSearch(Objective(parsing: "max recal"))
    }
    #expect(throws: CalibrationError.self) {
      _ = try SettingTable(settings: [[1]], columns: ["f1": []])
    }
  }
}
