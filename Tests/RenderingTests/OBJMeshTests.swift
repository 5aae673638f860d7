import Foundation
import Platform
import Rendering
import Statistics
import TestSupport
import Testing

@Suite("OBJ files")
struct OBJMeshTests {
  private func mesh(_ text: String) throws(FileError) -> OBJMesh {
    try OBJMesh(Array(text.utf8), name: "a.obj")
  }

  @Test func `polygons become fans, corners count from the first or the last vertex`() throws {
    let mesh = try mesh(
      """
      # a square and a triangle
      mtllib a.mtl\r
      o square
      v 0 0 0
      v\t1 0 -0.5 1.0
      v 1 1 .25
      v -1e0 +1 2.5e-1 0.5 0.5 0.5
      vt 0 0
      vn 0 0 1
      usemtl M
      f 1/1/1 2/1 3//1 4
      f -4 -3 -1
      """)
    #expect(
      mesh.vertices == [
        SIMD3(0, 0, 0), SIMD3(1, 0, -0.5), SIMD3(1, 1, 0.25), SIMD3(-1, 1, 0.25),
      ])
    #expect(mesh.triangles == [SIMD3(0, 1, 2), SIMD3(0, 2, 3), SIMD3(0, 1, 3)])
  }

  @Test(
    arguments: [
      "0", "-0.0", "12.416199", "0.1", "-5.8210601806640625", "123456789012345", "1234567890.12345",
      "0.000000000000001", "12345678901234567890", "1e-30", "3.4028234e38", "7.", ".5",
    ])
  func `numbers are rounded as the standard library rounds them`(text: String) throws {
    let expected = try #require(Double(text.hasSuffix(".") ? text + "0" : text))
    let mesh = try mesh("v \(text) 0 0\n")
    #expect(mesh.vertices[0].x == Float(expected))
  }

  @Test(
    arguments: [
      ("", "'line 1' in a.obj: expected a vertex, found none"),
      ("v 1 2", "'line 1' in a.obj: expected three coordinates, found 2"),
      ("\n\nv 1 2 x", "'line 3' in a.obj: expected a finite number, found 'x'"),
      ("v 1 2 1e99", "'line 1' in a.obj: expected a finite number, found '1e99'"),
      ("v nan 0 0", "'line 1' in a.obj: expected a finite number, found 'nan'"),
      ("v 0x10 0 0", "'line 1' in a.obj: expected a finite number, found '0x10'"),
      ("v - 0 0", "'line 1' in a.obj: expected a finite number, found '-'"),
      ("v 0 0 0\nf 1 1", "'line 2' in a.obj: expected a polygon of three corners or more, found 2"),
      ("v 0 0 0\nf 1 1 2", "'line 2' in a.obj: expected a corner among 1 vertices, found '2'"),
      ("v 0 0 0\nf 1 0 1", "'line 2' in a.obj: expected a corner among 1 vertices, found '0'"),
      ("v 0 0 0\nf -2 1 1", "'line 2' in a.obj: expected a corner among 1 vertices, found '-2'"),
      ("v 0 0 0\nf 1a 1 1", "'line 2' in a.obj: expected a corner among 1 vertices, found '1a'"),
      (
        "v 0 0 0\nf 1 99999999999 1",
        "'line 2' in a.obj: expected a corner among 1 vertices, found '99999999999'"
      ),
      (
        "curv 0 1",
        "'line 1' in a.obj: expected 'v', 'f' or another element of a polygon mesh, found 'curv'"
      ),
    ])
  func `what is no mesh is refused with its line`(text: String, message: String) {
    #expect {
      try mesh(text)
    } throws: { error in
      (error as? FileError)?.description == "cannot read \(message)"
    }
  }

  @Test func `cut or changed bytes give a mesh or an error`() throws {
    let text = Array("v 0 0 0\nv 1 0 0\nv 0 1.5e-1 -3\nvt 0 1\nf 1/1 2/1 -1/1\n".utf8)
    var random = SplitMix64(seed: 7)
    for _ in 0..<3000 {
      var bytes = Array(text.prefix(Int(random.next() % UInt64(text.count + 1))))
      for _ in 0..<3 where !bytes.isEmpty {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      guard let mesh = try? OBJMesh(bytes, name: "a") else { continue }
      for triangle in mesh.triangles {
        for corner in 0..<3 { #expect(mesh.vertices.indices.contains(Int(triangle[corner]))) }
      }
    }
  }
}
