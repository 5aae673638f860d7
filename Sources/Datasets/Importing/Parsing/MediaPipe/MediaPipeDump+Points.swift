internal import FaceCore
internal import Platform

extension MediaPipeDump {
  /// A face of its points, with the tight box of these.
  static func face(_ node: JSONNode) throws(FileError) -> FaceLabel {
    let list = member(node, "landmarks", "landmark") ?? node
    var (points, depths): ([Point], [Double]) = ([], [])
    for item in try list.items(of: "landmarks") {
      if case .array = item.value {
        let numbers = try item.numbers(count: 3)
        points.append(Point(x: numbers[0], y: numbers[1]))
        depths.append(numbers[2])
      } else {
        points.append(
          Point(x: try item["x"].given?.number() ?? 0, y: try item["y"].given?.number() ?? 0))
        depths.append(try item["z"].given?.number() ?? 0)
      }
    }
    let order = PointOrder.withCount(points.count).first { $0.scheme == .mediapipe478 }
    guard let set = order?.landmarks(points, depths: depths), let box = BoundingBox(around: points)
    else {
      throw list.wrong("478 landmarks, or 468 without irises", found: "\(points.count)")
    }
    return FaceLabel(box: box, landmarks: [set])
  }
}

extension FaceLabel {
  /// Whether points that should be fractions of the image's sides are pixels: most are beyond any face that is in view.
  var isInPixels: Bool {
    let sides = landmarks.flatMap(\.labelled).map { max(abs($0.x), abs($0.y)) }
    return !sides.isEmpty && 2 * sides.count(where: { $0 > 4 }) > sides.count
  }
}
