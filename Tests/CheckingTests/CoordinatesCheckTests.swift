import Checking
import FaceCore
import Foundation
import Records
import Testing

/// Frames of one to three labelled faces of many sizes, and a tracker that sees them with small errors.
struct PlacedFaces {
  var frames: [JoinedFrame] = []
  private static let size = ImageSize(width: 800, height: 600)

  /// Makes stills; `predict` turns a labelled box into what the tracker writes, `label` into what the labels hold.
  init(
    count: Int = 30, faces: Int = 2, noise: Double = 0.03, size: ImageSize = Self.size,
    isVideo: Bool = false, still: Bool = false,
    label: (BoundingBox) -> BoundingBox = { $0 }, predict: (BoundingBox) -> BoundingBox
  ) {
    var random = Noise(state: 7)
    for index in 0..<count {
      var (labels, predicted): ([FaceLabel], [FacePrediction]) = ([], [])
      for face in 0..<faces {
        let side = still ? 90 : 40 + 80 * random.next()
        let x = Double(face * 260) + (still ? 60 : 20 + 110 * random.next())
        let y = still ? 180 : 20 + 420 * random.next()
        let box = BoundingBox(x: x, y: y, width: side, height: 1.3 * side)
        func step() -> Double { noise * side * (2 * random.next() - 1) }
        let seen = BoundingBox(
          x: x + step(), y: y + step(), width: side + step(), height: 1.3 * side + step())
        labels.append(FaceLabel(box: label(box)))
        predicted.append(
          FacePrediction(
            region: nil, isTracked: false, detectionScore: 0.9, presence: nil, scheme: nil,
            points: [], ownBox: predict(seen)))
      }
      frames.append(
        Self.frame(index, size: size, isVideo: isVideo, labels: labels, faces: predicted))
    }
  }

  static func frame(
    _ index: Int, size: ImageSize, isVideo: Bool, labels: [FaceLabel], faces: [FacePrediction]
  ) -> JoinedFrame {
    var prediction = FramePrediction(
      frame: index, size: size, stageNanoseconds: [nil], detections: [], candidates: [])
    prediction.faces = faces
    return JoinedFrame(
      frame: Frame(
        index: index, name: "\(index).jpg", sequence: isVideo ? 0 : index,
        timestampMicroseconds: 0, size: size),
      isVideo: isVideo, labels: labels, prediction: prediction)
  }

  func sample(format: String? = "wider-detections") -> JoinedSample {
    JoinedSample(frames: frames, isWhole: true, format: format, scheme: nil, hasScores: true)
  }

  /// The same numbers in each run.
  private struct Noise {
    var state: UInt64
    mutating func next() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / Double(1 << 53)
    }
  }
}

struct CoordinatesCheckTests {
  @Test func `fractions of a turned image are found though its sides were not stated`() throws {
    // Of 600 × 800, whose fractions were taken as those of 800 × 600.
    let placed = PlacedFaces {
      BoundingBox(
        x: (600 - $0.maxY) * 4 / 3, y: $0.x * 0.75, width: $0.height * 4 / 3,
        height: $0.width * 0.75)
    }
    let finding = try #require(CoordinatesCheck.findings(in: placed.sample()).first)
    #expect(finding.name == "images.rotated")
    let remedy = try #require(finding.remedy)
    #expect(remedy.contains("--repair scale=0.75x1.33"))
    #expect(remedy.hasSuffix(" --repair exchange-axes --repair from-below."))
  }

  @Test func `predictions without an import have a remedy for what wrote them`() {
    let placed = PlacedFaces {
      BoundingBox(x: $0.x, y: $0.y, width: $0.maxX, height: $0.maxY)
    }
    func remedy(_ format: String) -> String? {
      Findings.of(placed.sample(format: format)).first { $0.name == "boxes.corners" }?.remedy
    }
    let own = "Import the predictions again with --repair corners."
    #expect(remedy("csv") == own)
    let tracked = remedy("mine 1.0")
    #expect(tracked?.hasPrefix("These predictions come from no import") == true)
    #expect(tracked?.hasSuffix(" do what an import does with --repair corners.") == true)
  }

  /// A mistake, and the finding and options that mend it.
  struct Mistake: Sendable, CustomTestStringConvertible {
    let name: String
    let remedy: String
    let plant: @Sendable (BoundingBox) -> BoundingBox
    var testDescription: String { "\(name): \(remedy)" }

    init(
      _ name: String, _ remedy: String, _ plant: @escaping @Sendable (BoundingBox) -> BoundingBox
    ) {
      (self.name, self.remedy, self.plant) = (name, remedy, plant)
    }
  }

