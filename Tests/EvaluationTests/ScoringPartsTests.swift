import Datasets
import FaceCore
import Foundation
import Metrics
import Platform
import Records
import Running
import Scoring
import Statistics
import TestSupport
import Testing

/// The same predictions scored in one part and in many, side by side.
@Suite struct ScoringPartsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func face(_ index: Int, _ number: Int, shift: Double) throws -> FaceLabel {
    let (x, size) = (Double(150 * number) + shift, Double(30 + 25 * number + index % 5))
    var face = FaceLabel(box: BoundingBox(x: x, y: shift, width: size, height: size))
    face.identity = number
    face.expression = ["happy", "calm", "angry"][(index + number) % 3]
    face.blendshapes = (0..<52).map { Float((index * 7 + $0 * 3 + number) % 20) / 20 }
    face.landmarks = [
      try #require(
        Landmarks(
          scheme: .five,
          points: [(0.3, 0.4), (0.7, 0.4), (0.5, 0.6), (0.35, 0.8), (0.65, 0.8)].map {
            Point(x: x + $0.0 * size, y: shift + $0.1 * size)
          }, visibility: Array(repeating: .visible, count: 5)))
    ]
    return face
  }

  /// Videos of 1 to 9 frames, two of them of each subject, and stills between them.
  private func plan() throws -> EvaluationPlan {
    let dataset = folder.file("d.h5")
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    var generator = SplitMix64(seed: 5)
    var given: [[FaceLabel]] = []
    func add(_ time: Int64) throws {
      let index = given.count
      var labels: [FaceLabel] = []
      var found: [FaceLabel] = []
      for number in 0..<(index % 4) {
        var label = try face(index, number, shift: Double(index % 7))
        label.attributes["blur"] = Double((index + number) % 3)
        // Also an attribute of frames: a slice of faces and one of frames have the same name.
        label.attributes["site"] = 1
        // More values than a dimension may have, most of them late.
        label.attributes["serial"] = Double(index < 60 ? 0 : index)
        labels.append(label)
        guard Double.random(in: 0..<1, using: &generator) < 0.8 else { continue }
        var prediction = try face(
          index, number, shift: Double(index % 7) + 4 * Double.random(in: 0..<1, using: &generator))
        prediction.score = 0.3 + 0.7 * Double.random(in: 0..<1, using: &generator)
        found.append(prediction)
      }
      if Double.random(in: 0..<1, using: &generator) < 0.2 {
        var wrong = try face(index, 5, shift: 0)
        wrong.score = Double.random(in: 0..<1, using: &generator)
        found.append(wrong)
      }
      given.append(found)
      try writer.add(
        name: "\(index)", image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: time, faces: labels,
        context: FrameContext(
          attributes: ["ambientIntensity": index % 8 < 4 ? 100 : 1500, "site": 1]))
    }
    for video in 0..<24 {
      writer.beginSequence(
        SequenceDescription(
          name: "v\(video)", kind: .video, subject: "s\(video % 12)", framesPerSecond: 25))
      for frame in 0...(video % 9) { try add(Int64(frame) * 40_000) }
      writer.beginSequence(SequenceDescription(name: "stills \(video)", kind: .still))
      for _ in 0..<(video % 3) { try add(0) }
    }
    try writer.finish()
    try GivenFaces.write(given, on: dataset, to: folder.file("p.h5"))
    var plan = EvaluationPlan(dataset: dataset, run: folder.file("run"))
    plan.predictions = folder.file("p.h5")
    plan.replaces = true
    plan.bootstrap.resamples = 40
    plan.minSliceCount = 1
    plan.galleryCount = 5
    return plan
  }

  @Test func `the size of the parts changes no metric, interval, curve, note or gallery`() throws {
    var plan = try plan()
    plan.scoringPart = 1 << 20
    let whole = try plan.finish().record
    #expect(whole.measurements.contains { $0.slice == "blur=1" && $0.interval.low != nil })
    #expect(whole.notes.contains("'serial' has more than 24 values and makes no slices."))
    #expect(whole.value("landmarks.nme.interocular.found") != nil || !whole.headlines.isEmpty)
    #expect(whole.measurements.count { $0.value != nil } > 100)
    for size in [1, 2, 7, 50] {
      plan.scoringPart = size
      let parts = try plan.finish().record
      #expect(parts.measurements == whole.measurements, "\(size)")
      #expect(parts.series == whole.series && parts.gallery == whole.gallery, "\(size)")
      #expect(parts.quietNotes == whole.quietNotes && parts.headlines == whole.headlines)
    }
  }
}
