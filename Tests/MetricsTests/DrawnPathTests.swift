import FaceCore
import Metrics
import Records
import Statistics
import TestSupport
import Testing

/// A session of Tests/Oracles/drawn_path.py, in the order of its draws.
private struct Session {
  var planes: [Plane]
  var reference: [SIMD3<Double>]
  var frames: [(camera: PinholeCamera, fingertip: Point?)] = []

  init(_ number: Int) {
    var stream = SplitMix64(seed: UInt64(11000 + number))
    let axes = Self.rotation(&stream)
    func vector(_ reach: Int) -> SIMD3<Double> {
      let x = stream.between(-reach, reach)
      let y = stream.between(-reach, reach)
      return SIMD3(x, y, stream.between(-reach, reach))
    }
    let origin = vector(2)
    planes = [Plane(point: origin, normal: axes[1])]
    reference = []
    for _ in 0..<(2 + stream.below(6)) {
      let x = stream.between(-1, 1) / 4
      reference.append(origin + axes[0] * x + axes[2] * (stream.between(-1, 1) / 4))
    }
    if reference.allSatisfy({ $0 == reference[0] }) { reference[0] = origin + axes[0] }
    let isHidden = stream.below(12) == 0
    for _ in 0..<[0, 1, 2, 8, 20, 40, 60][stream.below(7)] {
      var (right, up, back) = (axes[0], -axes[2], axes[1])
      var position: SIMD3<Double>
      if stream.below(10) > 0 {
        let lift = 0.25 + Double(stream.below(64)) / 64
        position = origin + axes[1] * lift + axes[0] * (stream.between(-1, 1) / 8)
      } else {
        let turned = Self.rotation(&stream)
        (right, up, back) = (turned[0], turned[1], turned[2])
        position = origin + vector(2)
      }
      let x = Double(1000 + stream.below(800))
      let focal = SIMD2(x, Double(1000 + stream.below(800)))
      let left = 900 + stream.between(0, 100)
      let centre = Point(x: left, y: 500 + stream.between(0, 100))
      let across = 900 + stream.between(-400, 400)
      let pixel = Point(x: across, y: 500 + stream.between(-400, 400))
      let camera = PinholeCamera(
        position: position, right: right, up: up, back: back, focalLength: focal,
        principalPoint: centre)
      frames.append((camera, stream.below(6) == 0 || isHidden ? nil : pixel))
    }
    let turned = Self.rotation(&stream)
    let center = origin + axes[1] * (Double(1 + stream.below(16)) / 64)
    let width = Double(1 + stream.below(8)) / 32
    let extent = Plane.Extent(
      center: center, width: turned[0], height: turned[2],
      reach: SIMD2(width, Double(1 + stream.below(8)) / 32))
    if number % 3 == 0 {
      planes.append(Plane(point: center, normal: turned[1], extent: extent))
    }
  }

  private static func rotation(_ stream: inout SplitMix64) -> [SIMD3<Double>] {
    var q = (0..<4).map { _ in stream.between(-8, 8) }
    if q.allSatisfy({ $0 == 0 }) { q[0] = 1 }
    let (w, x, y, z) = (q[0], q[1], q[2], q[3])
    let s = 2 / (w * w + x * x + y * y + z * z)
    return [
      SIMD3(1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)),
      SIMD3(s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x)),
      SIMD3(s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y)),
    ]
  }

  func path(of frames: some Sequence<Int>) throws -> DrawnPath {
    var path = DrawnPath(along: reference)
    for frame in frames {
      let (camera, fingertip) = self.frames[frame]
      try path.add(frame: frame, fingertip: fingertip, camera: camera, planes: planes)
    }
    return path
  }
}

@Suite("Drawn paths")
struct DrawnPathTests {
  private struct Numbered: Decodable {
    var numbers: [Int]
  }

  @Test(.tags(.oracle))
  func `all metrics of 140 random sessions equal SciPy's and NumPy's`() throws {
    let oracle = try Oracles.read("drawn_path", as: MetricCases.self)
    let numbers = try Oracles.read("drawn_path", as: Numbered.self).numbers
    #expect(oracle.cases.count { $0[0] != nil } >= 100)
    for (index, number) in numbers.enumerated() {
      let session = Session(number)
      oracle.expect(try session.path(of: session.frames.indices).summarize(), case: index)
    }
  }

  @Test func `any split merges to the same bits`() throws {
    var generator = SplitMix64(seed: 41)
    for number in 0..<40 {
      let session = Session(number)
      let whole = try session.path(of: session.frames.indices)
      var parts = [[Int]](repeating: [], count: 3)
      for frame in session.frames.indices.shuffled(using: &generator) {
        parts[Int.random(in: 0..<3, using: &generator)].append(frame)
      }
      var merged = DrawnPath(along: session.reference)
      for part in parts { try merged.merge(try session.path(of: part)) }
      #expect(merged == whole && merged.summarize() == whole.summarize())
    }
  }

