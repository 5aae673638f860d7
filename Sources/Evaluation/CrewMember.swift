internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Imaging
internal import Synchronization

/// A worker that any thread may use, one at a time.
final class CrewMember: Sendable {
  private let worker: Mutex<FrameWorker>

  init(_ worker: sending FrameWorker) {
    self.worker = Mutex(worker)
  }

  /// Lets `body` have the worker for itself.
  func use<Result: Sendable>(
    _ body: @Sendable (FrameWorker) throws -> Result
  ) throws -> Result {
    try worker.withLock { try body($0) }
  }

  func warmUp() throws {
    try worker.withLock { try $0.warmUp() }
  }

  var trackingState: TrackingState { worker.withLock { $0.trackingState } }

  func begin(from state: TrackingState?) {
    worker.withLock { $0.trackingState = state ?? TrackingState() }
  }

  func analyse(
    _ picture: StoredPicture, frame: Frame, isTracked: Bool
  ) throws -> Result<FramePrediction, PictureError> {
    try worker.withLock { worker in
      do {
        return .success(try worker.analyse(picture, frame: frame, isTracked: isTracked))
      } catch let error as PictureError {
        return .failure(error)
      }
    }
  }
}
