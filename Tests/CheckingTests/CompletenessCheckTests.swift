import Checking
import FaceCore
import Records
import Testing

struct CompletenessCheckTests {
  private static func detection(_ place: Int, score: Double = 0.9) -> FaceDetection {
    FaceDetection(box: MadeRecording.box(place), score: score)
  }

  /// Stills with a face at each of some places on either side; places of `low` have low scores.
  private func frames(
    _ count: Int, labelled: [Int], found: [Int], low: [Int] = [], ignored: [Int] = []
  ) -> [JoinedFrame] {
    (0..<count).map { index in
      let labels = labelled.map { MadeRecording.label(MadeRecording.box($0)) }
      let made = MadeRecording.frame(index, isVideo: false, labels: labels)
      var prediction = made.prediction
      prediction.detections = found.map { Self.detection($0) }
      prediction.detections += low.map { Self.detection($0, score: 0.1) }
      return JoinedFrame(
        frame: made.frame, isVideo: false, labels: labels, prediction: prediction,
        ignored: ignored.map { FaceLabel(box: MadeRecording.box($0), isIgnored: true) })
    }
  }

  private func found(_ frames: [JoinedFrame], format: String? = "csv") -> [Finding] {
    CompletenessCheck.findings(
      in: JoinedSample(
        frames: frames, isWhole: true, format: format, scheme: nil, hasScores: true))
  }

  @Test func `frames that are not labelled yet are a note where faces are found in them`() {
    let labelled = frames(30, labelled: [0, 1], found: [0, 1])
    let left = frames(20, labelled: [], found: [0])
    let notes = found(labelled + left)
    #expect(notes.map(\.name) == ["faces.unlabelled"])
    #expect(notes.first?.severity == .note)
    #expect(notes.first?.n == 20)
    #expect(notes.first?.remedy?.contains("--where 'faces>0'") == true)
    // Frames without faces, in which a tracker finds some with low scores.
    let empty = frames(20, labelled: [], found: [], low: [0])
    #expect(found(labelled + empty).isEmpty)
    // A tracker that is as often wrong in frames with faces.
    let wrong = frames(30, labelled: [0, 1], found: [0, 1, 2])
    #expect(found(wrong + left).isEmpty)
  }

  @Test func `one labelled face in each frame is a note where others are found`() {
    let notes = found(frames(30, labelled: [0], found: [0, 1]))
    #expect(notes.map(\.name) == ["faces.one-labelled"])
    #expect(notes.first?.severity == .note)
    #expect(found(frames(30, labelled: [0], found: [0])).isEmpty)
    #expect(found(frames(30, labelled: [0], found: [0], low: [1])).isEmpty)
    #expect(found(frames(30, labelled: [0], found: [0, 1], ignored: [1])).isEmpty)
    #expect(found(frames(30, labelled: [0, 1], found: [0, 1, 2])).isEmpty)
    #expect(found(frames(30, labelled: [0], found: [1])).isEmpty)
  }

  @Test func `a tracker that gives out one face is a note where more are labelled`() throws {
    let several = frames(30, labelled: [0, 1], found: [0])
    let notes = found(several + frames(10, labelled: [0], found: [0]))
    let note = try #require(notes.first)
    #expect(notes.map(\.name) == ["faces.at-most"])
    #expect(note.summary.contains("30 of 70 labelled faces cannot be found"))
    #expect(note.summary.hasPrefix("The tracker gives out at most 1 face in a frame, and 30"))
    #expect(note.remedy?.contains("--where 'faces<=1'") == true)
    #expect(found(several, format: nil).isEmpty)
    #expect(found(several + frames(1, labelled: [0, 1], found: [0, 1])).isEmpty)
    #expect(found(frames(9, labelled: [0, 1, 2, 3], found: [0])).isEmpty)
  }

  @Test func `frames of a clip that are left out are neither labelled nor empty`() {
    let between = frames(400, labelled: [], found: [0, 1]).map { joined in
      JoinedFrame(
        frame: joined.frame, isVideo: false, labels: [], prediction: joined.prediction,
        ignored: [.unlabelled(joined.frame.size)])
    }
    let one = found(frames(30, labelled: [0], found: [0, 1]) + between)
    #expect(one.map(\.name) == ["faces.one-labelled"])
    #expect(one.first?.n == 30)
    // A tracker that is as often wrong in labelled frames as in those without a face.
    let wrong = frames(30, labelled: [0, 1], found: [0, 1, 2])
    let empty = frames(20, labelled: [], found: [0])
    #expect(found(wrong + empty + between).isEmpty)
    // It gives out two faces there.
    #expect(found(frames(30, labelled: [0, 1], found: [0]) + between).isEmpty)
  }
}
