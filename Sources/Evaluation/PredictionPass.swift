internal import Datasets
internal import Dispatch
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Imaging
internal import Synchronization

/// Runs the pipeline over a dataset and keeps what it says, segment by segment.
///
/// A segment file appears only when it is whole, so that a run that was killed at any moment goes
/// on behind its last segment.
struct PredictionPass {
  /// Frames a segment file.
  static let segmentLength = 256

  let plan: EvaluationPlan
  let folder: RunFolder
  let header: PredictionsHeader
  let net: DetectorNet
  let monitor: RunMonitor

  /// A frame whose picture could not be decoded.
  struct BadFrame: Sendable {
    let frame: Int
    let reason: String
  }

  /// Analyses every frame that has no segment yet; returns the broken frames among them.
  func run(over dataset: DatasetReader) throws -> [BadFrame] {
    let crew = try makeCrew()
    var bad: [BadFrame] = []
    for start in stride(from: 0, to: dataset.frameCount, by: Self.segmentLength) {
      let range = start..<min(start + Self.segmentLength, dataset.frameCount)
      let url = segment(at: start)
      if FileManager.default.fileExists(atPath: url.path) {
        for earlier in try PredictionsReader(url).predictions(0..<range.count)
        where earlier.size == nil {
          let frame = start + earlier.frame
          if case .failure(let error) = try crew[0].analyse(dataset.picture(frame), frame: frame) {
            bad.append(BadFrame(frame: frame, reason: error.description))
            try checkBad(bad, dataset: dataset)
          }
        }
        monitor.advance(by: range.count)
        continue
      }
      let writer = try PredictionsWriter(url, header: header)
      for batch in batches(of: range) {
        try monitor.check(after: batch.lowerBound, of: dataset.frameCount)
        let pictures = try batch.map { try dataset.picture($0) }
        for (offset, result) in try analyse(pictures, first: batch.lowerBound, crew: crew)
          .enumerated()
        {
          var prediction: FramePrediction
          switch result {
          case .success(let found): prediction = found
          case .failure(let error):
            bad.append(BadFrame(frame: batch.lowerBound + offset, reason: error.description))
            try checkBad(bad, dataset: dataset)
            prediction = FramePrediction(
              frame: batch.lowerBound + offset, notAnalysed: .broken)
          }
          prediction.frame -= start
          try writer.add(prediction)
        }
        monitor.advance(by: batch.count)
      }
      try writer.finish()
    }
    return bad
  }

  /// Frames read at a time: few enough that their candidates stay a small part of the memory.
  static func ranges(of frameCount: Int) -> [Range<Int>] {
    stride(from: 0, to: frameCount, by: 16).map { $0..<min($0 + 16, frameCount) }
  }

  /// Joins the segments into one predictions file.
  func join(frameCount: Int) throws {
    let url = folder.partial.appendingPathComponent("predictions.h5")
    let writer = try PredictionsWriter(url, header: header)
    monitor.begin("joining", frameCount)
    for start in stride(from: 0, to: frameCount, by: Self.segmentLength) {
      let reader = try PredictionsReader(segment(at: start))
      try monitor.check("while joining")
      for range in Self.ranges(of: reader.frameCount) {
        for var prediction in try reader.predictions(range) {
          prediction.frame += start
          try writer.add(prediction)
        }
        monitor.advance(by: range.count)
      }
    }
    try writer.finish()
  }

  private func segment(at start: Int) -> URL {
    folder.segments.appendingPathComponent("\(start).h5")
  }

  private func batches(of range: Range<Int>) -> [Range<Int>] {
    stride(from: range.lowerBound, to: range.upperBound, by: plan.jobs).map {
      $0..<min($0 + plan.jobs, range.upperBound)
    }
  }

  private func makeCrew() throws -> [CrewMember] {
    try (0..<plan.jobs).map { _ in
      let member = CrewMember(
        FrameWorker(
          detector: FaceDetector(net), options: plan.detector, floor: plan.candidateFloor))
      try member.warmUp()
      return member
    }
  }

  private func analyse(
    _ pictures: [StoredPicture], first: Int, crew: [CrewMember]
  ) throws -> [Result<FramePrediction, PictureError>] {
    if pictures.count == 1 {
      return [try crew[0].analyse(pictures[0], frame: first)]
    }
    let results = Mutex<[Int: Result<Result<FramePrediction, PictureError>, any Error>]>([:])
    DispatchQueue.concurrentPerform(iterations: pictures.count) { index in
      let result = Result { try crew[index].analyse(pictures[index], frame: first + index) }
      results.withLock { $0[index] = result }
    }
    return try results.withLock { results in
      try results.sorted { $0.key < $1.key }.map { try $0.value.get() }
    }
  }

  private func checkBad(_ bad: [BadFrame], dataset: DatasetReader) throws {
    guard bad.count > plan.maxBadFrames, let last = bad.last else { return }
    let name = try dataset.frames(last.frame..<(last.frame + 1))[0].name
    throw EvaluationError(
      .wrongData,
      "cannot evaluate \(dataset.url.relativePath): expected at most \(plan.maxBadFrames) broken "
        + "pictures (--max-bad-frames), found \(bad.count), the last in frame \(last.frame) "
        + "'\(name)': \(last.reason)")
  }
}

/// A worker that any thread may use, one at a time.
private final class CrewMember: Sendable {
  private let worker: Mutex<FrameWorker>

  init(_ worker: sending FrameWorker) {
    self.worker = Mutex(worker)
  }

  func warmUp() throws {
    try worker.withLock { try $0.warmUp() }
  }

  func analyse(
    _ picture: StoredPicture, frame: Int
  ) throws -> Result<FramePrediction, PictureError> {
    try worker.withLock { worker in
      do {
        return .success(try worker.analyse(picture, frame: frame))
      } catch let error as PictureError {
        return .failure(error)
      }
    }
  }
}
