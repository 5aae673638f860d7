import Checking
import FaceCore
import Foundation
import Records
import Testing

/// Images that Exif turns, predictions of the next image, and boxes whose corner was read as the centre.
struct ImagesCheckTests {
  private static func sample(_ frames: [JoinedFrame], format: String?) -> JoinedSample {
    JoinedSample(frames: frames, isWhole: true, format: format, scheme: nil, hasScores: true)
  }

  /// A box of the image that viewers show for an Exif orientation of 6, of stored pixels.
  private static func shown(_ box: BoundingBox) -> BoundingBox {
    BoundingBox(x: 600 - box.maxY, y: box.x, width: box.height, height: box.width)
  }

  /// Every third image has the orientation; of those the tracker's boxes, or the labels, are of the image as it is shown.
  private static func mixed(ofLabels: Bool, isHonest: Bool = false) -> [JoinedFrame] {
    var random: UInt64 = 1
    let placed = PlacedFaces(count: 45) { $0 }.frames
    return placed.map { joined in
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      guard joined.frame.index % 3 == 0 else { return joined }
      var turned = joined
      if !isHonest {
        var labels = joined.labels
        var faces = joined.prediction.faces
        if ofLabels {
          for index in labels.indices { labels[index].box = shown(labels[index].box) }
        } else {
          faces = faces.map {
            FacePrediction(
              region: nil, isTracked: false, detectionScore: 0.9, presence: nil, scheme: nil,
              points: [], ownBox: $0.box.map(shown))
          }
        }
        turned = PlacedFaces.frame(
          joined.frame.index, size: joined.size, isVideo: false, labels: labels, faces: faces)
      }
      turned.orientation = 6
      return turned
    }
  }

  @Test(arguments: [true, false])
  func `images that Exif turns are found among others`(ofLabels: Bool) throws {
    let sample = Self.sample(Self.mixed(ofLabels: ofLabels), format: "csv")
    let finding = try #require(CoordinatesCheck.findings(in: sample).first)
    #expect(finding.name == "images.rotated" && finding.severity == .suspect)
    #expect(finding.summary.hasPrefix("Of 15 images that Exif turns"))
    let side = ofLabels ? "labels" : "predictions"
    #expect(finding.remedy == "Import the \(side) again with --apply-exif labels.")
    #expect(finding.after == 1)
  }

  @Test func `an orientation that changes nothing is no finding`() {
    let sample = Self.sample(Self.mixed(ofLabels: false, isHonest: true), format: "csv")
    #expect(CoordinatesCheck.findings(in: sample).isEmpty)
  }

  /// Each image's prediction is that of the image `step` before.
  private static func shifted(_ step: Int, isVideo: Bool = false) -> [JoinedFrame] {
    let placed = PlacedFaces(count: 40, isVideo: isVideo) { $0 }.frames
    return placed.map { joined in
      let other = joined.frame.index - step
      return PlacedFaces.frame(
        joined.frame.index, size: joined.size, isVideo: isVideo, labels: joined.labels,
        faces: placed.indices.contains(other) ? placed[other].prediction.faces : [])
    }
  }

  @Test(arguments: [(1, "one image earlier"), (-1, "one image later"), (2, "2 images earlier")])
  func `predictions of the image before or after are found`(step: Int, place: String) throws {
    let found = OtherImagesCheck.findings(in: Self.sample(Self.shifted(step), format: "coco"))
    let finding = try #require(found.first)
    #expect(finding.name == "images.shifted")
    #expect(finding.summary == "Predictions agree with the labels of \(place).")
    #expect(finding.after ?? 0 > 0.9)
  }

  @Test func `predictions of their own images are none of the next`() {
    #expect(OtherImagesCheck.findings(in: Self.sample(Self.shifted(0), format: "coco")).isEmpty)
  }

  /// Stills whose predictions are those of other ones; nil for none.
  private static func exchanged(
    _ count: Int = 60, size: ImageSize = ImageSize(width: 800, height: 600), isVideo: Bool = false,
    _ other: (Int) -> Int?
  ) -> [JoinedFrame] {
    let placed = PlacedFaces(count: count, size: size, isVideo: isVideo) { $0 }.frames
    return placed.enumerated().map { place, joined in
      PlacedFaces.frame(
        place, size: size, isVideo: isVideo, labels: joined.labels,
        faces: other(place).map { placed[$0].prediction.faces } ?? [])
    }
  }

