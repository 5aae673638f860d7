import FaceCore
import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private struct Shot {
  var frame: Frame
  var isVideo = true
  var labels: [FaceLabel]
  var faces: [FacePrediction]
}

/// What is labelled or predicted of a person in a frame: the middle of a box of 400 pixels, or three coefficients.
private struct Trace {
  var labelled: [[Double]?]
  var given: [[Double]?]
}

/// The same as `sequence` in Tests/Oracles/labelled_lag.py, in the order of its draws.
private func sequence(_ stream: inout SplitMix64, index: Int, first: Int) -> [Shot] {
  let isVideo = stream.below(8) > 0
  let hasBox = stream.below(3) > 0
  let length = [12, 40, 70, 120][stream.below(4)]
  let drawn = stream.below(2)
  let people = hasBox ? 1 + drawn : 1
  let delay = stream.below(13) - 6
  let noise = stream.below(4)
  let reach = [0, 1, 4, 9][stream.below(4)]
  var time: Int64 = 0
  let times = (0..<length).map { _ in
    time += 33_000 + Int64(stream.below(700))
    return time
  }
  let traces = (0..<people).map { person -> Trace in
    var place = hasBox ? [200.0 + 900 * Double(person), 300] : [0.5, 0.5, 0.5]
    var step = place.map { _ in 0.0 }
    let truth = (0..<length + 12).map { _ in
      if stream.below(5) == 0 {
        step = place.map { _ in reach > 0 ? stream.between(-reach, reach) : 0 }
      }
      place = zip(place, step).map { $0 + (hasBox ? $1 : $1 / 64) }
      return place
    }
    let errors = (0..<length).map { _ in
      place.map { _ in noise > 0 ? stream.between(-noise, noise) : 0 }
    }
    let there = (0..<length).map { _ in stream.below(15) > 0 }
    let found = (0..<length).map { _ in stream.below(8) > 0 }
    return Trace(
      labelled: (0..<length).map { there[$0] ? truth[6 + $0] : nil },
      given: (0..<length).map { frame in
        there[frame] && found[frame]
          ? zip(truth[6 - delay + frame], errors[frame]).map { $0 + (hasBox ? $1 : $1 / 64) } : nil
      })
  }
  return times.enumerated().map { offset, time in
    var shot = Shot(
      frame: Frame(first + offset, sequence: index, at: time), isVideo: isVideo, labels: [],
      faces: [])
    for (person, trace) in traces.enumerated() {
      if let values = trace.labelled[offset] {
        shot.labels.append(label(values, identity: person))
      }
      if let values = trace.given[offset] { shot.faces.append(face(values)) }
    }
    return shot
  }
}

private func box(_ values: [Double]) -> BoundingBox {
  values.count == 2
    ? BoundingBox(x: values[0], y: values[1], width: 400, height: 400)
    : BoundingBox(x: 0, y: 0, width: 0, height: 0)
}

private func blendshapes(_ values: [Double]) -> [Float]? {
  guard values.count == 3 else { return nil }
  return [0] + values.map { Float($0) } + [Float](repeating: 0, count: 48)
}

private func label(_ values: [Double], identity: Int? = nil) -> FaceLabel {
  var label = FaceLabel(box: box(values), identity: identity)
  label.blendshapes = blendshapes(values)
  return label
}

private func face(_ values: [Double]) -> FacePrediction {
  FacePrediction(
    region: nil, isTracked: false, detectionScore: nil, presence: nil, scheme: nil, points: [],
    ownBox: values.count == 2 ? box(values) : nil, blendshapes: blendshapes(values))
}

private func clips(_ number: Int) -> [Shot] {
  var stream = SplitMix64(seed: UInt64(9000 + number))
  var shots: [Shot] = []
  for index in 0..<1 + stream.below(3) {
    shots += sequence(&stream, index: index, first: shots.count)
  }
  return shots
}

extension LabelledLag {
  fileprivate mutating func add(_ shot: Shot) throws {
    try add(
      ScoredFrame(
        shot.frame, isVideo: shot.isVideo, labels: shot.labels,
        prediction: FramePrediction(shot.frame.index, faces: shot.faces)))
  }
}

