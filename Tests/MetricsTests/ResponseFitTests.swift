import FaceCore
import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

/// The response of 20 cases as NumPy has it.
private struct ResponseCases: Decodable {
  struct Channel: Decodable {
    var numbers: [Double?]
    var rank: Int
    var calibrated: Double
  }
  struct Case: Decodable {
    var slopes: [[Double]]
    var channels: [Channel]
  }

  var cases: [Case]
}

private let moving: [Blendshape] = [.browInnerUp, .jawOpen, .mouthSmileLeft, .mouthSmileRight]
private let withoutIntervals = ClusterBootstrap(resamples: 0)

private func coefficients(_ values: [Double]) -> [Float] {
  var coefficients = [Float](repeating: 0.25, count: Blendshape.allCases.count)
  for (shape, value) in zip(moving, values) { coefficients[shape.index] = Float(value) }
  return coefficients
}

private func sample(
  _ labelled: [Double], _ predicted: [Double], _ degrees: SIMD3<Double>? = nil
) -> ResponseSums.Sample {
  ResponseSums.Sample(
    labelled: coefficients(labelled), predicted: coefficients(predicted), degrees: degrees)
}

/// The faces of a case of Tests/Oracles/response_fit.py.
private func sums(ofCase number: Int) -> ResponseSums {
  var stream = SplitMix64(seed: UInt64(9100 + number))
  var sums = ResponseSums()
  func next() -> Double { Double(stream.below(64)) / 64 }
  for person in 0..<3 + stream.below(3) {
    let shift = Double(stream.below(16)) / 64
    for _ in 0..<60 + stream.below(20) {
      let g = (0..<4).map { _ in next() }
      let e = (0..<4).map { _ in next() }
      let predicted = [
        g[0] / 2 + shift + e[0] / 8, g[1] * g[1] + e[1] / 16, g[3] / 4 + e[2] / 8,
        g[2] / 2 + g[0] / 4 + shift / 2 + e[3] / 16,
      ]
      sums.add(sample(g, predicted), cluster: person)
    }
  }
  sums.finish()
  return sums
}

@Suite("How predicted coefficients respond to labelled ones")
struct ResponseFitTests {
  /// Shapes of curves are stepped along by the oracle in 2,000,000 steps of the label's range.
  @Test(.tags(.oracle)) func `the response of 20 random cases equals NumPy's least squares`() throws
  {
    let oracle = try Oracles.read("response_fit", as: ResponseCases.self)
    #expect(oracle.cases.count == 20)
    let quantities: [ResponseFit.Quantity] = [
      .gain, .offset, .wholeGain, .nonlinearity, .deadZone, .saturation, .ownShare, .rmsError,
    ]
    for (number, expected) in oracle.cases.enumerated() {
      let fit = try #require(try ResponseFit(sums(ofCase: number), bootstrap: withoutIntervals))
      #expect(fit.channels.map(\.coefficient) == moving && fit.inputs == moving)
      for (row, shape) in moving.enumerated() {
        let output = try #require(fit.outputs.firstIndex(of: shape))
        for (found, wanted) in zip(fit.slopes[output], expected.slopes[row]) {
          #expect(abs(found - wanted) < 1e-9)
        }
        let (channel, wanted) = (fit.channels[row], expected.channels[row])
        for (quantity, number) in zip(quantities, wanted.numbers) {
          let value = channel[quantity].value
          #expect((value == nil) == (number == nil), "\(quantity)")
          let isStepped = quantity == .deadZone || quantity == .saturation
          #expect(abs((value ?? 0) - (number ?? 0)) < (isStepped ? 1e-6 : 1e-9), "\(quantity)")
        }
        #expect(channel.ownRank == wanted.rank)
        #expect(abs((channel.calibratedError ?? -1) - wanted.calibrated) < 1e-9)
      }
      #expect(fit.leftOut.count == 47)
    }
  }

