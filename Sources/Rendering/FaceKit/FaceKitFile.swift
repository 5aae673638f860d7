/// A file of ICT-FaceKit, pinned by its bytes.
package struct FaceKitFile: Sendable, Hashable {
  /// Name of the mesh, such as `jawOpen` or `identity000`.
  package let mesh: String
  /// Size in bytes.
  package let byteCount: Int
  /// SHA-256 of the whole file, in lower-case hexadecimal.
  package let sha256: String

  /// File name, in the repository and in the cache.
  package var name: String { mesh + ".obj" }
  /// Where it is published.
  package var address: String { Self.folder + name }

  /// The folder of ICT-FaceKit's public repository, MIT licence, at the commit that the digests are of.
  private static let folder =
    "https://raw.githubusercontent.com/ICT-VGL/ICT-FaceKit/"
    + "da5f95a607f5e6b37755b38d3385d7f2853732e5/FaceXModel/"

  /// The neutral mesh and the expressions.
  package static let shapes = all.filter { !$0.isIdentity }
  /// The identities in their order.
  package static let identities = all.filter(\.isIdentity)

  private var isIdentity: Bool { mesh.hasPrefix("identity") }

  /// The rows of `meshes.txt`: mesh, size and digest.
  private static let all: [FaceKitFile] =
    String(decoding: PackageResources.meshes_txt, as: UTF8.self).split(separator: "\n")
    .compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 3, let byteCount = Int(words[1]) else { return nil }
      return FaceKitFile(mesh: String(words[0]), byteCount: byteCount, sha256: String(words[2]))
    }
}
