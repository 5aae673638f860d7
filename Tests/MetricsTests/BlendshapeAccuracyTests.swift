import FaceCore
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private let shapes = Blendshape.allCases

private func cases(_ number: Int) -> [LabelledFaceCase] {
  var stream = SplitMix64(seed: UInt64(6000 + number))
  let count = stream.below(30)
  let misses = stream.below(3) > 0
  let kinds = shapes.map { _ in stream.below(8) }
  return (0..<count).map { _ in
    let isMissed = stream.below(6) == 0 && misses
    let isNeutral = stream.below(4) == 0
    var (labelled, predicted): ([Float], [Float]) = ([], [])
    for kind in kinds {
      let a = stream.below(72)
      let b = stream.below(72)
      let hole = stream.below(12)
      let quiet = isNeutral ? a % 7 : a
      let g = Float(quiet) / 64
      labelled.append(kind == 0 ? 0.0625 : hole == 0 ? .nan : g)
      predicted.append(
        kind == 1
          ? 0.125
          : hole == 1 || kind == 2 ? .nan : kind == 3 ? g : Float(3 * quiet + b - 4) / 256)
    }
    var face = LabelledFaceCase(isFound: !isMissed)
    face.label.blendshapes = labelled
    face.face?.blendshapes = predicted
    return face
  }
}

private func accumulate(_ cases: [LabelledFaceCase]) throws -> BlendshapeAccuracy {
  var accuracy = BlendshapeAccuracy()
  for (frame, face) in cases.enumerated() {
    try accuracy.add(face.scored(frame))
  }
  return accuracy
}

/// One face per frame with the given coefficients, all others 0.
private func face(
  _ labelled: [Blendshape: Float], _ predicted: [Blendshape: Float]?
) -> LabelledFaceCase {
  func whole(_ values: [Blendshape: Float]) -> [Float] { shapes.map { values[$0] ?? 0 } }
  var face = LabelledFaceCase(isFound: predicted != nil)
  face.label.blendshapes = whole(labelled)
  face.face?.blendshapes = predicted.map(whole)
  return face
}

private func value(_ accuracy: BlendshapeAccuracy, _ name: String) -> Double? {
  accuracy.summarize().first { $0.name == "blendshapes.\(name)" }?.value
}

@Suite("Blendshapes against labels")
struct BlendshapeAccuracyTests {
  @Test(.tags(.oracle))
  func `all metrics of 120 random cases equal SciPy's, pingouin's and NumPy's`() throws {
    let oracle = try Oracles.read("blendshape_metrics", as: MetricCases.self)
    #expect(oracle.cases.count >= 100)
    for number in oracle.cases.indices {
      oracle.expect(try accumulate(cases(number)).summarize(), case: number)
    }
  }

