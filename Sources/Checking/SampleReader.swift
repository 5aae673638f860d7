package import Datasets
internal import FaceCore
package import Platform
internal import Statistics

/// Reads the frames that checks look at.
package struct SampleReader {
  /// About how many faces are looked at; more than that are sampled.
  package static let faceLimit = 2000
  /// How many successive frames are taken together: of videos as many as a shift in time needs.
  private static let stretch = (video: 256, stills: 16)
  /// Of how many images the orientation is read.
  private static let orientationLimit = 500

  /// Joins a dataset's labels with stored predictions of it.
  package static func sample(
    of dataset: DatasetReader, _ predictions: PredictionsReader
  ) throws(FileError) -> JoinedSample {
    let faces = max(dataset.faceCount, predictions.faceCount, predictions.detectionCount)
    let isWhole = faces <= faceLimit && dataset.frameCount <= 2 * faceLimit
    var frames: [JoinedFrame] = []
    var known = 0
    for range in try stretches(of: dataset, isWhole: isWhole) {
      let part = try joined(range, dataset, predictions)
      frames += part
      known += part.reduce(0) { $0 + max($1.labels.count, $1.prediction.faces.count) }
      if !isWhole, known >= faceLimit || frames.count >= 2 * faceLimit { break }
    }
    frames.sort { $0.frame.index < $1.frame.index }
    let apart = frames.indices.filter { isApart(frames[$0]) }.prefix(orientationLimit)
    for position in apart {
      frames[position].orientation = try dataset.orientation(
        ofImage: frames[position].frame.index)
    }
    let format = predictions.header.options[PredictionsHeader.trackerOption]
    return JoinedSample(
      frames: frames, isWhole: isWhole, format: format, scheme: predictions.scheme,
      hasScores: format == nil
        || frames.contains { $0.prediction.detections.contains { $0.score != 1 } },
      isLabelled: dataset.isLabelled, timesUnit: predictions.header.timesUnit,
      missing: try missing(of: predictions, in: dataset))
  }

  /// The stretches of `JoinedSample.missing`; none where the output names no frame of the dataset.
  private static func missing(
    of predictions: PredictionsReader, in dataset: DatasetReader
  ) throws(FileError) -> [Range<Int>] {
    let count = dataset.frameCount
    let stretches = try predictions.framesNotInSource()
    guard stretches != [0..<count] else { return [] }
    let ends = stretches.filter {
      ($0.lowerBound == 0 || $0.upperBound == count) && 10 * $0.count >= count
    }
    let videos = dataset.sequences.filter { $0.kind == .video }
      .map { $0.first..<$0.first + $0.count }
      .filter { video in
        video.count < count && !ends.contains { $0.contains(video) }
          && stretches.contains { $0.contains(video) }
      }
    return (ends + videos).sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Whether a labelled face of a still is where no prediction is, and there is one.
  private static func isApart(_ joined: JoinedFrame) -> Bool {
    let boxes = joined.predictedBoxes
    guard !joined.isVideo, !joined.frame.hasNoImage, !boxes.isEmpty else { return false }
    return joined.labels.contains { !$0.box.isFound(among: boxes) }
  }

  /// The dataset in stretches that no video's border is in, in a seeded order unless all of them are read.
  private static func stretches(
    of dataset: DatasetReader, isWhole: Bool
  ) throws(FileError) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    func cut(_ range: Range<Int>, by length: Int) {
      ranges += stride(from: range.lowerBound, to: range.upperBound, by: length).map {
        $0..<min($0 + length, range.upperBound)
      }
    }
    var next = 0
    for video in dataset.sequences where video.kind == .video {
      cut(next..<max(next, video.first), by: stretch.stills)
      cut(video.first..<video.first + video.count, by: isWhole ? 4096 : stretch.video)
      next = video.first + video.count
    }
    cut(next..<max(next, dataset.frameCount), by: isWhole ? 256 : stretch.stills)
    if !isWhole {
      var random = SplitMix64(seed: 0)
      ranges.shuffle(using: &random)
    }
    return ranges
  }

  private static func joined(
    _ range: Range<Int>, _ dataset: DatasetReader, _ predictions: PredictionsReader
  ) throws(FileError) -> [JoinedFrame] {
    let (frames, labels) = (try dataset.frames(range), try dataset.labels(range))
    let hasPoses = labels.contains { $0.contains { $0.pose != nil } }
    let cameras = hasPoses ? try dataset.contexts(range) : []
    return try predictions.predictions(range).enumerated().compactMap { offset, given in
      guard given.status == .analysed else { return nil }
      var prediction = given
      (prediction.candidates, prediction.rejected) = ([], [])
      let frame = frames[offset]
      func counts(_ label: FaceLabel) -> Bool { !label.isIgnored && !label.isCrowd }
      let counted = labels[offset].filter(counts)
      var joined = JoinedFrame(
        frame: frame, isVideo: dataset.kind(ofSequence: frame.sequence) == .video,
        labels: counted.filter { $0.category == 1 }, prediction: prediction,
        others: counted.filter { $0.category != 1 },
        ignored: labels[offset].filter { !counts($0) })
      joined.focalLength = hasPoses ? cameras[offset].intrinsics?[4] : nil
      return joined
    }
  }
}