private func accumulate(_ shots: [Shot]) throws -> LabelledLag {
  var lag = LabelledLag()
  for shot in shots { try lag.add(shot) }
  return lag
}

/// One person over frames of 40 ms; the label and the prediction follow paths of their own.
private func clip(
  _ frames: Int, first: Int = 0, sequence: Int = 0, labelled: (Double) -> [Double],
  given: (Double) -> [Double]
) -> [Shot] {
  (0..<frames).map { frame in
    Shot(
      frame: Frame(first + frame, sequence: sequence, at: Int64(frame) * 40_000),
      labels: [label(labelled(Double(frame)))], faces: [face(given(Double(frame)))])
  }
}

private func path(_ time: Double) -> [Double] {
  [300 + 60 * sin(time / 7) + 24 * sin(time / 4.1 + 1), 300 + 40 * sin(time / 17 + 2)]
}

private func values(_ shots: [Shot]) throws -> (frames: Double?, milliseconds: Double?) {
  let metrics = try accumulate(shots).summarize()
  return (metrics[0].value, metrics[1].value)
}

@Suite("Lag against the labels")
struct LabelledLagTests {
  @Test(.tags(.oracle)) func `the lag of 160 random cases equals NumPy's from the definition`()
    throws
  {
    let oracle = try Oracles.read("labelled_lag", as: MetricCases.self)
    #expect(oracle.cases.count { $0[0] != nil } >= 80)
    for number in oracle.cases.indices {
      oracle.expect(try accumulate(clips(number)).summarize(), case: number)
    }
  }

  @Test func `labels against themselves have no lag`() throws {
    let same = try values(clip(90, labelled: path, given: path))
    #expect(same.frames == 0 && same.milliseconds == 0)
  }

  @Test(arguments: [1, 2.5, 6, -3, -0.5])
  func `a known delay is found to a fiftieth of a frame`(frames: Double) throws {
    let lag = try values(clip(150, labelled: path, given: { path($0 - frames) }))
    // The parabola is an approximation to the correlation's peak.
    #expect(try abs(#require(lag.frames) - frames) < 0.02)
    #expect(try abs(#require(lag.milliseconds) - 40 * frames) < 0.8)
  }

  @Test func `another size of box, a constant offset and missed frames leave the delay`() throws {
    var shots = clip(120, labelled: path, given: { path($0 - 2) })
    for index in shots.indices {
      if index % 7 == 3 { shots[index].faces = [] }
      for face in shots[index].faces.indices {
        let given = try #require(shots[index].faces[face].ownBox)
        shots[index].faces[face].ownBox = BoundingBox(
          x: given.x + 30, y: given.y + 40, width: 310, height: 330)
      }
    }
    #expect(try abs(#require(try values(shots).frames) - 2) < 0.05)
  }

  @Test func `labels of every fifth frame tell a delay between them`() throws {
    var shots = clip(200, labelled: path, given: { path($0 - 2.4) })
    for index in shots.indices where index % 5 > 0 {
      shots[index].labels = [FaceLabel.unlabelled(shots[index].frame.size)]
    }
    #expect(try abs(#require(try values(shots).frames) - 2.4) < 0.02)
    // Where nothing is known of the delays next to 0, none is told.
    for index in shots.indices where index % 5 > 0 { shots[index].faces = [] }
    #expect(try values(shots).frames == nil)
  }

  @Test func `labels at uneven steps tell no delay by the few frames that have both`() throws {
    var shots = clip(200, labelled: path, given: { path($0 - 2.4) })
    for index in shots.indices where index * index * (index + 5) % 97 % 7 > 0 {
      shots[index].labels = [FaceLabel.unlabelled(shots[index].frame.size)]
      shots[index].faces = []
    }
    // At a delay of 4 two frames have both and correlate by .999, as the nine at 3 do, and the seven at 5 by .6.
    let metrics = try accumulate(shots).summarize()
    #expect(metrics.map(\.value) == [nil, nil])
    #expect(metrics[0].reason?.hasSuffix("too few frames have both at one of them") == true)
  }