  /// A tracker of gain .5, one that exchanges the sides and lets the jaw through by .2, and a dead channel.
  private static func planted(_ generator: inout SplitMix64) -> ResponseSums {
    var sums = ResponseSums()
    func uniform(_ range: ClosedRange<Double>) -> Double {
      Double.random(in: range, using: &generator)
    }
    for person in 0..<12 {
      let (habit, own, shift) = (uniform(-0.1...0.1), uniform(-0.1...0.1), uniform(-0.1...0.1))
      for _ in 0..<40 {
        let g = (0..<4).map { _ in uniform(0...1) }
        func error() -> Double { uniform(-0.1...0.1) }
        let predicted = [
          0, 0.1 + shift + (0.5 + habit) * g[1] + error(), (1 + own) * g[3] + 0.2 * g[1] + error(),
          g[2] + error(),
        ]
        sums.add(sample(g, predicted), cluster: person)
      }
    }
    sums.finish()
    return sums
  }

  /// 95 % of the intervals should hold what was planted; of few repetitions three quarters do but for a chance of 1 in 1,000.
  @Test func `a planted gain, crosstalk and exchange lie in their intervals`() throws {
    let repetitions =
      ProcessInfo.processInfo.environment["FACEGAUGE_REPETITIONS"].flatMap(Int.init) ?? 20
    var held = [0, 0, 0, 0, 0]
    for repetition in 0..<repetitions {
      var generator = SplitMix64(seed: 78, draw: repetition)
      let fit = try #require(
        try ResponseFit(
          Self.planted(&generator), bootstrap: ClusterBootstrap(resamples: 200, seed: 1)))
      let smile = try #require(fit.outputs.firstIndex(of: .mouthSmileLeft))
      let found: [(Interval, Double)] = [
        (fit.channels[1][.gain].interval, 0.5), (fit.channels[1][.offset].interval, 0.1),
        (fit.intervals[smile][1], 0.2), (fit.intervals[smile][3], 1),
        (fit.channels[2][.gain].interval, 0),
      ]
      for (index, (interval, planted)) in found.enumerated() {
        let (low, high) = (try #require(interval.low), try #require(interval.high))
        if low <= planted, planted <= high { held[index] += 1 }
      }
      let dead = fit.channels[0]
      #expect(dead[.gain].value == 0 && dead[.offset].value == 0 && dead.calibration == nil)
      #expect(dead[.nonlinearity].value == nil && dead[.ownShare].value == 0)
      let exchanged = fit.channels[2]
      #expect(exchanged.ownRank == 3 || exchanged.ownRank == 2 || exchanged.ownRank == 4)
      #expect(exchanged.other?.coefficient == .mouthSmileRight)
      #expect(fit.channels[1].ownRank == 1)
      // A straight line leaves the error of the tracker, and what people differ by.
      let jaw = fit.channels[1]
      let calibrated = try #require(jaw.calibratedError)
      #expect(try #require(jaw[.rmsError].value) > calibrated)
    }
    let share = held.map { Double($0) / Double(repetitions) }
    #expect(share.allSatisfy { $0 >= (repetitions < 100 ? 0.75 : 0.9) }, "\(share)")
    print("planted responses held by \(share) of \(repetitions) intervals")
  }

  @Test func `labels that move together have one column, and the note names both`() throws {
    var sums = ResponseSums()
    for index in 0..<60 {
      let (a, b) = (Double(index % 5) / 4, Double(index % 3) / 2)
      sums.add(sample([a, b, a / 2, 0.25], [a, b, a, 0]), cluster: index / 20)
    }
    sums.finish()
    let fit = try #require(try ResponseFit(sums, bootstrap: withoutIntervals))
    #expect(fit.inputs == [.browInnerUp, .jawOpen])
    #expect(fit.together.map(\.label) == [.browInnerUp])
    #expect(fit.together.map(\.others) == [[.mouthSmileLeft]])
    let reason = try #require(fit.leftOut.first { $0.coefficient == .mouthSmileLeft }?.reason)
    #expect(reason == "its label moves with browInnerUp")
  }

  @Test func `what the head does to a coefficient is a column of its own`() throws {
    var sums = ResponseSums()
    var generator = SplitMix64(seed: 5, draw: 0)
    for index in 0..<200 {
      let label = Double.random(in: 0...1, using: &generator)
      let yaw = Double.random(in: -30...30, using: &generator)
      sums.add(
        sample([label, 0, 0, 0], [label + yaw / 100, 0, 0, 0], SIMD3(yaw, 0, 0)),
        cluster: index / 50)
    }
    sums.finish()
    let fit = try #require(try ResponseFit(sums, bootstrap: withoutIntervals))
    #expect(fit.angles == [.yaw, .yawEitherWay])
    let row = try #require(fit.outputs.firstIndex(of: .browInnerUp))
    #expect(abs(fit.slopes[row][0] - 1) < 1e-6 && abs(fit.slopes[row][1] - 0.1) < 1e-6)
  }

