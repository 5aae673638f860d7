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
    let found = NextImageCheck.findings(in: Self.sample(Self.shifted(step), format: "coco"))
    let finding = try #require(found.first)
    #expect(finding.name == "images.shifted")
    #expect(finding.summary == "Predictions agree with the labels of \(place).")
    #expect(finding.after ?? 0 > 0.9)
  }

  @Test func `predictions of their own images, and those of videos, are none of the next`() {
    for frames in [Self.shifted(0), Self.shifted(1, isVideo: true), Self.shifted(9)] {
      #expect(NextImageCheck.findings(in: Self.sample(frames, format: "coco")).isEmpty)
    }
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
}
