import FacePipeline
import Foundation
import Platform
import TestSupport
import Testing

struct ModelStoreTests {
  @Test(arguments: [
    (["FACEGAUGE_MODELS": "/m", "XDG_CACHE_HOME": "/x", "HOME": "/h"], "/m"),
    (["FACEGAUGE_MODELS": "", "XDG_CACHE_HOME": "/x", "HOME": "/h"], "/x/facegauge/models"),
    (["XDG_CACHE_HOME": "relative", "HOME": "/h"], "/h/.cache/facegauge/models"),
    (["HOME": "/h"], "/h/.cache/facegauge/models"),
  ])
  func `the environment names the folder`(environment: [String: String], path: String) {
    #expect(ModelStore.standard(environment: environment).folder.path == path)
  }

  @Test func `a file is present with its pinned bytes and wrong with others`() throws {
    let folder = try TemporaryFolder()
    let store = ModelStore(folder: folder.url)
    let file = try SmallModel.file(sources: [])
    #expect(store.state(of: file) == .absent)
    _ = try folder.write(SmallModel.bytes, to: file.name)
    #expect(store.state(of: file) == .present)
    let other = try folder.write(SmallModel.bytes + [0], to: file.name)
    let found = try SHA256.hexadecimal(ofFile: other.path)
    #expect(store.state(of: file) == .wrong(found: "SHA-256 \(found)"))
  }

  @Test func `a folder instead of a file is wrong`() throws {
    let folder = try TemporaryFolder()
    let file = try SmallModel.file(sources: [])
    try FileManager.default.createDirectory(
      at: folder.file(file.name), withIntermediateDirectories: false)
    guard case .wrong(let found, _) = ModelStore(folder: folder.url).state(of: file) else {
      Issue.record("a folder passes for a model")
      return
    }
    #expect(found.contains("a folder"))
  }

  @Test func `the catalogue's files have distinct names and full pins`() {
    let files = ModelCatalog.files
    #expect(Set(files.map(\.name)).count == files.count)
    for file in files {
      #expect(file.sha256.count == 64)
      #expect(file.sha256.allSatisfy { "0123456789abcdef".contains($0) })
      #expect(file.byteCount > 100_000)
      #expect(!file.sources.isEmpty)
    }
  }
}

/// A file that stands for a model where its content does not matter.
enum SmallModel {
  static let bytes = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* $0) }

  static func file(
    named name: String = "small.tflite", sources: [ModelFile.Source]
  ) throws -> ModelFile {
    ModelFile(
      name: name, sha256: try SHA256.hexadecimal(of: bytes), byteCount: bytes.count,
      sources: sources)
  }
}
