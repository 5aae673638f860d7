import FaceCore
import Metrics
import Platform
import Records
import Statistics
import TestSupport
import Testing

extension AttributeRules {
  /// A rule of each kind, over attributes x, y and z.
  static let oneOfEachKind: AttributeRules = {
    let number = AttributeRule("x")
    var binary = AttributeRule("big", kind: .binary)
    binary.label = AttributeRule.Side(["x"])
    binary.label.threshold = 100
    binary.prediction = AttributeRule.Side(["y"])
    binary.prediction.threshold = 60
    var angle = AttributeRule("turn", kind: .angle)
    angle.label = AttributeRule.Side(["y"])
    angle.prediction = AttributeRule.Side(["x"])
    var direction = AttributeRule("gaze", kind: .direction)
    direction.label = AttributeRule.Side(["x", "y", "z"])
    direction.prediction = AttributeRule.Side(["x", "y", "z"])
    return AttributeRules([number, binary, angle, direction])
  }()
}

/// One face per frame: what is labelled, and what is predicted, nil for a missed face.
private typealias Sample = (label: [String: Double], prediction: [String: Double]?)

private func accumulate(_ rule: AttributeRule, _ samples: [Sample]) throws -> AttributeAccuracy {
  var accuracy = AttributeAccuracy(rules: AttributeRules([rule]))
  for (frame, sample) in samples.enumerated() {
    var face = LabelledFaceCase(isFound: sample.prediction != nil)
    face.label.attributes = sample.label
    face.face?.attributes = sample.prediction ?? [:]
    try accuracy.add(face.scored(frame))
  }
  return accuracy
}

private func measured(
  _ rule: AttributeRule, _ samples: [Sample]
) throws -> [String: Records.Measurement] {
  Dictionary(
    uniqueKeysWithValues: try accumulate(rule, samples).summarize().map { ($0.name, $0) })
}

private func numbers(_ number: Int) -> (AttributeRule, [Sample]) {
  var stream = SplitMix64(seed: UInt64(7000 + number))
  let kind = stream.below(6)
  let count = stream.below(40)
  let step = [1, 8, 32][stream.below(3)]
  let misses = stream.below(3) > 0
  var rule = AttributeRule("x")
  if number % 2 == 1 { (rule.scale, rule.offset) = (2, -0.5) }
  return (
    rule,
    (0..<count).map { _ in
      let a = Double(stream.below(72) / step * step) / 64
      let b = Double(stream.below(72) / step * step) / 64
      let isMissed = stream.below(6) == 0 && misses
      return (
        ["x": kind == 1 || kind == 3 ? 0.25 : a],
        isMissed ? nil : ["x": kind == 2 || kind == 3 ? 0.5 : kind == 4 ? a : b]
      )
    }
  )
}

private func decisions(_ number: Int) -> (AttributeRule, [Sample]) {
  var stream = SplitMix64(seed: UInt64(7200 + number))
  let count = stream.below(40)
  let step = [1, 8, 32][stream.below(3)]
  let kind = stream.below(6)
  let misses = stream.below(3) > 0
  var rule = AttributeRule("x", kind: .binary)
  rule.label.threshold = 1
  rule.prediction.threshold = 0.5
  rule.prediction.isAbove = number % 2 == 1
  return (
    rule,
    (0..<count).map { _ in
      let label = kind == 1 ? 4 : stream.below(6)
      let value = kind == 2 ? 1 : Double(stream.below(72) / step * step) / 64
      // A found face without the number counts as a missed one.
      let isMissed = stream.below(6) == 0 && misses
      return (["x": Double(label)], isMissed ? (label % 2 == 0 ? nil : [:]) : ["x": value])
    }
  )
}

private func angles(_ number: Int) -> (AttributeRule, [Sample]) {
  var stream = SplitMix64(seed: UInt64(7400 + number))
  let count = stream.below(30)
  let misses = stream.below(3) > 0
  var rule = AttributeRule("x", kind: .angle)
  rule.prediction.isInDegrees = number % 2 == 0
  return (
    rule,
    (0..<count).map { _ in
      let label = Double(stream.below(800)) / 64 - 6
      let value =
        number % 2 == 1 ? Double(stream.below(800)) / 64 - 6 : Double(8 * stream.below(90)) - 360
      return (["x": label], stream.below(6) == 0 && misses ? nil : ["x": value])
    }
  )
}

