import Calibration
import FaceCore
import Foundation
import Statistics
import TestSupport
import Testing

/// A jaw and eyelids that move at random: bumps of 0.15 to 0.4 s, in seconds from 0 on.
private struct Performance {
  private let bumps: [(shape: Blendshape, at: Double, width: Double, height: Double)]

  init(seconds: Double, seed: UInt64) {
    var stream = SplitMix64(seed: seed)
    var bumps: [(Blendshape, Double, Double, Double)] = []
    for (shape, rate) in [(Blendshape.jawOpen, 2.0), (.mouthSmileLeft, 0.5), (.browInnerUp, 0.7)] {
      for _ in 0..<Int(seconds * rate) {
        bumps.append(
          (
            shape, seconds * stream.share(), 0.15 + 0.25 * stream.share(),
            0.2 + 0.6 * stream.share()
          ))
      }
    }
    for _ in 0..<Int(seconds * 0.3) {
      let at = seconds * stream.share()
      for eye in [Blendshape.eyeBlinkLeft, .eyeBlinkRight] { bumps.append((eye, at, 0.15, 0.9)) }
    }
    self.bumps = bumps
  }

  func face(at second: Double) -> [Float] {
    var face = [Float](repeating: 0, count: 52)
    for bump in bumps where abs(second - bump.at) < 3 * bump.width {
      let distance = (second - bump.at) / bump.width
      face[bump.shape.index] += Float(bump.height * exp(-2 * distance * distance))
    }
    return face
  }

  func curve(
    from start: Double = 0, seconds: Double, rate: Double, gain: Float = 1, noise: Float = 0,
    clock: Double = 0, drift: Double = 0, seed: UInt64 = 1
  ) -> BlendshapeCurve {
    var stream = SplitMix64(seed: seed)
    var curve = BlendshapeCurve()
    for index in 0..<Int(seconds * rate) {
      let second = start + Double(index) / rate
      curve.add(
        face(at: second).map { gain * $0 + noise * Float(2 * stream.share() - 1) },
        at: second * (1 + drift) + clock)
    }
    return curve
  }
}

@Suite("The time offset of a recording")
struct TimeOffsetTests {
  @Test func `is found within 5 ms at rates of 24 to 60, with gain, noise and another start`()
    throws
  {
    var worst = 0.0
    for seed in 0..<12 {
      var stream = SplitMix64(seed: UInt64(seed))
      let performance = Performance(seconds: 40, seed: UInt64(seed))
      let clock = 20 * stream.share() - 10
      let recording = performance.curve(seconds: 40, rate: 60)
      let predictions = performance.curve(
        from: 6.1, seconds: 25, rate: [24, 25, 29.97, 60][seed % 4], gain: 0.6, noise: 0.02,
        clock: clock, seed: UInt64(seed + 50))
      let offset = try TimeOffset(of: recording, to: predictions)
      worst = max(worst, abs(offset.seconds - clock))
      #expect(2 * offset.agreeing >= offset.channels.count && offset.channels.count > 2)
      #expect(try #require(offset.correlation) > 0.8)
    }
    #expect(worst < 0.005, "\(worst)")
  }

  /// 0.1 % moves the ends of 100 s apart by 100 ms.
  @Test(arguments: [0.001, -0.002, 0])
  func `comes with the clock's rate where that is off`(rate: Double) throws {
    let performance = Performance(seconds: 100, seed: 21)
    let predictions = performance.curve(
      seconds: 100, rate: 29.97, gain: 0.6, noise: 0.02, clock: 1.2, drift: rate, seed: 4)
    let offset = try TimeOffset(
      of: performance.curve(seconds: 100, rate: 60), to: predictions, range: 4)
    let found = try #require(offset.rate)
    #expect(abs(found - rate) < 5e-5, "\(offset)")
    #expect((found == 0) == (rate == 0) && offset.rateStandardError ?? 1 < 5e-5)
    for second in [1.0, 50, 99] {
      let moment = offset.recordingTime(at: second * (1 + rate) + 1.2)
      #expect(abs(moment - second) < 0.005, "\(second): \(moment)")
    }
  }

  @Test func `is refused for two unrelated performances, in at least 59 of 60`() {
    var accepted = 0
    for seed in 0..<60 {
      let one = Performance(seconds: 30, seed: UInt64(1000 + seed))
      let other = Performance(seconds: 30, seed: UInt64(2000 + seed))
      let offset = try? TimeOffset(
        of: one.curve(seconds: 30, rate: 30), to: other.curve(seconds: 30, rate: 30), range: 10)
      if offset != nil { accepted += 1 }
    }
    #expect(accepted <= 1)
  }

  private func repeated(_ period: Double) -> BlendshapeCurve {
    var curve = BlendshapeCurve()
    for index in 0..<900 {
      var face = [Float](repeating: 0, count: 52)
      face[Blendshape.jawOpen.index] = Float(
        0.5 + 0.5 * sin(2 * .pi * Double(index) / 30 / period))
      curve.add(face, at: Double(index) / 30)
    }
    return curve
  }

  @Test func `is refused with the reason where nothing, too little, or the same again moves`() {
    let performance = Performance(seconds: 40, seed: 3)
    let whole = performance.curve(seconds: 40, rate: 30)
    var still = BlendshapeCurve()
    for index in 0..<900 { still.add([Float](repeating: 0.2, count: 52), at: Double(index) / 30) }
    let late = performance.curve(seconds: 30, rate: 30, clock: 40)
    let cases: [(BlendshapeCurve, BlendshapeCurve, Double, String)] = [
      (whole, still, 30, "no coefficient moves"),
      (whole, performance.curve(seconds: 4, rate: 30), 30, "expected 5 s or more of faces, found"),
      (BlendshapeCurve(), whole, 30, "found 0.0 s in the recording"),
      (repeated(2), repeated(2), 10, "two offsets fit"),
      (whole, late, 40.01, "at the end of the range"),
      (whole, late, 5, "no offset within 5.0 s leaves enough overlap"),
      (whole, whole, .nan, "expected a range of more than 0 s"),
    ]
    for (recording, predictions, range, reason) in cases {
      let error = #expect(throws: CalibrationError.self) {
        _ = try TimeOffset(of: recording, to: predictions, range: range)
      }
      #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }
  }

  @Test func `curves hold rising moments and give what lies between near neighbours`() {
    var curve = BlendshapeCurve()
    for (second, value) in [(0.0, 0.0), (1, 1), (1, 5), (.nan, 3), (3, 2)] {
      curve.add([Float](repeating: Float(value), count: 52), at: second)
    }
    curve.add([1], at: 9)
    #expect(curve.seconds == [0, 1, 3] && curve.duration == 3)
    #expect(curve.coefficients(at: 0.25, reach: 1)?[7] == 0.25)
    #expect(curve.coefficients(at: 3, reach: 1)?[7] == 2)
    #expect(
      curve.coefficients(at: 2, reach: 1) == nil && curve.coefficients(at: 2, reach: 2) != nil)
    #expect(curve.coefficients(at: -0.1, reach: 9) == nil)
    #expect(curve.coefficients(at: 3.1, reach: 9) == nil)
    #expect(BlendshapeCurve().coefficients(at: 0, reach: 1) == nil)
  }
}
