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
    for isVideo in [false, true] {
      let frames = (0..<30).map {
        MadeRecording.frame($0, isVideo: isVideo, labels: [], faces: [face])
      }
      let remedy = EmptyCheck.findings(in: MadeRecording.sample(frames)).first?.remedy
      let command = isVideo ? "import video' is for videos" : "import images' is for images"
      #expect(remedy?.contains(command) == true)
    }
    #expect(findings(labels: [], faces: [face], isLabelled: false).isEmpty)
    #expect(findings(labels: [label], faces: [face]).isEmpty)
  }

  @Test func `where all labelled faces are to be ignored no prediction is a false positive`() {
    let frames = (0..<30).map { index in
      let made = MadeRecording.frame(index, isVideo: false, labels: [], faces: [face])
      return JoinedFrame(
        frame: made.frame, isVideo: false, labels: [], prediction: made.prediction,
        ignored: [FaceLabel(box: BoundingBox(x: 10, y: 10, width: 40, height: 40), isIgnored: true)]
      )
    }
    let found = EmptyCheck.findings(in: MadeRecording.sample(frames))
    #expect(found.map(\.severity) == [.note])
    #expect(found.first?.summary.contains("All 30 labelled faces are to be ignored") == true)
  }

  @Test func `predictions that are not there are suspect of an import, and a result of a run`() {
    let found = findings(labels: [label], faces: [])
    #expect(found.map(\.name) == ["empty.predictions"] && found[0].severity == .suspect)
    #expect(found[0].remedy?.contains("--category") == true)
    let tracked = findings(labels: [label], faces: [], format: "my tracker")
    #expect(tracked.map(\.severity) == [.suspect])
    #expect(tracked[0].remedy?.hasPrefix("Look at what the tracker") == true)
    #expect(findings(labels: [label], faces: [], format: nil).map(\.severity) == [.note])
    #expect(findings(labels: [label], faces: [], count: 5).map(\.severity) == [.note])
  }

  @Test func `detections in which the landmark model sees no face are told of our own pipeline`() {
    func found(format: String?, scheme: LandmarkScheme?) -> [Finding] {
      let frames = (0..<30).map { index -> JoinedFrame in
        let made = MadeRecording.frame(index, isVideo: false, labels: [label])
        var prediction = made.prediction
        prediction.detections = [FaceDetection(box: label.box, score: 0.9)]
        return JoinedFrame(
          frame: made.frame, isVideo: false, labels: [label], prediction: prediction)
      }
      return EmptyCheck.findings(
        in: MadeRecording.sample(frames, format: format, scheme: scheme))
    }
    let own = found(format: nil, scheme: .ibug68)
    #expect(own.map(\.name) == ["empty.predictions"] && own[0].severity == .note)
    #expect(own.first?.summary.contains("sees none in the 30 regions") == true)
    #expect(own.first?.remedy?.contains("card of an own detector") == true)
    // A detector alone, and another tracker's boxes, have no landmark model that could see a face.
    #expect(found(format: nil, scheme: nil).isEmpty)
    #expect(found(format: "coco", scheme: nil).isEmpty)
  }

  @Test func `labelled points that no predicted face has are named`() throws {
    let places = (0..<68).map { Point(x: Double($0 % 9), y: Double($0 / 9)) }
    var label = label
    label.landmarks = [try #require(Landmarks(scheme: .ibug68, points: places))]
    func found(without lost: Set<Int>) -> [Finding] {
      let points = places.enumerated().map { index, place in
        lost.contains(index)
          ? SIMD3(Float.nan, .nan, .nan) : SIMD3(Float(place.x), Float(place.y), 0)
      }
      let face = MadeRecording.face(label.box, scheme: .ibug68, points: points)
      return findings(labels: [label], faces: [face], scheme: .ibug68)
    }
    #expect(found(without: []).isEmpty)
    let lost = found(without: Set(0..<17).union([30]))
    #expect(lost.map(\.name) == ["empty.points"] && lost[0].severity == .note)
    #expect(lost.first?.summary.contains("points 0 to 16, 30 of ibug68") == true)
    #expect(lost.first?.remedy?.contains("import the labels again with --points") == true)
  }

  @Test func `of two schemes with as many labelled points the first by name is told`() throws {
    func labelled(_ scheme: LandmarkScheme) throws -> FaceLabel {
      var label = label
      let places = Array(repeating: Point(x: 1, y: 1), count: scheme.count)
      label.landmarks = [try #require(Landmarks(scheme: scheme, points: places))]
      return label
    }
    // The nose is at 30 in the one, at 33 in the other.
    let points = (0..<68).map { index in
      [30, 33].contains(index) ? SIMD3(Float.nan, .nan, .nan) : SIMD3(Float(1), 1, 0)
    }
    let face = MadeRecording.face(label.box, scheme: .ibug68, points: points)
    let found = findings(
      labels: [try labelled(.five), try labelled(.dlib5)], faces: [face], scheme: .ibug68)
    let told = try #require(found.first { $0.name == "empty.points" })
    #expect(told.summary.contains(" of dlib5: "))
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
    #expect(try found(labelled: .ibug68, predicted: .five).isEmpty)
    #expect(try found(labelled: .cofw29, predicted: .cofw29).isEmpty)
  }

  /// Stills with one labelled face each, of which the output names those that a closure tells.
  private func named(
    _ count: Int = 200, isVideo: Bool = false, sequence: (Int) -> Int = { _ in 0 },
    labels: (Int) -> Bool = { _ in true }, missing: [Range<Int>], isNamed: (Int) -> Bool
  ) -> [Finding] {
    let frames = (0..<count).map { index in
      var prediction = MadeRecording.frame(
        index, isVideo: isVideo, labels: [], faces: isNamed(index) ? [face] : []
      ).prediction
      prediction.isInSource = isNamed(index)
      return JoinedFrame(
        frame: MadeRecording.frame(index, sequence: sequence(index), isVideo: isVideo).frame,
        isVideo: isVideo, labels: labels(index) ? [label] : [], prediction: prediction)
    }
    return EmptyCheck.findings(
      in: JoinedSample(
        frames: frames, isWhole: true, format: "csv", scheme: nil, hasScores: true,
        missing: missing)
    ).filter { $0.name == "frames.missing" }
  }

  @Test func `a stretch that the output does not name is suspect, and the rest can be measured`()
    throws
  {
    let half = try #require(named(missing: [100..<200]) { $0 < 100 }.first)
    #expect(half.severity == .suspect && half.before == 0.5 && half.n == 200)
    #expect(half.summary.contains("no row for 100 frames from frame 100 to 199"))
    #expect(half.remedy?.contains("'facegauge subset' and --frames :100,") == true)
    #expect(half.frames.map(\.index) == [100, 101, 102, 103, 104])
    let both = try #require(
      named(missing: [0..<40, 160..<200]) { (40..<160).contains($0) }.first)
    #expect(both.summary.contains("no row for 80 frames in 2 stretches, the first from frame 0"))
    #expect(both.remedy?.contains("--frames 40:160,") == true)
    let clip = try #require(named(missing: [60..<120]) { !(60..<120).contains($0) }.first)
    #expect(clip.remedy?.contains("--where 'sequence!=NAME'") == true)
    // Some missed faces elsewhere are no gap of that size.
    #expect(named(missing: [100..<200]) { $0 < 100 && $0 % 3 > 0 }.count == 1)
  }

  @Test func `frames that are not named because nobody is there or found are none`() {
    #expect(named(missing: []) { $0 % 2 == 0 }.isEmpty)
    #expect(named(labels: { $0 < 100 }, missing: [100..<200]) { $0 < 100 }.isEmpty)
    // A face that is often lost for as long.
    let isFound: (Int) -> Bool = { $0 < 170 && !(60..<90).contains($0) }
    #expect(named(isVideo: true, missing: [170..<200], isNamed: isFound).isEmpty)
    // A tracker that finds few faces anywhere.
    #expect(named(missing: [160..<200]) { $0 < 160 && $0 % 3 == 0 }.isEmpty)
    #expect(named(60, missing: [50..<60]) { $0 < 50 }.isEmpty, "too few faces to tell")
  }

  @Test func `frames between those that a tracker looked at are suspect, by their period`() throws {
    let half = try #require(named(isVideo: true, missing: []) { $0 % 2 == 0 }.first)
    #expect(half.severity == .suspect && half.before == 0.5 && half.n == 200)
    #expect(half.summary.contains("one of every 2 frames alone: all faces in the 100 labelled"))
    #expect(half.remedy?.contains("'facegauge subset' and --frames 0::2,") == true)
    let quarter = try #require(named(isVideo: true, missing: []) { $0 % 4 == 1 }.first)
    #expect(quarter.remedy?.contains("--frames 1::4,") == true)
    // Some faces are missed among those that it looked at.
    #expect(named(isVideo: true, missing: []) { $0 % 2 == 0 && $0 % 10 > 0 }.count == 1)
    #expect(named(isVideo: true, missing: []) { $0 * 7 % 13 < 6 }.isEmpty, "here and there")
    #expect(named(isVideo: true, labels: { $0 % 2 == 0 }, missing: []) { $0 % 2 == 0 }.isEmpty)
  }

  @Test func `labels between the frames that a tracker looked at tell its period, chance does not`()
    throws
  {
    let between = try #require(
      named(isVideo: true, labels: { $0 % 2 == 1 }, missing: []) { $0 % 2 == 0 }.first)
    #expect(between.before == 0 && between.n == 100)
    #expect(between.summary.contains("one of every 2 frames alone: all faces in the 100 labelled"))
    // These frames have no labels that could be measured.
    #expect(between.remedy?.contains("subset") == false)
    #expect(between.remedy?.contains("--offset") == true)
    // Two faces found ten frames apart.
    #expect(named(25, isVideo: true, missing: []) { $0 == 5 || $0 == 15 }.isEmpty)
    // A clip with rows for all frames, and one with a single face found.
    let isFound: (Int) -> Bool = { $0 < 200 || $0 == 301 }
    let two = named(
      400, isVideo: true, sequence: { $0 / 200 }, labels: { $0 % 2 == 0 }, missing: [],
      isNamed: isFound)
    #expect(two.isEmpty, "\(two.map(\.summary))")
  }
}
