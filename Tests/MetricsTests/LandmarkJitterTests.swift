import FaceCore
import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

/// A frame with the prediction of it; nil was not analysed.
private struct Shot {
  var frame: Frame
  var isVideo: Bool
  var prediction: FramePrediction
}

private func onGrid(_ value: Double) -> Double { (value * 64).rounded(.down) / 64 }

private func sequence(_ stream: inout SplitMix64, index: Int, first: Int) -> [Shot] {
  let isVideo = stream.below(6) > 0
  let length = [0, 1, 12, 40, 70, 70][stream.below(6)]
  let amplitude = Double([0, 1, 8, 30][stream.below(4)])
  let noise = stream.below(3)
  let period = 20 + stream.below(40)
  let weight = Double([64, 40, 12, 3][stream.below(4)]) / 64
  func point(_ stream: inout SplitMix64, _ reach: Int) -> Point {
    let x = stream.between(-reach, reach)
    return Point(x: x, y: stream.between(-reach, reach))
  }
  let shapes = (0..<(1 + stream.below(2))).map { _ in (0..<68).map { _ in point(&stream, 60) } }
  var smoothed: [[Point]?] = [nil, nil]
  var jumps = [0, 0]
  var time: Int64 = 0
  return (0..<length).map { offset in
    let isAnalysed = stream.below(60) > 0
    time += 33_000 + Int64(stream.below(700))
    var faces: [FacePrediction] = []
    for (face, shape) in shapes.enumerated() {
      if stream.below(120) == 0 {
        jumps[face] += 1
        smoothed[face] = nil
      }
      let phase = Double(offset % period)
      let swing = amplitude * (4 * abs(phase / Double(period) - 0.5) - 1)
      let centerX = Double(200 + 700 * face) + swing
      let centerY = 300.0 + Double(400 * (jumps[face] % 2))
      var raw = shape.map { Point(x: $0.x + centerX, y: $0.y + centerY) }
      if noise > 0 {
        raw = raw.map { exact in
          let by = point(&stream, noise)
          return Point(x: exact.x + by.x, y: exact.y + by.y)
        }
      }
      raw = raw.map { Point(x: onGrid($0.x), y: onGrid($0.y)) }
      let smooth = smoothed[face].map { before in
        zip(before, raw).map { before, raw in
          Point(
            x: onGrid(before.x + weight * (raw.x - before.x)),
            y: onGrid(before.y + weight * (raw.y - before.y)))
        }
      }
      smoothed[face] = smooth ?? raw
      faces.append(
        FacePrediction(scheme: .ibug68, points: smooth ?? raw, unsmoothed: raw))
    }
    if stream.below(4) == 0 { faces.reverse() }
    let frame = first + offset
    return Shot(
      frame: Frame(frame, sequence: index, at: time), isVideo: isVideo,
      prediction: isAnalysed
        ? FramePrediction(frame, faces: faces)
        : FramePrediction(frame: frame, notAnalysed: .dropped))
  }
}

private func clips(_ number: Int) -> [Shot] {
  var stream = SplitMix64(seed: UInt64(3000 + number))
  var shots: [Shot] = []
  for index in 0..<stream.below(4) {
    shots += sequence(&stream, index: index, first: shots.count)
  }
  return shots
}

extension LandmarkJitter {
  fileprivate mutating func add(_ index: Int, of shots: [Shot]) throws {
    let shot = shots[index]
    let before = shots[..<index].suffix(2).map { earlier in
      earlier.frame.sequence == shot.frame.sequence ? earlier.prediction : nil
    }
    try add(
      shot.frame, isVideo: shot.isVideo, prediction: shot.prediction,
      previous: before.last ?? nil, beforePrevious: before.count == 2 ? before[0] : nil)
  }
}

private func accumulate(_ shots: [Shot]) throws -> LandmarkJitter {
  var jitter = LandmarkJitter()
  for index in shots.indices { try jitter.add(index, of: shots) }
  return jitter
}

