import FaceCore
import Metrics
import TestSupport
import Testing

private struct Distances: Decodable {
  struct Faces: Decodable {
    var labelled: Int
    var found: Int
    var nme: Double
  }
  struct Entry: Decodable {
    var own: Double
    var nearest: Int
    var other: Double
  }
  var mesh: [Int]
  var faces: [String: Faces]
  var points: [Entry]
}

@Suite("The correspondence of landmark schemes")
struct LandmarkCorrespondenceTests {
  private let table = LandmarkCorrespondence.mediapipe478ToIBUG68

  @Test(arguments: LandmarkScheme.all)
  func `each point of a scheme stands for itself`(scheme: LandmarkScheme) {
    let table = LandmarkCorrespondence.between(scheme, scheme)
    #expect(table?.indices == (0..<scheme.count).map { [$0] })
  }

  @Test func `labels of 68 points have those of a tracker of five, by eye centres`() throws {
    var states = [PointVisibility](repeating: .visible, count: 68)
    (states[37], states[48]) = (.occluded, .notLabelled)
    let points = (0..<68).map { Point(x: Double($0), y: Double($0 % 7)) }
    let set = try #require(Landmarks(scheme: .ibug68, points: points, visibility: states))
    var label = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 67, height: 6), landmarks: [set])
    let five = try #require(LandmarkCorrespondence.target(of: label, for: .five))
    #expect(five.table.source == .five && five.table.target == .five)
    #expect(five.landmarks.points[0] == Point(x: 38.5, y: 3.5))
    #expect(five.landmarks.points[2] == Point(x: 30, y: 2))
    let seen: [PointVisibility] = [.occluded, .visible, .visible, .notLabelled, .visible]
    #expect(five.landmarks.visibility == seen)
    #expect(LandmarkCorrespondence.target(of: label, for: .cofw29) == nil)
    #expect(LandmarkCorrespondence.compares(.five, with: .ibug68))
    #expect(!LandmarkCorrespondence.compares(.cofw29, with: .ibug68))
    // Where a run with 68 points is compared with one of five.
    label.comparedSchemes = [.five]
    let other = try #require(LandmarkCorrespondence.target(of: label, for: .ibug68))
    #expect(other.table.source == .ibug68 && other.table.target == .five)
    #expect(other.landmarks.points[0] == five.landmarks.points[0])
  }

  @Test func `each of the 68 points has a mesh point of its own`() {
    let indices = table.indices.flatMap(\.self)
    #expect(indices.count == 68)
    #expect(Set(indices).count == 68)
    #expect(indices.allSatisfy { (0..<468).contains($0) })
  }

  @Test(.tags(.oracle))
  func `on labelled faces every point is nearest to its own mesh point, by far`() throws {
    let oracle = try Oracles.read("landmark_correspondence", as: Distances.self)
    #expect(oracle.mesh.map { [$0] } == table.indices)
    #expect(oracle.faces.values.reduce(0) { $0 + $1.found } == 81)
    for (index, point) in oracle.points.enumerated() {
      #expect(point.own * 1.5 < point.other, "point \(index)")
      // The jaw's stand-ins; the wheel's own NME on these faces is near 0.045.
      #expect(point.own < (index < 17 ? 0.13 : 0.07), "point \(index)")
    }
  }

  @Test func `the points of one part of the face stand for points of the same part`() throws {
    let labels = try #require(LandmarkLayout.of(.ibug68))
    let mesh = try #require(LandmarkLayout.of(.mediapipe478))
    for part in FacePart.allCases where part != .nose {
      for point in try #require(labels.parts[part]) {
        #expect(
          table.indices[point].allSatisfy { mesh.parts[part]?.contains($0) == true },
          "point \(point) of the \(part)")
      }
    }
    #expect(try table.indices[#require(labels.leftOuterCorner)] == [mesh.leftOuterCorner])
    #expect(try table.indices[#require(labels.rightOuterCorner)] == [mesh.rightOuterCorner])
    for eye in [(labels.leftEye, mesh.leftEye), (labels.rightEye, mesh.rightEye)] {
      #expect(eye.0.allSatisfy { table.indices[$0].allSatisfy(eye.1.contains) })
    }
    #expect(zip(labels.anchors, mesh.anchors).allSatisfy { table.indices[$0] == [$1] })
  }

  @Test func `a layout's points lie in its scheme, each in one part, and cover 300-W's`() throws {
    for scheme in [LandmarkScheme.ibug68, .mediapipe478] {
      let layout = try #require(LandmarkLayout.of(scheme))
      let points = layout.parts.values.flatMap { $0 }
      #expect(Set(points).count == points.count)
      #expect((points + layout.anchors).allSatisfy { (0..<scheme.count).contains($0) })
      #expect(Set(layout.parts.keys) == Set(FacePart.allCases))
    }
    #expect(LandmarkLayout.of(.ibug68)?.parts.values.joined().count == 68)
  }

  /// Where two schemes name the same spot: their points and those of 300-W, counted from 0.
  private static let shared: [(LandmarkScheme, [(Int, Int)])] = [
    (
      .wflw98,
      [
        (16, 8), (33, 17), (37, 21), (42, 22), (46, 26), (51, 27), (54, 30), (57, 33), (60, 36),
        (64, 39), (68, 42), (72, 45), (76, 48), (77, 49), (78, 50), (79, 51), (80, 52), (81, 53),
        (82, 54), (84, 56), (85, 57), (86, 58), (88, 60), (90, 62), (92, 64), (94, 66),
      ]
    ),
    (
      .cofw29,
      [
        (0, 17), (1, 26), (2, 21), (3, 22), (4, 19), (6, 24), (8, 36), (9, 45), (10, 39), (11, 42),
        (20, 30), (22, 48), (23, 54), (24, 51), (25, 62), (26, 66), (27, 57), (28, 8),
      ]
    ),
    (.five, [(2, 30), (3, 48), (4, 54)]),
  ]

  @Test func `a spot that 300-W's scheme names too has the same mesh point, or it is one of two`()
    throws
  {
    for (scheme, pairs) in Self.shared {
      let other = try #require(LandmarkCorrespondence.between(.mediapipe478, scheme))
      for (point, same) in pairs {
        #expect(
          Set(table.indices[same]).isSubset(of: other.indices[point]),
          "point \(point) of \(scheme.name)")
        #expect(other.indices[point].count <= 2)
      }
    }
    let wflw = LandmarkCorrespondence.mediapipe478ToWFLW98
    let cofw = LandmarkCorrespondence.mediapipe478ToCOFW29
    for (point, same) in [
      (4, 35), (6, 44), (5, 40), (7, 48), (12, 62), (14, 70), (16, 96), (17, 97),
    ] {
      #expect(cofw.indices[point] == wflw.indices[same], "point \(point) of COFW")
    }
  }

  /// A point's mirror image, by the order of each scheme.
  private static func mirror(_ point: Int, in scheme: LandmarkScheme) -> Int {
    func swapped(_ runs: [(Int, Int)]) -> Int {
      for (first, last) in runs where (first...last).contains(point) { return first + last - point }
      return point
    }
    switch scheme {
    case .dlib5: return [2, 3, 0, 1, 4][point]
    case .ibug68:
      for (left, right) in [
        (36, 45), (37, 44), (38, 43), (39, 42), (40, 47), (41, 46), (48, 54), (49, 53), (50, 52),
        (59, 55), (58, 56), (60, 64), (61, 63), (67, 65),
      ] {
        if point == left { return right }
        if point == right { return left }
      }
      return swapped([(0, 16), (17, 26), (31, 35)])
    case .wflw98:
      for (left, right) in [
        (38, 50), (39, 49), (40, 48), (41, 47), (60, 72), (61, 71), (62, 70), (63, 69), (64, 68),
        (65, 75), (66, 74), (67, 73), (87, 83), (86, 84), (95, 93),
      ] {
        if point == left { return right }
        if point == right { return left }
      }
      return swapped([(0, 32), (33, 46), (55, 59), (76, 82), (88, 92), (96, 97)])
    case .cofw29:
      for (left, right) in [(4, 6), (5, 7), (12, 14), (13, 15)] {
        if point == left { return right }
        if point == right { return left }
      }
      return swapped([(0, 1), (2, 3), (8, 9), (10, 11), (16, 17), (18, 19), (22, 23)])
    default: return swapped([(0, 1), (3, 4)])
    }
  }

  /// The mesh's own symmetry, from its outlines: both sides of a part run the same way.
  private static let meshMirror: [Int: Int] = {
    var pairs: [Int: Int] = [468: 473]
    for (right, left) in [
      (FaceMeshConnections.rightEye, FaceMeshConnections.leftEye),
      (.rightEyebrow, .leftEyebrow),
    ] {
      for (first, second) in zip(right.points, left.points) { pairs[first] = second }
    }
    let oval = FaceMeshConnections.faceOval.points
    for index in oval.indices { pairs[oval[index]] = oval[(oval.count - index) % oval.count] }
    for path in FaceMeshConnections.lips.paths {
      let loop = Array(path.dropLast())
      for index in loop.indices {
        pairs[loop[index]] = loop[(loop.count + 10 - index) % loop.count]
      }
    }
    for middle in [168, 6, 197, 195, 5, 4, 1, 19, 94, 2] { pairs[middle] = middle }
    for (right, left) in [(75, 305), (97, 326), (99, 328), (48, 278)] { pairs[right] = left }
    for (right, left) in pairs { pairs[left] = right }
    return pairs
  }()

  @Test func `a point's mirror image has the mirror images of its mesh points`() throws {
    for table in LandmarkCorrespondence.all {
      for (point, sources) in table.indices.enumerated() {
        let other = Self.mirror(point, in: table.target)
        #expect(Self.mirror(other, in: table.target) == point)
        #expect(!sources.isEmpty && Set(sources).count == sources.count)
        let mirrored = try sources.map { source in
          guard table.source == .mediapipe478 else { return Self.mirror(source, in: table.source) }
          return try #require(Self.meshMirror[source], "mesh point \(source)")
        }
        #expect(
          Set(mirrored) == Set(table.indices[other]), "point \(point) of \(table.target.name)")
      }
    }
  }

  @Test func `a scheme corresponds to itself point by point, and 300-W to no mesh`() throws {
    let own = try #require(LandmarkCorrespondence.between(.ibug68, .ibug68))
    #expect(own.indices == (0..<68).map { [$0] })
    #expect(LandmarkCorrespondence.between(.ibug68, .mediapipe478) == nil)
    let face = FacePrediction(
      scheme: .mediapipe478, points: (0..<478).map { Point(x: Double($0), y: -Double($0)) })
    #expect(table.points(of: face)[36] == Point(x: 33, y: -33))
    #expect(table.points(of: FacePrediction(scheme: .mediapipe478, points: []))[36] == nil)
    let eye = LandmarkCorrespondence.mediapipe478ToFive.points(of: face)[0]
    #expect(eye == Point(x: (33 + 133 + 159 + 145) / 4, y: -(33 + 133 + 159 + 145) / 4))
    let outline = FacePrediction(
      scheme: .ibug68, points: (0..<68).map { Point(x: Double($0), y: -Double($0)) })
    #expect(
      LandmarkCorrespondence.ibug68ToFive.points(of: outline)
        == [38.5, 44.5, 30, 48, 54].map { Point(x: $0, y: -$0) })
    // What several sources can all be compared with.
    #expect(
      LandmarkCorrespondence.shared(by: [.mediapipe478, .ibug68]).map(\.name) == [
        "ibug68", "five", "dlib5",
      ])
    #expect(
      LandmarkCorrespondence.ibug68ToDlib5.points(of: outline)
        == [45, 42, 36, 39, 33].map { Point(x: $0, y: -$0) })
    #expect(LandmarkCorrespondence.shared(by: [.mediapipe478, .ibug68, .five]) == [.five])
    #expect(LandmarkCorrespondence.shared(by: [.wflw98, .ibug68]).isEmpty)
  }
}
