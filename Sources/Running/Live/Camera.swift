internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Imaging
internal import Profiling
internal import Synchronization

/// Offers the frames of a video at their times on a thread of its own, as a camera does; the newest waits, others are dropped.
///
/// A frame is due at its time since the first one, whose decoding starts the clock, or every 1/rate seconds. One that is
/// not decoded when the next one is due is passed over.
final class Camera: Sendable {
  /// A frame that is due.
  struct Shot: Sendable {
    let frame: Frame
    /// Its pixels; nil where they are not asked for.
    let image: Result<PixelBuffer, ImageError>?
    /// When it was due, by `MonotonicClock`.
    let due: UInt64
    /// When it was offered.
    let offered: UInt64
  }

  private let dataset: DatasetReader
  private let frames: Range<Int>
  private let framesPerSecond: Double?
  private let decodes: Bool
  private let queue = LiveFrameQueue<Shot>()
  private let isStopped = Atomic(false)
  private let failure = Mutex<(any Error)?>(nil)
  private let clock = SystemClock()

  /// Starts the thread; without a rate frames have the times of the dataset.
  init(_ dataset: DatasetReader, frames: Range<Int>, framesPerSecond: Double?, decodes: Bool) {
    self.dataset = dataset
    self.frames = frames
    self.framesPerSecond = framesPerSecond
    self.decodes = decodes
    let thread = Thread { [self] in
      do {
        try offerAll()
      } catch {
        failure.withLock { $0 = error }
      }
      queue.close()
    }
    thread.name = "camera"
    thread.start()
  }

  /// Lets no more frames come.
  func stop() { isStopped.store(true, ordering: .relaxed) }

  /// Waits for the newest frame that is due and was not taken; nil after the last. Throws what cannot be read.
  func next() throws -> Shot? {
    if let shot = queue.next()?.content { return shot }
    if let error = failure.withLock({ $0 }) { throw error }
    return nil
  }

  private func offerAll() throws {
    var first: (due: UInt64, timestamp: Int64)?
    func due(_ frame: Frame) -> UInt64? {
      first.map { first in
        first.due
          + (framesPerSecond.map {
            UInt64((Double(frame.index - frames.lowerBound) * 1e9 / $0).rounded())
          } ?? UInt64(frame.timestampMicroseconds - first.timestamp) * 1000)
      }
    }
    var next = try frame(frames.lowerBound)
    while let frame = next, !isStopped.load(ordering: .relaxed) {
      next = try self.frame(frame.index + 1)
      // The next one is due already: a camera has overwritten this one.
      if let next = next.flatMap(due), next < clock.nanoseconds() { continue }
      let stored = decodes ? try dataset.image(frame.index) : nil
      let image = stored.map { one in Result { () throws(ImageError) in try one.decoded() } }
      if first == nil { first = (clock.nanoseconds(), frame.timestampMicroseconds) }
      guard let due = due(frame) else { return }
      while clock.nanoseconds() < due, !isStopped.load(ordering: .relaxed) {
        clock.sleep(until: min(due, clock.nanoseconds() + 50_000_000))
      }
      let shot = Shot(frame: frame, image: image, due: due, offered: clock.nanoseconds())
      queue.offer(.init(shot, timestampMicroseconds: frame.timestampMicroseconds))
    }
  }

  private func frame(_ index: Int) throws -> Frame? {
    frames.contains(index) ? try dataset.frames(index..<index + 1).first : nil
  }
}
