internal import FaceCore

/// Which triangle each sample of an image shows, and how near it is: 4 by 4 samples a pixel, in the part with triangles.
///
/// Vertices are rounded to 1/1024 pixel, and edges are computed in whole numbers, so that neighbours neither overlap nor
/// leave gaps. A triangle with a vertex less than 1 cm ahead of the camera is left out.
package struct SampleBuffer: Sendable {
  /// Samples along the side of a pixel.
  package static let perSide = 4
  /// Steps along the side of a pixel that vertices are rounded to.
  private static let steps = 1024
  private static let stepsPerSample = Int64(steps / perSide)

  /// Sample columns and rows that are kept, whole pixels.
  let columns, rows: Range<Int>
  /// The triangle of each kept sample by rows, -1 for none.
  private(set) var triangles: [Int32]
  /// 1 / distance along the axis, in 1/cm; 0 for none.
  private(set) var nearness: [Float]
  /// Rounded positions of the vertices, and the nearness of each; 0 for one that is not ahead.
  let corners: [ScreenVertex]

  /// A vertex on the image.
  struct ScreenVertex: Sendable {
    var x, y: Int64
    var nearness: Float
  }

  /// Draws triangles of a mesh before the camera, in centimetres.
  package init(_ mesh: [SIMD3<Float>], _ faces: [SIMD3<Int32>], camera: RenderCamera) {
    let corners = mesh.map { Self.vertex(SIMD3<Double>($0), camera: camera) }
    self.corners = corners
    let seen = corners.filter { $0.nearness > 0 }
    func range(_ low: Int64?, _ high: Int64?, below count: Int) -> Range<Int> {
      guard let low, let high else { return 0..<0 }
      let first = min(max(Int(low) / Self.steps - 1, 0), count)
      return first..<min(max(Int(high) / Self.steps + 2, first), count)
    }
    let x = range(seen.map(\.x).min(), seen.map(\.x).max(), below: camera.size.width)
    let y = range(seen.map(\.y).min(), seen.map(\.y).max(), below: camera.size.height)
    columns = x.lowerBound * Self.perSide..<x.upperBound * Self.perSide
    rows = y.lowerBound * Self.perSide..<y.upperBound * Self.perSide
    triangles = [Int32](repeating: -1, count: columns.count * rows.count)
    nearness = [Float](repeating: 0, count: columns.count * rows.count)
    guard !triangles.isEmpty else { return }
    let (columns, rows) = (columns, rows)
    triangles.withUnsafeMutableBufferPointer { triangles in
      nearness.withUnsafeMutableBufferPointer { nearness in
        for (index, face) in faces.enumerated() {
          let (a, b, c) = (corners[Int(face.x)], corners[Int(face.y)], corners[Int(face.z)])
          guard a.nearness > 0, b.nearness > 0, c.nearness > 0 else { continue }
          let area = EdgeFunction(a, b).value(x: c.x, y: c.y)
          guard area != 0 else { continue }
          let (p, q, r) = area > 0 ? (a, b, c) : (a, c, b)
          let inside = Self.box(p, q, r, columns: columns, rows: rows)
          guard !inside.columns.isEmpty else { continue }
          let (first, second, third) = (
            EdgeFunction(q, r), EdgeFunction(r, p), EdgeFunction(p, q)
          )
          let scale = 1 / Double(abs(area))
          let (nearP, nearQ, nearR) = (
            Double(p.nearness) * scale, Double(q.nearness) * scale, Double(r.nearness) * scale
          )
          let (stepP, stepQ, stepR) = (
            first.across * Self.stepsPerSample, second.across * Self.stepsPerSample,
            third.across * Self.stepsPerSample
          )
          let left = Self.position(inside.columns.lowerBound)
          for row in inside.rows {
            let y = Self.position(row)
            var edgeP = first.value(x: left, y: y) + first.bias
            var edgeQ = second.value(x: left, y: y) + second.bias
            var edgeR = third.value(x: left, y: y) + third.bias
            var at = (row - rows.lowerBound) * columns.count
            at += inside.columns.lowerBound - columns.lowerBound
            for _ in inside.columns {
              if edgeP | edgeQ | edgeR >= 0 {
                let pair = Double(edgeP) * nearP + Double(edgeQ) * nearQ
                let near = Float(pair + Double(edgeR) * nearR)
                if near > nearness[at] {
                  nearness[at] = near
                  triangles[at] = Int32(truncatingIfNeeded: index)
                }
              }
              edgeP &+= stepP
              edgeQ &+= stepQ
              edgeR &+= stepR
              at += 1
            }
          }
        }
      }
    }
  }

  private static func position(_ sample: Int) -> Int64 {
    Int64(sample) * stepsPerSample + stepsPerSample / 2
  }

  /// The samples that may be inside a triangle.
  private static func box(
    _ p: ScreenVertex, _ q: ScreenVertex, _ r: ScreenVertex, columns: Range<Int>, rows: Range<Int>
  ) -> (columns: Range<Int>, rows: Range<Int>) {
    func range(_ low: Int64, _ high: Int64, in limits: Range<Int>) -> Range<Int> {
      let first = Int((low - stepsPerSample / 2) / stepsPerSample)
      let start = min(max(first, limits.lowerBound), limits.upperBound)
      return start..<max(start, min(Int(high / stepsPerSample) + 1, limits.upperBound))
    }
    return (
      range(min(p.x, q.x, r.x), max(p.x, q.x, r.x), in: columns),
      range(min(p.y, q.y, r.y), max(p.y, q.y, r.y), in: rows)
    )
  }

  private static func vertex(_ point: SIMD3<Double>, camera: RenderCamera) -> ScreenVertex {
    let hidden = ScreenVertex(x: 0, y: 0, nearness: 0)
    guard point.z <= -1 else { return hidden }
    let pixel = camera.project(point)
    // Products of two coordinates stay far below 2^63.
    guard abs(pixel.x) < 1e6, abs(pixel.y) < 1e6 else { return hidden }
    return ScreenVertex(
      x: Int64((pixel.x * Double(steps)).rounded()), y: Int64((pixel.y * Double(steps)).rounded()),
      nearness: Float(-1 / point.z))
  }

  /// The triangle that a sample of the image shows; nil for none.
  package func triangle(column: Int, row: Int) -> Int? {
    guard columns.contains(column), rows.contains(row) else { return nil }
    let triangle =
      triangles[(row - rows.lowerBound) * columns.count + column - columns.lowerBound]
    return triangle < 0 ? nil : Int(triangle)
  }

  /// Whether nothing is more than `tolerance` centimetres before a point, among the samples around it.
  package func shows(
    _ point: SIMD3<Double>, camera: RenderCamera, tolerance: Double = 0.3
  ) -> Bool {
    guard point.z <= -1 else { return false }
    let pixel = camera.project(point)
    guard pixel.x >= 0, pixel.y >= 0, pixel.x < Double(camera.size.width),
      pixel.y < Double(camera.size.height)
    else { return false }
    let limit = Float(-1 / min(point.z + tolerance, -0.5))
    let (column, row) = (Int(pixel.x * Double(Self.perSide)), Int(pixel.y * Double(Self.perSide)))
    for y in row - 1...row + 1 where rows.contains(y) {
      for x in column - 1...column + 1 where columns.contains(x) {
        let near = nearness[(y - rows.lowerBound) * columns.count + x - columns.lowerBound]
        if near > 0, near <= limit { return true }
      }
    }
    return false
  }

  /// Twice the area between an edge of a triangle and a position; positive on the inner side, in square steps.
  struct EdgeFunction {
    /// What it grows by for a step to the right.
    let across: Int64
    private let down: Int64
    private let start: Int64
    /// A sample on an edge belongs to the triangle to its right or below it.
    var bias: Int64 { across > 0 || across == 0 && down > 0 ? 0 : -1 }

    /// The edge between two vertices.
    init(_ from: ScreenVertex, _ to: ScreenVertex) {
      across = from.y - to.y
      down = to.x - from.x
      start = -(across * from.x + down * from.y)
    }

    /// Its value at a position in steps.
    func value(x: Int64, y: Int64) -> Int64 { across * x + down * y + start }
  }
}