  @Test(
    .tags(.oracle)
  )
  func `agreement of 200 random pairs of lists equals pingouin, SciPy and scikit-learn`() throws {
    let oracle = try Oracles.read("paired_agreement", as: MetricCases.self)
    var largest = 0.0
    for (number, expected) in oracle.cases.enumerated() {
      var stream = SplitMix64(seed: UInt64(5000 + number))
      let kind = stream.below(6)
      let count = 1 + stream.below(40)
      let step = [1, 8, 32][stream.below(3)]
      var (p, g): ([Double], [Double]) = ([], [])
      for _ in 0..<count {
        let a = Double(stream.below(72) / step * step) / 64
        let b = Double(stream.below(72) / step * step) / 64
        g.append(kind == 1 || kind == 3 ? 0.25 : a)
        p.append(kind == 2 || kind == 3 ? 0.5 : kind == 4 ? a : b)
      }
      let found = try #require(PairedAgreement(predicted: p, labelled: g))
      let values = [
        found.bias, found.meanAbsoluteError, found.rootMeanSquareError, found.correlation,
        found.concordance, found.intraclassCorrelation,
      ]
      for (value, expected) in zip(values, expected) {
        #expect(
          (value == nil) == (expected == nil), "case \(number): \(values), \(expected as Any)")
        largest = max(largest, abs((value ?? 0) - (expected ?? 0)))
      }
    }
    // pingouin gets the ICC from sums of squares of a data frame: other roundings, nothing else.
    #expect(largest <= 1e-9, "\(largest)")
    #expect(PairedAgreement(predicted: [], labelled: []) == nil)
    #expect(PairedAgreement(predicted: [1], labelled: []) == nil)
  }

  @Test func `any split merges to the same bits, the table included`() throws {
    var generator = SplitMix64(seed: 3)
    for number in 0..<40 {
      let faces = cases(number)
      let whole = try accumulate(faces)
      let merged = try BlendshapeAccuracy.inParts(
        Array(faces.enumerated()), using: &generator, empty: BlendshapeAccuracy()
      ) { part, item in
        try part.add(item.element.scored(item.offset))
      }
      #expect(merged == whole)
      #expect(merged.summarize() == whole.summarize())
      #expect(merged.channelTable() == whole.channelTable())
      #expect(merged.notes(SeriesContext()) == whole.notes(SeriesContext()))
    }
  }

  /// A channel that is stuck at 0 while the label runs from 0 to 1, and a perfect channel.
  @Test func `a stuck channel of the tracker counts as it is, with a concordance of 0`() throws {
    let accuracy = try accumulate([
      face([.jawOpen: 0, .cheekPuff: 0], [.jawOpen: 0]),
      face([.jawOpen: 1, .cheekPuff: 1], [.jawOpen: 1]),
    ])
    #expect(value(accuracy, "ccc") == 0.5)
    #expect(value(accuracy, "icc31") == 0.5)
    #expect(value(accuracy, "mae") == 0.25)
    let stuck = accuracy.measurements(inSlice: false).first {
      $0.slice == "coefficient=cheekPuff" && $0.name == "blendshapes.ccc"
    }
    #expect(stuck?.value == 0)
    #expect(
      accuracy.notes(SeriesContext()).contains { $0.hasPrefix("Stuck") && $0.contains("cheekPuff") }
    )
    let still = try accumulate([face([.jawOpen: 0], [:]), face([.jawOpen: 1], [:])])
    for name in ["blendshapes.pcc", "blendshapes.crosstalk"] {
      #expect(
        still.summarize().first { $0.name == name }?.reason
          == "every coefficient with live labels has a constant prediction")
    }
  }

  @Test func `dead labels are listed by name and no mean holds them; ARKit's 1.053 is not clamped`()
    throws
  {
    let accuracy = try accumulate([
      face([.jawOpen: 0.2, .noseSneerLeft: 1], [.jawOpen: 0.4, .cheekPuff: 1]),
      face([.jawOpen: 1.053, .noseSneerLeft: 0], [.jawOpen: 1.25, .cheekPuff: 0]),
    ])
    #expect(value(accuracy, "dead_channels") == 50)
    let error = try #require(value(accuracy, "mae"))
    // jawOpen, and noseSneerLeft, whose label varies while the prediction stands still.
    #expect(abs(error - ((0.2 + 0.197) / 2 + 0.5) / 2) < 1e-6)
    #expect(value(accuracy, "out_of_range") == 1.0 / 102)
    let notes = accuracy.notes(SeriesContext())
    #expect(notes.count == 3)
    #expect(notes[0].contains("cheekPuff") && notes[0].contains("browInnerUp"))
    #expect(!notes[0].contains("jawOpen") && !notes[0].contains("noseSneerLeft"))
    #expect(notes[1].contains("noseSneerLeft"))
    #expect(notes[2].contains("1.053"))
    let all = try accumulate([face([:], [:]), face([:], [:])]).summarize()
    #expect(
      all.first { $0.name == "blendshapes.mae" }?.reason
        == "all 51 coefficients have dead labels (variance < 1e-6)")
  }

  @Test func `crosstalk is 0 where each side follows its own label, 1 where they are swapped`()
    throws
  {
    let labels: [(Float, Float)] = [(0, 0), (1, 0), (0, 1), (0.5, 0.25), (1, 0.75)]
    func share(_ response: (Float, Float) -> (Float, Float)) throws -> Double? {
      let faces = labels.map { left, right in
        let (first, second) = response(left, right)
        return face(
          [.eyeBlinkLeft: left, .eyeBlinkRight: right],
          [.eyeBlinkLeft: first, .eyeBlinkRight: second])
      }
      return value(try accumulate(faces), "crosstalk")
    }
    #expect(try #require(try share { (0.5 * $0, $1) }) < 1e-9)
    #expect(try #require(try share { ($1, $0) }) > 1 - 1e-9)
    #expect(try abs(#require(try share { (($0 + $1) / 2, ($0 + $1) / 2) }) - 0.5) < 1e-9)
    let together = try accumulate(
      labels.map { face([.eyeBlinkLeft: $0.0, .eyeBlinkRight: $0.0], [.eyeBlinkLeft: $0.1]) })
    #expect(value(together, "crosstalk") == nil)
    #expect(SideCrosstalk.pairs.count == 18)
    #expect(!SideCrosstalk.pairs.contains { $0.left == .jawLeft || $0.left == .mouthLeft })
  }

  @Test func `a missed face leaves the errors undefined; those of found faces are given too`()
    throws
  {
    let accuracy = try accumulate([
      face([.jawOpen: 0], [.jawOpen: 0.5]), face([.jawOpen: 1], [.jawOpen: 1]),
      face([.jawOpen: 1], nil),
    ])
    #expect(value(accuracy, "mae") == nil)
    #expect(value(accuracy, "mae.conditional") == 0.25)
    #expect(value(accuracy, "found_share") == 2.0 / 3)
    #expect(
      accuracy.summarize().first { $0.name == "blendshapes.mae" }?.reason
        == "1 of 3 labelled faces have no such prediction; blendshapes.mae.conditional is of the others"
    )
    var twice = accuracy
    #expect(throws: MetricError.self) { try twice.merge(accuracy) }
  }

  @Test func `without labels, lists of another length or numbers, everything is undefined`() throws
  {
    var short = LabelledFaceCase(isFound: true)
    short.label.blendshapes = [1, 2]
    var empty = LabelledFaceCase(isFound: true)
    empty.label.blendshapes = Array(repeating: .nan, count: 52)
    let accuracy = try accumulate([short, empty, LabelledFaceCase(isFound: true)])
    #expect(!accuracy.isPresent)
    #expect(accuracy.summarize().allSatisfy { $0.value == nil && $0.reason != nil })
    #expect(accuracy.channelTable() == nil && accuracy.notes(SeriesContext()).isEmpty)
  }

  @Test func `infinite predictions are out of range and in no mean`() throws {
    let accuracy = try accumulate([
      face([.jawOpen: 0], [.jawOpen: 0.5]), face([.jawOpen: 1], [.jawOpen: 1]),
      face([.jawOpen: 1], [.jawOpen: .infinity]),
    ])
    #expect(value(accuracy, "mae") == 0.25)
    #expect(value(accuracy, "out_of_range") == 1.0 / 153)
  }
}
