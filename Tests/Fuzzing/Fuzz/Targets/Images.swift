import Datasets
import FaceCore
import Imaging
import Rendering

extension FuzzTarget {
  /// A JPEG or PNG: header, scans and pixels.
  static let image = FuzzTarget("image") { bytes in
    let header = try ImageHeader(of: bytes[...])
    // Large ones show nothing that small ones do not, and take their time by right.
    guard header.size.width * header.size.height <= 1 << 20 else { return }
    let pixels = try PixelBuffer(decoding: bytes[...])
    precondition(pixels.size == header.size, "pixels of another size than the header's")
    let smaller = try PixelBuffer(decoding: bytes[...], minSide: bytes.count % 64)
    precondition(smaller.originalSize == header.size, "pixels of another image than the header's")
  }

  /// A list of pairs of images, two of which are there.
  static let pairs = FuzzTarget("pairs") { bytes in
    for name in ["a", "b"] { try ScratchFile.prepare("pairs/\(name)", "") }
    let list = try ImagePairs(ScratchFile.write(bytes, to: "pairs/fuzz.csv"))
    precondition(list.pairs.count * 2 >= list.images.count && !list.pairs.isEmpty)
    precondition(list.pairs.allSatisfy { $0.first != $0.second })
  }

  /// A mesh of ICT-FaceKit.
  static let mesh = FuzzTarget("mesh") { bytes in
    let mesh = try OBJMesh(bytes, name: "fuzz.obj")
    precondition(!mesh.vertices.isEmpty)
    for triangle in mesh.triangles {
      for corner in 0..<3 { precondition(mesh.vertices.indices.contains(Int(triangle[corner]))) }
    }
  }
}
