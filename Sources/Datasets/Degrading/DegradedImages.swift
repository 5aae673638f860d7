internal import FaceCore
internal import Foundation
internal import Imaging
internal import Platform
internal import Statistics

/// Reads frames of a dataset and degrades them, from any thread.
struct DegradedImages: Sendable {
  let plan: DegradationSuite
  let dataset: DatasetReader

  /// A frame of the source to make in one variant.
  struct Job: Sendable {
    var frame: Int
    var variant: DegradationSuite.Variant
  }

  /// An encoded image with its labels.
  struct Made: Sendable {
    var bytes: [UInt8]
    var size: ImageSize
    var labels: [FaceLabel]
    var context: FrameContext
  }

  /// A frame before it is degraded, reduced to the longest side.
  func source(
    _ index: Int, _ reference: ReferenceFace, unit: Int
  ) throws(FileError) -> DegradedFrame {
    let context = try dataset.contexts(index..<index + 1)[0]
    let degradations = context.attributes.keys.filter {
      SeverityAttribute.degradation(of: $0) != nil
    }
    if let known = degradations.min() {
      throw FileError.wrongData(
        "cannot degrade \(dataset.url.relativePath): expected images that are not degraded, found "
          + "the attribute '\(known)' in frame \(index)")
    }
    let pixels: PixelBuffer
    do {
      pixels = try dataset.image(index).decoded()
    } catch {
      throw FileError(reading: error) { failure(index, "\($0)") }
    }
    var frame = DegradedFrame(
      pixels: pixels,
      labels: try dataset.labels(index..<index + 1)[0].map(\.withoutComputedAttributes),
      context: context, reference: reference, choices: SplitMix64(seed: plan.seed, draw: unit),
      noise: SplitMix64(seed: ~plan.seed, draw: index))
    frame.reduce(toFit: plan.longestSide)
    return frame
  }

  /// The frame in a variant, encoded.
  func degraded(_ base: DegradedFrame, _ job: Job) throws(FileError) -> Made {
    var frame = base
    do {
      try job.variant.degradation?.apply(severity: job.variant.severity, to: &frame)
      if let degradation = job.variant.degradation {
        frame.context.attributes[degradation.attribute] = Double(job.variant.severity)
      } else {
        for degradation in plan.degradations {
          frame.context.attributes[degradation.attribute] = 0
        }
      }
      let bytes =
        if let quality = frame.jpegQuality {
          try frame.pixels.jpegBytes(quality: quality)
        } else {
          try frame.pixels.jpegBytes(quality: DegradationSuite.storedQuality, chroma: .full)
        }
      return Made(
        bytes: bytes, size: frame.pixels.size, labels: frame.labels, context: frame.context)
    } catch {
      throw failure(job.frame, error.description)
    }
  }

  private func failure(_ frame: Int, _ reason: String) -> FileError {
    FileError.wrongData("cannot degrade frame \(frame) of \(dataset.url.relativePath): \(reason)")
  }
}
