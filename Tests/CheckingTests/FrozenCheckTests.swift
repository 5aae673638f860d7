import Checking
import FaceCore
import Foundation
import Records
import Testing

struct FrozenCheckTests {
  /// Frames of a video whose labels have the coefficients of one number a frame, and predictions those of another.
  private func findings(
    _ count: Int = 90, format: String? = "livelink", labels: (Int) -> Int? = { $0 },
    predictions: (Int) -> Int?
  ) -> [Finding] {
    FrozenCheck.findings(
      in: MadeRecording.sample(
        (0..<count).map { index in
          MadeRecording.frame(
            index,
            labels: [
              MadeRecording.label(
                MadeRecording.box(0, frame: index),
                coefficients: labels(index).map(MadeRecording.coefficients))
            ],
            faces: predictions(index).map {
              [MadeRecording.face(nil, coefficients: MadeRecording.coefficients($0))]
            } ?? [])
        }, format: format))
  }

  @Test func `predictions that stay the same for more than a fifth of a second are named`() throws {
    let found = findings(predictions: { min($0, 60) })
    #expect(found.map(\.name) == ["recording.frozen"])
    let frozen = try #require(found.first)
    #expect(frozen.severity == .note && frozen.n == 90)
    // Frame 60 still was measured.
    #expect(frozen.before == 29.0 / 90 && frozen.frames.map(\.index) == [61])
    #expect(frozen.summary.contains("in 29 of 90 frames, for 0.97 s at the longest"))
  }

  @Test(arguments: [(6, false), (7, true)])
  func `equal frames that span 0.2 s are none, and one more is a stretch`(
    repeats: Int, isFound: Bool
  ) {
    let found = findings(predictions: { (30...30 + repeats).contains($0) ? 30 : $0 })
    #expect(found.map(\.name) == (isFound ? ["recording.frozen"] : []))
  }

  @Test func `a recording at half the rate repeats each frame, and a lost face is no repetition`() {
    #expect(findings(predictions: { $0 / 2 }).isEmpty)
    #expect(findings(predictions: { $0 < 60 ? $0 : nil }).isEmpty)
  }

  @Test func `a recording that never changes is dead while the labels move`() {
    let found = findings(predictions: { _ in 5 })
    #expect(found.map(\.name) == ["recording.dead"])
    #expect(found.first?.severity == .suspect && found.first?.n == 90)
    // Fewer frames are a stretch.
    #expect(findings(20, predictions: { _ in 5 }).first?.name == "recording.frozen")
  }

  @Test func `coefficients that stand while the box follows the face are no dead recording`() {
    let frames = (0..<90).map { index in
      let box = MadeRecording.box(0, frame: index)
      return MadeRecording.frame(
        index,
        labels: [MadeRecording.label(box, coefficients: MadeRecording.coefficients(index))],
        faces: [MadeRecording.face(box, coefficients: MadeRecording.coefficients(5))])
    }
    let found = FrozenCheck.findings(in: MadeRecording.sample(frames))
    #expect(found.map(\.name) == ["recording.dead-channels"])
  }

  @Test func `labels that stay the same while predictions move are no truth`() throws {
    let found = findings(labels: { min($0, 45) }, predictions: { $0 })
    #expect(found.map(\.name) == ["recording.frozen-labels"])
    #expect(found.first?.severity == .suspect)
    #expect(found.first?.remedy?.contains("facegauge subset") == true)
    let short = findings(labels: { $0 < 82 ? $0 : 82 }, predictions: { $0 })
    #expect(short.map(\.severity) == [.note])
  }

  @Test func `an image that does not change gives our pipeline the same values again`() {
    let still = (0..<60).map { index in
      MadeRecording.frame(
        index, labels: [MadeRecording.label(MadeRecording.box(0))],
        faces: [MadeRecording.face(nil, coefficients: MadeRecording.coefficients(0))])
    }
    #expect(FrozenCheck.findings(in: MadeRecording.sample(still, format: nil)).isEmpty)
  }

