import Datasets
import FaceCore
import FacePipeline
import Foundation
import Imaging
import Metrics
import Records
import Running
import Scoring
import TestSupport
import Testing
import Tuning

/// Runs on large JPEGs that are decoded smaller, against runs on the whole ones.
@Suite(
  "Runs on JPEGs decoded smaller",
  .enabled(if: PulledModels.giveLandmarks, "needs the models of 'models pull'"))
struct ReducedDecodingRunTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Sides that no scale divides.
  private static let size = ImageSize(width: 1021, height: 765)
  private static let enlargement = 4

  /// A drawn face, four times as large and softened, less the last three columns and rows, turned clockwise by quarters.
  private static func jpeg(_ image: DrawnDataset.Image, quarters: Int = 0) throws -> [UInt8] {
    let bytes = try DrawnDataset.jpeg(image)
    let small = try PixelBuffer(decoding: bytes[...])
    var large = PixelBuffer(width: size.width, height: size.height)
    large.withMutableBytes { to in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let color = small[x / enlargement, y / enlargement]
          let at = 3 * (y * size.width + x)
          (to[at], to[at + 1], to[at + 2]) = (color.red, color.green, color.blue)
        }
      }
    }
    large = large.gaussianBlurred(standardDeviation: 2)
    for _ in 0..<quarters {
      var turned = PixelBuffer(width: large.height, height: large.width)
      let (source, width, height) = (large.bytes, large.width, large.height)
      turned.withMutableBytes { to in
        for y in 0..<height {
          for x in 0..<width {
            for channel in 0..<3 {
              to[3 * (x * height + height - 1 - y) + channel] =
                source[3 * (y * width + x) + channel]
            }
          }
        }
      }
      large = turned
    }
    return try large.jpegBytes(quality: 92)
  }

  private func dataset(
    _ images: [DrawnDataset.Image], _ kind: SequenceKind = .still, quarters: Int = 0,
    as name: String = "large.h5"
  ) throws -> URL {
    let url = folder.file(name)
    let writer = try DatasetWriter(url, name: "large", isLabelled: false, replacing: true)
    if kind == .video {
      writer.beginSequence(SequenceDescription(name: "clip", kind: .video, framesPerSecond: 30))
    }
    for (index, image) in images.enumerated() {
      if kind == .still {
        writer.beginSequence(SequenceDescription(name: "\(index)", kind: .still))
      }
      try writer.add(
        name: "\(index)", image: Self.jpeg(image, quarters: quarters),
        size: quarters % 2 == 0
          ? Self.size : ImageSize(width: Self.size.height, height: Self.size.width),
        timestampMicroseconds: kind == .video ? Int64(index) * 33_333 : 0, faces: [])
    }
    try writer.finish()
    return url
  }

  private func plan(
    _ dataset: URL, _ side: Int?, _ mode: RunningMode = .image, rotation: Int = 0
  ) -> EvaluationPlan {
    var plan = EvaluationPlan.test(
      dataset, run: "\(mode.rawValue) \(side.map { "\($0)" } ?? "whole") \(rotation)")
    plan.minDecodedSide = side
    plan.settings.runningMode = mode
    plan.settings.outputFaceBlendshapes = true
    plan.settings.outputFacialTransformationMatrixes = true
    plan.rotationDegrees = rotation
    plan.bootstrap.resamples = 0
    return plan
  }

  /// How far faces lie from the whole images', in pixels of the original: on the whole, and point by point.
  private func distance(
    _ found: [FramePrediction], from known: [FramePrediction]
  ) throws -> (shift: SIMD2<Double>, mean: Double) {
    var (shift, sum, count) = (SIMD2<Double>(), 0.0, 0.0)
    #expect(found.count == known.count)
    for (one, other) in zip(found, known) {
      #expect(one.size == other.size && one.faces.count == other.faces.count)
      for (face, twin) in zip(one.faces, other.faces) {
        for (point, place) in zip(face.points, twin.points) {
          let offset = SIMD2(Double(point.x - place.x), Double(point.y - place.y))
          shift += offset
          sum += (offset * offset).sum().squareRoot()
          count += 1
        }
      }
    }
    try #require(count > 0)
    return (shift / count, sum / count)
  }

  /// The faces are 270 pixels wide, at 1/8 34 pixels. Coordinates that were not led back would be off by hundreds of pixels.
  /// Squares of pixels taken for their first corners would move all points by 0.5, 1.5 and 3.5 pixels, which are the limits;
  /// that the squares' centres are sampled is tested on crops.
  @Test(
    arguments: [
      (RunningMode.image, 0), (.image, 90), (.image, 180), (.image, 270), (.video, 0), (.video, 90),
    ])
  func `faces are where they are in the whole image`(mode: RunningMode, rotation: Int) throws {
    let images = mode == .image ? DrawnDataset.faces(6) : DrawnClips.moving(12)
    let url = try dataset(
      images, mode == .image ? .still : .video, quarters: (360 - rotation) / 90 % 4)
    let known = try plan(url, nil, mode, rotation: rotation).finish().predictions
    #expect(known.count { !$0.faces.isEmpty } >= 5)
    for (side, reduction, shift, mean) in [(511, 2, 0.5, 2.0), (256, 4, 1.5, 4), (128, 8, 3.5, 8)] {
      let (record, found) = try plan(url, side, mode, rotation: rotation).finish()
      #expect(record.options["min-decoded-side"] == "\(side)")
      let distance = try distance(found, from: known)
      #expect(
        abs(distance.shift.x) < shift && abs(distance.shift.y) < shift,
        "1/\(reduction): \(distance)")
      #expect(distance.mean < mean, "1/\(reduction): \(distance)")
      for (one, other) in zip(found, known) {
        for (detection, twin) in zip(one.detections, other.detections) {
          #expect(detection.box.iou(with: twin.box) > 0.93)
        }
      }
    }
  }

  @Test func `a side that no image exceeds changes nothing but the option`() throws {
    let url = try dataset(DrawnDataset.faces(3))
    let (record, known) = try plan(url, nil).finish()
    #expect(record.options["min-decoded-side"] == nil)
    let (other, found) = try plan(url, 1021).finish()
    #expect(found.untimed == known.untimed && other.accuracy == record.accuracy)
    #expect(
      other.options == record.options.merging(["min-decoded-side": "1021"]) { first, _ in first })
    var comparison = ComparisonPlan(runs: [plan(url, nil).run, plan(url, 1021).run])
    comparison.bootstrap.resamples = 100
    let notes = try RunComparison.run(comparison).result.notes
    #expect(notes.contains { $0.contains("min-decoded-side unset to 1021") }, "\(notes)")
  }

  @Test func `jobs change nothing`() throws {
    let url = try dataset(DrawnDataset.faces(5))
    let one = try plan(url, 256).finish().predictions
    var plan = plan(url, 256)
    plan.jobs = 3
    plan.replaces = true
    #expect(try plan.finish().predictions.untimed == one.untimed)
  }

  @Test func `a sweep over such a run takes its decoding, and so do runs of its predictions`()
    throws
  {
    let url = try dataset(DrawnDataset.faces(4))
    let run = plan(url, 256)
    let (record, predictions) = try run.finish()
    var sweep = try SweepPlan(
      ofRun: run.run, into: folder.file("sweep"),
      values: [SweptValues("min-face-presence-confidence", [0.1, 0.5])])
    #expect(sweep.evaluation.minDecodedSide == 256)
    sweep.evaluation.models = PulledModels.folder
    sweep.bootstrap.resamples = 0
    #expect(try SweepRun.run(sweep).record.options["min-decoded-side"] == "256")
    var again = EvaluationPlan(dataset: url, run: folder.file("again"))
    again.predictions = run.run.appending(path: "predictions.h5")
    again.bootstrap.resamples = 0
    let (other, read) = try again.finish()
    #expect(other.options["min-decoded-side"] == "256" && read == predictions)
    #expect(record.options["min-decoded-side"] == "256")
  }
}
