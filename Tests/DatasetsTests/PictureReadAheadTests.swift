import Datasets
import FaceCore
import Foundation
import HDF5
import Imaging
import TestSupport
import Testing

/// Reading ahead changes when pictures are read, and nothing else.
@Suite struct PictureReadAheadTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Pictures of 64 random bytes, a compressed chunk each, some of whose chunks are then damaged.
  private func randomPictures(_ count: Int, damaged: [Int] = []) throws -> DatasetReader {
    var random = SeededGenerator(seed: 11)
    var dataset = PlainDataset()
    dataset.pictures = (0..<count).map { _ in
      (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    dataset.offsets = (0...count).map { UInt64(64 * $0) }
    dataset.sizes = [Int32](repeating: 8, count: 2 * count)
    dataset.missing = [
      "images/bytes", "frames/sequence", "frames/timestamp_us", "sequences/name",
      "sequences/kind", "sequences/first", "sequences/count",
    ]
    let bytes = dataset.pictures.flatMap { $0 }
    dataset.spoil = { file in
      try file.createDataset(
        "images/bytes", of: UInt8.self, shape: [bytes.count], chunkRows: 64, gzipLevel: 1
      ).write(bytes, atRow: 0)
    }
    let url = folder.file("random.h5")
    try dataset.write(to: url)
    var content = try Data(contentsOf: url)
    for frame in damaged {
      let place = try #require(content.firstRange(of: Data(dataset.pictures[frame])))
      content[place.lowerBound] ^= 1
    }
    try content.write(to: url)
    return try DatasetReader(url)
  }

  private static func text(_ stored: Result<StoredPicture, DatasetError>) -> String {
    switch stored {
    case .success(.encoded(let bytes)): "\(Array(bytes))"
    case .success(.pixels(let pixels)): "\(pixels.bytes)"
    case .failure(let error): error.description
    }
  }

  private static func direct(_ frame: Int, _ dataset: DatasetReader) -> String {
    text(Result { () throws(DatasetError) in try dataset.picture(frame) })
  }

  @Test func `pictures come as asked for, in any order, and errors at their frames`() throws {
    let dataset = try randomPictures(1200, damaged: [0, 5, 6, 700, 1199])
    var random = SeededGenerator(seed: 3)
    let interleaved = (0..<600).flatMap { [$0, 600 + $0] }
    for order in [
      Array(0..<1200), (0..<1200).reversed(), interleaved, Array(0..<1200).shuffled(using: &random),
      [4, 4, 5, 5, 6], [],
    ] {
      let ahead = PictureReadAhead(order, of: dataset)
      for frame in order {
        let stored = Result { () throws(DatasetError) in try ahead.picture(frame) }
        #expect(Self.text(stored) == Self.direct(frame, dataset), "frame \(frame)")
      }
      #expect(ahead.nextStretch().isEmpty)
    }
    #expect(Self.direct(5, dataset).contains("images/bytes"))
  }

  @Test func `stretches hold every frame once, with errors where they belong`() throws {
    let dataset = try randomPictures(1200, damaged: [5, 6, 700])
    let ahead = PictureReadAhead(0..<1200, of: dataset)
    var seen: [Int] = []
    while case let stretch = ahead.nextStretch(), !stretch.isEmpty {
      for picture in stretch {
        seen.append(picture.frame)
        #expect(Self.text(picture.stored) == Self.direct(picture.frame, dataset))
      }
    }
    #expect(seen == Array(0..<1200))
  }

  @Test func `pictures that are kept stay as they are while others are read`() throws {
    let dataset = try randomPictures(1200)
    let ahead = PictureReadAhead(0..<1200, of: dataset)
    let kept = (0..<1200).map { frame in
      Result { () throws(DatasetError) in try ahead.picture(frame) }
    }
    for frame in 0..<1200 { #expect(Self.text(kept[frame]) == Self.direct(frame, dataset)) }
  }

  @Test func `a frame that is not the next is read all the same`() throws {
    let dataset = try randomPictures(20, damaged: [7])
    let ahead = PictureReadAhead(0..<20, of: dataset)
    for frame in [3, 0, 7, 1, 19, 2] {
      let stored = Result { () throws(DatasetError) in try ahead.picture(frame) }
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
          name: "\(shard)/\(frame)", picture: MadeDataset.picture(7 * shard + frame))
      }
      try part.write(to: folder.file("shards/\(shard).h5"))
    }
    let dataset = try DatasetReader(folder.file("shards/*.h5"), openFiles: 2)
    let ahead = PictureReadAhead(0..<35, of: dataset)
    for frame in 0..<35 {
      guard case .encoded(let bytes) = try ahead.picture(frame) else { continue }
      #expect(Array(bytes) == MadeDataset.picture(frame))
    }
    #expect(dataset.openFileCount == 2)
  }

  @Test func `broken pictures are counted, the others are checked, and a stop is heeded`() throws {
    let dataset = try randomPictures(1200, damaged: [5, 6, 700])
    let result = try DatasetValidation(of: dataset)
    let broken = try #require(result.checks.first { $0.name == "pictures-readable" })
    // Random bytes are no picture either; the damaged ones say that they cannot be read.
    #expect(broken.count == 1200 && result.frames == 1200)
    var done = 0
    let error = #expect(throws: DatasetError.self) {
      try DatasetValidation(of: dataset, advance: { done += $0 }, isInterrupted: { done == 517 })
    }
    #expect(error?.kind == .interrupted)
    #expect(error?.description == "interrupted after 517 frames")
  }
}
