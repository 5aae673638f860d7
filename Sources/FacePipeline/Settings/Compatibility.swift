/// Which of MediaPipe's platforms a landmarker behaves as.
package enum Compatibility: String, Sendable, CaseIterable, Codable {
  /// C++, Android and Python: video and live mode track faces and smooth a single one.
  case standard
  /// iOS, whose options never turn stream mode on: the detector runs on every frame, and nothing is
  /// tracked or smoothed.
  case ios
}
