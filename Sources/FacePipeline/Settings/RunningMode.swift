/// What kind of input a landmarker gets, by MediaPipe's names.
package enum RunningMode: String, Sendable, CaseIterable, Codable {
  /// Images that have nothing to do with each other.
  case image
  /// The frames of a clip in order: every frame is analysed.
  case video
  /// Frames as they come: one in flight, and the newest that waits.
  case live
}