  private static func corners(_ box: BoundingBox) -> BoundingBox {
    BoundingBox(x: box.x, y: box.y, width: box.maxX, height: box.maxY)
  }
  private static func centered(_ box: BoundingBox) -> BoundingBox {
    BoundingBox(
      x: box.x + box.width / 2, y: box.y + box.height / 2, width: box.width, height: box.height)
  }
  private static func stretched(_ box: BoundingBox, _ x: Double, _ y: Double) -> BoundingBox {
    BoundingBox(x: box.x * x, y: box.y * y, width: box.width * x, height: box.height * y)
  }
  private static func exchanged(_ box: BoundingBox) -> BoundingBox {
    BoundingBox(x: box.y, y: box.x, width: box.height, height: box.width)
  }

  private static let mistakes: [Mistake] = [
    Mistake("coordinates.fractions", "--repair fractions") { stretched($0, 1 / 800, 1 / 600) },
    Mistake("coordinates.fractions", "--repair fractions --repair corners") {
      stretched(corners($0), 1 / 800, 1 / 600)
    },
    Mistake("coordinates.fractions", "--repair fractions --repair centre") {
      stretched(centered($0), 1 / 800, 1 / 600)
    },
    Mistake("coordinates.scale", "--repair scale=0.01 --repair fractions") {
      stretched($0, 100 / 800, 100 / 600)
    },
    Mistake("coordinates.scale", "--repair scale=0.001 --repair fractions --repair corners") {
      stretched(corners($0), 1000 / 800, 1000 / 600)
    },
    Mistake("coordinates.scale", "--repair scale=2") { stretched($0, 0.5, 0.5) },
    Mistake("coordinates.scale", "--repair scale=0.5") { stretched($0, 2, 2) },
    Mistake("coordinates.scale", "--repair scale=2 --repair corners") {
      stretched(corners($0), 0.5, 0.5)
    },
    Mistake("coordinates.scale", "--repair scale=2.5x1.875") { stretched($0, 0.4, 320 / 600) },
    Mistake("coordinates.exchanged-axes", "--repair exchange-axes") { exchanged($0) },
    Mistake("coordinates.exchanged-axes", "--repair exchange-axes --repair corners") {
      exchanged(corners($0))
    },
    Mistake("coordinates.from-below", "--repair from-below") {
      BoundingBox(x: $0.x, y: 600 - $0.maxY, width: $0.width, height: $0.height)
    },
    Mistake("coordinates.from-right", "--repair from-right") {
      BoundingBox(x: 800 - $0.maxX, y: $0.y, width: $0.width, height: $0.height)
    },
    Mistake("images.rotated", "--repair from-right --repair from-below") {
      BoundingBox(x: 800 - $0.maxX, y: 600 - $0.maxY, width: $0.width, height: $0.height)
    },
    Mistake("images.rotated", "--repair exchange-axes --repair from-right") {
      BoundingBox(x: $0.y, y: 800 - $0.maxX, width: $0.height, height: $0.width)
    },
    Mistake("boxes.corners", "--repair corners") { corners($0) },
    Mistake("boxes.centre", "--repair centre") { centered($0) },
    Mistake("boxes.corners", "--repair edges=trbl") {
      BoundingBox(x: $0.y, y: $0.maxX, width: $0.maxY, height: $0.x)
    },
    Mistake("boxes.corners", "--repair edges=lrtb") {
      BoundingBox(x: $0.x, y: $0.maxX, width: $0.y, height: $0.maxY)
    },
    Mistake("boxes.corners", "--repair edges=trbl --repair fractions") {
      BoundingBox(x: $0.y / 600, y: $0.maxX / 800, width: $0.maxY / 600, height: $0.x / 800)
    },
    Mistake("coordinates.scale", "--repair letterbox=640") {
      BoundingBox(
        x: 0.8 * $0.x, y: 0.8 * $0.y + 80, width: 0.8 * $0.width, height: 0.8 * $0.height)
    },
    Mistake("coordinates.scale", "--repair corners --repair letterbox=320") {
      corners(
        BoundingBox(
          x: 0.4 * $0.x, y: 0.4 * $0.y + 40, width: 0.4 * $0.width, height: 0.4 * $0.height))
    },
    Mistake(
      "coordinates.exchanged-axes",
      "--repair scale=0.001 --repair exchange-axes --repair fractions --repair corners"
    ) {
      let box = corners($0)
      return exchanged(stretched(box, 1000 / 800, 1000 / 600))
    },
  ]

