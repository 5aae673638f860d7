internal import Foundation

/// Pitch, yaw and roll in degrees, in the convention of AFLW2000-3D: R = X(−pitch) · Y(−yaw) · Z(−roll).
package struct HeadAngles: Sendable, Hashable {
  /// About the axis from ear to ear, in [-180, 180].
  package let pitch: Double
  /// About the upright axis, in [-90, 90].
  package let yaw: Double
  /// About the axis of the view, in [-180, 180].
  package let roll: Double

  /// The angles of a rotation; where yaw is 90° either way, pitch takes all of the turn and roll is 0.
  package init(_ rotation: Rotation) {
    let r = rotation.rows
    let cosine = (r[0].x * r[0].x + r[0].y * r[0].y).squareRoot()
    yaw = -Self.degrees(atan2(r[0].z, cosine))
    guard cosine > 1e-9 else {
      pitch = -Self.degrees(atan2(r[2].y, r[1].y))
      roll = 0
      return
    }
    pitch = -Self.degrees(atan2(-r[1].z, r[2].z))
    roll = -Self.degrees(atan2(-r[0].y, r[0].x))
  }

  /// Whether an angle is beyond 99°, where such angles say little; AFLW2000's protocols leave it out.
  package var isBeyondLimit: Bool { [pitch, yaw, roll].contains { abs($0) > 99 } }

  /// The smallest turn between two angles in degrees, 0 to 180.
  package static func difference(_ first: Double, _ second: Double) -> Double {
    abs((first - second).remainder(dividingBy: 360))
  }

  private static func degrees(_ radians: Double) -> Double { radians * 180 / .pi }
}
