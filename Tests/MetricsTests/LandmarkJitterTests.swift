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

/// The expected spectra of the videos of each case; nil where no face is followed for long enough.
private struct SpectrumCases: Decodable, Sendable {
  struct Clip: Decodable, Sendable {
    var hertz: [Double]
    var smoothed: [Double]
    var unsmoothed: [Double]
  }
  var cases: [[Clip?]]
}

/// The lines of a series by the index of their sequence.
private func lines(_ name: String, _ series: [Series]) -> [Int: Series.Line] {
  guard case .curve(let curve)? = series.first(where: { $0.name == name })?.content else {
    return [:]
  }
  return Dictionary(
    uniqueKeysWithValues: curve.lines.map { (Int($0.label.dropFirst("sequence ".count)) ?? -1, $0) }
  )
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
      let measured = try #require(metrics["jitter.static"].flatMap { $0 })
      #expect(abs(measured / (2 * sigma) - 1) < 0.015)
      #expect(metrics["jitter.static.unsmoothed"] == 0.0)
      let second = try #require(metrics["jitter.second"].flatMap { $0 })
      #expect(abs(second / (12.0.squareRoot() * sigma) - 1) < 0.015)
      #expect(metrics["jitter.second.unsmoothed"] == 0.0)
    }
  }

  @Test func `the metrics rest on frames that a face goes on to`() throws {
    let jitter = try accumulate(clip(3, { $0 }, raw: { $0 }))
    #expect(Array(jitter.countedFrames) == [1, 2])
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
    let share = try #require(try values(accumulate(shots))["jitter.spectrum"].flatMap { $0 })
    // Hann's window leaks little beyond a bin or two, of 25 Hz / 249.
    #expect(hertz > 4 ? share > 0.999 : share < 0.001, "\(share)")
    for index in shots.indices { shots[index].frame.timestampMicroseconds *= 5 }
    let slow = try accumulate(shots).summarize().first { $0.name == "jitter.spectrum" }
    #expect(slow?.value == nil, "5 frames a second cannot hold 4 Hz")
    #expect(slow?.reason == "no face moves and is sampled evenly at over 8 Hz")
    for index in shots.indices { shots[index].frame.timestampMicroseconds /= 10 }
    let fast = try #require(try values(accumulate(shots))["jitter.spectrum"].flatMap { $0 })
    #expect(2 * hertz > 4 ? fast > 0.999 : fast < 0.001, "twice as fast: \(fast)")
  }

  @Test func `even motion has no second difference where frames were lost, and noise as much`()
    throws
  {
    func lossy(_ path: (Double) -> Double) -> [Shot] {
      var shots = clip(400, path, raw: path)
      // Frames 2, 5, 8 and so on are lost: steps of 40 and 80 ms.
      shots = shots.filter { $0.frame.index % 3 != 2 }
      for index in shots.indices {
        shots[index].frame.index = index
        shots[index].prediction.frame = index
      }
      return shots
    }
    let even = try #require(
      try values(accumulate(lossy { 3 * $0 }))["jitter.second"].flatMap { $0 })
    #expect(even < 1e-4)
    var stream = SplitMix64(seed: 5)
    let noise = (0..<400).map { _ in stream.between(-1, 1) }
    let some = try #require(
      try values(accumulate(lossy { noise[Int($0)] }))["jitter.second"].flatMap { $0 })
    // All points move along x alone, with a variance of 1/3, of which second differences have six times as much.
    #expect(abs(some - 2.0.squareRoot()) < 0.3)
  }

  @Test func `a clip that stops for long has no spectrum`() throws {
    var shots = clip(60, { 9 * sin($0) }, raw: { 9 * sin($0) })
    #expect(try values(accumulate(shots))["jitter.spectrum"] != .some(nil))
    for index in 30..<60 { shots[index].frame.timestampMicroseconds += Int64(1) << 60 }
    #expect(try values(accumulate(shots))["jitter.spectrum"] == .some(nil))
    for index in shots.indices { shots[index].frame.timestampMicroseconds = 7 }
    #expect(try values(accumulate(shots))["jitter.spectrum"] == .some(nil))
  }

  @Test(arguments: [0, 0.5, 1, 2.3, 6.8, -1.7])
  func `a known delay is found to a fiftieth of a frame`(frames: Double) throws {
    func path(_ time: Double) -> Double {
      30 * sin(time / 7) + 12 * sin(time / 4.1 + 1) + 20 * sin(time / 17 + 2)
    }
    let metrics = values(try accumulate(clip(150, { path($0 - frames) }, raw: path)))
    let lag = try #require(metrics["lag.ms"].flatMap { $0 })
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

  @Test(.tags(.oracle))
  func `the spectra of clips, and what smoothing removes, equal SciPy's`() throws {
    let oracle = try Oracles.read("clip_spectra", as: SpectrumCases.self)
    var compared = 0
    for (number, expected) in oracle.cases.enumerated() {
      let series = try accumulate(clips(number)).series(SeriesContext())
      let amplitudes = lines("jitter.clips.amplitude", series)
      let removed = lines("jitter.clips.removed", series)
      for (sequence, clip) in expected.enumerated() {
        guard let clip else {
          #expect(amplitudes[sequence] == nil, "case \(number)")
          continue
        }
        let line = try #require(amplitudes[sequence], "case \(number)")
        #expect(line.x.count == clip.hertz.count && line.y.count == clip.smoothed.count)
        // Both sum in double precision in their own order; the expected values have 13 digits.
        for (value, expected) in zip(line.x + line.y, clip.hertz + clip.smoothed) {
          #expect(abs(value - expected) <= 1e-9 * max(1, expected), "case \(number)")
        }
        guard let share = removed[sequence] else { continue }
        for (index, hertz) in clip.hertz.enumerated() where clip.unsmoothed[index] > 1e-3 {
          let at = try #require(share.x.firstIndex { abs($0 - hertz) < 1e-6 }, "case \(number)")
          let (after, before) = (clip.smoothed[index], clip.unsmoothed[index])
          let expected = (before - after) / max(before, after)
          #expect(abs(share.y[at] - expected) < 1e-6, "case \(number), \(hertz) Hz")
        }
        compared += 1
      }
    }
    #expect(compared >= 10)
  }

  @Test func `the clip that moves most above 4 Hz comes first, six are kept, and all are counted`()
    throws
  {
    var all = LandmarkJitter()
    var parts: [LandmarkJitter] = []
    for sequence in 0..<9 {
      // The seventh clip moves far and slowly, the others shake more from clip to clip.
      let path: (Double) -> Double = { time in
        sequence == 6 ? 40 * sin(time / 30) : Double(1 + sequence) * sin(time * 1.9)
      }
      var part = LandmarkJitter()
      var shots = clip(60, path, raw: { 2 * path($0) })
      for index in shots.indices {
        let frame = sequence * 60 + index
        shots[index].frame.index = frame
        shots[index].frame.sequence = sequence
        shots[index].prediction.frame = frame
      }
      for index in shots.indices {
        try part.add(index, of: shots)
        try all.add(index, of: shots)
      }
      part.condense(sequence * 60..<(sequence + 1) * 60)
      all.condense(sequence * 60..<(sequence + 1) * 60)
      parts.append(part)
    }
    var merged = LandmarkJitter()
    for part in parts.reversed() { try merged.merge(part) }
    #expect(merged == all)
    var context = SeriesContext()
    context.videoNames = [8: "the worst"]
    let series = all.series(context)
    #expect(series.map(\.name) == ["jitter.clips.amplitude", "jitter.clips.removed"])
    #expect(series[0].title == "Jitter spectrum, the worst 6 of 9 clips")
    guard case .curve(let curve) = series[0].content, case .curve(let removed) = series[1].content
    else {
      Issue.record("expected two curves")
      return
    }
    #expect(
      curve.lines.map(\.label) == ["the worst"] + [7, 5, 4, 3, 2].map { "sequence \($0)" })
    // 1.9 rad a frame at 25 frames a second is 7.56 Hz; a bin is 25 / 59 Hz wide.
    let worst = curve.lines[0]
    let peak = try #require(worst.y.indices.max { worst.y[$0] < worst.y[$1] })
    #expect(abs(worst.x[peak] - 1.9 * 25 / (2 * .pi)) < 25 / 59.0)
    // Half the amplitude everywhere: a half is removed.
    #expect(removed.lines.allSatisfy { $0.y.allSatisfy { abs($0 - 0.5) < 1e-3 } })
  }

  @Test func `nothing is said of smoothing where there is none or its input is not known`() throws {
    let same = try accumulate(clip(60, { sin($0) }, raw: { sin($0) }))
    #expect(same.series(SeriesContext()).map(\.name) == ["jitter.clips.amplitude"])
    let smoothed = try accumulate(clip(60, { sin($0) }, raw: { 2 * sin($0) }))
    var context = SeriesContext()
    context.facts = []
    #expect(smoothed.series(context).map(\.name) == ["jitter.clips.amplitude"])
    #expect(try accumulate(clip(29, { sin($0) }, raw: { sin($0) })).series(context).isEmpty)
  }
}
