import Datasets
import FaceCore
import Foundation
import HDF5
import Imaging
import Platform
import Statistics
import TestSupport
import Testing

/// Reading ahead changes when images are read, and nothing else.
@Suite struct ImagePrefetcherTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Images of 64 random bytes, a compressed chunk each, some of whose chunks are then damaged.
  private func randomImages(_ count: Int, damaged: [Int] = []) throws -> DatasetReader {
    var random = SplitMix64(seed: 11)
    var dataset = PlainDataset()
    dataset.images = (0..<count).map { _ in
      (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    dataset.offsets = (0...count).map { UInt64(64 * $0) }
    dataset.sizes = [Int32](repeating: 8, count: 2 * count)
    dataset.missing = [
      "images/bytes", "frames/sequence", "frames/timestamp_us", "sequences/name",
      "sequences/kind", "sequences/first", "sequences/count",
    ]
    let bytes = dataset.images.flatMap { $0 }
    dataset.spoil = { file in
      try file.createDataset(
        "images/bytes", of: UInt8.self, shape: [bytes.count], chunkRows: 64, gzipLevel: 1
      ).write(bytes, atRow: 0)
    }
    let url = folder.file("random.h5")
    try dataset.write(to: url)
    var content = try Data(contentsOf: url)
    for frame in damaged {
      let position = try #require(content.firstRange(of: Data(dataset.images[frame])))
      content[position.lowerBound] ^= 1
    }
    try content.write(to: url)
    return try DatasetReader(url)
  }

  private static func text(_ stored: Result<StoredImage, FileError>) -> String {
    switch stored {
    case .success(.encoded(let bytes)): "\(Array(bytes))"
    case .success(.pixels(let pixels)): "\(pixels.bytes)"
    case .failure(let error): error.description
    }
  }

  private static func direct(_ frame: Int, _ dataset: DatasetReader) -> String {
    text(Result { () throws(FileError) in try dataset.image(frame) })
  }

  @Test func `images come as asked for, in any order, and errors at their frames`() throws {
    let dataset = try randomImages(1200, damaged: [0, 5, 6, 700, 1199])
    var random = SplitMix64(seed: 3)
    let interleaved = (0..<600).flatMap { [$0, 600 + $0] }
    for order in [
      Array(0..<1200), (0..<1200).reversed(), interleaved, Array(0..<1200).shuffled(using: &random),
      [4, 4, 5, 5, 6], [],
    ] {
      let ahead = ImagePrefetcher(order, of: dataset)
      for frame in order {
        let stored = Result { () throws(FileError) in try ahead.image(frame) }
        #expect(Self.text(stored) == Self.direct(frame, dataset), "frame \(frame)")
      }
      #expect(ahead.nextStretch().isEmpty)
    }
    #expect(Self.direct(5, dataset).contains("images/bytes"))
  }

  @Test func `stretches hold every frame once, with errors where they belong`() throws {
    let dataset = try randomImages(1200, damaged: [5, 6, 700])
    let ahead = ImagePrefetcher(0..<1200, of: dataset)
    var seen: [Int] = []
    while case let stretch = ahead.nextStretch(), !stretch.isEmpty {
      for image in stretch {
        seen.append(image.frame)
        #expect(Self.text(image.stored) == Self.direct(image.frame, dataset))
      }
    }
    #expect(seen == Array(0..<1200))
  }

  @Test func `images that are kept stay as they are while others are read`() throws {
    let dataset = try randomImages(1200)
    let ahead = ImagePrefetcher(0..<1200, of: dataset)
    let kept = (0..<1200).map { frame in
      Result { () throws(FileError) in try ahead.image(frame) }
    }
    for frame in 0..<1200 { #expect(Self.text(kept[frame]) == Self.direct(frame, dataset)) }
  }

  @Test func `a frame that is not the next is read all the same`() throws {
    let dataset = try randomImages(20, damaged: [7])
    let ahead = ImagePrefetcher(0..<20, of: dataset)
    for frame in [3, 0, 7, 1, 19, 2] {
      let stored = Result { () throws(FileError) in try ahead.image(frame) }
      #expect(Self.text(stored) == Self.direct(frame, dataset))
    }
  }

  @Test func `stretches go on over the ends of files and of pixels`() throws {
    try FileManager.default.createDirectory(
      at: folder.file("shards"), withIntermediateDirectories: true)
    for shard in 0..<5 {
      var part = MadeDataset()
      part.frames = (0..<7).map { frame in
        MadeDataset.Still(
          name: "\(shard)/\(frame)", image: MadeDataset.image(7 * shard + frame))
      }
      try part.write(to: folder.file("shards/\(shard).h5"))
    }
    let dataset = try DatasetReader(folder.file("shards/*.h5"), openFiles: 2)
    let ahead = ImagePrefetcher(0..<35, of: dataset)
    for frame in 0..<35 {
      guard case .encoded(let bytes) = try ahead.image(frame) else { continue }
      #expect(Array(bytes) == MadeDataset.image(frame))
    }
    #expect(dataset.openFileCount == 2)
  }

  @Test func `broken images are counted, the others are checked, and a stop is heeded`() throws {
    let dataset = try randomImages(1200, damaged: [5, 6, 700])
    let result = try DatasetValidation(of: dataset)
    let broken = try #require(result.checks.first { $0.name == "images-readable" })
    // Random bytes are no image either; the damaged ones are reported as unreadable.
    #expect(broken.count == 1200 && result.frames == 1200)
    var done = 0
    let error = #expect(throws: FileError.self) {
      try DatasetValidation(of: dataset, advance: { done += $0 }, isInterrupted: { done == 517 })
    }
    #expect(error?.kind == .interrupted)
    #expect(error?.description == "interrupted after 517 frames")
  }
}
