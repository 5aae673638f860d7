internal import Foundation

/// Pitch, yaw and roll in degrees, in the convention of AFLW2000-3D: R = X(−pitch) · Y(−yaw) · Z(−roll).
package struct HeadAngles: Sendable, Hashable {
  /// About the axis from ear to ear, in [-180, 180].
  package let pitch: Double
  /// About the upright axis, in [-180, 180].
  package let yaw: Double
  /// About the axis of the view, in [-180, 180].
  package let roll: Double

  /// The angles of a rotation; where yaw is 90° either way, pitch takes all of the turn and roll is 0.
  ///
  /// Two triples make each rotation: (pitch, yaw, roll) and (pitch ± 180, 180 − yaw, roll ± 180). It is the
  /// one with the smaller |pitch| + |roll|, so a head turned by more than 90° keeps its yaw.
  package init(_ rotation: Rotation) {
    let r = rotation.rows
    let cosine = (r[0].x * r[0].x + r[0].y * r[0].y).squareRoot()
    let yaw = -Self.degrees(atan2(r[0].z, cosine))
    guard cosine > 1e-9 else {
      self.yaw = yaw
      pitch = -Self.degrees(atan2(r[2].y, r[1].y))
      roll = 0
      return
    }
    let pitch = -Self.degrees(atan2(-r[1].z, r[2].z))
    let roll = -Self.degrees(atan2(-r[0].y, r[0].x))
    func opposite(_ angle: Double) -> Double { angle > 0 ? angle - 180 : angle + 180 }
    // Where both are as large, rounding must not decide.
    let isFolded = abs(opposite(pitch)) + abs(opposite(roll)) < abs(pitch) + abs(roll) - 1e-9
    self.pitch = isFolded ? opposite(pitch) : pitch
    self.roll = isFolded ? opposite(roll) : roll
    self.yaw = isFolded ? (yaw < 0 ? -180 - yaw : 180 - yaw) : yaw
  }

  /// Whether an angle is beyond 99°, where these angles are ambiguous; AFLW2000 leaves it out.
  package var isBeyondLimit: Bool { [pitch, yaw, roll].contains { abs($0) > 99 } }

  /// The smallest turn between two angles in degrees, 0 to 180.
  package static func difference(_ first: Double, _ second: Double) -> Double {
    abs((first - second).remainder(dividingBy: 360))
  }

  private static func degrees(_ radians: Double) -> Double { radians * 180 / .pi }
}