/// One face at 25 frames a second whose points all follow the same paths.
private func clip(_ frames: Int, _ smooth: (Double) -> Double, raw: (Double) -> Double) -> [Shot] {
  (0..<frames).map { frame in
    func points(_ x: Double) -> [Point] {
      (0..<478).map { Point(x: x + Double($0 % 22) * 8, y: Double($0 / 22) * 8) }
    }
    let face = FacePrediction(
      scheme: .mediapipe478, points: points(smooth(Double(frame))),
      unsmoothed: points(raw(Double(frame))))
    return Shot(
      frame: Frame(frame, at: Int64(frame) * 40_000), isVideo: true,
      prediction: FramePrediction(frame, faces: [face]))
  }
}

private func values(_ jitter: LandmarkJitter) -> [String: Double?] {
  Dictionary(uniqueKeysWithValues: jitter.summarize().map { ($0.name, $0.value) })
}

@Suite("Jitter and lag")
struct LandmarkJitterTests {
  @Test(.tags(.oracle))
  func `all metrics of 120 random cases equal NumPy's and SciPy's`() throws {
    let oracle = try Oracles.read("jitter_lag", as: MetricCases.self)
    #expect(oracle.cases.count >= 100)
    for number in oracle.cases.indices {
      oracle.expect(try accumulate(clips(number)).summarize(), case: number)
    }
  }

  @Test func `any split merges to the same bits`() throws {
    var generator = SplitMix64(seed: 13)
    for number in 0..<40 {
      let shots = clips(number)
      let whole = try accumulate(shots)
      var parts = [LandmarkJitter](repeating: LandmarkJitter(), count: 3)
      for index in shots.indices.shuffled(using: &generator) {
        try parts[Int.random(in: 0..<3, using: &generator)].add(index, of: shots)
      }
      var merged = LandmarkJitter()
      for part in parts.shuffled(using: &generator) { try merged.merge(part) }
      #expect(merged == whole)
      #expect(merged.summarize() == whole.summarize())
    }
  }

