import Checking
import FaceCore
import Foundation
import Records
import Statistics
import TestSupport
import Testing

/// Where a face is at a time, in units of its size, and how its mouth and head move; none of it repeats.
private struct Motion {
  var phase: Double

  func place(_ time: Double) -> Point {
    let x = 0.5 * sin(time / 11 + phase) + 0.2 * sin(time / 4.3 + 2 * phase) + 0.3 * sin(time / 29)
    return Point(x: x, y: 0.3 * sin(time / 7 + 3 * phase) + 0.2 * sin(time / 23 + phase))
  }

  func smile(_ time: Double) -> Double { 0.5 + 0.3 * place(time).x + 0.2 * sin(time / 5.3 + phase) }
  func yaw(_ time: Double) -> Double { 0.4 * place(1.1 * time + 40).y + 0.2 * place(time).x }
}

/// What both sides have.
private enum Kind: CaseIterable {
  case boxes, coefficients, poses, several
}

/// How a tracker differs from the labels.
private struct Tracker {
  var noise = 0.0
  var bias = 0.0
  var missed = 0.0
  var lag = 0.0
  /// Weight of the newest frame in an exponential mean.
  var weight = 1.0
  /// What all that it answers is multiplied by.
  var gain = 1.0
}

/// Frames of videos with what is labelled and predicted; `when` gives for each frame the one that is predicted in it.
private func sample(
  _ kind: Kind = .boxes, frames: Int = 120, videos: Int = 1, quiet: Int = 0, still: Bool = false,
  isVideo: Bool = true, tracker: Tracker = Tracker(), seed: UInt64 = 1,
  spacing: Int = 1, motion: ((Double) -> Point)? = nil,
  when: (_ video: Int, _ frame: Int) -> Double?
) -> JoinedSample {
  var generator = SplitMix64(seed: seed)
  func noise() -> Double {
    let sum = (0..<12).reduce(0.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
    return tracker.noise * (sum - 6)
  }
  var joined: [JoinedFrame] = []
  for video in 0..<videos {
    let people = kind == .several ? 3 : 1
    let motions = (0..<people).map { Motion(phase: Double(video) + 1.7 * Double($0)) }
    var means: [Int: [Double]] = [:]
    for frame in 0..<frames {
      var labels: [FaceLabel] = []
      var faces: [FacePrediction] = []
      for (person, own) in motions.enumerated() {
        func state(_ time: Double) -> [Double] {
          var place = still ? Point(x: 0, y: 0) : motion?(time) ?? own.place(time)
          if video >= videos - quiet { place = Point(x: 0.15 * place.x, y: 0.15 * place.y) }
          return [place.x, place.y, still ? 0.5 : own.smile(time), still ? 0 : own.yaw(time)]
        }
        let truth = state(Double(frame))
        labels.append(label(truth, kind, person))
        guard let time = when(video, frame) else { continue }
        let now = state(time - tracker.lag)
        let mean = means[person].map { zip($0, now).map { $0 + tracker.weight * ($1 - $0) } } ?? now
        means[person] = mean
        guard Double.random(in: 0..<1, using: &generator) >= tracker.missed else { continue }
        faces.append(
          face(
            mean.map { tracker.gain * $0 + tracker.bias + noise() }, kind, person))
      }
      let index = video * frames + frame
      var prediction = FramePrediction(
        frame: index, size: ImageSize(width: 2000, height: 900), stageNanoseconds: [nil],
        detections: [], candidates: [])
      prediction.faces = faces
      joined.append(
        JoinedFrame(
          frame: Frame(
            index: index, name: "video\(video)/\(frame * spacing)", sequence: video,
            timestampMicroseconds: Int64(frame * spacing) * 40_000,
            size: ImageSize(width: 2000, height: 900)),
          isVideo: isVideo, labels: labels, prediction: prediction))
    }
  }
  return JoinedSample(frames: joined, isWhole: true, format: "x", scheme: nil, hasScores: true)
}

private func box(_ state: [Double], _ person: Int) -> BoundingBox {
  BoundingBox(
    x: 200 + 500 * Double(person) + 100 * state[0], y: 300 + 100 * state[1], width: 100, height: 100
  )
}

private func pose(_ yaw: Double) -> HeadPose {
  let (cosine, sine) = (Float(cos(yaw)), Float(sin(yaw)))
  return HeadPose(
    matrix: SIMD16(cosine, 0, sine, 0, 0, 1, 0, 0, -sine, 0, cosine, -50, 0, 0, 0, 1))
}

private func blendshapes(_ state: [Double]) -> [Float] {
  (0..<52).map { $0 == 3 ? Float(state[2]) : $0 == 7 ? Float(1 - state[2]) / 2 : 0 }
}

private func label(_ state: [Double], _ kind: Kind, _ person: Int) -> FaceLabel {
  let hasBox = kind == .boxes || kind == .several
  var label = FaceLabel(
    box: hasBox ? box(state, person) : BoundingBox(x: 0, y: 0, width: 0, height: 0),
    identity: kind == .several ? person : nil)
  if kind == .coefficients { label.blendshapes = blendshapes(state) }
  if kind == .poses { label.pose = pose(state[3]) }
  return label
}

private func face(_ state: [Double], _ kind: Kind, _ person: Int) -> FacePrediction {
  FacePrediction(
    region: nil, isTracked: false, detectionScore: nil, presence: nil, scheme: nil, points: [],
    ownBox: kind == .boxes || kind == .several ? box(state, person) : nil,
    blendshapes: kind == .coefficients ? blendshapes(state) : nil,
    pose: kind == .poses ? pose(state[3]) : nil)
}

/// The frame that stands `shift` later; nil where the video has none.
private func late(_ shift: Int, _ frame: Int, of frames: Int = 120) -> Double? {
  (0..<frames).contains(frame - shift) ? Double(frame - shift) : nil
}

private func again(_ shift: Int) -> String {
  "Import the predictions again with --offset \(-shift)f."
}

@Suite("Findings about time")
struct TimeShiftCheckTests {
  @Test(arguments: [0, 4]) func `a shift is found by labels of every third frame`(shift: Int) {
    let frames = sample(frames: 240) { late(shift, $1, of: 240) }.frames.map { whole in
      whole.frame.index % 3 == 0
        ? whole
        : JoinedFrame(
          frame: whole.frame, isVideo: true, labels: [], prediction: whole.prediction,
          ignored: [FaceLabel.unlabelled(whole.frame.size)])
    }
    let found = TimeShiftCheck.findings(
      in: JoinedSample(frames: frames, isWhole: true, format: "x", scheme: nil, hasScores: true))
    #expect(found.map(\.name) == (shift == 0 ? [] : ["time.shift"]))
    #expect(shift == 0 || found.first?.remedy?.contains("--offset -4f") == true)
  }

  @Test(arguments: Kind.allCases, [2, 3, 5, 12, -4])
  fileprivate func `a shift is found, with the offset that repairs it`(kind: Kind, shift: Int)
    throws
  {
    for seed in 1...5 as ClosedRange<UInt64> {
      let tracker = Tracker(noise: 0.01, bias: 0.02, missed: 0.05, lag: seed % 2 == 0 ? 0.4 : 0)
      let found = TimeShiftCheck.findings(
        in: sample(kind, tracker: tracker, seed: seed) { late(shift, $1) })
      let finding = try #require(found.first, "\(kind) \(shift)")
      #expect(found.count == 1 && finding.name == "time.shift" && finding.severity == .suspect)
      #expect(finding.remedy?.hasPrefix(again(shift)) == true)
      #expect((finding.remedy?.contains("--accept time.shift") == true) == (shift > 0))
      let (before, after) = (try #require(finding.before), try #require(finding.after))
      #expect(after < before * 2 / 3 && finding.n >= 30)
      #expect(finding.frames.count == 5)
      #expect(
        finding.summary.hasPrefix(
          "Predictions come \(abs(shift)) frames \(shift > 0 ? "late" : "early")"))
    }
  }

  @Test func `the offset that a finding names leaves nothing to find`() {
    #expect(TimeShiftCheck.findings(in: sample { late(3, $1) }).count == 1)
    #expect(TimeShiftCheck.findings(in: sample { late(3 - 3, $1) }).isEmpty)
  }

  @Test func `where every tenth frame has labels an offset counts the frames between`() {
    #expect(
      TimeShiftCheck.findings(in: sample(spacing: 10) { late(3, $1) })
        .map { $0.remedy?.hasPrefix(again(30)) } == [true])
    #expect(TimeShiftCheck.findings(in: sample(spacing: 10) { late(0, $1) }).isEmpty)
  }

  @Test func `short videos are looked at together`() throws {
    let found = TimeShiftCheck.findings(
      in: sample(frames: 28, videos: 6) { late(5, $1, of: 28) })
    #expect(found.map { $0.remedy?.hasPrefix(again(5)) } == [true])
    #expect(
      TimeShiftCheck.findings(in: sample(frames: 28, videos: 1) { late(5, $1, of: 28) }).isEmpty)
  }

  @Test
  func `a shift that three videos have is that of all, if the others move too little to tell`()
    throws
  {
    let tracker = Tracker(noise: 0.03)
    let found = TimeShiftCheck.findings(
      in: sample(videos: 9, quiet: 6, tracker: tracker) { late(2, $1) })
    #expect(found.map { $0.remedy?.hasPrefix(again(2)) } == [true])
    #expect(found.first?.summary.contains("some videos") == false)
    // Two are not enough, and videos that contradict them are no quiet ones.
    for (videos, quiet) in [(8, 6), (9, 0)] {
      let sample = sample(videos: videos, quiet: quiet, tracker: tracker) {
        late($0 < 3 ? 2 : 0, $1)
      }
      #expect(TimeShiftCheck.findings(in: sample).isEmpty)
    }
  }

  @Test func `each video may have its own shift, and one of several is told where it is clear`()
    throws
  {
    let shifts = [3, -6, 3]
    let own = TimeShiftCheck.findings(in: sample(videos: 3) { late(shifts[$0], $1) })
    let remedy = try #require(own.first?.remedy)
    #expect(own.map(\.name) == ["time.shift"])
    #expect(remedy.contains("--offset -3f for the video of video0/0"))
    #expect(remedy.contains("--offset 6f for the video of video1/0"))
    let one = TimeShiftCheck.findings(in: sample(videos: 5) { late($0 == 2 ? 7 : 0, $1) })
    #expect(
      one.first?.remedy?.contains("of these videos alone again with --offset -7f: of video") == true
    )
    #expect(one.first?.summary.contains("in some videos") == true)
  }

  @Test(arguments: [1.2, 25.0 / 24, 0.5, 2])
  func `another clock is found, with the rate of the predictions`(rate: Double) {
    let frames = 300
    var rows: [Int: Double] = [:]
    for row in 0..<frames {
      let place = Int((Double(row) * rate).rounded())
      if place < frames, rows[place] == nil { rows[place] = Double(row) }
    }
    let found = TimeShiftCheck.findings(
      in: sample(frames: frames, tracker: Tracker(noise: 0.005)) { rows[$1] })
    #expect(found.map(\.name) == ["time.rate"])
    let own = rate == 25.0 / 24 ? "26.042" : rate == 0.5 ? "12.5" : rate == 2 ? "50" : "30"
    #expect(found.first?.remedy?.contains("--join time") == true)
    #expect(found.first?.remedy?.contains("--fps \(own) where") == true)
  }

  /// A clip of 25 Hz whose 55 rows have times of another rate and were joined to the nearest frames.
  @Test(arguments: [30.0, 28])
  func `another clock is found in a clip of two seconds, with what is done about times`(
    hertz: Double
  ) throws {
    let frames = 55
    var rows: [Int: Double] = [:]
    for row in 0..<frames {
      let place = Double(row) * 25 / hertz
      let frame = Int(place.rounded())
      let known = rows[frame].map { abs($0 * 25 / hertz - Double(frame)) } ?? .infinity
      if abs(place - Double(frame)) < known { rows[frame] = Double(row) }
    }
    let found = TimeShiftCheck.findings(
      in: sample(frames: frames, tracker: Tracker(noise: 0.003)) { rows[$1] })
    #expect(found.map(\.name) == ["time.rate"], "\(found.map(\.summary))")
    guard hertz == 30 else { return }
    #expect(found.first?.summary.hasSuffix("0.833 times as far apart (33.3 ms for 40 ms).") == true)
    let remedy = try #require(found.first?.remedy)
    #expect(remedy.contains("write them 1.2 times as long, or use --join number"))
    #expect(remedy.contains("labels that count frames at another rate"))
    #expect(remedy.contains("--video, --join time and --fps 30"))
  }

  @Test func `rows numbered anew after losses are found`() throws {
    let kept = (0..<240).filter { !(70..<75).contains($0) && !(150..<158).contains($0) }
    let found = TimeShiftCheck.findings(
      in: sample(frames: 240, tracker: Tracker(noise: 0.005)) {
        kept.indices.contains($1) ? Double(kept[$1]) : nil
      })
    #expect(found.map(\.name) == ["time.renumbered"])
    #expect(found.first?.summary.contains("early, in steps up to 13 frames") == true)
    #expect(found.first?.remedy?.hasPrefix("Number the predictions") == true)
  }

  @Test(arguments: Kind.allCases)
  fileprivate func `trackers with bias, noise, misses and a lag of up to a frame draw no finding`(
    kind: Kind
  ) {
    for number in 0..<50 {
      var stream = SplitMix64(seed: UInt64(number))
      let tracker = Tracker(
        noise: [0, 0.01, 0.05, 0.1][stream.below(4)], bias: [0, 0.1][stream.below(2)],
        missed: [0, 0.1, 0.3][stream.below(3)], lag: [0, 0.5, 1][stream.below(3)])
      let found = TimeShiftCheck.findings(
        in: sample(
          kind, frames: [40, 90, 200][stream.below(3)], videos: 1 + stream.below(3),
          tracker: tracker, seed: UInt64(number)
        ) { Double($1) })
      #expect(found.isEmpty, "\(kind) \(number) \(tracker): \(found.map(\.summary))")
    }
  }

  @Test(arguments: [1, 0.7, 0.5])
  func `smoothing by an exponential mean draws no finding`(weight: Double) {
    let found = TimeShiftCheck.findings(
      in: sample(tracker: Tracker(noise: 0.01, weight: weight)) { Double($1) })
    #expect(found.isEmpty)
  }

  @Test func `a shift of one frame, a still face, stills and few frames say nothing`() {
    #expect(TimeShiftCheck.findings(in: sample { late(1, $1) }).isEmpty)
    #expect(TimeShiftCheck.findings(in: sample(still: true) { late(5, $1) }).isEmpty)
    #expect(TimeShiftCheck.findings(in: sample(isVideo: false) { late(5, $1) }).isEmpty)
    #expect(TimeShiftCheck.findings(in: sample(frames: 25) { late(3, $1, of: 25) }).isEmpty)
    #expect(TimeShiftCheck.findings(in: sample { _, _ in nil }).isEmpty)
  }

  @Test(arguments: [3, 4, 5, 6, 7])
  func `of several people who move by more than a face the whole shift is named`(shift: Int) {
    let widths = [0.7, 1.3, 2]
    let found = TimeShiftCheck.findings(
      in: sample(.several, frames: 200, tracker: Tracker(noise: 0.015)) { time in
        Point(x: widths[1] * sin(2 * .pi * time / 50), y: widths[0] * sin(time / 9))
      } when: {
        late(shift, $1, of: 200)
      })
    #expect(found.map { $0.remedy?.hasPrefix(again(shift)) } == [true], "\(found.map(\.remedy))")
  }

  @Test(arguments: [true, false])
  func `a tracker that hangs, or follows a poster, is of no other time`(isPoster: Bool) {
    func move(_ time: Double) -> Point {
      let place = max(0, time - 45)
      return Point(x: sin(place / 8) + 0.004 * sin(7 * time), y: 0.004 * sin(5 * time))
    }
    let found = TimeShiftCheck.findings(
      in: sample(frames: 80, tracker: Tracker(noise: 0.003, bias: isPoster ? 3 : 0), motion: move) {
        min(Double($1), 45)
      })
    #expect(found.isEmpty, "\(found.map(\.summary))")
  }

  @Test(arguments: [Kind.boxes, .coefficients, .several])
  fileprivate func `one frame early is a shift, which no lag explains`(kind: Kind) {
    for seed in 1...5 as ClosedRange<UInt64> {
      let found = TimeShiftCheck.findings(
        in: sample(kind, tracker: Tracker(noise: 0.01, bias: 0.02, missed: 0.05), seed: seed) {
          late(-1, $1)
        })
      #expect(found.map { $0.remedy?.hasPrefix(again(-1)) } == [true], "\(found.map(\.summary))")
      #expect(found.first?.remedy?.contains("--accept time.shift") == true)
    }
  }

  @Test(arguments: [3, -2])
  func `coefficients of a tracker that answers with less strength are shifted all the same`(
    shift: Int
  ) {
    for seed in 1...5 as ClosedRange<UInt64> {
      let tracker = Tracker(noise: 0.005, bias: 0.02, gain: 0.6)
      let found = TimeShiftCheck.findings(
        in: sample(.coefficients, tracker: tracker, seed: seed) { late(shift, $1) })
      #expect(found.map { $0.remedy?.hasPrefix(again(shift)) } == [true])
      let honest = TimeShiftCheck.findings(
        in: sample(.coefficients, tracker: tracker, seed: seed) { Double($1) })
      #expect(honest.isEmpty, "\(honest.map(\.summary))")
    }
  }

  @Test(arguments: Kind.allCases, [0.3, 0.5, 0.67, 0.8])
  fileprivate func `labels that are late by a part of a frame draw no finding`(
    kind: Kind, lead: Double
  ) {
    for seed in 1...5 as ClosedRange<UInt64> {
      let tracker = Tracker(noise: 0.01, bias: 0.02, missed: 0.05, lag: -lead)
      let found = TimeShiftCheck.findings(
        in: sample(kind, tracker: tracker, seed: seed) { Double($1) })
      #expect(found.isEmpty, "\(found.map(\.summary))")
    }
  }

  @Test(arguments: [30, 45, 100])
  func `rows that lack the start and are numbered from there are moved by as many frames`(gap: Int)
  {
    func move(_ time: Double) -> Point { Point(x: sin(time / 23), y: sin(time * time / 3000)) }
    let made = sample(frames: 300, tracker: Tracker(noise: 0.01), motion: move) {
      late(-gap, $1, of: 300)
    }
    let moved = JoinedSample(
      frames: made.frames, isWhole: true, format: "x", scheme: nil, hasScores: true,
      missing: [300 - gap..<300])
    let found = TimeShiftCheck.findings(in: moved)
    #expect(found.map { $0.remedy?.hasPrefix(again(-gap)) } == [true], "\(found.map(\.summary))")
  }

  @Test func `of motion that repeats the smallest shift counts`() {
    func swing(_ time: Double) -> Point { Point(x: 0.6 * sin(2 * .pi * time / 20), y: 0) }
    let three = TimeShiftCheck.findings(in: sample(motion: swing) { late(3, $1) })
    #expect(three.map { $0.remedy?.hasPrefix(again(3)) } == [true])
    #expect(TimeShiftCheck.findings(in: sample(motion: swing) { late(10, $1) }).isEmpty)
    #expect(TimeShiftCheck.findings(in: sample(motion: swing) { late(20, $1) }).isEmpty)
  }

  @Test func `every name is the catalogue's and of this family`() {
    #expect(TimeShiftCheck.names == ["time.shift", "time.renumbered", "time.rate"])
  }
}
