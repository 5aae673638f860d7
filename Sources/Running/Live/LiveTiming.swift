package import Profiling

/// The clock of live mode, and the moments that a clock must know to keep step with the landmarker.
///
/// The system's clock ignores these moments. A simulated clock uses them: it may only go on while the landmarker
/// has nothing to do, or is inside `willAnalyse`.
package protocol LiveTiming: FrameClock {
  /// Called before a frame is offered.
  func willOffer()
  /// Called on the landmarker's thread before it analyses a frame; the analysis waits until it returns.
  func willAnalyse(timestampMicroseconds: Int64)
  /// Called on the landmarker's thread when a result is there and has settled so many offered frames.
  func didSettle(_ frames: Int)
}

extension SystemClock: LiveTiming {
  package func willOffer() {}
  package func willAnalyse(timestampMicroseconds: Int64) {}
  package func didSettle(_ frames: Int) {}
}