private func directions(_ number: Int) -> (AttributeRule, [Sample]) {
  var stream = SplitMix64(seed: UInt64(7600 + number))
  let count = stream.below(20)
  let misses = stream.below(3) > 0
  var rule = AttributeRule("x", kind: .direction)
  rule.label = AttributeRule.Side(["gx", "gy", "gz"])
  rule.prediction = AttributeRule.Side(["yaw", "pitch"])
  return (
    rule,
    (0..<count).map { _ in
      let x = Double(stream.below(9)) - 4
      let y = Double(stream.below(9)) - 4
      let z = 1 + Double(stream.below(4))
      let yaw = Double(stream.below(128)) / 64 - 1
      let pitch = Double(stream.below(128)) / 64 - 1
      return (
        ["gx": x, "gy": y, "gz": z],
        stream.below(6) == 0 && misses ? nil : ["yaw": yaw, "pitch": pitch]
      )
    }
  )
}

/// A kind of number, how its cases are made, and what the oracle calls it.
private struct Kind: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let samples: @Sendable (Int) -> (AttributeRule, [Sample])
}

@Suite("Labelled numbers of faces")
struct AttributeAccuracyTests {
  @Test(
    .tags(.oracle),
    arguments: [
      Kind(testDescription: "number", samples: numbers),
      Kind(testDescription: "binary", samples: decisions),
      Kind(testDescription: "angle", samples: angles),
      Kind(testDescription: "direction", samples: directions),
    ])
  fileprivate func `100 random cases equal scikit-learn, SciPy and pingouin`(kind: Kind) throws {
    let oracles = try Oracles.read("labelled_numbers", as: [String: MetricCases].self)
    let oracle = try #require(oracles[kind.testDescription])
    #expect(oracle.cases.count == 100)
    for number in oracle.cases.indices {
      let (rule, samples) = kind.samples(number)
      oracle.expect(try accumulate(rule, samples).summarize(), case: number)
    }
  }

  @Test func `predictions that are the labels are perfect, and say so only where they can`() throws
  {
    let same: [Sample] = (0..<5).map { (["x": Double($0)], ["x": Double($0)]) }
    let metrics = try measured(AttributeRule("x"), same)
    #expect(metrics["attributes.x.mae"]?.value == 0)
    #expect(metrics["attributes.x.ccc"]?.value == 1)
    #expect(metrics["attributes.ccc"]?.value == 1)
    let constant: [Sample] = (0..<5).map { _ in (["x": 3], ["x": 3]) }
    let still = try measured(AttributeRule("x"), constant)
    #expect(still["attributes.x.mae"]?.value == 0)
    for name in ["pcc", "ccc", "icc31"] {
      #expect(still["attributes.x.\(name)"]?.value == nil)
      #expect(still["attributes.x.\(name)"]?.reason == "every label is the same")
      #expect(still["attributes.\(name)"]?.value == nil)
    }
    let one = try measured(AttributeRule("x"), [(["x": 1], ["x": 2])])
    #expect(one["attributes.x.ccc"]?.reason == "one face alone has no agreement")
    #expect(one["attributes.x.bias"]?.value == 1)
  }

  @Test func `values that mean unknown are no labels, and a face without the number is missed`()
    throws
  {
    var rule = AttributeRule("x")
    rule.unknown = [9]
    let metrics = try measured(rule, [(["x": 9], ["x": 9]), (["x": 2], [:]), (["x": 1], ["x": 1])])
    #expect(metrics["attributes.x.found_share"]?.value == 0.5)
    #expect(metrics["attributes.x.found_share"]?.n == 2)
    #expect(metrics["attributes.x.mae"]?.value == nil)
    #expect(metrics["attributes.x.mae.conditional"]?.value == 0)
  }

