import FaceCore
import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct FaceOverlayTests {
  static let size = ImageSize(width: 640, height: 480)
  static let ground = PixelBuffer(width: size.width, height: size.height, color: RGB(18, 20, 26))

  /// 478 points on a grid, so that no two outlines are alike.
  static let grid: [SIMD3<Float>] = (0..<478).map { index in
    SIMD3(60 + 20 * Float(index % 26) + 0.3, 40 + 20 * Float(index / 26) + 0.6, 0)
  }

  static func face(
    _ points: [SIMD3<Float>] = grid, blendshapes: [Float]? = nil, pose: HeadPose? = nil,
    region: NormalizedRect = .whole, isTracked: Bool = false
  ) -> FacePrediction {
    FacePrediction(
      region: region, isTracked: isTracked, detectionScore: nil, presence: 0.9,
      scheme: .mediapipe478, points: points, blendshapes: blendshapes, pose: pose)
  }

  static func frame(
    _ faces: [FacePrediction] = [], detections: [FaceDetection] = [],
    rejected: [FacePrediction] = []
  ) -> FramePrediction {
    FramePrediction(
      frame: 0, size: size, stageNanoseconds: [], detections: detections, candidates: [],
      faces: faces, rejected: rejected)
  }

  static func drawn(_ parts: Set<FaceOverlay.Part>, _ frame: FramePrediction) -> PixelBuffer {
    FaceOverlay(parts).renderedOnCanvas(frame, size: size)
  }

  static func changed(_ image: PixelBuffer, from other: PixelBuffer = ground) -> [Point] {
    (0..<other.height).flatMap { y in
      (0..<other.width).filter { image[$0, y] != other[$0, y] }
        .map { Point(x: Double($0) + 0.5, y: Double(y) + 0.5) }
    }
  }

  /// How much of a pixel a color covers on the ground, from 0 to 1; nil where another color is there.
  static func share(of color: RGB, at position: Point, in image: PixelBuffer) -> Double? {
    func channels(_ color: RGB) -> [Double] {
      [color.red, color.green, color.blue].map(Double.init)
    }
    let old = channels(RGB(18, 20, 26))
    let new = channels(image[Int(position.x), Int(position.y)])
    let shares: [Double] = zip(zip(old, new), channels(color)).map { pair, full in
      (pair.1 - pair.0) / (full - pair.0)
    }
    guard let lowest = shares.min(), let highest = shares.max(), highest - lowest < 0.05 else {
      return nil
    }
    return lowest
  }

  /// Distance from a point to the nearest of some segments.
  static func distance(_ p: Point, to edges: [(SIMD3<Float>, SIMD3<Float>)]) -> Double {
    edges.map { start, end in
      let (ax, ay) = (Double(start.x), Double(start.y))
      let (dx, dy) = (Double(end.x) - ax, Double(end.y) - ay)
      let t = min(max(((p.x - ax) * dx + (p.y - ay) * dy) / (dx * dx + dy * dy), 0), 1)
      return hypot(p.x - ax - t * dx, p.y - ay - t * dy)
    }.min() ?? .infinity
  }

  /// The face spans 500 pixels, so its lines are 3 wide; the irises are rounded, and their curves stay within
  /// a box around their four points that is larger by the corner of a square over its circle.
  @Test func `contours pass through their points and paint nothing else`() {
    let image = Self.drawn([.contours], Self.frame([Self.face()]))
    let irises: [FaceMeshConnections] = [.leftIris, .rightIris]
    let lines = FaceMeshConnections.allCases.filter { !irises.contains($0) }
      .flatMap(\.edges).map { (Self.grid[$0.start], Self.grid[$0.end]) }
    for part in FaceMeshConnections.allCases {
      for index in part.paths.joined() {
        let point = Self.grid[index]
        #expect(image[Int(point.x), Int(point.y)] != RGB(18, 20, 26), "\(part) \(index)")
      }
    }
    for pixel in Self.changed(image) where Self.distance(pixel, to: lines) > 3 {
      let isNear = irises.contains { part in
        let corners = part.paths[0].map { Self.grid[$0] }
        let (xs, ys) = (corners.map { Double($0.x) }, corners.map { Double($0.y) })
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let low = ys.max()
        else { return false }
        let reach = 3 + 0.25 * max(right - left, low - top)
        return (left - reach...right + reach).contains(pixel.x)
          && (top - reach...low + reach).contains(pixel.y)
      }
      #expect(isNear, "painted \(pixel)")
    }
  }

  @Test func `an iris of four points is drawn as a circle`() {
    var points = Self.grid
    let (centre, radius) = (SIMD3<Float>(320, 240, 0), Float(60))
    for (step, index) in FaceMeshConnections.leftIris.paths[0].dropLast().enumerated() {
      let angle = Float(step) * .pi / 2 + 0.4
      points[index] = centre + radius * SIMD3(cos(angle), sin(angle), 0)
    }
    let iris = RGB(90, 210, 255)
    let image = Self.drawn([.contours], Self.frame([Self.face(points)]))
    let distances = Self.changed(image).filter { image[Int($0.x), Int($0.y)] == iris }
      .map { hypot($0.x - 320, $0.y - 240) }.filter { $0 < 100 }
    #expect(distances.count > 300)
    // Half of a 3 pixel line, and six straight pieces for a quarter of a circle.
    for distance in distances { #expect(abs(distance - 60) < 2.5) }
  }

  @Test func `a mesh has the edges of its triangles, and dots without triangles`() {
    let frame = Self.frame([Self.face()])
    let triangles: [SIMD3<Int32>] = [SIMD3(0, 1, 26), SIMD3(26, 1, 27), SIMD3(476, 477, 451)]
    let image = FaceOverlay([.mesh], triangles: triangles).renderedOnCanvas(
      frame, size: Self.size)
    let edges = triangles.flatMap { corners in
      [(0, 1), (1, 2), (2, 0)].map {
        (Self.grid[Int(corners[$0.0])], Self.grid[Int(corners[$0.1])])
      }
    }
    let painted = Self.changed(image)
    for (start, end) in edges {
      let middle = (start + end) / 2
      #expect(image[Int(middle.x), Int(middle.y)] != RGB(18, 20, 26))
    }
    for pixel in painted { #expect(Self.distance(pixel, to: edges) < 1.5, "\(pixel)") }

    let dots = Self.drawn([.mesh], frame)
    for point in Self.grid { #expect(dots[Int(point.x), Int(point.y)] != RGB(18, 20, 26)) }
    for pixel in Self.changed(dots) {
      let column = ((pixel.x - 60.3) / 20).rounded() * 20 + 60.3
      let row = ((pixel.y - 40.6) / 20).rounded() * 20 + 40.6
      #expect(hypot(pixel.x - column, pixel.y - row) < 3, "\(pixel)")
    }
  }

  @Test func `an edge that triangles share is drawn once`() {
    let frame = Self.frame([Self.face()])
    func drawn(_ triangles: [SIMD3<Int32>]) -> PixelBuffer {
      FaceOverlay([.mesh], triangles: triangles).renderedOnCanvas(frame, size: Self.size)
    }
    #expect(
      drawn([SIMD3(0, 1, 26), SIMD3(26, 1, 27)])
        == drawn([SIMD3(1, 26, 0), SIMD3(27, 26, 1), SIMD3(0, 1, 26)]))
  }

  private struct Axes: Decodable {
    struct Face: Decodable {
      let size: [Int]
      let matrix: [Float]
      let points: [String: [Double]]
    }
    let faces: [Face]
  }

  @Test func `the tips of the axes are red, green and blue where NumPy sees them`() throws {
    let colors = ["x": RGB(235, 60, 60), "y": RGB(50, 190, 80), "z": RGB(60, 120, 255)]
    for found in try Oracles.read("pose_axes", as: Axes.self).faces {
      let size = ImageSize(width: found.size[0], height: found.size[1])
      let points = Self.grid.map { $0 / 4 }
      let face = Self.face(points, pose: HeadPose(matrix: SIMD16(found.matrix)))
      let image = FaceOverlay([.axes]).renderedOnCanvas(Self.frame([face]), size: size)
      for (name, color) in colors {
        let tip = try #require(found.points[name])
        #expect(image[Int(tip[0]), Int(tip[1])] == color, "\(name)")
      }
    }
  }

  @Test func `a region is a rectangle turned clockwise`() {
    let region = NormalizedRect(
      xCenter: 0.5, yCenter: 0.5, width: 0.25, height: 0.25, rotation: .pi / 6)
    let face = Self.face(region: region, isTracked: true)
    let image = Self.drawn([.regions], Self.frame([face]))
    // 160 by 120 pixels about (320, 240), the right side's middle turned by 30 degrees downwards.
    for (x, y) in [(80.0, 0.0), (-80, 0), (0, 60), (0, -60), (40, -60), (-80, 30)] {
      let (c, s) = (3.0.squareRoot() / 2, 0.5)
      let position = Point(x: 320 + c * x - s * y, y: 240 + s * x + c * y)
      let share = Self.share(of: RGB(120, 220, 200), at: position, in: image)
      #expect(share ?? 0 > 0.4, "\(x), \(y)")
    }
    #expect(image[320, 240] == RGB(18, 20, 26))
    let rejected = Self.drawn([.regions], Self.frame(rejected: [face]))
    let right = Point(x: 389.28, y: 280)
    #expect(Self.share(of: RGB(255, 70, 70), at: right, in: rejected) ?? 0 > 0.4)
    #expect(Self.drawn([.detections], Self.frame([face], rejected: [face])) == Self.ground)
  }

  @Test func `labels are boxes and points, hidden points are rings`() throws {
    var states = [PointVisibility](repeating: .notLabelled, count: 68)
    (states[0], states[1]) = (.visible, .occluded)
    var points = [Point](repeating: Point(x: 320.5, y: 240.5), count: 68)
    (points[0], points[1]) = (Point(x: 200.5, y: 150.5), Point(x: 260.5, y: 150.5))
    let landmarks = try #require(Landmarks(scheme: .ibug68, points: points, visibility: states))
    let label = FaceLabel(
      box: BoundingBox(x: 100, y: 60, width: 400, height: 360), landmarks: [landmarks])
    let image = FaceOverlay([.labels]).rendered(
      Self.frame(), labels: [label], on: Self.ground)
    let ink = RGB(235, 235, 235)
    #expect(image[200, 150] == ink)
    #expect(image[260, 150] != ink && image[262, 150] != RGB(18, 20, 26))
    #expect(image[320, 240] == RGB(18, 20, 26))
    for position in [Point(x: 300, y: 60), Point(x: 100, y: 200), Point(x: 500, y: 200)] {
      #expect(Self.share(of: ink, at: position, in: image) ?? 0 > 0.7)
    }
  }

  @Test func `a reduced image gets the same outline, reduced`() {
    var half = PixelBuffer(width: 320, height: 240)
    FaceOverlay.drawOutline(of: Self.face(), on: &half, scale: 0.5, color: RGB(60, 180, 255))
    for part in FaceMeshConnections.allCases {
      for index in part.paths.joined() {
        let point = Self.grid[index] / 2
        #expect(half[Int(point.x), Int(point.y)] != .black, "\(part) \(index)")
      }
    }
    // The box from (30.15, 20.3) on, two pixels wide; no outline comes near its upper right corner.
    #expect(half[279, 20] == RGB(60, 180, 255))
    #expect(
      Self.changed(half, from: PixelBuffer(width: 320, height: 240)).allSatisfy { $0.x < 283 })
  }

  @Test(arguments: [Float.nan, .infinity, 1e30, -1e30])
  func `coordinates that make no sense leave an image of the same size`(value: Float) {
    var points = Self.grid
    points[10] = SIMD3(value, value, value)
    let pose = HeadPose(matrix: SIMD16(repeating: value))
    let region = NormalizedRect(
      xCenter: value, yCenter: 0.5, width: value, height: 1, rotation: value)
    let face = Self.face(
      points, blendshapes: [Float](repeating: value, count: 52), pose: pose, region: region)
    let box = BoundingBox(x: Double(value), y: 0, width: Double(value), height: 5)
    let frame = Self.frame(
      [face], detections: [FaceDetection(box: box, score: Double(value))], rejected: [face])
    var image = Self.ground
    FaceOverlay(Set(FaceOverlay.Part.allCases)).draw(
      frame, labels: [FaceLabel(box: box)], on: &image)
    #expect(image.size == Self.size)
    _ = FaceOverlay([.blendshapes]).rendered(frame, on: image)
  }

  @Test(arguments: [0, 200, 477])
  func `a face without one of its points is drawn with the others`(missing: Int) {
    var points = Self.grid
    points[missing] = SIMD3(repeating: .nan)
    let dots = Self.drawn([.mesh], Self.frame([Self.face(points)]))
    for (index, point) in Self.grid.enumerated() {
      let isDrawn = dots[Int(point.x), Int(point.y)] != RGB(18, 20, 26)
      #expect(isDrawn == (index != missing), "\(index)")
    }
  }

  @Test func `drawing twice gives the same bytes`() {
    let frame = Self.frame([Self.face(blendshapes: [Float](repeating: 0.5, count: 52))])
    let overlay = FaceOverlay([.mesh, .contours, .blendshapes])
    #expect(
      overlay.rendered(frame, on: Self.ground) == overlay.rendered(frame, on: Self.ground))
  }
}
