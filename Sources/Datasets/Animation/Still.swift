internal import FaceCore
internal import Imaging

/// A labelled image that clips are made of.
struct Still {
  private var image: PixelBuffer
  private var labels: [FaceLabel]
  private var subject: BoundingBox

  /// Takes an image that may be smaller than the original that the labels are for.
  init(image: PixelBuffer, original: ImageSize, labels: [FaceLabel], subject: FaceLabel) {
    self.image = image
    let original = ImageSize(width: max(original.width, 1), height: max(original.height, 1))
    let shrink = AffineMap.scaling(from: original, to: image.size)
    self.labels = labels.map { $0.moved(by: shrink) }
    self.subject = subject.moved(by: shrink).box
  }

  /// The same with another person in place of the subject.
  func with(_ person: SyntheticPerson) throws(ImageError) -> Still {
    var still = self
    still.image = try person.image(of: image, face: subject)
    still.labels = labels.map { person.label($0, face: subject) }
    still.subject = person.label(FaceLabel(box: subject), face: subject).box
    return still
  }

  /// The image and its labels in a pose.
  func frame(in pose: Motion.Pose) throws(ImageError) -> (PixelBuffer, [FaceLabel]) {
    let map = AffineMap.rotation(radians: pose.rotation, scale: pose.scale, about: subject.center)
      .then(
        .translation(
          x: pose.shiftX * Double(image.width), y: pose.shiftY * Double(image.height)))
    var output = image
    if map != .identity, let inverse = map.inverse {
      output = try image.warped(
        to: image.size, source: inverse, border: .constant(RGB(114, 114, 114)))
    }
    if pose.gain != 1 { output.adjustLevels(gain: pose.gain) }
    if pose.blur > 0 {
      output = output.gaussianBlurred(standardDeviation: pose.blur * subject.width)
    }
    var bar: BoundingBox?
    if let position = pose.bar {
      let width = subject.width / 4
      let covered = BoundingBox(
        x: subject.x + position * subject.width - width / 2, y: 0, width: width,
        height: Double(image.height))
      output.fill(covered, with: RGB(60, 60, 60))
      bar = covered
    }
    return (
      output,
      labels.compactMap { label in
        label.moved(by: map).seen(inside: image.size)?.covered(by: [bar].compactMap { $0 })
      }
    )
  }
}

extension FaceLabel {
  /// The label of the same face in a moved image.
  ///
  /// A box that is the tight box of its points, to a hundredth of its side, stays tight and keeps that
  /// difference; any other keeps its centre on the face and grows with the scale, without turning.
  func moved(by map: AffineMap) -> FaceLabel {
    moved(
      scaleX: (map.xx * map.xx + map.yx * map.yx).squareRoot(),
      scaleY: (map.xy * map.xy + map.yy * map.yy).squareRoot()
    ) { map($0) }
  }

  /// The same by any map, which scales the face's box so.
  func moved(scaleX: Double, scaleY: Double, by map: (Point) -> Point) -> FaceLabel {
    var result = self
    for set in landmarks.indices {
      result.landmarks[set].points = landmarks[set].points.map { map($0) }
      result.landmarks[set].depths = landmarks[set].depths?.map { $0 * scaleX }
    }
    let tight = landmarks.lazy.compactMap { BoundingBox(around: $0.labelled) }.first
    let moved = result.landmarks.lazy.compactMap { BoundingBox(around: $0.labelled) }.first
    if let tight, let moved, tight.isNear(box) {
      result.box = BoundingBox(
        x: moved.x + (box.x - tight.x) * scaleX, y: moved.y + (box.y - tight.y) * scaleY,
        width: max(0, moved.width + (box.width - tight.width) * scaleX),
        height: max(0, moved.height + (box.height - tight.height) * scaleY))
    } else {
      let centre = map(box.center)
      let (width, height) = (box.width * scaleX, box.height * scaleY)
      result.box = BoundingBox(
        x: centre.x - width / 2, y: centre.y - height / 2, width: width, height: height)
    }
    result.area = box.area > 0 ? area * result.box.area / box.area : area
    return result
  }
}

extension FaceLabel {
  /// A face with a smaller share of its box inside the frame is marked as ignored.
  private static let ignoredBelow = 0.5
  /// A face with a smaller share of its box inside the frame gets no label.
  private static let absentBelow = 0.1

  /// The label in an image of that size: points outside are occluded; nil where too little of the box is inside.
  ///
  /// The region of a crowd stays where any of it is inside: what it holds does not count there either.
  func seen(inside size: ImageSize) -> FaceLabel? {
    let frame = BoundingBox(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    guard box.area > 0 else { return self }
    let inside = box.intersection(with: frame) / box.area
    guard inside >= Self.absentBelow || (isCrowd && inside > 0) else { return nil }
    var result = occluded { !frame.contains($0) }
    if inside < Self.ignoredBelow { result.isIgnored = true }
    return result
  }

  /// The label in an image where boxes cover what is behind them: points in one are occluded.
  func covered(by boxes: [BoundingBox]) -> FaceLabel {
    box.area > 0 ? occluded { point in boxes.contains { $0.contains(point) } } : self
  }

  private func occluded(where isHidden: (Point) -> Bool) -> FaceLabel {
    var result = self
    for set in landmarks.indices {
      for (index, point) in landmarks[set].points.enumerated()
      where landmarks[set].visibility[index] == .visible && isHidden(point) {
        result.landmarks[set].visibility[index] = .occluded
      }
    }
    return result
  }
}

extension BoundingBox {
  fileprivate func contains(_ point: Point) -> Bool {
    point.x >= x && point.x < maxX && point.y >= y && point.y < maxY
  }

  fileprivate func isNear(_ other: BoundingBox) -> Bool {
    let tolerance = 0.01 * max(width, height)
    return abs(x - other.x) <= tolerance && abs(y - other.y) <= tolerance
      && abs(maxX - other.maxX) <= tolerance && abs(maxY - other.maxY) <= tolerance
  }
}