  @Test(arguments: [
    "letterbox=640", "longer-side=640", "shorter-side=480", "letterbox=1", "longer-side=1",
    "centre-crop=1",
  ])
  func `images of several sizes that were scaled by one of their sides are told`(
    text: String
  ) throws {
    let sizes = [(800, 600), (600, 800), (1000, 600), (700, 700), (1200, 620)]
    let repair = try #require(FaceRepair(text))
    var frames: [JoinedFrame] = []
    for (width, height) in sizes {
      let size = ImageSize(width: width, height: height)
      let scaling = try #require(repair.scaling(of: size))
      let made = PlacedFaces(count: 8, faces: 2, size: size) { box in
        BoundingBox(
          x: (box.x - scaling.x) / scaling.factor, y: (box.y - scaling.y) / scaling.factor,
          width: box.width / scaling.factor, height: box.height / scaling.factor)
      }
      frames += made.frames.enumerated().map { index, joined in
        PlacedFaces.frame(
          frames.count + index, size: size, isVideo: false, labels: joined.labels,
          faces: joined.prediction.faces)
      }
    }
    let sample = JoinedSample(
      frames: frames, isWhole: true, format: "yolo", scheme: nil, hasScores: true)
    let found = CoordinatesCheck.findings(in: sample)
    #expect(found.map(\.remedy) == ["Import the predictions again with --repair \(text)."])
  }

  @Test(arguments: mistakes)
  func `a convention of the predictions is found, with what mends it`(mistake: Mistake) throws {
    let sample = PlacedFaces(predict: mistake.plant).sample()
    let finding = try #require(CoordinatesCheck.findings(in: sample).first)
    #expect(CoordinatesCheck.findings(in: sample).count == 1)
    #expect(CoordinatesCheck.names.contains(finding.name))
    #expect(finding.name == mistake.name)
    #expect(finding.severity == .suspect)
    #expect(finding.remedy == "Import the predictions again with \(mistake.remedy).")
    #expect(finding.n == 60)
    #expect(try #require(finding.before) < 0.4)
    #expect(try #require(finding.after) > 0.9)
    #expect(finding.frames.count == 5)
  }

  static let mistakesOfLabels: [Mistake] = [
    Mistake("coordinates.fractions", "--repair fractions") { stretched($0, 1 / 800, 1 / 600) },
    Mistake("boxes.corners", "--repair corners") { corners($0) },
    Mistake("boxes.centre", "--repair centre") { centered($0) },
    Mistake("coordinates.scale", "--repair scale=2") { stretched($0, 0.5, 0.5) },
    Mistake("coordinates.scale", "--repair scale=0.5") { stretched($0, 2, 2) },
  ]

  @Test(arguments: mistakesOfLabels)
  func `a convention of the labels is named as theirs`(mistake: Mistake) throws {
    let sample = PlacedFaces(label: mistake.plant) { $0 }.sample()
    let finding = try #require(CoordinatesCheck.findings(in: sample).first)
    #expect(finding.name == mistake.name)
    #expect(finding.remedy == "Import the labels again with \(mistake.remedy).")
  }

