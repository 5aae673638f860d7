package import Datasets
package import FaceCore
internal import FacePipeline
package import Foundation
package import Imaging
package import Platform
internal import Profiling
internal import Synchronization
internal import Tensor

/// Reads points and yaw where faces are labelled, with the landmark model and without the detector.
///
/// So the faces that a detector misses have a yaw too, and slices by it can show a recall below 1.
package final class LabelledFaceReader: Sendable {
  private let workers: [LockedReader]
  private let turn = Atomic(0)

  /// Loads the models; throws where there is no landmark model.
  package init(models: URL?) throws {
    BLAS.setThreadCount(1)
    let models = try FaceLandmarkerModels(detector: .shortRange, from: models)
    guard models.landmarks != nil, models.mesh != nil else {
      let reason = models.absent.first { $0.stage == .landmarks }?.reason ?? "no model"
      throw EvaluationError(.modelMissing, "cannot predict yaw without landmarks: \(reason)")
    }
    var workers: [LockedReader] = []
    for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
      workers.append(LockedReader(try Worker(models)))
    }
    self.workers = workers
  }

  /// What the model sees where a face is labelled; nil where it sees no face.
  package func sight(
    of label: FaceLabel, in image: PixelBuffer
  ) throws(FileError) -> DatasetAnnotation.Sight? {
    let number = turn.wrappingAdd(1, ordering: .relaxed).oldValue % workers.count
    do {
      return try workers[number].sight(of: label.box, in: image)
    } catch {
      throw FileError(.wrongData, error.description)
    }
  }

  /// A worker that any thread may use, one at a time.
  private final class LockedReader: Sendable {
    private let worker: Mutex<Worker>

    init(_ worker: sending Worker) { self.worker = Mutex(worker) }

    func sight(
      of box: BoundingBox, in image: PixelBuffer
    ) throws(ImageError) -> DatasetAnnotation.Sight? {
      try worker.withLock { (worker) throws(ImageError) in try worker.sight(of: box, in: image) }
    }
  }

  private struct Worker {
    private let landmarker: FaceLandmarker
    private var timer = StageTimer(stages: PipelineStage.names)
    private let minPresence: Double

    init(_ models: FaceLandmarkerModels) throws {
      var options = FaceLandmarkerOptions()
      options.outputFaceBlendshapes = false
      options.outputFacialTransformationMatrixes = true
      minPresence = options.minFacePresenceConfidence
      landmarker = try FaceLandmarker(models, options: options)
    }

    /// Reads the box, then the region that follows from its points, as in the next frame of a clip.
    mutating func sight(
      of box: BoundingBox, in image: PixelBuffer
    ) throws(ImageError) -> DatasetAnnotation.Sight? {
      timer.beginFrame()
      let size = image.size
      var region = NormalizedRect(box: box, in: size)
      var found: LandmarkedFace?
      for _ in 0..<2 {
        found = try landmarker.runLandmarks(
          on: FaceRegion(region: region, detectionScore: nil), of: image, timer: &timer)
        guard let found else { return nil }
        region = NormalizedRect(landmarks: found.landmarks, size: size)
      }
      guard var face = found, Double(face.presence) >= minPresence else { return nil }
      landmarker.addBlendshapesAndPose(to: &face, size: size, timer: &timer)
      let points = face.landmarks.map {
        Point(x: Double($0.x) * Double(size.width), y: Double($0.y) * Double(size.height))
      }
      guard let landmarks = Landmarks(scheme: .mediapipe478, points: points) else { return nil }
      return DatasetAnnotation.Sight(
        points: landmarks, yaw: face.pose.flatMap { Rotation($0) }.map { HeadAngles($0).yaw })
    }
  }
}
