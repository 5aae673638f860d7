import FaceCore
import Metrics
import Records
import Testing

/// Expressions of one face at 25 frames per second, as labelled and as predicted.
@Suite("Overlap, flicker and delay of expressions")
struct ExpressionTimesTests {
  /// `h` happy, `s` sad, `b` both, `n` neutral, `.` no coefficients, `/` a new video.
  private func metrics(
    labelled: String? = nil, predicted: String
  ) throws -> [String: Double] {
    var activity = ExpressionActivity()
    let wanted = labelled.map { Array($0) }
    var sequence = 0
    for (index, mark) in predicted.enumerated() {
      guard mark != "/" else {
        sequence += 1
        continue
      }
      let box = BoundingBox(x: 0, y: 0, width: 9, height: 9)
      var (label, face) = (FaceLabel(box: box), FacePrediction(box: box))
      label.blendshapes = wanted.flatMap { shapes($0[index]) }
      face.blendshapes = shapes(mark)
      try activity.add(
        Frame(index, sequence: sequence, at: Int64(index) * 40_000), isVideo: true,
        prediction: FramePrediction(index, faces: [face]), labels: [label],
        matching: FaceMatching(frame: index, labels: [label], faces: [face]))
    }
    let values = activity.summarize().compactMap { metric in
      metric.value.map { (String(metric.name.dropFirst("expressions.".count)), $0) }
    }
    return Dictionary(uniqueKeysWithValues: values)
  }

  private func shapes(_ mark: Character) -> [Float]? {
    guard mark != "." else { return nil }
    var shapes = [Float](repeating: 0, count: Blendshape.allCases.count)
    if "hb".contains(mark) { shapes[Blendshape.mouthSmileLeft.index] = 1 }
    if "sb".contains(mark) { shapes[Blendshape.mouthFrownLeft.index] = 1 }
    return shapes
  }

  /// The last frame of a video stands for no time.
  @Test(
    arguments: [
      ("hbbnn", 0.5), ("hsn", 0), ("b.b", 1), ("bbb/nnn", 0.5), ("b", nil), ("....", nil),
    ] as [(String, Double?)])
  func `overlap is the share of known time with two or more`(text: String, share: Double?) throws {
    #expect(try metrics(predicted: text)["overlap_share"] == share)
  }

  /// 0.2 s are five frames: a neutral stretch of four is a flicker.
  @Test(arguments: [
    ("hnnnnh", 1), ("hnnnnnh", 0), ("nnhnn", 0), ("hn.nh", 0), ("hnsnh", 2), ("hn/nh", 0),
  ])
  func `flicker is a short neutral stretch between others`(text: String, count: Int) throws {
    let known = text.indices.count { index in
      let next = text.index(after: index)
      return text[index] != "/" && text[index] != "." && next < text.endIndex && text[next] != "/"
    }
    let minutes = Double(known) * 0.04 / 60
    let rate = try #require(try metrics(predicted: text)["neutral_flicker_per_minute"])
    #expect(abs(rate - Double(count) / minutes) < 1e-9)
  }

  @Test(
    arguments: [
      ("nnhhhnnnhhh", "nnnnhhnnnnh", 1.0, 80.0), ("nnhhh", "nnhhh", 1, 0),
      ("nnnhh", "nhhhh", 1, -80),
      ("nnhhhhhhhhhhhhhhhh", "nnnnnnnnnnnnnnnhhh", 0, nil), ("nnhhh", "hhhhh", 0, nil),
      ("nnhhh", ".....", 0, nil), ("nnhhh/nnhhh", "nnnhh/nnnnn", 0.5, 40),
      ("hhhnn", "nnhhh", nil, nil), (".hhnh", "nnhnh", 1, 0),
    ] as [(String, String, Double?, Double?)])
  func `delay is from each labelled onset to the nearest predicted one within half a second`(
    labelled: String, predicted: String, found: Double?, delay: Double?
  ) throws {
    let metrics = try metrics(labelled: labelled, predicted: predicted)
    #expect(metrics["happy.onsets_found"] == found)
    #expect(metrics["happy.delay"] == delay)
  }

  @Test func `without labelled coefficients there are no delays`() throws {
    let names = try metrics(predicted: "hnh").keys
    #expect(Set(names) == ["overlap_share", "neutral_flicker_per_minute"])
  }
}