  @Test
  func
    `a coefficient that one face lacks is left out, and faces of nobody known are compared last`()
    throws
  {
    var sums = ResponseSums()
    for index in 0..<40 {
      var one = sample([Double(index % 5) / 4, Double(index % 3) / 2, 0, 0], [0.5, 0.5, 0, 0])
      if index == 7 { one.predicted[Blendshape.jawOpen.index] = .nan }
      sums.add(one, cluster: index, isLoose: true)
    }
    #expect(sums.isLoose)
    let fit = try #require(try ResponseFit(sums, bootstrap: withoutIntervals))
    #expect(fit.channels.map(\.coefficient) == [.browInnerUp] && fit.faces == 40)
    let reason = fit.leftOut.first { $0.coefficient == .jawOpen }?.reason
    #expect(reason == "not predicted in 1 face")
    for _ in 0..<3 { sums.add(sample([0, 0, 0, 0], [0, 0, 0, 0]), cluster: 99) }
    sums.finish()
    #expect(!sums.isLoose && sums.looseCount == 40)
    #expect(
      try ResponseFit(sums, bootstrap: withoutIntervals) == nil, "no label moves within the person")
    #expect(try ResponseFit(ResponseSums(), bootstrap: withoutIntervals) == nil)
  }

  /// Of a delay of five frames, by labels in all frames of the clip that `isLabelled` names.
  private func delay(inFrames isLabelled: (Int) -> Bool) throws -> ResponseDelay {
    var generator = SplitMix64(seed: 9, draw: 1)
    var (level, signal): (Double, [Double]) = (0.5, [])
    for _ in 0..<600 {
      level = 0.85 * level + 0.15 * Double.random(in: 0...1, using: &generator)
      signal.append(level)
    }
    var signals = ResponseSignals()
    for frame in 10..<600 where isLabelled(frame) {
      signals.add(
        frame, labelled: coefficients([0, signal[frame], 0, 0]),
        predicted: coefficients([0, signal[frame - 5] / 2, 0, 0]),
        microseconds: Int64(frame) * 40_000)
    }
    return try #require(signals.delays[Blendshape.jawOpen.index - 1])
  }

  /// The neighbours of the peak rest on other frames than it, so that it is found to less than half a frame alone.
  @Test func `frames without labels between others do not make a delay shorter`() throws {
    let gapped = try delay { $0 % 5 > 0 }
    #expect(abs(gapped.frames - 5) < 0.5, "\(gapped.frames)")
    #expect(try abs(#require(gapped.milliseconds) - 40 * gapped.frames) < 1e-9)
    let sparse = try delay { $0 % 5 == 0 }
    #expect(abs(sparse.frames - 5) < 0.5, "\(sparse.frames)")
    #expect(try abs(#require(sparse.milliseconds) - 40 * sparse.frames) < 1e-9)
  }

  @Test(arguments: [0, 3, -2]) func `a planted delay of a clip is found to a tenth of a frame`(
    _ delay: Int
  ) throws {
    var generator = SplitMix64(seed: 9, draw: 0)
    var (level, signal): (Double, [Double]) = (0.5, [])
    for _ in 0..<140 {
      level = 0.85 * level + 0.15 * Double.random(in: 0...1, using: &generator)
      signal.append(level)
    }
    var signals = ResponseSignals()
    for frame in 10..<130 {
      let predicted = coefficients([0.4, signal[frame - delay] / 2, 0, 0])
      signals.add(
        frame, labelled: coefficients([Double(frame % 2), signal[frame], 0, 0]),
        predicted: frame == 50 ? nil : predicted, microseconds: Int64(frame) * 40_000)
    }
    let delays = signals.delays
    let jaw = try #require(delays[Blendshape.jawOpen.index - 1])
    #expect(abs(jaw.frames - Double(delay)) < 0.1, "\(jaw.frames)")
    #expect(try abs(#require(jaw.milliseconds) - 40 * jaw.frames) < 1e-9)
    #expect(delays[Blendshape.browInnerUp.index - 1] == nil, "a prediction at rest has no delay")
  }
}
