import FaceCore
import Foundation
import TestSupport
import Testing

@Suite struct FaceMeshConnectionsTests {
  /// The pairs of points that MediaPipe's wheel names, by part.
  private struct Oracle: Decodable {
    let edges: [String: [[Int]]]
  }

  @Test func `the outlines connect the points that MediaPipe connects`() throws {
    let expected = try Oracles.read("face_mesh_connections", as: Oracle.self).edges
    #expect(Set(expected.keys) == Set(FaceMeshConnections.allCases.map(\.rawValue)))
    for part in FaceMeshConnections.allCases {
      let pairs = part.edges.map { [min($0.start, $0.end), max($0.start, $0.end)] }
      #expect(Set(pairs) == Set(expected[part.rawValue] ?? []), "\(part)")
      #expect(Set(pairs).count == pairs.count, "\(part) has an edge twice")
    }
  }

  @Test(arguments: FaceMeshConnections.allCases)
  func `brows are open lines and everything else is closed`(part: FaceMeshConnections) {
    let isBrow = part == .leftEyebrow || part == .rightEyebrow
    for path in part.paths { #expect((path.first == path.last) == !isBrow) }
  }
}
