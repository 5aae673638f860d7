internal import Foundation

/// Which frames a dataset has, in a few kilobytes: the smallest of their digests.
///
/// Digests spread evenly, so the smallest ones are a sample that two datasets draw alike: what both have of it tells
/// how many frames they share. Source: Broder 1997 (bottom-k sketches).
package struct FrameSketch: Sendable, Hashable, Codable {
  /// How many frames were looked at.
  package private(set) var frames = 0
  /// The smallest digests, ascending, each once; all of them where there are no more than `capacity`.
  private(set) var smallest: [UInt64] = []
  /// The digests since the last time that all but the smallest were dropped.
  private var pending: [UInt64] = []

  /// Maximum number of digests in a sketch.
  static let capacity = 1024

  /// A sketch of no frames.
  package init() {}

  /// Adds a frame by 64 bits of a digest of its content.
  package mutating func add(_ digest: UInt64) {
    frames += 1
    pending.append(digest)
    if pending.count >= 4 * Self.capacity { settle() }
  }

  private mutating func settle() {
    smallest = Array(Set(smallest).union(pending).sorted().prefix(Self.capacity))
    pending = []
  }

  /// The same without what is only there while frames are added.
  package var settled: FrameSketch {
    var copy = self
    copy.settle()
    return copy
  }

  /// Whether the sketch has all digests of its frames.
  private var isWhole: Bool { smallest.count < Self.capacity }

  /// How many frames of a dataset another one has too.
  package struct Overlap: Sendable, Hashable {
    /// Frames of the sample that both have.
    package let shared: Int
    /// Frames of the sample.
    package let sampled: Int
    /// Whether the sample is all frames.
    package let isWhole: Bool
  }

  /// The frames of this dataset that another has too; repeated frames count once.
  package func overlap(with other: FrameSketch) -> Overlap {
    let (own, known) = (settled, other.settled)
    var end = UInt64.max
    for sketch in [own, known] where !sketch.isWhole { end = min(end, sketch.smallest.last ?? end) }
    let sample = own.smallest.filter { $0 <= end }
    let there = Set(known.smallest)
    return Overlap(
      shared: sample.count { there.contains($0) }, sampled: sample.count,
      isWhole: own.isWhole && known.isWhole)
  }

  private enum CodingKeys: String, CodingKey {
    case frames, smallest
  }

  /// Writes the digests as base64 of 8 bytes each, the highest first.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    let own = settled
    try container.encode(own.frames, forKey: .frames)
    let bytes = own.smallest.flatMap { digest in
      (0..<8).map { UInt8(truncatingIfNeeded: digest >> (56 - 8 * $0)) }
    }
    try container.encode(Data(bytes).base64EncodedString(), forKey: .smallest)
  }

  /// Reads what `encode` writes.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    frames = try container.decode(Int.self, forKey: .frames)
    let text = try container.decode(String.self, forKey: .smallest)
    guard let data = Data(base64Encoded: text), data.count % 8 == 0,
      data.count <= 8 * Self.capacity
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .smallest, in: container,
        debugDescription: "expected base64 of at most \(Self.capacity) digests of 8 bytes")
    }
    let bytes = [UInt8](data)
    smallest = stride(from: 0, to: bytes.count, by: 8).map { start in
      bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }.sorted()
  }
}