  @Test
  func
    `white noise of σ on each axis of a still face gives 2σ, and √12·σ in the second difference`()
    throws
  {
    var generator = SplitMix64(seed: 21)
    func normal() -> Double {
      let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &generator))).squareRoot()
      return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
    }
    let still = clip(200, { _ in 0 }, raw: { _ in 0 })
    for sigma in [0.1, 0.5, 2] {
      let shots = still.map { shot in
        var shot = shot
        for point in shot.prediction.faces[0].points.indices {
          shot.prediction.faces[0].points[point].x += Float(sigma * normal())
          shot.prediction.faces[0].points[point].y += Float(sigma * normal())
        }
        return shot
      }
      let metrics = values(try accumulate(shots))
      // 200 · 478 · 2 draws: the relative standard error is near 0.3 %.
      let measured = try #require(metrics["jitter.static"] ?? nil)
      #expect(abs(measured / (2 * sigma) - 1) < 0.015)
      #expect(metrics["jitter.static.unsmoothed"] == 0.0)
      let second = try #require(metrics["jitter.second"] ?? nil)
      #expect(abs(second / (12.0.squareRoot() * sigma) - 1) < 0.015)
      #expect(metrics["jitter.second.unsmoothed"] == 0.0)
    }
  }

  @Test func `even motion has no second difference`() throws {
    let metrics = values(try accumulate(clip(40, { 3 * $0 }, raw: { 2 * $0 })))
    #expect(metrics["jitter.static"] == 3.0 && metrics["jitter.second"] == 0.0)
    #expect(metrics["jitter.second.unsmoothed"] == 0.0)
    #expect(metrics["jitter.spectrum"] == .some(nil), "the displacement is constant")
  }

  @Test(arguments: [1, 3, 6, 11])
  func `the spectrum knows fast motion from slow, by the timestamps`(hertz: Double) throws {
    var shots = clip(250, { 20 * sin(2 * .pi * hertz * $0 / 25) }, raw: { 2 * $0 + sin($0) })
    let share = try #require(values(try accumulate(shots))["jitter.spectrum"] ?? nil)
    // Hann's window leaks little beyond a bin or two, of 25 Hz / 249.
    #expect(hertz > 4 ? share > 0.999 : share < 0.001, "\(share)")
    for index in shots.indices { shots[index].frame.timestampMicroseconds *= 5 }
    let slow = try accumulate(shots).summarize().first { $0.name == "jitter.spectrum" }
    #expect(slow?.value == nil, "5 frames a second cannot hold 4 Hz")
    #expect(slow?.reason == "no face moves and is sampled evenly at over 8 Hz")
    for index in shots.indices { shots[index].frame.timestampMicroseconds /= 10 }
    let fast = try #require(values(try accumulate(shots))["jitter.spectrum"] ?? nil)
    #expect(2 * hertz > 4 ? fast > 0.999 : fast < 0.001, "twice as fast: \(fast)")
  }

  @Test func `a clip that stops for long has no spectrum`() throws {
    var shots = clip(60, { 9 * sin($0) }, raw: { 9 * sin($0) })
    #expect(values(try accumulate(shots))["jitter.spectrum"] != .some(nil))
    for index in 30..<60 { shots[index].frame.timestampMicroseconds += Int64(1) << 60 }
    #expect(values(try accumulate(shots))["jitter.spectrum"] == .some(nil))
    for index in shots.indices { shots[index].frame.timestampMicroseconds = 7 }
    #expect(values(try accumulate(shots))["jitter.spectrum"] == .some(nil))
  }

  @Test(arguments: [0, 0.5, 1, 2.3, 6.8, -1.7])
  func `a known delay is found to a fiftieth of a frame`(frames: Double) throws {
    func path(_ time: Double) -> Double {
      30 * sin(time / 7) + 12 * sin(time / 4.1 + 1) + 20 * sin(time / 17 + 2)
    }
    let metrics = values(try accumulate(clip(150, { path($0 - frames) }, raw: path)))
    let lag = try #require(metrics["lag.ms"] ?? nil)
    // The parabola is an approximation to the correlation's peak.
    #expect(abs(lag - frames * 40) < 0.8, "\(lag) ms")
  }

  @Test
  func `lag is undefined, with a reason, for a still face, a short clip and a delay out of range`()
    throws
  {
    func path(_ time: Double) -> Double { 30 * sin(time / 7) + 20 * sin(time / 17 + 2) }
    let cases = [
      (clip(80, { _ in 3 }, raw: { _ in 0 }), "no face moves"),
      (clip(29, path, raw: path), "no face of a video sequence is followed"),
      (clip(120, { path($0 - 17) }, raw: path), "no correlation has its peak"),
      (clip(80, { _ in 0 }, raw: path), "no correlation has its peak"),
    ]
    for (shots, reason) in cases {
      let lag = try #require(try accumulate(shots).summarize().last)
      #expect(lag.name == "lag.ms" && lag.value == nil)
      #expect(lag.reason?.hasPrefix(reason) == true, "\(lag.reason as Any)")
    }
  }

  @Test func `stills, single frames and points that are not finite leave the metrics undefined`()
    throws
  {
    var stills = clip(40, { $0 }, raw: { $0 })
    for index in stills.indices { stills[index].isVideo = false }
    var broken = clip(2, { $0 }, raw: { $0 })
    broken[1].prediction.faces[0].unsmoothedPoints[5].x = .infinity
    for shots in [stills, broken, clip(1, { $0 }, raw: { $0 })] {
      #expect(try accumulate(shots).summarize().allSatisfy { $0.value == nil && $0.reason != nil })
    }
    var jitter = try accumulate(clip(1, { $0 }, raw: { $0 }))
    let copy = jitter
    #expect(throws: MetricError.self) { try jitter.merge(copy) }
    #expect(throws: MetricError.self) { try jitter.add(0, of: clip(1, { $0 }, raw: { $0 })) }
  }
}
