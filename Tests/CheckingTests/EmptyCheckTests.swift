import Checking
import FaceCore
import Records
import Testing

struct EmptyCheckTests {
  private func findings(
    labels: [FaceLabel], faces: [FacePrediction], count: Int = 30, format: String? = "coco",
    scheme: LandmarkScheme? = nil, isLabelled: Bool = true
  ) -> [Finding] {
    EmptyCheck.findings(
      in: MadeRecording.sample(
        (0..<count).map {
          MadeRecording.frame($0, isVideo: false, labels: labels, faces: faces)
        }, format: format, scheme: scheme, isLabelled: isLabelled))
  }

  private let label = MadeRecording.label(MadeRecording.box(0))
  private let face = MadeRecording.face(MadeRecording.box(0))

  @Test func `labels that are not there are suspect where faces are predicted`() {
    let found = findings(labels: [], faces: [face])
    #expect(found.map(\.name) == ["empty.labels"] && found[0].severity == .suspect)
    #expect(found[0].remedy != nil && found[0].n == 30)
    #expect(findings(labels: [], faces: []).map(\.severity) == [.note])
    #expect(findings(labels: [], faces: [face], isLabelled: false).isEmpty)
    #expect(findings(labels: [label], faces: [face]).isEmpty)
  }

  @Test func `where all labelled faces are to be ignored no prediction is a false positive`() {
    let frames = (0..<30).map { index in
      let made = MadeRecording.frame(index, isVideo: false, labels: [], faces: [face])
      return JoinedFrame(
        frame: made.frame, isVideo: false, labels: [], prediction: made.prediction, ignoredCount: 1)
    }
    let found = EmptyCheck.findings(in: MadeRecording.sample(frames))
    #expect(found.map(\.severity) == [.note])
    #expect(found.first?.summary.contains("All 30 labelled faces are to be ignored") == true)
  }

  @Test func `predictions that are not there are suspect of an import, and a result of a run`() {
    let found = findings(labels: [label], faces: [])
    #expect(found.map(\.name) == ["empty.predictions"] && found[0].severity == .suspect)
    #expect(findings(labels: [label], faces: [], format: nil).map(\.severity) == [.note])
    #expect(findings(labels: [label], faces: [], count: 5).map(\.severity) == [.note])
  }

  @Test func `points of schemes without a table between them are named, others are not`() throws {
    func found(labelled: LandmarkScheme, predicted: LandmarkScheme) throws -> [Finding] {
      var label = label
      label.landmarks = [
        try #require(
          Landmarks(
            scheme: labelled, points: Array(repeating: Point(x: 1, y: 1), count: labelled.count)))
      ]
      let face = MadeRecording.face(
        nil, scheme: predicted, points: Array(repeating: SIMD3(1, 1, 0), count: predicted.count))
      return findings(labels: [label], faces: [face], scheme: predicted)
    }
    let strangers = try found(labelled: .cofw29, predicted: .ibug68)
    #expect(strangers.map(\.name) == ["empty.points"] && strangers[0].severity == .note)
    #expect(
      strangers[0].summary
        == "Points are predicted in ibug68 and labelled in cofw29: none are compared.")
    #expect(try found(labelled: .five, predicted: .ibug68).isEmpty)
    #expect(try found(labelled: .cofw29, predicted: .cofw29).isEmpty)
  }
}
