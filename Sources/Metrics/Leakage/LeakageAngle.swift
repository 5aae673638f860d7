/// A turn of the head, or how far the head is turned either way.
package enum LeakageAngle: String, Sendable, CaseIterable, Codable {
  case yaw, pitch, roll
  case yawEitherWay = "|yaw|"
  case pitchEitherWay = "|pitch|"
  case rollEitherWay = "|roll|"

  /// The angle in steps of 10°, in which slopes are given.
  func steps(_ degrees: SIMD3<Double>) -> Double {
    switch self {
    case .yaw: degrees.x / 10
    case .pitch: degrees.y / 10
    case .roll: degrees.z / 10
    case .yawEitherWay: degrees.x.magnitude / 10
    case .pitchEitherWay: degrees.y.magnitude / 10
    case .rollEitherWay: degrees.z.magnitude / 10
    }
  }
}
