internal import Datasets
internal import FaceCore
internal import Metrics
internal import Platform
internal import Running

/// Reads the only face of each frame from a run's predictions or a dataset's labels.
struct LeakageReader {
  private(set) var sums = LeakageSums()
  private var clusters: FrameClusters
  private var clip: (sequence: Int, cluster: Int, samples: [LeakageSums.Sample])?
  private var (empty, crowded, withoutPose, withoutCoefficients) = (0, 0, 0, 0)

  private struct Face {
    var coefficients: [Float]?
    var pose: HeadPose?
    var attributes: [String: Double]

    /// Yaw, pitch and roll: those of the pose, else the attributes in radians that recordings have.
    var degrees: SIMD3<Double>? {
      if let degrees = pose?.degrees { return degrees }
      let radians = ["headYaw", "headPitch", "headRoll"].compactMap { attributes[$0] }
      guard radians.count == 3, radians.allSatisfy(\.isFinite) else { return nil }
      return SIMD3(radians[0], radians[1], radians[2]) * 180 / .pi
    }
  }

  /// Reads into clusters that hold no frames yet.
  init(clusters: FrameClusters) { self.clusters = clusters }

  mutating func read(
    _ dataset: DatasetReader, _ run: StoredRun.Opened?, _ monitor: RunMonitor
  ) throws {
    monitor.begin(.reading, dataset.frameCount)
    let ranges =
      try run.map { try PredictionPass.ranges(of: 0..<dataset.frameCount, nil, [$0.predictions]) }
      ?? PredictionPass.ranges(of: 0..<dataset.frameCount, dataset)
    for range in ranges {
      try monitor.check("while reading")
      let faces: [[Face]] =
        if let run {
          try run.predictions.predictions(range).map { prediction in
            run.tracker.counted(prediction).faces.map {
              Face(coefficients: $0.blendshapes, pose: $0.pose, attributes: $0.attributes)
            }
          }
        } else {
          try dataset.faces(range).map { labels in
            labels.filter { $0.category == 1 && !$0.isIgnored && !$0.isCrowd }.map {
              Face(coefficients: $0.blendshapes, pose: $0.pose, attributes: $0.attributes)
            }
          }
        }
      for (frame, own) in zip(try dataset.frames(range), faces) {
        add(frame, dataset.sequence(frame.sequence), own)
      }
      monitor.advance(by: range.count)
    }
    finishClip()
  }

  private mutating func add(
    _ frame: Frame, _ sequence: SequenceDescription?, _ faces: [Face]
  ) {
    let isVideo = sequence?.kind == .video
    clusters.add(frame, of: sequence)
    guard let cluster = clusters.cluster(of: frame.index), let face = only(faces),
      let sample = sample(face, frame)
    else { return }
    guard isVideo else {
      sums.add(still: sample, cluster: cluster)
      return
    }
    if clip?.sequence != frame.sequence { finishClip() }
    if clip == nil { clip = (frame.sequence, cluster, []) }
    clip?.samples.append(sample)
  }

  private mutating func only(_ faces: [Face]) -> Face? {
    if faces.isEmpty { empty += 1 }
    if faces.count > 1 { crowded += 1 }
    return faces.count == 1 ? faces[0] : nil
  }

  private mutating func sample(_ face: Face, _ frame: Frame) -> LeakageSums.Sample? {
    guard let coefficients = face.coefficients else {
      withoutCoefficients += 1
      return nil
    }
    guard let degrees = face.degrees else {
      withoutPose += 1
      return nil
    }
    return LeakageSums.Sample(coefficients: coefficients, degrees: degrees)
  }

  private mutating func finishClip() {
    if let clip { sums.add(clip: clip.samples, cluster: clip.cluster) }
    clip = nil
  }

  /// Which frames took no part, in a few words.
  var words: String {
    let parts = [
      (empty, "without a face"), (crowded, "with several"),
      (withoutCoefficients, "without coefficients"), (withoutPose, "without a head pose"),
    ].filter { $0.0 > 0 }.map { "\($0.0.groupedText) \($0.1)" }
    return parts.isEmpty ? "no frame" : parts.joined(separator: ", ")
  }

  /// The frames that took no part, for readers.
  var notes: [String] {
    empty + crowded + withoutCoefficients + withoutPose == 0
      ? [] : ["Frames that take no part: \(words)."]
  }
}

extension HeadPose {
  /// Yaw, pitch and roll in degrees; nil where the matrix holds no rotation.
  var degrees: SIMD3<Double>? {
    Rotation(self).map { rotation in
      let angles = HeadAngles(rotation)
      return SIMD3(angles.yaw, angles.pitch, angles.roll)
    }
  }
}
