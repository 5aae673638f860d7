import FaceCore
import Foundation
import Metrics
import Platform
import Records
import Statistics
import TestSupport
import Testing

private let rules = ExpressionCases.rules

private func coefficients(_ values: [Blendshape: Float]) -> [Float] {
  ExpressionCases.coefficients(values)
}

private func cases(_ number: Int) -> [LabelledFaceCase] { ExpressionCases.made(number) }

private func accumulate(
  _ cases: [LabelledFaceCase], rules: ExpressionRules = rules
) throws -> ExpressionAccuracy {
  var accuracy = ExpressionAccuracy(rules: rules)
  for (frame, face) in cases.enumerated() {
    try accuracy.add(face.scored(frame))
  }
  return accuracy
}

@Suite("Expressions against labels and votes")
struct ExpressionAccuracyTests {
  @Test(.tags(.oracle))
  func `all metrics of 150 random cases equal scikit-learn's with sample weights`() throws {
    let oracle = try Oracles.read("expression_metrics", as: MetricCases.self)
    #expect(oracle.cases.count >= 100)
    for number in oracle.cases.indices {
      oracle.expect(try accumulate(cases(number)).summarize(), case: number)
    }
  }

  @Test func `any split merges to the same bits, and other rules do not merge`() throws {
    var generator = SplitMix64(seed: 6)
    for number in 0..<60 {
      let faces = cases(number)
      let whole = try accumulate(faces)
      let merged = try ExpressionAccuracy.inParts(
        Array(faces.enumerated()), using: &generator, empty: ExpressionAccuracy(rules: rules)
      ) { part, item in
        try part.add(item.element.scored(item.offset))
      }
      #expect(merged == whole)
      #expect(merged.summarize() == whole.summarize())
    }
    var own = ExpressionAccuracy()
    let error = #expect(throws: MetricError.self) {
      try own.merge(ExpressionAccuracy(rules: rules))
    }
    #expect(error?.description.contains("found happy, sad, angry, neutral, smirk") == true)
  }

  @Test func `votes are numbers of 0 or more, not all 0; the case of words does not matter`() {
    #expect(ExpressionVotes(["votes_a": -1, "votes_b": 3]) == nil)
    #expect(ExpressionVotes(["votes_a": .nan]) == nil)
    #expect(ExpressionVotes(["votes_a": 0]) == nil)
    #expect(ExpressionVotes(["yaw": 1]) == nil)
    #expect(ExpressionVotes(["votes_a": 2, "votes_A": 2, "votes_b": 3])?.winner == "a")
  }

  @Test(
    .enabled(if: Shared.isAvailable))
  func `FER+'s validation votes: as many ties, majorities and soft labels as its own reader makes`()
    throws
  {
    let text = try String(
      contentsOf: Shared.data("ferplus/data/FER2013Valid/label.csv"), encoding: .utf8)
    let names = [
      "neutral", "happiness", "surprise", "sadness", "anger", "disgust", "fear", "contempt",
      "unknown", "NF",
    ]
    var rows = 0
    var (ties, majorities, soft) = (0, 0, 0)
    var weights: [String: Double] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let numbers = line.split(separator: ",").suffix(10).compactMap { Double($0) }
      let votes = try #require(
        ExpressionVotes(
          Dictionary(uniqueKeysWithValues: zip(names.map { "votes_\($0)" }, numbers))))
      rows += 1
      let most = votes.counts.values.max()
      if votes.counts.values.count(where: { $0 == most }) > 1 { ties += 1 }
      if let winner = votes.winner, !["unknown", "nf"].contains(winner) {
        majorities += 1
      }
      if let labels = votes.softLabels {
        soft += 1
        weights.merge(labels, uniquingKeysWith: +)
      }
    }
    // Counted by NumPy: rows whose largest count is there more than once.
    #expect(rows == 3579)
    #expect(ties == 159)
    // What the steps of FER+'s reader give in its modes for majority and cross entropy.
    #expect(majorities == 3191 && soft == 3508)
    let sums = [
      1240.919841, 902.82619, 452.454762, 419.204762, 321.909524, 40.281746, 90.855556, 39.547619,
    ]
    for (name, sum) in zip(names, sums) {
      #expect(abs((weights[name] ?? 0) - sum) < 1e-6, "\(name)")
    }
  }

  @Test func `without labels or found faces every metric is undefined with its reason`() throws {
    let none = try accumulate([LabelledFaceCase(isFound: true)])
    #expect(!none.hasLabels)
    #expect(none.summarize().allSatisfy { $0.value == nil && $0.reason != nil })
    var missed = LabelledFaceCase(isFound: false)
    missed.label.expression = "happy"
    let metrics = try accumulate([missed]).summarize()
    #expect(metrics.first { $0.name == "expressions.found_share" }?.value == 0)
    #expect(
      metrics.first { $0.name == "expressions.happy.f1" }?.reason
        == "no labelled face was found with blendshapes")
  }
}

