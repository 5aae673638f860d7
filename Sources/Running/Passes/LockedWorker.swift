internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Imaging
internal import Synchronization

/// A worker that any thread may use, one at a time.
package final class LockedWorker: Sendable {
  private let worker: Mutex<FrameWorker>

  package init(_ worker: sending FrameWorker) {
    self.worker = Mutex(worker)
  }

  /// Lets `body` have the worker for itself.
  package func use<Result: Sendable>(
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
    _ image: StoredImage, frame: Frame, isTracked: Bool
  ) throws -> Result<FramePrediction, ImageError> {
    try worker.withLock { worker in
      do {
        return .success(try worker.analyse(image, frame: frame, isTracked: isTracked))
      } catch let error as ImageError {
        return .failure(error)
      }
    }
  }
}
