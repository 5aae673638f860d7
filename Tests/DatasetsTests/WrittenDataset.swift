import CZlib
import Datasets
import FaceCore
import Foundation
import Testing

/// A dataset with a bit of everything, written by us, and what anyone must then see in it.
enum WrittenDataset {
  static let pictures = [Sample.png(12, 8), Sample.jpeg(40, 30), Sample.png(7, 11)]
  static let names = ["naïve 顔 🙂.png", "clip/0", "clip/1"]

  static func write(to url: URL) throws -> SeenDataset {
    let writer = try DatasetWriter(
      url, name: "mixture ✓", source: "a test", licence: "none", replacing: false)
    try writer.add(
      name: names[0], picture: pictures[0], size: PictureSize(width: 12, height: 8),
      faces: [
        FaceLabel(box: BoundingBox(x: -1.5, y: 2.25, width: 4, height: 5), identity: 3),
        FaceLabel(
          box: BoundingBox(x: 0, y: 0, width: 0, height: 3), area: 8, isIgnored: true,
          isCrowd: true, category: 2),
      ])
    writer.beginSequence(
      SequenceDescription(
        name: "clip", kind: .video, subject: "someone", framesPerSecond: 29.97))
    try writer.add(
      name: names[1], picture: pictures[1], size: PictureSize(width: 40, height: 30), faces: [])
    let landmarks = try #require(Sample.landmarks(state))
    try writer.add(
      name: names[2], picture: pictures[2], size: PictureSize(width: 7, height: 11),
      timestampMicroseconds: 33_367,
      faces: [
        FaceLabel(box: BoundingBox(x: 1, y: 1, width: 2, height: 2), landmarks: [landmarks])
      ])
    try writer.finish()
    let unlabelled = [[Double?]](repeating: [nil, nil], count: 68)
    return SeenDataset(
      name: "mixture ✓", names: names, sizes: [[12, 8], [40, 30], [7, 11]],
      pictures: pictures.map { crc32(0, $0, UInt32($0.count)) },
      frame_sequences: [0, 1, 1], timestamps: [0, 0, 33_367], sequence_names: [names[0], "clip"],
      sequence_kinds: ["still", "video"], sequence_subjects: ["", "someone"],
      sequence_firsts: [0, 1], sequence_counts: [1, 2], sequence_fps: [0, 29.97],
      face_frames: [0, 0, 2], boxes: [[-1.5, 2.25, 4, 5], [0, 0, 0, 3], [1, 1, 2, 2]],
      areas: [20, 8, 4], identities: [3, -1, -1], categories: [1, 2, 1],
      ignore: [false, true, false], crowd: [false, true, false],
      points: [
        unlabelled, unlabelled,
        landmarks.points.map { $0.x.isNaN ? [nil, nil] : [$0.x, $0.y] },
      ],
      visible: [
        Array(repeating: 0, count: 68), Array(repeating: 0, count: 68),
        landmarks.visibility.map(\.rawValue),
      ])
  }

  static func state(_ index: Int) -> PointVisibility {
    [.visible, .notLabelled, .occluded, .visible][index % 4]
  }
}
