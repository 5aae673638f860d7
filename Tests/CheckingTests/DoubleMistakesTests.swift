import Checking
import FaceCore
import Records
import Testing

/// Two mistakes of coordinates at once, and mistakes of a part of the frames.
struct DoubleMistakesTests {
  private typealias Mistake = CoordinatesCheckTests.Mistake

  private static func mirrored(_ box: BoundingBox) -> BoundingBox {
    BoundingBox(x: 800 - box.maxX, y: box.y, width: box.width, height: box.height)
  }
  private static func scaled(_ box: BoundingBox, _ x: Double, _ y: Double) -> BoundingBox {
    BoundingBox(x: box.x * x, y: box.y * y, width: box.width * x, height: box.height * y)
  }
  /// In the image that was turned clockwise, 600 pixels wide.
  private static func turned(_ box: BoundingBox) -> BoundingBox {
    BoundingBox(x: 600 - box.maxY, y: box.x, width: box.height, height: box.width)
  }

  private static let mistakes: [Mistake] = [
    Mistake("coordinates.from-right", "--repair fractions --repair from-right") {
      scaled(mirrored($0), 1 / 800, 1 / 600)
    },
    Mistake("images.rotated", "--repair exchange-axes --repair fractions --repair from-below") {
      scaled(turned($0), 1 / 600, 1 / 800)
    },
    Mistake("coordinates.from-right", "--repair scale=2 --repair from-right") {
      scaled(mirrored($0), 0.5, 0.5)
    },
    Mistake("images.rotated", "--repair scale=2 --repair exchange-axes --repair from-below") {
      scaled(turned($0), 0.5, 0.5)
    },
  ]

  @Test(arguments: mistakes)
  func `two mistakes at once are found, with what mends both`(
    mistake: CoordinatesCheckTests.Mistake
  ) throws {
    let sample = PlacedFaces(predict: mistake.plant).sample()
    let finding = try #require(CoordinatesCheck.findings(in: sample).first)
    #expect(finding.remedy == "Import the predictions again with \(mistake.remedy).")
    #expect(try #require(finding.after) > 0.9)
  }

  @Test func `a crop that was scaled is no other scale`() throws {
    let sample = PlacedFaces(faces: 1, noise: 0.01) {
      BoundingBox(
        x: ($0.x - 60) / 2, y: ($0.y - 40) / 2, width: $0.width / 2, height: $0.height / 2)
    }.sample()
    let finding = try #require(CoordinatesCheck.findings(in: sample).first)
    #expect(finding.name == "coordinates.scale")
    let remedy = try #require(finding.remedy)
    #expect(remedy.contains("--repair scale=2 --repair move="), "\(remedy)")
  }