@Suite("Expression rules")
struct ExpressionRuleTests {
  @Test(
    arguments: [
      ([:], ["neutral"]), ([.mouthSmileLeft: 0.31], ["happy"]),
      ([.mouthSmileRight: 0.29], ["neutral"]),
      ([.mouthFrownRight: 0.5, .browDownLeft: 0.4], ["sad", "angry"]),
      ([.jawOpen: 0.9], ["neutral"]),
      ([.neutral: 0.9], ["neutral"]), ([.mouthSmileLeft: .nan], []),
      ([.mouthSmileLeft: .nan, .browDownRight: 1], ["angry"]),
    ] as [([Blendshape: Float], [String])])
  func `the built-in rules: either side above 0.3, several at once, none means neutral`(
    values: [Blendshape: Float], active: [String]
  ) {
    #expect(ExpressionRules.builtIn.active(in: coefficients(values)) == active)
  }

  @Test func `coefficients of another number give no decision`() {
    #expect(ExpressionRules.builtIn.active(in: []).isEmpty)
    #expect(ExpressionRules.builtIn.active(in: [1, 1]).isEmpty)
  }

  @Test(
    arguments: [
      ("1", 1), ("1 + 2 * 3", 7), ("(1+2)*3", 9), ("-2 - -3", 1), ("8/4/2", 1), ("1-2-3", -4),
      ("jawOpen", 0.5), ("(mouthSmileLeft + mouthSmileRight)/2 - 0.1", 0.275),
      ("max(1, 2, min(5, 4))", 4), ("mean(1, 2, 6)", 3), ("abs(-jawOpen)", 0.5), ("strongest", 0.5),
      ("1e-1", 0.1), (".5", 0.5), ("_neutral", 0), ("1/0", nil), ("cheekPuff + 1", nil),
      ("max(cheekPuff, 1)", nil), ("min(1, cheekPuff)", nil),
    ] as [(String, Double?)])
  func `formulas have the usual precedence`(text: String, value: Double?) throws {
    let faces = coefficients([
      .jawOpen: 0.5, .mouthSmileLeft: 0.25, .mouthSmileRight: 0.5,
      .cheekPuff: text.contains("cheekPuff") ? .nan : 0,
    ])
    let found = try ExpressionFormula(parsing: text).value(of: faces)
    #expect((found == nil) == (value == nil))
    #expect(abs((found ?? 0) - (value ?? 0)) < 1e-12)
  }

