/// A tracker that follows what it is shown in a first frame, and knows no faces.
package enum SeededTracker: String, Sendable, CaseIterable {
  /// `CorrelationTracker`, by looks.
  case correlation
}
