import FaceCore
import Metrics
import Statistics
import TestSupport

/// A frame with labels, and one tracker's output for it.
struct SceneFrame {
  var time: Int64
  var labels: [FaceLabel]
  var prediction: FramePrediction
  var categories: [Int]
}

/// Frames one after the other, of one subject or nobody.
struct SceneSequence {
  var isVideo: Bool
  var subject: String
  var frames: [SceneFrame]
}

/// A frame where it stands, with the two before it in its sequence.
struct SceneSight {
  var frame: Frame
  var isVideo: Bool
  var labels: [FaceLabel]
  var prediction: FramePrediction
  var categories: [Int]
  var matching: FaceMatching
  var before: [LabelledJitter.Sight]

  /// The same as metrics take it in.
  var scored: ScoredFrame {
    ScoredFrame(
      frame, isVideo: isVideo, group: nil, labels: labels, given: prediction,
      prediction: prediction, matching: matching, pairs: matching, earlier: before)
  }
}

extension [SceneSequence] {
  /// Stills and videos, some of one subject; the seed of the labels apart from that of the predictions.
  init(seed: UInt64, tracker: UInt64 = 0, subjects: [String] = ["", "anna", "ben"]) {
    var stream = SplitMix64(seed: seed)
    var tracker = SplitMix64(seed: seed &* 31 &+ tracker &+ 1)
    self = (0..<(4 + stream.below(8))).map { _ in
      let isVideo = stream.below(3) > 0
      let count = isVideo ? 1 + stream.below(24) : 1
      var time: Int64 = 0
      var position = Point(x: stream.between(0, 200), y: stream.between(0, 200))
      let subject = subjects[stream.below(subjects.count)]
      return SceneSequence(
        isVideo: isVideo, subject: subject,
        frames: (0..<count).map { _ in
          time += 30_000 + Int64(stream.below(9_000))
          position.x += stream.between(-3, 3)
          let labels = (0..<stream.below(4)).map {
            Self.label(&stream, at: Point(x: position.x + Double($0) * 150, y: position.y))
          }
          return SceneFrame(time: time, labels: labels, tracker: &tracker)
        })
    }
  }

  private static func label(_ stream: inout SplitMix64, at position: Point) -> FaceLabel {
    let size = 20 + stream.between(0, 100)
    let points = (0..<68).map { _ in
      let x = position.x + stream.between(0, 64) / 64 * size
      return Point(x: x, y: position.y + stream.between(0, 64) / 64 * size)
    }
    var label = FaceLabel(
      box: BoundingBox(x: position.x, y: position.y, width: size, height: size),
      isIgnored: stream.below(9) == 0, category: stream.below(9) == 0 ? 2 : 1,
      identity: stream.below(3) == 0 ? nil : stream.below(3),
      landmarks: Landmarks(scheme: .ibug68, points: points).map { [$0] } ?? [])
    label.blendshapes = (0..<52).map { _ in Float(stream.below(65)) / 64 }
    label.pose = stream.pose()
    label.expression = ["happy", "sad", "angry", "neutral"][stream.below(4)]
    for level in ["easy", "medium", "hard"] {
      label.attributes["wider_\(level)"] = Double(stream.below(2))
    }
    return label
  }

  /// Hands over the frames of sequences, in the order given, under keys that leave one free between stretches.
  func visit(_ order: [Int], _ take: (SceneSight) throws -> Void) throws {
    var key = 0
    for (number, sequence) in order.enumerated() {
      var before: [LabelledJitter.Sight] = []
      for frame in self[sequence].frames {
        var prediction = frame.prediction
        prediction.frame = key
        let matching = try FaceMatching(frame: key, labels: frame.labels, faces: prediction.faces)
        try take(
          SceneSight(
            frame: Frame(key, sequence: number, at: frame.time), isVideo: self[sequence].isVideo,
            labels: frame.labels, prediction: prediction, categories: frame.categories,
            matching: matching, before: before))
        let sight = LabelledJitter.Sight(
          labels: frame.labels, prediction: prediction, matching: matching)
        before = [sight] + before.prefix(1)
        key += 1
      }
      key += 1
    }
  }

  /// The clusters of the frames, and the sequences of each.
  func clusters() throws -> (clusters: FrameClusters, members: [[Int]]) {
    var clusters = FrameClusters()
    var members: [[Int]] = []
    try visit(Array<Int>(indices)) { sight in
      let sequence = sight.frame.sequence
      clusters.add(
        sight.frame.index, sequence: sequence, subject: self[sequence].subject,
        isVideo: self[sequence].isVideo)
      let cluster = clusters.cluster(of: sight.frame.index) ?? -1
      if cluster == members.count { members.append([]) }
      if members[cluster].last != sequence { members[cluster].append(sequence) }
    }
    return (clusters, members)
  }
}

extension SceneFrame {
  fileprivate init(time: Int64, labels: [FaceLabel], tracker stream: inout SplitMix64) {
    self.time = time
    self.labels = labels
    guard stream.below(20) > 0 else {
      categories = []
      prediction = FramePrediction(
        frame: 0, notAnalysed: stream.below(2) == 0 ? .broken : .dropped)
      return
    }
    var faces: [FacePrediction] = []
    var detections: [FaceDetection] = []
    for label in labels where stream.below(6) > 0 {
      let reach = 1 + stream.below(6)
      let points = (label.landmarks.first?.points ?? []).map { point in
        let x = point.x + stream.between(-reach, reach)
        return Point(x: x, y: point.y + stream.between(-reach, reach))
      }
      var face = FacePrediction(scheme: .ibug68, points: points)
      face.presence = Float(stream.below(65)) / 64
      face.identity = stream.below(4) == 0 ? nil : stream.below(4)
      face.blendshapes = (0..<52).map { _ in Float(stream.below(65)) / 64 }
      face.pose = stream.pose()
      faces.append(face)
      for _ in 0..<(1 + stream.below(2)) {
        detections.append(
          FaceDetection(
            box: BoundingBox(
              x: label.box.x + stream.between(-9, 9), y: label.box.y + stream.between(-9, 9),
              width: label.box.width, height: label.box.height),
            score: Double(stream.below(65)) / 64))
      }
    }
    if stream.below(3) == 0 {
      detections.append(
        FaceDetection(
          box: BoundingBox(x: 900, y: 9, width: 30, height: 30),
          score: Double(stream.below(65)) / 64))
    }
    categories = detections.map { _ in stream.below(9) == 0 ? 2 : 1 }
    prediction = FramePrediction(
      frame: 0, size: ImageSize(width: 1000, height: 500),
      stageNanoseconds: [UInt64(stream.below(9_000_000)), UInt64(stream.below(9_000_000))],
      detectorRan: stream.below(3) > 0, detections: detections, candidates: [], faces: faces)
  }
}

extension SplitMix64 {
  /// A turn about the vertical axis, and a little one about the horizontal.
  fileprivate mutating func pose() -> HeadPose {
    func unit(_ tangent: Double) -> (cosine: Float, sine: Float) {
      let scale = 1 + tangent * tangent
      return (Float((1 - tangent * tangent) / scale), Float(2 * tangent / scale))
    }
    let (yaw, pitch) = (unit(between(-1, 1)), unit(between(-1, 1) / 4))
    return HeadPose(
      matrix: SIMD16(
        yaw.cosine, yaw.sine * pitch.sine, yaw.sine * pitch.cosine, 0, 0, pitch.cosine,
        -pitch.sine, 0, -yaw.sine, yaw.cosine * pitch.sine, yaw.cosine * pitch.cosine, -50, 0, 0, 0,
        1))
  }
}
