internal import Calibration
internal import Datasets
internal import FaceCore
internal import Running
internal import Scoring

/// What each subject's coefficients are at rest, from seconds of a run that are known to be so.
struct NeutralBaseline {
  /// By the subject's name, the mean of the first face's coefficients; an empty name is nobody's.
  let bySubject: [String: [String: Double]]
  /// How many faces were seen.
  let count: Int

  /// Takes the frames of `seconds` from each video's first frame on, or with nil all frames.
  ///
  /// Throws where a subject has fewer than ten faces in them.
  init(
    _ run: StoredRun.Opened, of dataset: DatasetReader, seconds: ClosedRange<Double>?,
    monitor: RunMonitor
  ) throws {
    var faces: [String: [[Float]]] = [:]
    var starts: [Int: Int64] = [:]
    monitor.begin(.measuringRest, dataset.frameCount)
    for range in try PredictionPass.ranges(of: 0..<dataset.frameCount, nil, [run.predictions]) {
      try monitor.check("while measuring the face at rest")
      let frames = try dataset.frames(range)
      for (frame, prediction) in zip(frames, try run.predictions.predictions(range)) {
        let sequence = dataset.sequence(frame.sequence)
        let start = starts[frame.sequence] ?? frame.timestampMicroseconds
        starts[frame.sequence] = start
        let subject = sequence?.subject ?? ""
        if faces[subject] == nil { faces[subject] = [] }
        let second = Double(frame.timestampMicroseconds - start) / 1_000_000
        guard seconds.map({ sequence?.kind == .video && $0.contains(second) }) ?? true,
          let face = run.tracker.counted(prediction).faces.first?.blendshapes
        else { continue }
        faces[subject]?.append(face)
      }
      monitor.advance(by: range.count)
    }
    var found: [String: [String: Double]] = [:]
    for (subject, seen) in faces.sorted(by: { $0.key < $1.key }) {
      let rest = RestingFace.rest(of: seen)
      guard !rest.isEmpty else {
        throw EvaluationError.wrongData(
          "cannot measure the face at rest"
            + (subject.isEmpty ? "" : " of '\(subject)'")
            + ": expected \(RestingFace.minFaces) faces with blendshapes or more"
            + (seconds.map { " from \($0.lowerBound) s to \($0.upperBound) s of videos" } ?? "")
            + ", found \(seen.count)")
      }
      found[subject] = rest
    }
    bySubject = found
    count = faces.values.reduce(0) { $0 + $1.count }
  }
}