  @Test func `channels that never move are named where the labelled ones do`() throws {
    var frames: [JoinedFrame] = []
    for index in 0..<40 {
      var predicted = MadeRecording.coefficients(index + 1)
      predicted[25] = 0
      frames.append(
        MadeRecording.frame(
          index,
          labels: [
            MadeRecording.label(
              MadeRecording.box(0), coefficients: MadeRecording.coefficients(index))
          ], faces: [MadeRecording.face(nil, coefficients: predicted)]))
    }
    let found = FrozenCheck.findings(in: MadeRecording.sample(frames))
    #expect(found.map(\.name) == ["recording.dead-channels"] && found[0].severity == .note)
    #expect(found[0].summary.contains(Blendshape.names[25]) && found[0].n == 40)
  }

  @Test func `coefficients that are 0, or that a person set, are not measured`() {
    let frames = (0..<60).map { index in
      var set = [Float](repeating: 0, count: 52)
      set[25] = index < 30 ? 0.5 : 1
      return MadeRecording.frame(
        index, labels: [MadeRecording.label(MadeRecording.box(0, frame: index), coefficients: set)],
        faces: [MadeRecording.face(nil, coefficients: set)])
    }
    #expect(FrozenCheck.findings(in: MadeRecording.sample(frames)).isEmpty)
  }

  /// A face that moves by some pixels a frame and trembles, and predicted boxes of whole pixels alone.
  private func boxes(
    _ count: Int = 120, speed: Double, noise: Double = 0, predicted: (Int) -> Int
  ) -> [Finding] {
    func box(_ index: Int) -> BoundingBox {
      let shift = 60 * sin(speed * Double(index) / 60)
      return BoundingBox(
        x: 200 + shift + noise * sin(Double(index) * 2.4), y: 100, width: 90, height: 100)
    }
    return FrozenCheck.findings(
      in: MadeRecording.sample(
        (0..<count).map { index in
          var given = box(predicted(index))
          given.x = given.x.rounded()
          return MadeRecording.frame(
            index, labels: [MadeRecording.label(box(index))], faces: [MadeRecording.face(given)])
        }, format: "csv"))
  }

  @Test func `a box that stands while the labelled face moves is suspect`() throws {
    let hangs = try #require(boxes(speed: 3) { min($0, 60) }.first)
    #expect(hangs.name == "recording.frozen" && hangs.severity == .suspect)
    #expect(hangs.before == 59.0 / 120)
    #expect(boxes(speed: 3) { _ in 20 }.map(\.name) == ["recording.dead"])
    #expect(boxes(400, speed: 3) { (100..<135).contains($0) ? 100 : $0 }.map(\.severity) == [.note])
  }

  @Test func `a box that stands on a face at rest, or for less than a second, is right`() {
    #expect(boxes(speed: 0) { _ in 0 }.isEmpty)
    #expect(boxes(speed: 0, noise: 1.5) { _ in 0 }.isEmpty)
    #expect(boxes(speed: 0.05) { _ in 0 }.isEmpty, "a shift of 5 px of 90")
    // A detector that runs every 15 frames.
    #expect(boxes(speed: 3) { $0 / 15 * 15 }.isEmpty)
  }

  @Test func `a box that stands is of no other convention, whatever passes where that leads`() {
    func found(stands: Bool) -> [String] {
      let frames = (0..<60).map { index in
        let turn = Double(index) * 2 * .pi / 30
        let (x, y) = (300 + 20 * sin(turn), 100 + 20 * cos(turn))
        let seen = BoundingBox(x: stands ? 100 : y, y: stands ? 300 : x, width: 100, height: 100)
        return MadeRecording.frame(
          index,
          labels: [MadeRecording.label(BoundingBox(x: x, y: y, width: 100, height: 100))],
          faces: [MadeRecording.face(seen)])
      }
      return CoordinatesCheck.findings(in: MadeRecording.sample(frames, format: "csv"))
        .map(\.name)
    }
    #expect(found(stands: true).isEmpty)
    #expect(found(stands: false) == ["coordinates.exchanged-axes"])
  }
}