  @Test(arguments: [true, false])
  func `an order of numbers as text is found`(isInverse: Bool) throws {
    let order = (0..<60).sorted { "\($0)" < "\($1)" }
    let frames = Self.exchanged { isInverse ? order.firstIndex(of: $0) : order[$0] }
    let finding = try #require(
      OtherImagesCheck.findings(in: Self.sample(frames, format: "csv")).first)
    #expect(finding.name == "images.shifted" && finding.after == 1)
    #expect(finding.summary.contains("as text (1, 10, 100, 2)"))
  }

  @Test func `a shift that begins in the middle is found, with the image where it begins`() throws {
    let frames = Self.exchanged { $0 < 30 ? $0 : $0 - 1 }
    let finding = try #require(
      OtherImagesCheck.findings(in: Self.sample(frames, format: "csv")).first)
    #expect(finding.name == "images.shifted")
    #expect(finding.summary.contains(" images, from 30.jpg on, agree"))
    #expect(finding.summary.contains("of one image earlier"))
  }

  @Test func `frames of a video of which every second was tracked are no exchanged images`() {
    let frames = (0..<80).map { index in
      let box = MadeRecording.box(0, frame: index)
      return MadeRecording.frame(
        index, isVideo: false, labels: [MadeRecording.label(box)],
        faces: index % 2 == 0 ? [MadeRecording.face(box)] : [])
    }
    let found = OtherImagesCheck.findings(in: Self.sample(frames, format: "csv"))
    #expect(found.isEmpty, "\(found.map(\.summary))")
  }

  @Test(arguments: [true, false])
  func `predictions of other frames in no order that can be told are found`(isVideo: Bool) throws {
    let frames = Self.exchanged(isVideo: isVideo) { (37 * $0 + 11) % 60 }
    let found = OtherImagesCheck.findings(in: Self.sample(frames, format: "csv"))
    #expect(found.map(\.name) == ["frames.unrelated"])
    #expect(found.first?.remedy?.contains("order of the predictions' file") == true)
    // Our own pipeline reads no file of predictions.
    let own = OtherImagesCheck.findings(in: Self.sample(frames, format: nil))
    #expect(own.first?.remedy?.contains("in the card of an own detector") == true)
  }

  /// Trackers that are bad, and of the right frames: most faces missed, boxes far too large or next to the face, and one
  /// right face among many wrong ones.
  @Test(arguments: 0..<4)
  func `a bad tracker is none of other frames`(kind: Int) {
    let placed = PlacedFaces(count: 60, noise: 0.1) { box in
      switch kind {
      case 0: box.x < 60 ? box : BoundingBox(x: 700, y: 500, width: 50, height: 65)
      case 1:
        BoundingBox(
          x: box.x - box.width, y: box.y - box.height, width: 3 * box.width, height: 3 * box.height)
      case 2:
        BoundingBox(
          x: box.x + 0.6 * box.width, y: box.y + 0.3 * box.width, width: box.width,
          height: box.height)
      default: Int(box.y) % 3 == 0 ? box : BoundingBox(x: 0, y: 0, width: 9, height: 9)
      }
    }
    #expect(OtherImagesCheck.findings(in: placed.sample(format: "csv")).isEmpty)
  }

  @Test func `aligned faces, which any prediction fits, say nothing`() {
    let placed = PlacedFaces(count: 60, still: true) { $0 }
    let far = PlacedFaces(count: 60, still: true) {
      BoundingBox(x: $0.x + $0.width * 0.7, y: $0.y, width: $0.width, height: $0.height)
    }
    for placed in [placed, far] {
      #expect(OtherImagesCheck.findings(in: placed.sample(format: "csv")).isEmpty)
    }
  }

  // MARK: A part in another convention

  private static func half(
    every step: Int = 2, _ plant: (BoundingBox) -> BoundingBox
  ) -> JoinedSample {
    let (right, wrong) = (PlacedFaces(count: 80) { $0 }, PlacedFaces(count: 80, predict: plant))
    let frames = zip(right.frames, wrong.frames).map { $0.frame.index % step == 0 ? $1 : $0 }
    return sample(frames, format: "csv")
  }

  @Test func `boxes of a part of the frames in another convention are found`() throws {
    let corners = Self.half {
      BoundingBox(x: $0.x, y: $0.y, width: $0.maxX, height: $0.maxY)
    }
    let finding = try #require(CoordinatesCheck.findings(in: corners).first)
    #expect(finding.name == "boxes.corners" && finding.severity == .suspect)
    #expect(finding.summary.hasPrefix("In 40 of 80 frames predictions agree with the labels if"))
    #expect(finding.after == 1)
    #expect(finding.remedy?.contains("--repair corners on all would turn the others wrong") == true)
    let fractions = Self.half(every: 4) {
      BoundingBox(
        x: $0.x / 800, y: $0.y / 600, width: $0.width / 800, height: $0.height / 600)
    }
    let other = try #require(CoordinatesCheck.findings(in: fractions).first)
    #expect(other.name == "coordinates.fractions")
    #expect(other.summary.hasPrefix("In 20 of 80 frames"))
  }

  @Test func `a tracker that is wrong in a part of the frames has no other convention there`() {
    let elsewhere = Self.half { BoundingBox(x: 790 - $0.y, y: 10, width: 40, height: 40) }
    #expect(CoordinatesCheck.findings(in: elsewhere).isEmpty)
    let large = Self.half {
      BoundingBox(
        x: $0.x - 0.4 * $0.width, y: $0.y - 0.4 * $0.height, width: 1.8 * $0.width,
        height: 1.8 * $0.height)
    }
    #expect(CoordinatesCheck.findings(in: large).isEmpty)
  }

  // MARK: Corners that were read as centres

  private static func cornerAsCentre(_ box: BoundingBox) -> BoundingBox {
    BoundingBox(
      x: box.x - box.width / 2, y: box.y - box.height / 2, width: box.width, height: box.height)
  }

  private static func cornersAsCentre(_ box: BoundingBox) -> BoundingBox {
    BoundingBox(
      x: box.x - box.maxX / 2, y: box.y - box.maxY / 2, width: box.maxX, height: box.maxY)
  }

  @Test(arguments: [true, false])
  func `a corner that was read as the centre is of the side of YOLO, or of that outside`(
    ofLabels: Bool
  ) throws {
    let placed =
      ofLabels
      ? PlacedFaces(label: Self.cornerAsCentre) { $0 } : PlacedFaces(predict: Self.cornerAsCentre)
    let sample = placed.sample(format: ofLabels ? "csv" : "yolo")
    let finding = try #require(CoordinatesCheck.findings(in: sample).first)
    let side = ofLabels ? "labels" : "predictions"
    #expect(finding.name == "boxes.centre")
    #expect(finding.remedy == "Import the \(side) again with --repair corner.")
  }

  @Test(arguments: [true, false])
  func `corners that were read as centre and size are found`(ofLabels: Bool) throws {
    let placed =
      ofLabels
      ? PlacedFaces(label: Self.cornersAsCentre) { $0 }
      : PlacedFaces(predict: Self.cornersAsCentre)
    let sample = placed.sample(format: ofLabels ? "csv" : "yolo")
    let finding = try #require(CoordinatesCheck.findings(in: sample).first)
    let side = ofLabels ? "labels" : "predictions"
    #expect(finding.name == "boxes.corners")
    #expect(
      finding.remedy == "Import the \(side) again with --repair corner --repair corners.")
  }

  /// Coefficients of which no frame of a video tells another, or the other video.
  private static func coefficients(_ frame: Int, of video: Int) -> [Float] {
    (0..<52).map { channel in
      let angle = 12.9898 * Double(frame) + 78.233 * Double(channel) + 37.719 * Double(video)
      let product = sin(angle) * 43_758.5453
      return Float(product - product.rounded(.down))
    }
  }

  /// Two recordings of so many frames without a place; `other` says whose prediction each frame has.
  private static func recordings(
    of length: Int = 400, _ other: (Int, Int) -> (Int, Int)
  ) -> JoinedSample {
    let frames = (0..<2 * length).map { index -> JoinedFrame in
      let (video, frame) = (index / length, index % length)
      let (shown, at) = other(video, frame)
      return MadeRecording.frame(
        index, sequence: video,
        labels: [
          MadeRecording.label(
            BoundingBox(x: 0, y: 0, width: 0, height: 0),
            coefficients: coefficients(frame, of: video))
        ], faces: [MadeRecording.face(nil, coefficients: coefficients(at, of: shown))])
    }
    return MadeRecording.sample(frames)
  }

  @Test func `recordings whose coefficients are exchanged are named`() {
    #expect(OtherImagesCheck.findings(in: Self.recordings { ($0, $1) }).isEmpty)
    let found = OtherImagesCheck.findings(in: Self.recordings { (1 - $0, $1) })
    #expect(found.map(\.name) == ["images.shifted"])
    #expect(found.first?.statistic == "mean correlation of coefficients of these videos")
    #expect(found.first?.n == 800)
  }

  @Test(arguments: [(400, Finding.Severity.suspect), (100, .note)])
  func `coefficients of other frames than their own are unrelated`(
    length: Int, severity: Finding.Severity
  ) {
    let found = OtherImagesCheck.findings(
      in: Self.recordings(of: length) { video, frame in
        let late = (length * video + frame + length / 2) % (2 * length)
        return (late / length, late % length)
      })
    #expect(found.map(\.name) == ["frames.unrelated"])
    #expect(found.first?.severity == severity && found.first?.n == 2 * length)
  }
}