  @Test(
    arguments: [
      ("", "expected a number, a blendshape or a bracket, found the end at character 1"),
      (
        "mouthSmileLeft + mouthSmileRigth",
        "expected a blendshape, perhaps 'mouthSmileRight', found 'mouthSmileRigth' at character 18"
      ),
      ("(1 + 2", "expected an operator or ')', found the end at character 7"),
      ("1 2", "expected an operator or the end, found '2' at character 3"),
      ("1 +", "expected a number, a blendshape or a bracket, found the end at character 4"),
      ("max", "expected '(' after max, found the end at character 4"),
      ("max()", "expected a number, a blendshape or a bracket, found ')' at character 5"),
      ("abs(1, 2)", "expected one value in abs, found 2 at character 1"),
      ("1e999", "expected a finite number, found '1e999' at character 1"),
      ("0x10", "expected a finite number, found '0x10' at character 1"),
      ("1.2.3", "expected a finite number, found '1.2.3' at character 1"),
      ("jawOpen > 0.3", "expected an operator or the end, found '>' at character 9"),
      ("é", "expected a number, a blendshape or a bracket, found 'é' at character 1"),
      ("qqqq", "expected a blendshape, found 'qqqq' at character 1"),
      (
        String(repeating: "(", count: 900),
        "expected 50 brackets and signs in one another at most, found more at character 51"
      ),
      (
        String(repeating: "-", count: 900),
        "expected 50 brackets and signs in one another at most, found more at character 51"
      ),
      (
        String(repeating: "1+", count: 600),
        "expected 1000 characters at most, found more at character 1001"
      ),
    ])
  func `what is no formula is reported in one line with its position`(text: String, message: String)
  {
    let error = #expect(throws: FormulaError.self) { try ExpressionFormula(parsing: text) }
    #expect(error?.description == message)
  }

  @Test func `random text is read or refused, never worse`() {
    var stream = SplitMix64(seed: 8)
    let pieces = [
      "(", ")", "+", "-", "*", "/", ",", "1", ".", "e", "max", "jawOpen", " ", "\0", "∞",
    ]
    var refused = 0
    for _ in 0..<3000 {
      let text = (0..<stream.below(30)).map { _ in pieces[stream.below(pieces.count)] }.joined()
      do {
        _ = try ExpressionFormula(parsing: text).value(of: coefficients([:]))
      } catch {
        refused += 1
        #expect(error.character >= 1 && error.character <= text.count + 1)
      }
    }
    #expect(refused > 100)
  }

