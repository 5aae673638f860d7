internal import Datasets
package import FaceCore
internal import FacePipeline
package import Foundation
internal import Imaging
internal import Metrics
internal import Records

/// A run frame by frame: labels, predictions, and what is right and wrong, for reports that show frames.
package struct FrameReading {
  /// A frame with what is right and wrong in it.
  package struct Facts: Sendable {
    /// The frame.
    package var frame: Frame
    /// Name of its clip; nil for a still.
    package var video: String?
    /// The labelled faces.
    package var labels: [FaceLabel]
    /// What counts of the tracker's output.
    package var prediction: FramePrediction
    /// Positions of the labels that were not found.
    package var missed: Set<Int> = []
    /// Positions of the faces that match no label.
    package var unmatched: Set<Int> = []
    /// Positions of the detections that match no label.
    package var falseDetections: Set<Int> = []
    /// Missed faces and false positives; without labels, faces that are gone.
    package var errorCount = 0
    /// NME by interocular distance of each labelled face, ∞ for a missed one.
    package var errors: [Double] = []
    /// Scores of the detections that rankings count.
    package var rankedScores: [Double] = []
    /// Scores of the detections that pass the settings, and whether each is on a label that counts, nil for one on
    /// an ignored label; nil where there are no detections to evaluate.
    package var kept: [(score: Double, isTrue: Bool?)]?
    /// How many labelled faces count.
    package var labelledCount = 0
    /// Time of the frame in milliseconds; nil where it was not measured.
    package var milliseconds: Double?
    /// Names of the record's slices that the frame, or one of its labelled faces, belongs to.
    package var slices: [String] = []
  }

  private let run: StoredRun
  private let dataset: DatasetReader

  /// Opens a finished run with its dataset; nil for a run without predictions, as a sweep is.
  ///
  /// Throws where the dataset is not found or another than the run's.
  package init?(of run: URL, dataset: URL? = nil) throws(EvaluationError) {
    let predictions = run.appendingPathComponent("predictions.h5")
    guard FileManager.default.fileExists(atPath: predictions.path) else { return nil }
    do {
      self.run = try StoredRun(run)
      self.dataset = try DatasetReader(try self.run.dataset(dataset))
    } catch {
      throw EvaluationError(error)
    }
  }

  /// Gives out all frames in their order.
  package func read(_ take: (Facts) -> Void) throws(EvaluationError) {
    do {
      let opened = try run.opened(for: dataset)
      let reader = Reader(
        tracker: opened.tracker, detections: DetectionReader(opened.tracker),
        total: opened.predictions.header.stages.firstIndex(of: PipelineStage.total.name),
        slices: Set(run.record.measurements.compactMap(\.slice)), isLabelled: dataset.isLabelled)
      var earlier: FramePrediction?
      for range in try PredictionPass.ranges(
        of: 0..<dataset.frameCount, dataset, opened.predictions)
      {
        let (frames, labels) = (try dataset.frames(range), try dataset.faces(range))
        let contexts = try dataset.contexts(range)
        for (offset, given) in try opened.predictions.predictions(range).enumerated() {
          let frame = frames[offset]
          let sequence = dataset.sequence(frame.sequence)
          var facts = Facts(
            frame: frame, video: sequence?.kind == .video ? sequence?.name : nil,
            labels: labels[offset], prediction: opened.tracker.counted(given))
          if facts.video == nil { earlier = nil }
          try reader.fill(
            &facts, context: contexts[offset], subject: sequence?.subject ?? "", earlier: earlier)
          earlier = facts.prediction
          take(facts)
        }
      }
    } catch {
      throw EvaluationError(error)
    }
  }

  /// Small JPEGs of frames in a given order, until they take a number of bytes; frames without an image are left out.
  package func thumbnails(
    of order: [Int], bytes limit: Int
  ) throws(EvaluationError) -> [(frame: Int, jpeg: [UInt8])] {
    var images: [(frame: Int, jpeg: [UInt8])] = []
    var left = limit
    do {
      for index in order {
        guard left > 0 else { break }
        guard let frame = try dataset.frames(index..<index + 1).first, !frame.hasNoImage,
          let image = try? dataset.image(index).decoded()
        else { continue }
        let jpeg = try image.reduced(toFit: 360).jpegBytes(quality: 70)
        left -= jpeg.count
        if left >= 0 { images.append((index, jpeg)) }
      }
    } catch {
      throw EvaluationError(error)
    }
    return images
  }
}

/// Fills in what is right and wrong in a frame.
private struct Reader {
  let tracker: PredictionOrigin
  let detections: DetectionReader
  /// Position of the frame's whole time among the stages.
  let total: Int?
  let slices: Set<String>
  let isLabelled: Bool

  func fill(
    _ facts: inout FrameReading.Facts, context: FrameContext, subject: String,
    earlier: FramePrediction?
  ) throws {
    let (frame, labels, prediction) = (facts.frame, facts.labels, facts.prediction)
    if let total, prediction.stageNanoseconds.indices.contains(total) {
      facts.milliseconds = prediction.stageNanoseconds[total].map { Double($0) / 1e6 }
    }
    guard let size = prediction.size else { return }
    let matching = try FaceMatching(frame: frame.index, labels: labels, faces: prediction.faces)
    var detections = self.detections
    let found =
      isLabelled
      ? try detections.read(frame, size: size, labels: labels, prediction: prediction) : nil
    var slim = prediction
    slim.candidates = []
    let review = FrameReview(
      frame: frame, isVideo: facts.video != nil, labels: labels, prediction: slim,
      earlier: earlier, outcome: found?.outcome,
      matching: isLabelled && tracker.noFaces == nil ? matching : nil)
    if let entry = review.evaluated ?? review.entry {
      facts.missed = entry.missed
      facts.falseDetections = entry.falseDetections
      facts.unmatched = entry.falseFaces
      facts.errorCount = entry.badness.errors
    }
    guard isLabelled else { return }
    if let found {
      facts.rankedScores = found.ranked.map(\.score)
      let (hits, falseAlarms) = (
        Set(found.outcome.matches.map(\.detection)), Set(found.outcome.falsePositives)
      )
      facts.kept = found.kept.enumerated().map { index, detection in
        (detection.score, hits.contains(index) ? true : falseAlarms.contains(index) ? false : nil)
      }
      facts.labelledCount = found.outcome.labelled
    }
    if tracker.noPoints == nil {
      let pairs = matching.paired(by: tracker.pairing, labels: labels, faces: prediction.faces)
      var accuracy = LandmarkAccuracy(scheme: tracker.scheme, keepsPoints: false)
      try accuracy.add(
        frame: frame.index, labels: labels, faces: prediction.faces, matching: pairs)
      facts.errors = accuracy.interocularErrors
    }
    let counted = matching.matches.map(\.label) + matching.missed
    let own =
      Slice.slices(ofFrame: context.attributes, subject: subject)
      + counted.flatMap { Slice.slices(of: labels[$0]) }
    facts.slices = Set(own.map(\.name)).intersection(slices).sorted()
  }
}
