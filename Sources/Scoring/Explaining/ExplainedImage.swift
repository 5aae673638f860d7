internal import Datasets
internal import FaceCore
internal import Foundation
internal import Imaging
internal import Platform
internal import Running

/// An image with its labels, from a file or from a dataset.
struct ExplainedImage {
  let source: String
  /// The image whole, to draw on.
  let pixels: PixelBuffer
  /// The image as the pipeline sees it: smaller where the plan asks for it.
  let seen: PixelBuffer
  /// The boxes of its labelled faces, without those that metrics ignore.
  var labels: [BoundingBox] = []
  var notes: [String] = []

  /// Reads a file or a frame; throws `.notFound` where there is none, and `.wrongData` where it is broken.
  init(_ plan: ExplanationPlan) throws {
    let url = plan.pipeline.dataset
    guard let frame = plan.frame else {
      let image = try StoredImage(file: url)
      source = url.relativePath
      (pixels, seen) = try Self.decoded(image, plan.pipeline, url.relativePath)
      if case .encoded(let bytes) = image {
        let orientation = try ImageHeader(of: bytes[...]).orientation
        if orientation != 1, plan.pipeline.rotationDegrees == 0 {
          notes.append(
            "The file has the Exif orientation \(orientation); as in 'evaluate' the stored pixels are "
              + "analysed as they are (--rotation turns them).")
        }
      }
      return
    }
    let dataset = try DatasetReader(url)
    try dataset.requireImages()
    let index = try Self.position(of: frame, in: dataset)
    let shown = try dataset.frames(index..<index + 1)[0]
    source = "\(url.relativePath), frame \(index) '\(shown.name)'"
    (pixels, seen) = try Self.decoded(try dataset.image(index), plan.pipeline, source)
    labels = try dataset.faces(index..<index + 1)[0].filter { !$0.isIgnored && !$0.isCrowd }
      .map(\.box)
    if dataset.kind(ofSequence: shown.sequence) == .video {
      notes.append(
        "The frame is one of a video and was analysed alone, as in image mode: what tracking would "
          + "carry over from the frames before it is not known here.")
    }
  }

  private static func decoded(
    _ image: StoredImage, _ pipeline: RunPlan, _ name: String
  ) throws -> (whole: PixelBuffer, seen: PixelBuffer) {
    do throws(ImageError) {
      let whole = try image.decoded()
      guard let side = pipeline.minDecodedSide else { return (whole, whole) }
      return (whole, try image.decoded(minSide: side))
    } catch {
      throw error.about(name)
    }
  }

  private static func position(
    of choice: ExplanationPlan.FrameChoice, in dataset: DatasetReader
  ) throws -> Int {
    switch choice {
    case .index(let index):
      guard (0..<dataset.frameCount).contains(index) else {
        throw EvaluationError.wrongData(
          "cannot explain \(dataset.url.relativePath): expected a frame below "
            + "\(dataset.frameCount), found \(index)")
      }
      return index
    case .name(let name):
      var found: [Int] = []
      for range in PredictionPass.ranges(of: dataset.frameCount) {
        found += try dataset.frames(range).filter { $0.name == name }.map(\.index)
      }
      guard let first = found.first, found.count == 1 else {
        throw EvaluationError.wrongData(
          "cannot explain \(dataset.url.relativePath): expected one frame named '\(name)', found "
            + (found.isEmpty
              ? "none"
              : found.prefix(5).map(String.init).joined(separator: ", ")
                + " (--index names one)"))
      }
      return first
    }
  }
}