  @Test func `an angle goes the shorter way round, a sign may be changed`() throws {
    var rule = AttributeRule("x", kind: .angle)
    rule.label.isInDegrees = true
    rule.prediction.isInDegrees = true
    rule.prediction.columns = [.init(name: "y", isNegated: true)]
    let metrics = try measured(rule, [(["x": 170], ["y": 170]), (["x": 10], ["y": -30])])
    let error = try #require(metrics["attributes.x.angle"]?.value)
    #expect(abs(error - 20) < 1e-12)
    let bias = try #require(metrics["attributes.x.angle_bias"]?.value)
    #expect(abs(bias - 20) < 1e-9)
    let opposite = try measured(rule, [(["x": 0], ["y": -90]), (["x": 0], ["y": 90])])
    #expect(opposite["attributes.x.angle"]?.value == 90)
    #expect(
      opposite["attributes.x.angle_bias"]?.reason == "the differences have no mean direction")
  }

  private func yaws(_ name: String, _ change: (Double) -> Double) throws -> [String:
    Records.Measurement]
  {
    let samples = (0..<40).map { index -> Sample in
      let yaw = 0.1 * Double(index % 15 - 7)
      return ([name: yaw], [name: change(yaw)])
    }
    return try measured(AttributeRule(name), samples)
  }

  @Test func `an angle of 0 to 360 degrees is compared the shorter way round, in radians`() throws {
    let metrics = try yaws("headYaw") { yaw in
      let turned = yaw + 0.02
      return turned < 0 ? turned + 2 * .pi : turned
    }
    for name in ["mae", "rmse", "bias"] {
      let metric = try #require(metrics["attributes.headYaw.\(name)"])
      let value = try #require(metric.value)
      #expect(abs(value - 0.02) < 1e-9 && metric.unit == "rad", "\(name)")
      #expect(metrics["attributes.headYaw.\(name).conditional"]?.unit == "rad")
    }
    let correlation = try #require(metrics["attributes.headYaw.pcc"])
    #expect(abs((correlation.value ?? 0) - 1) < 1e-9 && correlation.unit == "1")
  }

  @Test func `angles in degrees and other numbers are compared as they are`() throws {
    let degrees = try measured(
      AttributeRule("yaw"),
      [3, 20, -40, 33].map { yaw -> Sample in (["yaw": yaw], ["yaw": yaw - 5]) })
    #expect(degrees["attributes.yaw.mae"]?.value == 5)
    #expect(degrees["attributes.yaw.mae"]?.unit == "1")
    let gross = try yaws("headYaw") { $0 + 30 }
    #expect(abs((gross["attributes.headYaw.mae"]?.value ?? 0) - 30) < 1e-9)
    let valence = try yaws("valence") { $0 + 4 }
    #expect(abs((valence["attributes.valence.mae"]?.value ?? 0) - 4) < 1e-9)
    #expect(valence["attributes.valence.mae"]?.unit == "1")
  }

  @Test func `angles of a head are compared by either of their names`() {
    let rules = AttributeRules(
      labels: ["yaw", "pitch", "headRoll", "age"], predictions: ["headYaw", "pitch", "roll"])
    #expect(rules.names == ["headRoll", "pitch", "yaw"])
    #expect(rules.columns(of: \.prediction) == ["roll", "pitch", "headYaw"])
    let same = AttributeRules(labels: ["yaw", "headYaw"], predictions: ["headYaw"])
    #expect(same.names == ["headYaw"])
  }

  @Test func `angles of runs that name them differently are compared`() throws {
    let rules = AttributeRules(labels: ["yaw"], predictions: ["yaw", "headYaw"])
    #expect(rules.names == ["yaw"] && rules.columns(of: \.prediction) == ["yaw", "headYaw"])
    for name in ["yaw", "headYaw"] {
      let samples: [Sample] = (0..<3).map { number in
        let angle = Double(number) / 4
        return (["yaw": angle], [name: angle])
      }
      let found = try measured(rules.rules[0], samples)
      #expect(found["attributes.yaw.found_share"]?.value == 1)
      #expect(found["attributes.yaw.mae"]?.value == 0)
    }
  }

  @Test(arguments: [(0.2, 0.0, "5"), (-1.0, 5.0, "-1")])
  func `numbers on another scale than their labels are noted`(
    factor: Double, shift: Double, scale: String
  ) throws {
    let samples: [Sample] = (0..<36).map { number in
      let label = Double(number % 6)
      return (["x": label], ["x": factor * label + shift])
    }
    let notes = try accumulate(AttributeRule("x"), samples).scaleNotes
    #expect(notes.count == 1 && notes[0].hasPrefix("Predictions of 'x' follow their labels"))
    #expect(notes[0].contains("\"scale\": \(scale)"))
  }

  @Test func `numbers that are only inaccurate are not noted`() throws {
    let samples: [Sample] = (0..<36).map { number in
      let label = Double(number % 6)
      return (["x": label], ["x": 0.7 * label + Double(number % 4) / 4])
    }
    #expect(try accumulate(AttributeRule("x"), samples).scaleNotes.isEmpty)
  }

  @Test func `shared names are compared as numbers, at most a hundred of them`() {
    let shared = AttributeRules(labels: ["b", "a", "c"], predictions: ["c", "d", "b", "b"])
    #expect(shared.names == ["b", "c"] && shared.areShared)
    let many = (0..<150).map { "n\($0)" }
    #expect(AttributeRules(labels: many, predictions: many).names.count == 100)
    #expect(AttributeRules(labels: [], predictions: many).names.isEmpty)
  }

  @Test(
    arguments: [
      ("[]", "'attributes' in f: expected a list of 1 to 100 rules, found an empty list"),
      ("[{}]", "'attributes[0]' in f: expected the key \"name\", found none"),
      (#"[{"name": "a", "as": "ratio"}]"#, "expected one of number, binary, angle, direction"),
      (#"[{"name": "a", "labels": "b"}]"#, "perhaps \"label\""),
      (#"[{"name": "a b"}]"#, "expected 1 to 60 letters"),
      (#"[{"name": "a"}, {"name": "a"}]"#, "found the name of attributes[0] again"),
      (
        #"[{"name": "a", "as": "binary"}]"#,
        "one of \"label_above\" and \"label_at_most\", found none"
      ),
      (
        #"[{"name": "a", "as": "binary", "label_above": 1, "label_at_most": 2}]"#,
        "\"label_at_most\", found both"
      ),
      (#"[{"name": "a", "label_above": 1}]"#, "expected no such key for kind \"number\", found 1"),
      (#"[{"name": "a", "as": "direction", "label": ["x"]}]"#, "expected a list of 2 to 3 names"),
      (
        #"[{"name": "a", "as": "direction"}]"#,
        "expected a list of names of attributes, for yaw and pitch"
      ),
      (
        #"[{"name": "a", "as": "angle", "label_unit": "turns"}]"#,
        "expected one of radians, degrees"
      ),
      (#"[{"name": "a", "scale": 0}]"#, "expected a number other than 0, found 0"),
      (#"[{"name": "a", "label": "-"}]"#, "expected the name of an attribute, found \"-\""),
      (#"[{"name": "a", "unknown": 9}]"#, "expected a list of numbers, found 9"),
    ])
  func `a file that cannot be understood is refused with its place`(list: String, words: String) {
    let json = #"{"schema": "facegauge.attributes", "version": 1, "attributes": \#(list)}"#
    let error = #expect(throws: FileError.self) {
      try AttributeRules(json: Array(json.utf8), source: "f")
    }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test func `a file sets names, signs, thresholds and units`() throws {
    let json = """
      {"schema": "facegauge.attributes", "version": 1, "attributes": [
        {"name": "AU12", "prediction": "AU12_r", "scale": 0.2, "unknown": [9]},
        {"name": "open", "as": "binary", "label": "eyes", "label_above": 0.5,
         "prediction": "blink", "prediction_at_most": 0.4},
        {"name": "gaze", "as": "direction", "label": ["yaw", "pitch"], "label_unit": "degrees",
         "prediction": ["-gx", "gy", "gz"]}]}
      """
    let rules = try AttributeRules(json: Array(json.utf8), source: "f").rules
    #expect(rules.map(\.name) == ["AU12", "open", "gaze"])
    #expect(rules[0].label.columns.map(\.name) == ["AU12"] && rules[0].scale == 0.2)
    #expect(rules[1].prediction.isAbove == false && rules[1].prediction.threshold == 0.4)
    #expect(rules[2].prediction.columns.map(\.isNegated) == [true, false, false])
    #expect(rules[2].label.isInDegrees && !rules[2].prediction.isInDegrees)
  }
}
