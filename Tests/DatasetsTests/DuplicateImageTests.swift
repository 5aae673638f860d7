import Datasets
import FaceCore
import Foundation
import Statistics
import TestSupport
import Testing

/// The same image is found again by its bytes, however the quick hashes fall.
@Suite struct DuplicateImageTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A dataset of stills with few different images and labels, in random splits.
  private func dataset(_ random: inout SplitMix64) throws -> (MadeDataset, DatasetReader) {
    var made = MadeDataset()
    made.frames = (0..<40).map { index in
      MadeDataset.Still(
        name: ["", "a/", "b/"].randomElement(using: &random).map { "\($0)\(index).png" } ?? "",
        faces: [MadeDataset.face(identity: Bool.random(using: &random) ? 3 : nil)],
        image: MadeDataset.image(Int.random(in: 0..<25, using: &random)))
    }
    let splits = made.frames.indices.map { _ in Int.random(in: 0..<3, using: &random) }
    for (number, name) in ["test", "train"].enumerated() {
      made.splits[name] = splits.indices.filter { splits[$0] == number }
    }
    try made.write(to: folder.file("a.h5"))
    return (made, try DatasetReader(folder.file("a.h5")))
  }

  /// What the check must find, by comparing every frame with every earlier one.
  private func expected(_ made: MadeDataset) -> [Int] {
    var (relabelled, straddling, repeated) = (0, 0, 0)
    func folder(_ name: String) -> Substring {
      name.lastIndex(of: "/").map { name[..<$0] } ?? ""
    }
    func splits(_ frame: Int) -> Set<String> {
      Set(made.splits.filter { $0.value.contains(frame) }.keys)
    }
    for (index, frame) in made.frames.enumerated() {
      let same = made.frames[..<index].indices.filter { made.frames[$0].image == frame.image }
      guard let first = same.first else { continue }
      let known = made.frames[first]
      if splits(index).contains(where: { own in
        same.contains { splits($0).contains { $0 != own } }
      }) {
        straddling += 1
      }
      if known.faces == frame.faces, folder(known.name) == folder(frame.name) {
        repeated += 1
      } else {
        relabelled += 1
      }
    }
    return [relabelled, straddling, repeated]
  }

  /// With one bit half of all images have the same hash, with none all of them.
  @Test(arguments: [32, 3, 1, 0])
  func `duplicates are those that comparing all with all gives`(bits: Int) throws {
    var random = SplitMix64(seed: 29)
    for _ in 0..<8 {
      let (made, reader) = try dataset(&random)
      let checks = try DatasetValidation(of: reader, hash: ImageHash(bits: bits)).checks
      let counts = ["images-labels", "splits-images", "images-once"].map { name in
        checks.first { $0.name == name }?.count
      }
      #expect(counts == expected(made))
    }
  }

  @Test func `the table finds each frame by its hash however many there are`() {
    var random = SplitMix64(seed: 37)
    var table = ImageTable()
    var known: [UInt32: Set<Int>] = [:]
    for frame in 0..<20_000 {
      let hash = UInt32.random(in: 0..<30_000, using: &random) &* 0x9E37_79B1
      table.add(frame, hash: hash)
      known[hash, default: []].insert(frame)
    }
    for (hash, frames) in known { #expect(Set(table.frames(hash)) == frames) }
    let unknown = (0..<UInt32.max).first { known[$0] == nil }
    #expect(unknown.map { table.frames($0) } == [])
  }

  @Test func `a hash depends on every byte, on their number and on the run`() {
    let hash = ImageHash()
    var random = SplitMix64(seed: 41)
    for count in [0, 1, 7, 8, 9, 31, 32, 33, 64, 100] {
      var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let whole = hash.of(bytes[...])
      #expect(hash.of(bytes[...]) == whole)
      for index in bytes.indices {
        bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        #expect(hash.of(bytes[...]) != whole, "byte \(index) of \(count)")
      }
      let longer = bytes + [0]
      #expect(hash.of(longer[...]) != hash.of(bytes[...]))
      if count > 0 { #expect(ImageHash().of(bytes[...]) != hash.of(bytes[...])) }
    }
  }
}
