package import FaceCore

/// How near a path drawn with a fingertip comes to the path that was to be drawn.
///
/// Each frame gives the point where the ray through the fingertip meets the drawing plane. The drawn path joins
/// these points in the order of the frames by straight lines, also over frames without one. Lengths in mm.
package struct DrawnPath: FrameMetric {
  /// What a frame says of the fingertip.
  package enum Entry: Sendable, Hashable {
    /// There was none.
    case noFingertip
    /// There was one, but its ray does not meet the plane.
    case noHit
    /// Where it is on the plane, in metres in the world.
    case hit(SIMD3<Double>)
  }

  /// The path that was to be drawn: two points or more of the plane, in metres in the world.
  package let reference: [SIMD3<Double>]
  /// What is kept of each frame.
  package var frames = FrameTable<Entry>()

  /// Starts without frames.
  package init(along reference: [SIMD3<Double>]) {
    self.reference = reference
  }

  /// Takes in one frame: its fingertip in pixels, or nil; throws for a frame added before.
  package mutating func add(
    frame: Int, fingertip: Point?, camera: PinholeCamera, plane: Plane
  ) throws(MetricError) {
    let entry: Entry =
      if let fingertip {
        camera.hit(fingertip, on: plane).map { .hit($0) } ?? .noHit
      } else {
        .noFingertip
      }
    try add(entry, for: frame)
  }

  /// Throws where the references differ.
  package func check(_ other: DrawnPath) throws(MetricError) {
    guard reference == other.reference else { throw .referencesDiffer }
  }

  /// The figure that errors name.
  package static var table: String { "drawing.error.mean" }

  /// The points of the drawn path, in metres.
  package var hits: [SIMD3<Double>] {
    frames.entries.compactMap { if case .hit(let point) = $0 { point } else { nil } }
  }

  /// How many frames have a fingertip.
  package var fingertipCount: Int { frames.entries.count { $0 != .noFingertip } }

  /// How many frames there are.
  package var frameCount: Int { frames.count }
}
