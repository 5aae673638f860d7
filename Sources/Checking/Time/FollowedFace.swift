internal import FaceCore
internal import Metrics

/// What is labelled and predicted of one person in a frame.
struct FollowedFace {
  /// The labelled face; nil where the person is not labelled.
  let label: FaceMotion?
  /// The predicted one; nil where none is paired with it.
  let face: FacePrediction?
}

extension MotionPath {
  /// How many frames before and after a face are looked at.
  private static let reach = 3

  /// The path of a person, without what was predicted at another place in one frame alone: a false face where the
  /// person's own was missed.
  init(_ frames: [FollowedFace]) {
    self.init()
    let strays = Self.strays(frames.map { $0.face?.box })
    for (index, frame) in frames.enumerated() {
      let face = strays.contains(index) ? nil : frame.face
      append(frame.label, face.map { FaceMotion($0.beforeSmoothing) })
    }
  }

  /// Boxes that are apart from those before and after, some of which overlap each other.
  private static func strays(_ boxes: [BoundingBox?]) -> Set<Int> {
    let known = boxes.enumerated().compactMap { place, box in box.map { (place: place, box: $0) } }
    var strays: Set<Int> = []
    for (index, own) in known.enumerated() {
      let earlier = known[..<index].suffix(reach).filter { own.place - $0.place <= reach }
      let later = known[(index + 1)...].prefix(reach).filter { $0.place - own.place <= reach }
      guard (earlier + later).allSatisfy({ $0.box.iou(with: own.box) == 0 }) else { continue }
      let isBack = earlier.contains { one in later.contains { one.box.iou(with: $0.box) > 0 } }
      if isBack { strays.insert(own.place) }
    }
    return strays
  }
}

extension FacePrediction {
  /// The same with the points before smoothing, whose lag is the smoothing's own.
  fileprivate var beforeSmoothing: FacePrediction {
    var face = self
    face.points = unsmoothedPoints
    return face
  }
}
