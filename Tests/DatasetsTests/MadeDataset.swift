import Datasets
import FaceCore
import Foundation
import Imaging

/// A dataset that a test writes through the writer, frame by frame.
struct MadeDataset {
  struct Still {
    var name: String
    var faces: [FaceLabel] = []
    var image: [UInt8]?
    var begins: SequenceDescription?
    var microseconds: Int64 = 0
    /// Whether the sequence that begins here takes all stills that follow.
    var gathers = false
  }

  var name = "made"
  var isLabelled = true
  var frames: [Still] = []
  var splits: [String: [Int]] = [:]

  static let size = ImageSize(width: 100, height: 80)

  /// An image of 100 by 80 pixels whose bytes depend on a number.
  static func image(_ number: Int) -> [UInt8] {
    let color = RGB(
      UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8), 90)
    return (try? PixelBuffer(width: 100, height: 80, color: color).pngBytes()) ?? []
  }

  /// A face with a box well inside the image.
  static func face(
    x: Double = 20, identity: Int? = nil, expression: String? = nil,
    attributes: [String: Double] = [:]
  ) -> FaceLabel {
    var face = FaceLabel(
      box: BoundingBox(x: x, y: 10, width: 40, height: 50), identity: identity)
    face.expression = expression
    face.attributes = attributes
    return face
  }

  func write(to url: URL) throws {
    let writer = try DatasetWriter(
      url, name: name, source: "a test", licence: "none", isLabelled: isLabelled, replacing: true)
    for (index, frame) in frames.enumerated() {
      if let sequence = frame.begins {
        writer.beginSequence(sequence, gathersStills: frame.gathers)
      }
      let bytes = frame.image ?? Self.image(index)
      try writer.add(
        name: frame.name, image: bytes,
        size: bytes.isEmpty ? ImageSize(width: 0, height: 0) : Self.size,
        timestampMicroseconds: frame.microseconds, faces: frame.faces)
    }
    for (name, members) in splits.sorted(by: { $0.key < $1.key }) {
      try writer.addSplit(name, frames: members)
    }
    try writer.finish()
  }
}

/// Everything that a reader gives of a dataset, to compare two with.
struct DatasetSnapshot: Equatable {
  var names: [String] = []
  var sizes: [ImageSize] = []
  var times: [Int64] = []
  var sequences: [SequenceDescription] = []
  var owners: [Int] = []
  var faces: [[String]] = []
  var images: [[UInt8]] = []
  var splits: [String: [Int]] = [:]

  init(_ url: URL) throws { try self.init(DatasetReader(url)) }

  init(_ reader: DatasetReader) throws {
    let range = 0..<reader.frameCount
    for frame in try reader.frames(range) {
      names.append(frame.name)
      sizes.append(frame.size)
      times.append(frame.timestampMicroseconds)
      owners.append(frame.sequence)
      if case .encoded(let bytes) = try reader.image(frame.index) {
        images.append(Array(bytes))
      }
    }
    // As text, because labels hold NaN where a point has no label.
    faces = try reader.labels(range).map { faces in faces.map(Self.text) }
    sequences = reader.sequences
    for split in reader.splits { splits[split.name] = try reader.split(split.name) }
  }

  private static func text(_ face: FaceLabel) -> String {
    var bare = face
    bare.attributes = [:]
    return "\(bare) \(face.attributes.sorted { $0.key < $1.key })"
  }
}
