internal import Datasets
package import FaceCore
package import Foundation
internal import Imaging
internal import Platform
internal import Records
internal import Running

/// A run frame by frame: labels, predictions, and what is right and wrong, for reports that show frames.
package struct FrameReading {
  private let run: StoredRun
  private let dataset: DatasetReader

  /// Opens a finished run with its dataset; nil for a run without predictions, as a sweep is.
  ///
  /// Throws where the dataset is not found.
  package init?(of run: URL, dataset: URL? = nil) throws {
    let predictions = run.appendingPathComponent("predictions.h5")
    guard predictions.isThere else { return nil }
    self.run = try StoredRun(run)
    self.dataset = try DatasetReader(try self.run.dataset(dataset))
  }

  /// Images of the frames with most errors at a sweep's settings, those of most settings first; none where the
  /// dataset is not found.
  package static func thumbnails(
    ofSweep run: URL, dataset: URL? = nil, bytes limit: Int
  ) throws -> [FrameThumbnail] {
    do {
      let run = try StoredRun(run)
      guard let wrong = run.record.sweep?.wrongFrames else { return [] }
      let uses = wrong.settings.joined().reduce(into: [Int: Int]()) {
        $0[$1.position, default: 0] += 1
      }
      let order = uses.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      return try DatasetReader(try run.dataset(dataset))
        .thumbnails(of: order.map { wrong.frames[$0.key].index }, bytes: limit)
    } catch  where EvaluationError(error).kind == .notFound {
      return []
    }
  }

  /// How many frames the run has.
  package var frameCount: Int { dataset.frameCount }

  /// Gives out frames in their order, until one is refused.
  package func read(_ take: (FrameEntry) -> Bool) throws {
    var reader = EntryReader(run, try run.opened(for: dataset), dataset)
    for range in try PredictionPass.ranges(
      of: 0..<dataset.frameCount, dataset, [reader.opened.predictions])
    {
      guard try reader.entries(in: range).allSatisfy(take) else { return }
    }
  }

  /// Small JPEGs of frames in a given order, until they take a number of bytes; frames without an image are left out.
  package func thumbnails(of order: [Int], bytes limit: Int) throws -> [FrameThumbnail] {
    try dataset.thumbnails(of: order, bytes: limit)
  }
}

extension DatasetReader {
  private static let thumbnailSide = 360

  /// Small JPEGs of frames in a given order, until they take a number of bytes.
  func thumbnails(of order: [Int], bytes limit: Int) throws -> [FrameThumbnail] {
    var images: [FrameThumbnail] = []
    var left = limit
    for index in order {
      guard left > 0 else { break }
      guard let frame = try frames(index..<index + 1).first, !frame.hasNoImage,
        let image = try? image(index).decoded(minSide: Self.thumbnailSide)
      else { continue }
      let jpeg = try image.reduced(toFit: Self.thumbnailSide).jpegBytes(quality: 70)
      left -= jpeg.count
      if left >= 0 { images.append(FrameThumbnail(frame: index, jpeg: jpeg)) }
    }
    return images
  }
}
