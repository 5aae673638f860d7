/// How far a head is turned aside: the three bins of AFLW2000-3D.
package enum YawBin: String, Sendable, CaseIterable {
  /// 30° or less.
  case front = "0-30"
  /// More than 30° and 60° at most.
  case half = "30-60"
  /// More than 60°, beyond 90° too: AFLW2000-3D's evaluations count these with 60 to 90.
  case side = "60-"

  /// The bin of a yaw in degrees, to 1e-4 as poses are 32-bit floats, the same for angles that differ by whole turns; nil if
  /// not finite.
  package init?(yawDegrees: Double) {
    let magnitude = (abs(yawDegrees.remainder(dividingBy: 360)) * 1e4).rounded() / 1e4
    guard magnitude.isFinite else { return nil }
    self = magnitude <= 30 ? .front : magnitude <= 60 ? .half : .side
  }
}
