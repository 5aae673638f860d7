internal import FaceCore

extension FaceOverlay {
  /// Draws the mesh's edges as fine lines, or its points as dots without triangles.
  func drawMesh(_ points: [Point], side: Double, on image: inout PixelBuffer) {
    guard !meshEdges.isEmpty else {
      for point in points {
        image.fillCircle(centre: point, radius: max(side / 260, 0.5), color: palette.mesh)
      }
      return
    }
    for (start, end) in meshEdges
    where points.indices.contains(start) && points.indices.contains(end) {
      image.strokeLine(
        from: points[start], to: points[end], color: palette.mesh, thickness: max(side / 500, 0.2))
    }
  }

  /// Draws the outlines through the 478 points; irises as round curves through their four.
  func drawContours(_ points: [Point], side: Double, on image: inout PixelBuffer) {
    for part in FaceMeshConnections.allCases {
      let isRound = part == .leftIris || part == .rightIris
      for path in part.paths {
        let corners = path.map { points[$0] }
        let line = isRound ? Self.rounded(corners) : corners
        for (start, end) in zip(line, line.dropFirst()) {
          image.strokeLine(
            from: start, to: end, color: palette.color(of: part), thickness: max(side / 170, 0.7))
        }
      }
    }
  }

  /// Draws the head's axes, 6 cm long from the nose's tip, the farthest one first.
  func drawAxes(of pose: HeadPose, side: Double, on image: inout PixelBuffer) {
    let tip = HeadPose.canonicalNoseTip
    guard let origin = pose.project(tip, onto: image.size) else { return }
    let thickness = max(side / 80, 1.5)
    let axes = Self.axes.map { axis in
      (axis: axis, depth: pose.cameraCoordinates(of: tip + axis.direction).z)
    }
    for (axis, _) in axes.sorted(by: { $0.depth < $1.depth }) {
      guard let end = pose.project(tip + axis.direction, onto: image.size) else { continue }
      image.strokeLine(from: origin, to: end, color: palette.halo, thickness: thickness + 2)
      image.strokeLine(from: origin, to: end, color: axis.color, thickness: thickness)
      image.fillCircle(centre: end, radius: thickness, color: axis.color)
    }
  }

  private static let axes: [(direction: SIMD3<Float>, color: RGB)] = [
    (SIMD3(6, 0, 0), RGB(235, 60, 60)), (SIMD3(0, 6, 0), RGB(50, 190, 80)),
    (SIMD3(0, 0, 6), RGB(60, 120, 255)),
  ]

  /// A smooth curve through a closed run of points; through the corners of a square it is near a circle.
  private static func rounded(_ path: [Point]) -> [Point] {
    let corners = path.dropLast()
    let count = corners.count
    guard count > 2 else { return path }
    // The tangents of the usual four-piece approximation of a circle.
    let tangent = 2 * (2.0.squareRoot() - 1)
    let curve = (0..<count).flatMap { index -> [Point] in
      let (a, b) = (corners[(index + count - 1) % count], corners[index])
      let (c, d) = (corners[(index + 1) % count], corners[(index + 2) % count])
      func blend(_ axis: KeyPath<Point, Double>, _ t: Double) -> Double {
        let (from, to) = (b[keyPath: axis], c[keyPath: axis])
        let leave = tangent * (to - a[keyPath: axis])
        let arrive = tangent * (d[keyPath: axis] - from)
        let rise = t * t * (3 - 2 * t)
        return from + rise * (to - from) + t * (1 - t) * ((1 - t) * leave - t * arrive)
      }
      return (0..<6).map { step in
        let t = Double(step) / 6
        return Point(x: blend(\.x, t), y: blend(\.y, t))
      }
    }
    return curve + [curve[0]]
  }
}