  @Test func `labels of the image as a phone stored it are told in one clip too`() throws {
    let upright = ImageSize(width: 600, height: 800)
    let clip = PlacedFaces(
      faces: 1, size: upright, isVideo: true,
      label: { BoundingBox(x: $0.y, y: 600 - $0.maxX, width: $0.height, height: $0.width) },
      predict: { $0 })
    let finding = try #require(CoordinatesCheck.findings(in: clip.sample()).first)
    #expect(finding.name == "images.rotated")
    #expect(
      finding.remedy
        == "Import the labels again with --repair exchange-axes --repair from-right.")
    #expect(try #require(finding.after) > 0.9)
    let honest = PlacedFaces(faces: 1, size: upright, isVideo: true) { $0 }
    #expect(CoordinatesCheck.findings(in: honest.sample()).isEmpty)
  }

  @Test func `even motion of half the size is no clock of another rate`() {
    let size = ImageSize(width: 800, height: 600)
    let frames = (0..<90).map { index -> JoinedFrame in
      let box = BoundingBox(x: Double(40 + 6 * index), y: 200, width: 120, height: 120)
      let face = FacePrediction(
        region: nil, isTracked: false, detectionScore: 0.9, presence: nil, scheme: nil,
        points: [], ownBox: Self.stretched(box, 0.5, 0.5))
      return PlacedFaces.frame(
        index, size: size, isVideo: true, labels: [FaceLabel(box: box)], faces: [face])
    }
    let sample = JoinedSample(
      frames: frames, isWhole: true, format: "csv", scheme: nil, hasScores: true)
    let names = Findings.of(sample).map(\.name)
    #expect(names.contains("coordinates.scale"))
    #expect(!names.contains("time.rate"))
  }

  @Test func `what our own pipeline wrote is not at fault`() throws {
    let sample = PlacedFaces { Self.exchanged($0) }.sample(format: nil)
    let finding = try #require(CoordinatesCheck.findings(in: sample).first)
    #expect(finding.remedy == "Import the labels again with --repair exchange-axes.")
  }

  @Test func `fractions without sizes of images are scaled by what the faces ask for`() throws {
    let sample = PlacedFaces(size: ImageSize(width: 0, height: 0)) {
      Self.stretched($0, 1 / 800, 1 / 600)
    }.sample()
    let finding = try #require(CoordinatesCheck.findings(in: sample).first)
    #expect(finding.name == "coordinates.fractions")
    #expect(finding.remedy == "Import the predictions again with --repair scale=800x600.")
  }

  @Test
  func `of exchanged axes without sizes of images it is told that turned ones were not tried`()
    throws
  {
    let sample = PlacedFaces(size: ImageSize(width: 0, height: 0)) { Self.exchanged($0) }.sample()
    let finding = try #require(CoordinatesCheck.findings(in: sample).first)
    #expect(finding.name == "coordinates.exchanged-axes")
    #expect(
      finding.remedy?.hasSuffix(
        "with --repair exchange-axes. If the images were turned, import the labels with their images "
          + "(--images) first: without sizes only exchanged axes were tried.") == true)
  }

  @Test func `an offset that is the same to the hundredth of a pixel is found`() throws {
    let sample = PlacedFaces(noise: 0) {
      BoundingBox(x: $0.x + 1, y: $0.y + 1, width: $0.width, height: $0.height)
    }.sample()
    let finding = try #require(CoordinatesCheck.findings(in: sample).first)
    #expect(finding.name == "coordinates.offset")
    #expect(finding.remedy == "Import the predictions again with --repair move=-1,-1.")
    let noisy = PlacedFaces(noise: 0.02) {
      BoundingBox(x: $0.x + 1, y: $0.y + 1, width: $0.width, height: $0.height)
    }.sample()
    #expect(CoordinatesCheck.findings(in: noisy).isEmpty)
  }

  @Test func `a large offset is found in spite of errors`() throws {
    let sample = PlacedFaces(noise: 0.01) {
      BoundingBox(x: $0.x + 60, y: $0.y + 40, width: $0.width, height: $0.height)
    }.sample()
    let finding = try #require(CoordinatesCheck.findings(in: sample).first)
    #expect(finding.name == "coordinates.offset")
    #expect(finding.remedy == "Import the predictions again with --repair move=-60,-40.")
  }

  @Test func `honest trackers draw no word`() {
    #expect(CoordinatesCheck.findings(in: PlacedFaces { $0 }.sample()).isEmpty)
    #expect(CoordinatesCheck.findings(in: PlacedFaces(noise: 0.2) { $0 }.sample()).isEmpty)
    let tight = PlacedFaces {
      BoundingBox(
        x: $0.x + 0.2 * $0.width, y: $0.y + 0.3 * $0.height, width: 0.6 * $0.width,
        height: 0.6 * $0.height)
    }
    #expect(CoordinatesCheck.findings(in: tight.sample()).isEmpty)
    #expect(CoordinatesCheck.findings(in: PlacedFaces(count: 0) { $0 }.sample()).isEmpty)
  }

  @Test func `two faces are too few to tell`() {
    let few = PlacedFaces(count: 1) { Self.corners($0) }
    #expect(CoordinatesCheck.findings(in: few.sample()).isEmpty)
  }

  @Test func `a tracker that follows the other of two people who face each other is no mirror`() {
    let sample = PlacedFaces(count: 60, faces: 1, noise: 0.01, isVideo: true, still: true) {
      BoundingBox(x: 800 - $0.maxX, y: $0.y, width: $0.width, height: $0.height)
    }.sample()
    #expect(CoordinatesCheck.findings(in: sample).isEmpty)
  }

  @Test func `predictions of other frames fit no convention`() {
    let all = PlacedFaces(faces: 1) { $0 }.frames
    let mixed = all.indices.map { index in
      PlacedFaces.frame(
        index, size: all[index].size, isVideo: false, labels: all[index].labels,
        faces: all[(index + 11) % all.count].prediction.faces)
    }
    #expect(
      CoordinatesCheck.findings(
        in: JoinedSample(
          frames: mixed, isWhole: true, format: "wider", scheme: nil, hasScores: true)
      ).isEmpty)
  }

  /// Crops that are aligned by the face, and a tracker whose boxes are larger than the labelled ones.
  @Test func `labels in fractions are found where all faces are at one place`() throws {
    let placed = PlacedFaces(
      faces: 1, still: true,
      label: { box in
        BoundingBox(
          x: box.x / 800, y: box.y / 600, width: box.width / 800, height: box.height / 600)
      },
      predict: { box in
        BoundingBox(x: box.x - 8, y: box.y - 8, width: box.width + 16, height: box.height + 16)
      })
    let found = CoordinatesCheck.findings(in: placed.sample(format: nil))
    #expect(found.map(\.name) == ["coordinates.fractions"])
    #expect(found.map(\.remedy) == ["Import the labels again with --repair fractions."])
  }
}
