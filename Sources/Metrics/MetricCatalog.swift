/// Every figure that FaceGauge measures.
package enum MetricCatalog {
  /// All definitions, one line a family.
  package static let all: [MetricDefinition] =
    COCODetection.definitions
    + DetectionOperatingPoint.definitions
    + RankedDetections.definitions
    + VOCDetection.definitions
    + WIDERDetection.definitions
    + FDDBDetection.definitions
    + FaceAcquisition.definitions
    + FaceOperatingPoint.definitions
    + LandmarkAccuracy.definitions
    + LandmarkRegression.definitions
    + LandmarkVisibility.definitions
    + PresenceReliability.definitions
    + FaceTracking.definitions
    + LiveDelay.definitions
    + FalseTracks.definitions
    + IdentityTracking.definitions
    + SingleObjectTracking.definitions
    + LandmarkJitter.definitions
    + LabelledJitter.definitions
    + BlendshapeAccuracy.definitions
    + ExpressionAccuracy.definitions
    + ExpressionClassification.definitions
    + PoseAccuracy.definitions
    + FaceVerification.definitions
    + DrawnPath.definitions
    + StageLatency.definitions
    + FrameBudget.definitions
    + ProfileFigure.definitions

  /// The definition that a measurement's name follows, or nil for a name that nothing measures.
  package static func definition(of measurement: String) -> MetricDefinition? {
    named[measurement] ?? patterns.first { $0.covers(measurement) }
  }

  private static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
  private static let patterns = all.filter(\.isPattern)
}
