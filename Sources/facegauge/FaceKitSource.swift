import CommandSyntax
import FacePipeline
import Foundation
import Platform
import Rendering

/// Where the meshes of ICT-FaceKit are taken from.
enum FaceKitSource {
  /// A folder with the meshes: the user's, or the cache after what it lacks is fetched.
  static func folder(_ path: String?, identities: Int) throws -> URL {
    let needed = FaceKitFile.shapes + FaceKitFile.identities.prefix(identities)
    guard let path else { return try fetched(needed) }
    let given = URL(fileURLWithPath: path, isDirectory: true)
    let candidates = [given, given.appendingPathComponent("FaceXModel", isDirectory: true)]
    for folder in candidates where folder.appendingPathComponent(needed[0].name).isThere {
      for file in needed where !folder.appendingPathComponent(file.name).isThere {
        let missing = folder.appendingPathComponent(file.name).relativePath
        throw CommandFailure(
          .inputNotFound,
          "cannot render with \(path): expected \(missing), found none"
            + (file.mesh.hasPrefix("identity") ? " ('--identities' uses fewer)" : ""))
      }
      return folder
    }
    throw CommandFailure(
      .inputNotFound,
      "cannot render with \(path): expected the folder FaceXModel of "
        + "github.com/ICT-VGL/ICT-FaceKit, found no \(needed[0].name)")
  }

  /// The cache, `ict-facekit` in that of the models, with the pinned bytes of all files.
  private static func fetched(_ needed: [FaceKitFile]) throws -> URL {
    let store = ModelStore(
      folder: ModelStore.standard().folder.appendingPathComponent(
        "ict-facekit", isDirectory: true))
    let files = needed.map { file in
      ModelFile(
        name: file.name, sha256: file.sha256, byteCount: file.byteCount,
        sources: [.url(file.address)])
    }
    let bar = ProgressBar("Fetching ICT-FaceKit", total: files.count, unit: "meshes")
    let pull = ModelPull(isInterrupted: { Interruption.isRequested })
    for file in files {
      let outcomes = try stopping { try pull.run(files: [file], into: store) { _ in } }
      if let outcome = outcomes.first(where: { !$0.isPresent }) {
        throw CommandFailure(
          .modelMissing,
          "cannot fetch \(file.name) of ICT-FaceKit: \(outcome.failures.joined(separator: "; ")) "
            + "(give --from a copy of its folder FaceXModel)")
      }
      bar.advance(by: 1)
    }
    bar.finish()
    return store.folder
  }
}