  @Test func `labels of images of another size are told by our own pipeline`() throws {
    var frames: [JoinedFrame] = []
    for (width, height) in [(800, 600), (1200, 900), (1000, 600), (1600, 700), (1400, 1400)] {
      let size = ImageSize(width: width, height: height)
      let (x, y) = (640 / Double(width), 640 / Double(height))
      let made = PlacedFaces(count: 8, size: size, label: { Self.scaled($0, x, y) }) { $0 }
      frames += made.frames.enumerated().map { index, joined in
        PlacedFaces.frame(
          frames.count + index, size: size, isVideo: false, labels: joined.labels,
          faces: joined.prediction.faces)
      }
    }
    let sample = JoinedSample(
      frames: frames, isWhole: true, format: nil, scheme: nil, hasScores: true)
    let finding = try #require(CoordinatesCheck.findings(in: sample).first)
    #expect(
      finding.remedy
        == "Import the labels again with --repair scale=0.0015625 --repair fractions.")
  }

  @Test func `labels that the images' edges cut are not at fault`() throws {
    let size = ImageSize(width: 420, height: 600)
    let sample = PlacedFaces(size: size) { Self.scaled($0, 0.5, 0.5) }.sample()
    let finding = try #require(CoordinatesCheck.findings(in: sample).first)
    #expect(finding.remedy == "Import the predictions again with --repair scale=2.")
  }

  @Test func `what is smaller than a pixel is told though it fits no label`() throws {
    let sample = PlacedFaces {
      BoundingBox(
        x: $0.x / 400 - 1, y: $0.y / 300 - 1, width: $0.width / 400, height: $0.height / 300)
    }.sample()
    let finding = try #require(CoordinatesCheck.findings(in: sample).first)
    #expect(finding.name == "coordinates.fractions")
    #expect(finding.remedy?.contains("(value + 1) / 2") == true)
    let right = PlacedFaces(count: 80) { $0 }.frames
    let small = PlacedFaces(count: 80) { _ in
      BoundingBox(x: 0.5, y: 0.5, width: 0.1, height: 0.1)
    }
    .frames
    let mixed = zip(right, small).map { $0.frame.index % 2 == 0 ? $1 : $0 }
    let half = JoinedSample(
      frames: mixed, isWhole: true, format: "csv", scheme: nil, hasScores: true)
    let part = try #require(CoordinatesCheck.findings(in: half).first)
    #expect(part.summary.hasPrefix("In 40 of 80 frames predictions are smaller than a pixel"))
  }

  @Test func `a few frames of one video are one mistake of the tracker`() {
    func findings(_ count: Int) -> [Finding] {
      let placed = PlacedFaces(count: count, faces: 1, isVideo: true) {
        BoundingBox(
          x: $0.x + $0.width / 2, y: $0.y + $0.height / 2, width: $0.width, height: $0.height)
      }
      return CoordinatesCheck.findings(in: placed.sample())
    }
    #expect(findings(8).isEmpty)
    #expect(findings(30).map(\.name) == ["boxes.centre"])
  }

  // MARK: Videos

  private static func frame(
    _ index: Int, sequence: Int = 0, label: BoundingBox, face: BoundingBox
  ) -> JoinedFrame {
    let size = ImageSize(width: 800, height: 600)
    var prediction = FramePrediction(
      frame: index, size: size, stageNanoseconds: [nil], detections: [], candidates: [])
    prediction.faces = [
      FacePrediction(
        region: nil, isTracked: false, detectionScore: 0.9, presence: nil, scheme: nil, points: [],
        ownBox: face)
    ]
    let frame = Frame(
      index: index, name: "\(sequence)/\(index)", sequence: sequence, timestampMicroseconds: 0,
      size: size)
    return JoinedFrame(
      frame: frame, isVideo: true, labels: [FaceLabel(box: label)], prediction: prediction)
  }

  private static func sample(_ frames: [JoinedFrame], format: String? = "csv") -> JoinedSample {
    JoinedSample(frames: frames, isWhole: true, format: format, scheme: nil, hasScores: true)
  }

  @Test(arguments: ["csv", nil] as [String?])
  func `a tracker that follows someone else is a note`(format: String?) throws {
    let frames = (0..<60).map { index -> JoinedFrame in
      let (x, other) = (Double(100 + 4 * (index % 20)), Double(100 + 4 * ((7 * index + 3) % 20)))
      return Self.frame(
        index, label: BoundingBox(x: x, y: 100, width: 50, height: 50),
        face: BoundingBox(x: other, y: 135, width: 50, height: 50))
    }
    let found = OtherImagesCheck.findings(in: Self.sample(frames, format: format))
    #expect(found.map(\.name) == ["frames.unrelated"])
    #expect(found.first?.severity == .note)
  }

  @Test func `mirrored predictions that come late are both`() throws {
    let frames = (0..<60).map { index -> JoinedFrame in
      func x(_ index: Int) -> Double { Double(100 + 5 * ((37 * index + 11) % 60)) }
      return Self.frame(
        index, label: BoundingBox(x: x(index), y: 100, width: 50, height: 50),
        face: BoundingBox(x: 750 - x(index + 56), y: 100, width: 50, height: 50))
    }
    let finding = try #require(OtherImagesCheck.findings(in: Self.sample(frames)).first)
    #expect(finding.name == "coordinates.from-right")
    let remedy = try #require(finding.remedy)
    #expect(remedy.contains("--repair from-right. Predictions come about 4 frames late too"))
  }

  @Test func `predictions of two videos that are exchanged are found`() throws {
    func frames(areExchanged: Bool) -> [JoinedFrame] {
      (0..<60).map { index -> JoinedFrame in
        let video = index / 30
        func box(_ video: Int) -> BoundingBox {
          BoundingBox(x: Double(100 + 300 * video + index % 30), y: 100, width: 90, height: 120)
        }
        return Self.frame(
          index, sequence: video, label: box(video), face: box(areExchanged ? 1 - video : video))
      }
    }
    let found = OtherImagesCheck.findings(in: Self.sample(frames(areExchanged: true)))
    let finding = try #require(found.first)
    #expect(finding.name == "images.shifted" && finding.severity == .suspect)
    #expect(finding.before == 0 && finding.after == 1)
    #expect(finding.remedy?.contains("the names of their own videos") == true)
    #expect(OtherImagesCheck.findings(in: Self.sample(frames(areExchanged: false))).isEmpty)
  }
}
