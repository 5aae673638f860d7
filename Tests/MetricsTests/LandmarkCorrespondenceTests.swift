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

  @Test("each of the 68 points has a mesh point of its own")
  func distinct() {
    let indices = table.indices.compactMap { $0 }
    #expect(indices.count == 68)
    #expect(Set(indices).count == 68)
    #expect(indices.allSatisfy { (0..<468).contains($0) })
  }

  @Test("on labelled faces every point is nearest to its own mesh point, by far", .tags(.oracle))
  func measured() throws {
    let oracle = try Oracles.read("landmark_correspondence", as: Distances.self)
    #expect(oracle.mesh == table.indices)
    #expect(oracle.faces.values.reduce(0) { $0 + $1.found } == 81)
    for (index, point) in oracle.points.enumerated() {
      #expect(point.own * 1.5 < point.other, "point \(index)")
      // The jaw's stand-ins; the wheel's own NME on these faces is near 0.045.
      #expect(point.own < (index < 17 ? 0.13 : 0.07), "point \(index)")
    }
  }

  @Test("the points of one part of the face stand for points of the same part")
  func parts() throws {
    let labels = try #require(LandmarkLayout.of(.ibug68))
    let mesh = try #require(LandmarkLayout.of(.mediapipe478))
    for part in FacePart.allCases where part != .nose {
      for point in try #require(labels.parts[part]) {
        let index = try #require(table.indices[point])
        #expect(mesh.parts[part]?.contains(index) == true, "point \(point) of the \(part)")
      }
    }
    #expect(table.indices[labels.leftOuterCorner] == mesh.leftOuterCorner)
    #expect(table.indices[labels.rightOuterCorner] == mesh.rightOuterCorner)
    for eye in [(labels.leftEye, mesh.leftEye), (labels.rightEye, mesh.rightEye)] {
      #expect(eye.0.allSatisfy { table.indices[$0].map(eye.1.contains) == true })
    }
    #expect(zip(labels.anchors, mesh.anchors).allSatisfy { table.indices[$0] == $1 })
  }

  @Test("a layout's points lie in its scheme, each in one part, and cover 300-W's")
  func layouts() throws {
    for scheme in [LandmarkScheme.ibug68, .mediapipe478] {
      let layout = try #require(LandmarkLayout.of(scheme))
      let points = layout.parts.values.flatMap { $0 }
      #expect(Set(points).count == points.count)
      #expect((points + layout.anchors).allSatisfy { (0..<scheme.count).contains($0) })
      #expect(Set(layout.parts.keys) == Set(FacePart.allCases))
    }
    #expect(LandmarkLayout.of(.ibug68)?.parts.values.joined().count == 68)
  }

  @Test("a scheme corresponds to itself point by point, and 300-W to no mesh")
  func identity() throws {
    let own = try #require(LandmarkCorrespondence.between(.ibug68, .ibug68))
    #expect(own.indices == Array(0..<68))
    #expect(LandmarkCorrespondence.between(.ibug68, .mediapipe478) == nil)
    let face = FacePrediction(
      scheme: .mediapipe478, points: (0..<478).map { Point(x: Double($0), y: -Double($0)) })
    #expect(table.points(of: face)[36] == Point(x: 33, y: -33))
    #expect(table.points(of: FacePrediction(scheme: .mediapipe478, points: []))[36] == nil)
  }
}
