import FaceCore
import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private struct Tables: Decodable {
  /// Of each case the rows of coefficients, then those of angles.
  var tables: [[[[Double?]]]]
}

/// A frame with the prediction of it.
private struct Shot {
  var frame: Frame
  var isVideo: Bool
  var prediction: FramePrediction
}

/// The same as `sequence` in Tests/Oracles/head_output.py, in the order of its draws.
private func sequence(_ stream: inout SplitMix64, index: Int, first: Int) -> [Shot] {
  let isVideo = stream.below(5) > 0
  let length = [0, 1, 3, 9][stream.below(4)]
  let people = 1 + stream.below(2)
  let givesBlendshapes = stream.below(5) > 0
  let givesPose = stream.below(5) > 0
  return (0..<length).map { offset in
    let isAnalysed = stream.below(12) > 0
    var faces: [FacePrediction] = []
    for person in 0..<people {
      let isFound = stream.below(8) > 0
      let hasHoles = stream.below(4) == 0
      var coefficients = (0..<52).map { _ in Float(stream.between(0, 1)) }
      if hasHoles { for _ in 0..<10 { coefficients[stream.below(52)] = .nan } }
      let isGiven = !(stream.below(9) == 0 || !givesBlendshapes)
      var turn = Quaternion(repeating: 6)
      for lane in 1..<4 { turn[lane] = Double(stream.below(7) - 3) }
      let isTurned = stream.below(9) > 0 && givesPose
      guard isFound else { continue }
      var face = FacePrediction(
        box: BoundingBox(x: Double(500 * person), y: 10, width: 100, height: 100))
      face.blendshapes = isGiven ? coefficients : nil
      face.pose = isTurned ? pose(turn) : nil
      faces.insert(face, at: offset.isMultiple(of: 2) ? 0 : faces.count)
    }
    let frame = first + offset
    return Shot(
      frame: Frame(frame, sequence: index, at: Int64(frame) * 40_000), isVideo: isVideo,
      prediction: isAnalysed
        ? FramePrediction(frame, faces: faces)
        : FramePrediction(frame: frame, notAnalysed: .dropped))
  }
}

private func accumulate(_ number: Int) throws -> HeadOutput {
  var stream = SplitMix64(seed: UInt64(9100 + number))
  var output = HeadOutput()
  var first = 0
  for index in 0..<stream.below(4) {
    var previous: LabelledJitter.Sight?
    for shot in sequence(&stream, index: index, first: first) {
      let scored = try ScoredFrame(
        shot.frame, isVideo: shot.isVideo, labels: [], prediction: shot.prediction,
        previous: previous)
      try output.add(scored)
      previous = scored.sight
      first += 1
    }
  }
  return output
}

@Suite("Predicted blendshapes and head poses without labels")
struct HeadOutputTests {
  @Test(.tags(.oracle))
  func `shares and changes of 150 random cases equal those of NumPy and SciPy's Rotation`() throws {
    let oracle = try Oracles.read("head_output", as: MetricCases.self)
    #expect(oracle.cases.count >= 100)
    for number in oracle.cases.indices {
      oracle.expect(try accumulate(number).summarize(), case: number)
    }
  }

  /// Tables print three decimals of coefficients and one of degrees.
  @Test(.tags(.oracle))
  func `the tables hold NumPy's means, deviations, percentiles and changes`() throws {
    let oracle = try Oracles.read("head_output", as: Tables.self)
    var cells = 0
    for (number, expected) in oracle.tables.enumerated() {
      let found = try accumulate(number).tables()
      #expect(
        found.map(\.name)
          == zip(["blendshapes.output", "pose.output"], expected).filter { !$1.isEmpty }.map(\.0))
      for (series, rows) in zip(found, expected.filter { !$0.isEmpty }) {
        guard case .table(let table) = series.content else {
          Issue.record("\(series.name) is no table")
          continue
        }
        try #require(table.rows.count == rows.count)
        let half = series.name == "pose.output" ? 0.05 : 0.0005
        for (own, expected) in zip(table.rows, rows) {
          for (text, value) in zip(own.dropFirst(), expected) {
            guard let value else {
              #expect(text == "–")
              continue
            }
            let number = try #require(Double(text.replacing("−", with: "-")), "\(text)")
            #expect(
              abs(number - value) <= half + 1e-9, "\(series.name) \(own[0]): \(text), \(value)")
            cells += 1
          }
        }
      }
    }
    #expect(cells > 1000)
  }

  @Test func `a face that never changes has no change, in order or swapped with another`() throws {
    var output = HeadOutput()
    var previous: LabelledJitter.Sight?
    for frame in 0..<6 {
      var faces = (0..<2).map { person in
        var face = FacePrediction(
          box: BoundingBox(x: Double(500 * person), y: 10, width: 100, height: 100))
        face.blendshapes = [Float](repeating: Float(person) / 2, count: 52)
        face.pose = pose(Quaternion(6, Double(person), 0, 0))
        return face
      }
      if frame.isMultiple(of: 2) { faces.reverse() }
      let scored = try ScoredFrame(
        Frame(frame, at: Int64(frame)), isVideo: true, labels: [],
        prediction: FramePrediction(frame, faces: faces), previous: previous)
      try output.add(scored)
      previous = scored.sight
    }
    #expect(output.summarize().map(\.value) == [1, 0, 1, 0])
    #expect(output.summarize().map(\.n) == [12, 10, 12, 10])
  }

  @Test func `stills, and predictions of neither, leave the changes undefined`() throws {
    var output = HeadOutput()
    var face = FacePrediction(box: BoundingBox(x: 0, y: 0, width: 10, height: 10))
    let first = try ScoredFrame(
      Frame(0, at: 0), isVideo: true, labels: [], prediction: FramePrediction(0, faces: [face]))
    try output.add(first)
    #expect(!output.isPresent)
    #expect(output.tables().isEmpty)
    face.pose = pose(Quaternion(6, 0, 1, 0))
    try output.add(
      ScoredFrame(
        Frame(1, at: 1), labels: [], prediction: FramePrediction(1, faces: [face]),
        previous: first.sight))
    #expect(output.isPresent)
    #expect(output.summarize().map(\.value) == [0, nil, 0.5, nil])
  }
}
