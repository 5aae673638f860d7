internal import Datasets
internal import FaceCore
internal import Metrics
internal import Platform
internal import Running

/// Reads labelled faces with coefficients, and the predictions that they are paired with.
struct ResponseReader {
  private(set) var sums = ResponseSums()
  private var clusters: FrameClusters
  private var (hasSubjects, hasClips) = (false, false)
  private var clip: (sequence: Int, cluster: Int, signals: ResponseSignals)?
  private(set) var (faces, missed, withoutCoefficients) = (0, 0, 0)
  /// Of each coefficient the face with the highest label.
  private(set) var highest: [Blendshape: (frame: Int, face: Int, label: Float, predicted: Float)] =
    [:]

  /// Reads into clusters that hold no frames yet.
  init(clusters: FrameClusters) { self.clusters = clusters }

  mutating func read(
    _ dataset: DatasetReader, _ run: StoredRun.Opened, _ monitor: RunMonitor
  ) throws {
    monitor.begin(.reading, dataset.frameCount)
    let ranges = try PredictionPass.ranges(of: 0..<dataset.frameCount, nil, [run.predictions])
    for range in ranges {
      try monitor.check("while reading")
      let predictions = try run.predictions.predictions(range).map { run.tracker.counted($0) }
      let labels = try dataset.faces(range)
      let frames = try dataset.frames(range)
      for (index, frame) in frames.enumerated() {
        try add(
          frame, dataset.sequence(frame.sequence), labels[index], predictions[index].faces,
          run.tracker)
      }
      monitor.advance(by: range.count)
    }
    finishClip()
    sums.finish()
  }

  private mutating func add(
    _ frame: Frame, _ sequence: SequenceDescription?, _ labels: [FaceLabel],
    _ predictions: [FacePrediction], _ tracker: PredictionOrigin
  ) throws {
    let isVideo = sequence?.kind == .video
    let subject = sequence?.subject ?? ""
    clusters.add(frame, of: sequence)
    guard let cluster = clusters.cluster(of: frame.index),
      labels.contains(where: { $0.blendshapes != nil })
    else { return }
    let pairs = try tracker.matching(frame, labels, predictions).paired(
      by: tracker.pairing, labels: labels, faces: predictions, frame: frame.index)
    let people = pairs.labelledFaces.filter { labels[$0.label].blendshapes != nil }
    for (label, face) in people {
      guard let labelled = labels[label].blendshapes else { continue }
      guard let face else {
        missed += 1
        continue
      }
      guard let predicted = predictions[face].blendshapes else {
        withoutCoefficients += 1
        continue
      }
      faces += 1
      hasSubjects = hasSubjects || !subject.isEmpty
      hasClips = hasClips || (isVideo && subject.isEmpty)
      keepHighest(labelled, predicted, frame: frame.index, face: face)
      sums.add(
        ResponseSums.Sample(
          labelled: labelled, predicted: predicted, degrees: labels[label].pose?.degrees),
        cluster: cluster, isLoose: subject.isEmpty && !isVideo)
    }
    guard isVideo, people.count == 1, let person = people.first,
      let labelled = labels[person.label].blendshapes
    else { return }
    if clip?.sequence != frame.sequence
      || (clip?.signals.count ?? 0) >= ResponseSignals.maxFrames
    {
      finishClip()
    }
    if clip == nil { clip = (frame.sequence, cluster, ResponseSignals()) }
    clip?.signals.add(
      frame.index, labelled: labelled,
      predicted: person.face.flatMap { predictions[$0].blendshapes },
      microseconds: frame.timestampMicroseconds)
  }

  private mutating func keepHighest(
    _ labelled: [Float], _ predicted: [Float], frame: Int, face: Int
  ) {
    for shape in Blendshape.allCases {
      let (label, value) = (labelled[shape.index], predicted[shape.index])
      guard label > highest[shape]?.label ?? 0 else { continue }
      highest[shape] = (frame, face, label, value)
    }
  }

  private mutating func finishClip() {
    if let clip { sums.add(delays: clip.signals.delays, cluster: clip.cluster) }
    clip = nil
  }

  /// What is resampled.
  var resampled: String {
    guard !sums.isLoose else { return "stills" }
    return [hasSubjects ? "subjects" : nil, hasClips ? "clips" : nil].compactMap { $0 }
      .joined(separator: " and ")
  }

  /// What was found in place of faces that can be compared.
  var words: String {
    let parts = [
      (faces, "compared"), (missed, "missed"),
      (withoutCoefficients, "predicted without coefficients"),
    ].filter { $0.0 > 0 }.map { "\($0.0.groupedText) \($0.1)" }
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }
}
