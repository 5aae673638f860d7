internal import Datasets
internal import FaceCore
internal import Foundation
internal import Metrics
internal import Platform
internal import Running

/// Scores stored predictions on all cores: parts of the dataset side by side, merged in its order.
///
/// The result is the same, byte for byte, for any number of cores and any size of the parts.
struct ScoringPass {
  let dataset: DatasetReader
  let monitor: RunMonitor
  /// How many frames a part has at least, but for the last one; a video is never cut.
  var partSize = 512

  /// Scores the frames of one file of predictions, or of several about the same frames, each into its own scoring.
  func scored(_ runs: [(empty: Scoring, predictions: URL)]) throws -> [Scoring] {
    monitor.begin(.scoring, dataset.frameCount)
    var scorings = runs.map(\.empty)
    let parts = try self.parts()
    let cores = Array(0..<ProcessInfo.processInfo.activeProcessorCount)
    let work = OrderedWork(cores) { (_: Int, part: Range<Int>) in try scored(runs, over: part) }
    func take(_ part: [Scoring]) throws {
      for (index, scoring) in part.enumerated() { try scorings[index].merge(scoring) }
    }
    for part in parts { try work.add(part, take: take) }
    try work.finish(take: take)
    return scorings
  }

  /// Scores runs to be compared with one another, each by its own tracker.
  func scored(
    _ runs: [StoredRun.Opened], rules: ExpressionRules?, attributes: AttributeRules = .none
  ) throws -> [Scoring] {
    let clusters = try monitor.clusters(of: dataset, cutsClip: true)
    return try scored(
      runs.map { run in
        let empty = Scoring(
          run.tracker, stages: run.predictions.header.stages, of: dataset, galleryCount: 0,
          rules: rules, attributes: attributes, clusters: clusters)
        return (empty, run.predictions.url)
      })
  }

  private func scored(
    _ runs: [(empty: Scoring, predictions: URL)], over part: Range<Int>
  ) throws -> [Scoring] {
    var scorings = runs.map(\.empty)
    let readers = try runs.map { try PredictionsReader($0.predictions) }
    for range in try PredictionPass.ranges(of: part, dataset, readers) {
      try monitor.check("while scoring")
      let (frames, labels) = (try dataset.frames(range), try dataset.faces(range))
      let contexts = try dataset.contexts(range)
      for (index, reader) in readers.enumerated() {
        for (offset, prediction) in try reader.predictions(range).enumerated() {
          let frame = frames[offset]
          try scorings[index].add(
            frame, sequence: dataset.sequence(frame.sequence), context: contexts[offset],
            labels: labels[offset], prediction: prediction)
        }
      }
      monitor.advance(by: range.count)
    }
    for index in scorings.indices { try scorings[index].condenseVideo() }
    return scorings
  }

  /// The dataset in parts that no video is cut by.
  func parts() throws -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = 0
    while start < dataset.frameCount {
      var end = min(start + partSize, dataset.frameCount)
      if end < dataset.frameCount {
        let sequences = try dataset.frames(end - 1..<end + 1).map(\.sequence)
        if sequences[0] == sequences[1], let video = dataset.video(ofSequence: sequences[0]) {
          end = min(max(end, video.first + video.count), dataset.frameCount)
        }
      }
      parts.append(start..<end)
      start = end
    }
    return parts
  }
}