  @Test func `a file of rules keeps its names, formulas, thresholds and words`() throws {
    let json = """
      {"schema": "facegauge.expressions", "version": 1, "rules": [
        {"name": "smile", "value": "(mouthSmileLeft + mouthSmileRight)/2 - 0.1", "above": 0.2,
         "labels": ["Happiness"]},
        {"name": "closed", "value": "1 - min(eyeBlinkLeft, eyeBlinkRight)", "at_most": 0.5},
        {"name": "open", "value": "jawOpen"}]}
      """
    let rules = try ExpressionRules(json: [UInt8](json.utf8), source: "r.json")
    #expect(rules.names == ["smile", "closed", "open", "neutral"])
    #expect(rules.words == [["happiness"], ["closed"], ["open"], ["neutral"]])
    #expect(rules.rules.map(\.threshold) == [0.2, 0.5, 0.3])
    func active(_ values: [Blendshape: Float]) -> [String] {
      rules.active(in: coefficients(values))
    }
    #expect(active([.mouthSmileLeft: 0.5, .mouthSmileRight: 0.125]) == ["smile"])
    #expect(
      active([.eyeBlinkLeft: 0.5, .eyeBlinkRight: 0.75, .jawOpen: 0.4]) == ["closed", "open"])
    #expect(active([:]) == ["neutral"])
  }

  @Test(
    arguments: [
      ("", "cannot read r.json, line 1, column 1: expected JSON"),
      (
        "[]",
        "cannot read r.json: expected an object with the schema \"facegauge.expressions\", found"
      ),
      (rule(#""name": "a""#), "cannot read 'rules[0]' in r.json: expected the key \"value\""),
      (
        rule(#""name": "a", "value": "jawOpn""#),
        "cannot read 'rules[0].value' in r.json: expected a blendshape, perhaps 'jawOpen', found 'jawOpn' at character 1"
      ),
      (
        rule(#""name": "a.b", "value": "1""#),
        "cannot read 'rules[0].name' in r.json: expected 1 to 40 letters"
      ),
      (
        rule(#""name": "a", "value": "1", "abov": 1"#),
        #"expected only the keys name, value, above, at_most, labels, perhaps "above", found the key "abov""#
      ),
      (
        rule(#""name": "a", "value": "1", "above": "x""#),
        "cannot read 'rules[0].above' in r.json: expected a finite number, found \"x\""
      ),
      (
        rule(#""name": "a", "value": "1", "above": 1, "at_most": 2"#),
        "expected one of \"above\" and \"at_most\", found both"
      ),
      (rule(#""name": "a", "value": 1"#), "expected a formula, found 1"),
      (
        rule(#""name": "a", "value": "1"}, {"name": "a", "value": "2""#),
        "cannot read 'rules[1].name' in r.json: expected each name once"
      ),
      (rule(#""name": "a", "value": "1", "labels": []"#), "expected a list of 1 or more words"),
      (rule(#""name": "a", "value": "1", "labels": [7]"#), "expected a text, found 7"),
      (
        #"{"schema": "facegauge.expressions", "version": 1, "rules": []}"#,
        "a list of 1 to 100 rules"
      ),
      (#"{"schema": "facegauge.gates", "version": 2, "rules": [1]}"#, "'schema' in r.json"),
      (#"{"schema": "facegauge.expressions", "version": 2, "rules": [1]}"#, "expected 1, found 2"),
      (
        String(repeating: "[", count: 100_000),
        "cannot read r.json, line 1, column 65: expected at most 64"
      ),
    ])
  func `what is no file of rules is reported in one line`(json: String, message: String) {
    let error = #expect(throws: FileError.self) {
      try ExpressionRules(json: [UInt8](json.utf8), source: "r.json")
    }
    let line = error?.description ?? ""
    #expect(line.contains(message) && !line.contains("\n"), "\(line)")
  }
}

private func rule(_ members: String) -> String {
  #"{"schema": "facegauge.expressions", "version": 1, "rules": [{\#(members)}]}"#
}

@Suite("Expressions over time")
struct ExpressionActivityTests {
  /// 100 ms a frame: `h` happy, `n` neutral, `.` no face, `d` dropped.
  private func activity(_ text: String, order: [Int]? = nil) throws -> ExpressionActivity {
    let marks = Array(text)
    var activity = ExpressionActivity()
    for index in order ?? Array(marks.indices) {
      var face = FacePrediction(box: BoundingBox(x: 0, y: 0, width: 9, height: 9))
      face.blendshapes = coefficients(marks[index] == "h" ? [.mouthSmileLeft: 1] : [:])
      try activity.add(
        Frame(index, at: Int64(index) * 100_000), isVideo: true,
        prediction: marks[index] == "d"
          ? FramePrediction(frame: index, notAnalysed: .dropped)
          : FramePrediction(index, faces: marks[index] == "." ? [] : [face]))
    }
    return activity
  }

  @Test(
    arguments: [
      ("hhnnh", 0.5, 2, 200.0), ("nnnn", 0, 0, 0), ("h.h", 1, 2, 100), ("hdh", 1, 2, 100),
      ("h", nil, 1, 0), ("hhhh", 1, 1, 300), (".hn.", 0.5, 1, 100),
    ] as [(String, Double?, Int, Double)])
  func `share of known time, spells and the longest, by hand`(
    text: String, share: Double?, spells: Int, longest: Double
  ) throws {
    let summaries = try activity(text).summaries()
    #expect(summaries.map(\.expression) == ["happy", "sad", "angry", "neutral"])
    let happy = try #require(summaries.first)
    #expect(happy.share == share)
    #expect(happy.spells == spells)
    #expect(happy.longestMilliseconds == longest)
  }

  @Test func `any order and split gives the same, and no face gives nothing`() throws {
    let text = "hhn.hdhhnnnh"
    let whole = try activity(text)
    #expect(
      try activity(text, order: Array(text.indices.enumerated().map(\.offset).reversed())) == whole)
    var first = try activity(text, order: [0, 3, 8, 11])
    let second = try activity(text, order: [10, 9, 7, 6, 5, 4, 2, 1])
    try first.merge(second)
    #expect(first == whole)
    #expect(first.table(names: [0: "clip"]) == whole.table(names: [0: "clip"]))
    #expect(throws: MetricError.self) { try first.merge(second) }
    #expect(throws: MetricError.self) { try first.merge(ExpressionActivity(rules: rules)) }
    #expect(try activity("..").table(names: [:]) == nil)
  }
}