  @Test(arguments: [0.7, 0.5, 0.3])
  func `an exponential mean lags by its delay at low frequencies`(weight: Double) throws {
    func slow(_ time: Double) -> [Double] {
      [300 + 60 * sin(time / 25) + 30 * sin(time / 16 + 1), 300 + 40 * sin(time / 19)]
    }
    var smooth = slow(-60)
    var given: [[Double]] = []
    for frame in -60..<240 {
      smooth = zip(smooth, slow(Double(frame))).map { $0 + weight * ($1 - $0) }
      given.append(smooth)
    }
    let lag = try values(clip(240, labelled: slow, given: { given[60 + Int($0)] })).frames
    // (1 − w) / w holds at frequency 0; the fastest part here turns by 1/16 in a frame.
    #expect(try abs(#require(lag) - (1 - weight) / weight) < 0.05)
  }

  @Test func `coefficients tell the delay where nothing has a position`() throws {
    func smile(_ time: Double) -> [Double] {
      [0.5 + 0.3 * sin(time / 5), 0.4 + 0.2 * sin(time / 9 + 1), 0.1]
    }
    let lag = try values(clip(100, labelled: smile, given: { smile($0 - 3) })).frames
    #expect(try abs(#require(lag) - 3) < 0.02)
  }

  @Test func `periodic motion has the smallest delay that explains it`() throws {
    func swing(_ time: Double) -> [Double] { [300 + 60 * sin(2 * .pi * time / 12), 300] }
    let lag = try values(clip(120, labelled: swing, given: { swing($0 - 2) })).frames
    #expect(try abs(#require(lag) - 2) < 0.02)
  }

  @Test func `videos count alike, whatever their length`() throws {
    let shots =
      clip(60, labelled: path, given: path)
      + clip(200, first: 60, sequence: 1, labelled: path, given: { path($0 - 4) })
    #expect(try abs(#require(try values(shots).frames) - 2) < 0.02)
  }

  @Test func `lag is undefined, with a reason, without labels, faces, motion or a sharp peak`()
    throws
  {
    var stills = clip(60, labelled: path, given: path)
    var missed = stills
    for index in stills.indices {
      stills[index].isVideo = false
      missed[index].faces = []
    }
    var generator = SplitMix64(seed: 5)
    let noise = (0..<60).map { _ in
      [300 + 60 * generator.unitInterval(), 300 + 60 * generator.unitInterval()]
    }
    let cases: [([Shot], String)] = [
      (stills, "no face of a video sequence is labelled"),
      (missed, "no labelled face of a video sequence is found in 20 frames"),
      (clip(19, labelled: path, given: path), "no labelled face of a video sequence is found"),
      (clip(60, labelled: { _ in [9, 9] }, given: path), "no labelled face moves"),
      (clip(60, labelled: path, given: { noise[Int($0)] }), "no correlation of labelled"),
      (clip(60, labelled: path, given: { _ in [300, 300] }), "no correlation of labelled"),
      (
        clip(60, labelled: { [300 + 2 * $0, 300] }, given: { [300 + 2 * $0, 300] }),
        "no correlation of labelled"
      ),
    ]
    for (shots, reason) in cases {
      for metric in try accumulate(shots).summarize() {
        #expect(metric.value == nil)
        #expect(metric.reason?.hasPrefix(reason) == true, "\(metric.reason as Any), \(reason)")
      }
    }
    #expect(try !accumulate(stills).isPresent)
  }

  @Test func `frames without times have a lag in frames alone`() throws {
    var shots = clip(90, labelled: path, given: path)
    for index in shots.indices { shots[index].frame.timestampMicroseconds = 7 }
    let metrics = try accumulate(shots).summarize()
    #expect(metrics[0].value == 0)
    #expect(metrics[1].reason == "the frames have no times that rise")
  }
}

extension SplitMix64 {
  fileprivate mutating func unitInterval() -> Double { Double.random(in: 0..<1, using: &self) }
}
