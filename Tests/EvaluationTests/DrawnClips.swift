import Datasets
import FaceCore
import Foundation
import TestSupport

/// Clips and stills of drawn faces.
enum DrawnClips {
  /// Frames that belong together, with their times.
  struct Part {
    var name: String
    var kind = SequenceKind.video
    var images: [DrawnDataset.Image]
    var microseconds: [Int64]

    /// A clip of so many frames a second from 0 on.
    init(_ name: String, _ images: [DrawnDataset.Image], framesPerSecond: Double = 30) {
      self.name = name
      self.images = images
      microseconds = images.indices.map { Int64(Double($0) * 1e6 / framesPerSecond) }
    }

    /// Stills, each a sequence of its own.
    init(stills images: [DrawnDataset.Image]) {
      name = "still"
      kind = .still
      self.images = images
      microseconds = images.map { _ in 0 }
    }

    /// The same without some of its frames.
    func without(_ frames: Set<Int>) -> Part {
      var part = self
      let kept = images.indices.filter { !frames.contains($0) }
      part.images = kept.map { images[$0] }
      part.microseconds = kept.map { microseconds[$0] }
      return part
    }
  }

  /// Writes the parts one after the other.
  static func write(
    _ parts: [Part], isLabelled: Bool = true, as name: String = "clips.h5",
    in folder: TemporaryFolder
  ) throws -> URL {
    let url = folder.file(name)
    let writer = try DatasetWriter(
      url, name: "drawn clips", isLabelled: isLabelled, replacing: true)
    for part in parts {
      if part.kind == .video {
        writer.beginSequence(
          SequenceDescription(name: part.name, kind: .video, framesPerSecond: 30))
      }
      for (index, (image, time)) in zip(part.images, part.microseconds).enumerated() {
        if part.kind == .still {
          writer.beginSequence(SequenceDescription(name: "\(part.name) \(index)", kind: .still))
        }
        try writer.add(
          name: "\(part.name)/\(index)", image: DrawnDataset.jpeg(image),
          size: DrawnDataset.size, timestampMicroseconds: time,
          faces: isLabelled ? image.faces : [])
      }
    }
    try writer.finish()
    return url
  }

  /// A face on a smooth path that starts at some point of it; labelled by its box.
  static func moving(_ count: Int, from phase: Double = 0) -> [DrawnDataset.Image] {
    (0..<count).map { index in
      let angle = phase + Double(index) * 0.12
      let centre = Point(x: 125 + 45 * sin(angle), y: 92 + 14 * cos(0.7 * angle))
      return DrawnDataset.Image(
        faces: [FaceLabel(box: DrawnDataset.box(at: centre))], drawn: [centre])
    }
  }

  /// Even ground.
  static func empty(_ count: Int) -> [DrawnDataset.Image] {
    Array(repeating: DrawnDataset.Image(), count: count)
  }
}
