import CZlib
import Datasets
import FaceCore
import Foundation
import Testing

/// A dataset with a bit of everything, written by us, and what anyone must then see in it.
enum WrittenDataset {
  static let images = [Sample.png(12, 8), Sample.jpeg(40, 30), Sample.png(7, 11)]
  static let names = ["naïve 顔 🙂.png", "clip/0", "clip/1"]

  static func write(to url: URL) throws -> SeenDataset {
    let writer = try DatasetWriter(
      url, name: "mixture ✓", source: "a test", licence: "none", replacing: false)
    try writer.add(
      name: names[0], image: images[0], size: ImageSize(width: 12, height: 8),
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
      name: names[1], image: images[1], size: ImageSize(width: 40, height: 30), faces: [])
    let landmarks = try #require(Sample.landmarks(state))
    try writer.add(
      name: names[2], image: images[2], size: ImageSize(width: 7, height: 11),
      timestampMicroseconds: 33_367,
      faces: [
        FaceLabel(box: BoundingBox(x: 1, y: 1, width: 2, height: 2), landmarks: [landmarks]),
        expressive,
      ])
    try writer.addSplit("train", frames: [0, 2])
    try writer.addSplit("test", frames: [])
    try writer.finish()
    let unlabelled = [[Double?]](repeating: [nil, nil], count: 68)
    return SeenDataset(
      name: "mixture ✓", names: names, sizes: [[12, 8], [40, 30], [7, 11]],
      images: images.map { crc32(0, $0, UInt32($0.count)) },
      frame_sequences: [0, 1, 1], timestamps: [0, 0, 33_367], sequence_names: [names[0], "clip"],
      sequence_kinds: ["still", "video"], sequence_subjects: ["", "someone"],
      sequence_firsts: [0, 1], sequence_counts: [1, 2], sequence_fps: [0, 29.97],
      face_frames: [0, 0, 2, 2],
      boxes: [[-1.5, 2.25, 4, 5], [0, 0, 0, 3], [1, 1, 2, 2], [0, 0, 1, 1]],
      areas: [20, 8, 4, 1], identities: [3, -1, -1, -1], categories: [1, 2, 1, 1],
      ignore: [false, true, false, false], crowd: [false, true, false, false],
      points: [
        unlabelled, unlabelled,
        landmarks.points.map { $0.x.isNaN ? [nil, nil] : [$0.x, $0.y] }, unlabelled,
      ],
      visible: [
        Array(repeating: 0, count: 68), Array(repeating: 0, count: 68),
        landmarks.visibility.map(\.rawValue), Array(repeating: 0, count: 68),
      ], faceAttributes: faceAttributes)
  }

  /// A face with everything that the last of the tables hold; its pose is a rotation only.
  static var expressive: FaceLabel {
    var label = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 1, height: 1))
    label.blendshapes = [.nan] + (1..<52).map { Float($0) / 32 - 0.5 }
    label.pose = HeadPose(
      matrix: SIMD16(0, -1, 0, .nan, 1, 0, 0, .nan, 0, 0, 1, .nan, 0, 0, 0, 1))
    label.expression = "joy ✓"
    label.attributes = ["blur": 1.5, "headYaw": -0.25]
    label.landmarks =
      Landmarks(
        scheme: .five, points: (0..<5).map { Point(x: Double($0), y: 1) }, visibility: nil,
        depths: [0, 0.5, -2, 4, 8]
      ).map { [$0] } ?? []
    return label
  }

  static var faceAttributes: SeenDataset.FaceAttributes {
    func unknown(_ count: Int) -> [[Double?]] {
      Array(repeating: Array(repeating: nil, count: count), count: 3)
    }
    let coefficients: [Double?] = (0..<52).map { $0 == 0 ? nil : Double($0) / 32 - 0.5 }
    let pose: [Double?] = [0, -1, 0, nil, 1, 0, 0, nil, 0, 0, 1, nil, 0, 0, 0, 1]
    let five: [[Double?]] = [[0, 1, 0], [1, 1, 0.5], [2, 1, -2], [3, 1, 4], [4, 1, 8]]
    return SeenDataset.FaceAttributes(
      blendshapes: unknown(52) + [coefficients],
      blendshape_names: Blendshape.names,
      poses: unknown(16) + [pose],
      expressions: ["", "", "", "joy ✓"],
      attributes: ["blur": [nil, nil, nil, 1.5], "headYaw": [nil, nil, nil, -0.25]],
      five: Array(repeating: Array(repeating: [nil, nil, nil], count: 5), count: 3) + [five],
      splits: ["train": [0, 2], "test": []])
  }

  static func state(_ index: Int) -> PointVisibility {
    [.visible, .notLabelled, .occluded, .visible][index % 4]
  }
}
