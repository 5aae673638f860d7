/// Where a head is before the camera: canonical face coordinates to camera coordinates.
///
/// Canonical coordinates are centimetres, y up, the face looks along +z. The camera is at the origin with x to
/// the right, y up, and looks along -z.
public struct HeadPose: Sendable, Hashable {
  /// The 4 by 4 matrix by rows: rotation times scale, and the translation in centimetres in the last column.
  public var matrix: SIMD16<Float>

  /// Makes a pose from a matrix by rows.
  public init(matrix: SIMD16<Float>) {
    self.matrix = matrix
  }
}