  /// A camera a metre above the floor that looks down; a pixel is a millimetre.
  private static let camera = PinholeCamera(
    position: SIMD3(0, 1, 0), right: SIMD3(1, 0, 0), up: SIMD3(0, 0, -1), back: SIMD3(0, 1, 0),
    focalLength: SIMD2(1000, 1000), principalPoint: Point(x: 500, y: 500))
  private static let floor = Plane(point: .zero, normal: SIMD3(0, 1, 0))

  private func drawing(_ pixels: [Point?]) throws -> [String: Double] {
    var path = DrawnPath(along: [SIMD3(0, 0, 0), SIMD3(0.1, 0, 0)])
    for (frame, pixel) in pixels.enumerated() {
      try path.add(frame: frame, fingertip: pixel, camera: Self.camera, planes: [Self.floor])
    }
    let values = path.summarize().compactMap { metric in metric.value.map { (metric.name, $0) } }
    return Dictionary(uniqueKeysWithValues: values)
  }

  @Test func `a parallel line is off by its distance, a line back and forth is too long`() throws {
    let parallel = try drawing([Point(x: 500, y: 510), nil, Point(x: 600, y: 510)])
    for name in ["error.mean", "error.p95", "hausdorff", "frechet"] {
      #expect(abs((parallel["drawing.\(name)"] ?? 0) - 10) < 1e-9, "\(name)")
    }
    #expect(abs((parallel["drawing.length_ratio"] ?? 0) - 1) < 1e-12)
    #expect(parallel["drawing.hit_share"] == 1)
    let there = Point(x: 600, y: 500)
    let back = try drawing([Point(x: 500, y: 500), there, Point(x: 500, y: 500), there])
    #expect(abs((back["drawing.length_ratio"] ?? 0) - 3) < 1e-12)
    #expect((back["drawing.hausdorff"] ?? 1) < 1e-9)
    #expect(abs((back["drawing.frechet"] ?? 0) - 50) < 1, "the walk may not go back")
    #expect(try drawing([there])["drawing.length_ratio"] == nil)
  }

  @Test func `the nearest of several planes is drawn on, and none beyond its extent`() throws {
    // Half of a table 0.2 m above the floor: it ends at x = 0, and 0.1 m from its middle line.
    let table = Plane(
      point: SIMD3(0, 0.2, 0), normal: SIMD3(0, -1, 0),
      extent: Plane.Extent(
        center: SIMD3(0.5, 0.2, 0), width: SIMD3(1, 0, 0), height: SIMD3(0, 0, 1),
        reach: SIMD2(0.5, 0.1)))
    var path = DrawnPath(along: [SIMD3(-0.1, 0, 0), SIMD3(0, 0, 0)])
    for (frame, x) in [400.0, 450, 510, 550].enumerated() {
      try path.add(
        frame: frame, fingertip: Point(x: x, y: frame == 3 ? 650 : 500), camera: Self.camera,
        planes: [Self.floor, table])
    }
    let values = path.summarize().compactMap { metric in metric.value.map { (metric.name, $0) } }
    let metrics = Dictionary(uniqueKeysWithValues: values)
    #expect(
      path.hits.map { ($0.y * 10).rounded() } == [0, 0, 2, 0], "only the third is on the table")
    #expect(metrics["drawing.other_plane_share"] == 0.25 && metrics["drawing.hit_share"] == 1)
  }

  @Test func `without drawn points every metric has a reason`() throws {
    var path = DrawnPath(along: [.zero, SIMD3(1, 0, 0)])
    #expect(path.summarize().allSatisfy { $0.reason == "no frame has a fingertip" })
    var up = Self.camera
    (up.up, up.back) = (SIMD3(0, 0, 1), SIMD3(0, -1, 0))
    try path.add(
      frame: 3, fingertip: Point(x: 500, y: 500), camera: up, planes: [Self.floor])
    let metrics = path.summarize()
    #expect(
      metrics.count { $0.reason == "no ray through a fingertip meets a plane" }
        == metrics.count - 1)
    #expect(metrics.first { $0.name == "drawing.hit_share" }?.value == 0)
    #expect(throws: MetricError.self) {
      try path.add(frame: 3, fingertip: nil, camera: up, planes: [Self.floor])
    }
    #expect(throws: MetricError.self) {
      try path.merge(DrawnPath(along: [.zero, SIMD3(2, 0, 0)]))
    }
  }
}
