/// A dataset's labels of one face in one frame.
package struct FaceLabel: Sendable, Hashable {
  /// The labelled rectangle in pixels; nothing is clipped to the image.
  package var box: BoundingBox
  /// The area that size classes use, in square pixels; usually that of the box.
  package var area: Double
  /// Whether neither finding nor missing this face counts.
  package var isIgnored: Bool
  /// Whether the box stands for a group; it then also absorbs any number of detections.
  package var isCrowd: Bool
  /// The class of the object; faces are 1.
  package var category: Int
  /// Who it is, within the dataset; nil where unknown.
  package var identity: Int?
  /// How sure the source is of this face, in its own scale; nil where it does not report that.
  package var score: Double?
  /// The labelled points, of any number of schemes.
  package var landmarks: [Landmarks]
  /// The 52 coefficients in the order of `Blendshape`, NaN where one is not labelled; nil without any.
  package var blendshapes: [Float]?
  /// Where the head is; the translation is NaN where only the rotation is labelled.
  package var pose: HeadPose?
  /// The 1220 vertices of ARKit's face geometry, in metres in the face's own coordinates; nil without any.
  package var arkitMesh: [SIMD3<Float>]?
  /// The expression in the source's own word; nil where it is not labelled.
  package var expression: String?
  /// The name of the source's class where several classes are faces; nil otherwise.
  package var categoryName: String?
  /// Other numeric labels of the source, by name; angles in radians.
  package var attributes: [String: Double] = [:]
  /// Schemes of which the first with a labelled point is compared with predictions; nil leaves the choice to each of them.
  package var comparedSchemes: [LandmarkScheme]?

  /// The labelled points that predictions are compared with.
  package var comparedLandmarks: [Landmarks] {
    guard let comparedSchemes else { return landmarks }
    for scheme in comparedSchemes {
      if let first = landmarks.first(where: { $0.scheme == scheme && !$0.labelled.isEmpty }) {
        return [first]
      }
    }
    return []
  }

  /// Makes a label; the area is the box's unless another is given.
  package init(
    box: BoundingBox, area: Double? = nil, isIgnored: Bool = false, isCrowd: Bool = false,
    category: Int = 1, identity: Int? = nil, landmarks: [Landmarks] = []
  ) {
    self.box = box
    self.area = area ?? box.area
    self.isIgnored = isIgnored
    self.isCrowd = isCrowd
    self.category = category
    self.identity = identity
    self.landmarks = landmarks
  }
}

extension FaceLabel {
  /// An ignored region that holds every box of a frame whose faces are not labelled, so that nothing in it counts.
  package static func unlabelled(_ size: ImageSize) -> FaceLabel {
    let (width, height) = (Double(size.width), Double(size.height))
    return FaceLabel(
      box: BoundingBox(x: -width, y: -height, width: 3 * width, height: 3 * height),
      isIgnored: true, isCrowd: true)
  }

  /// Whether it is an ignored region that holds a whole frame: what else is there is not labelled.
  package func leavesOut(_ size: ImageSize) -> Bool {
    isIgnored && isCrowd && !size.isNothing && box.x <= 0 && box.y <= 0
      && box.maxX >= Double(size.width) && box.maxY >= Double(size.height)
  }

  /// Whether it has neither a box nor points, as in recordings without images.
  package var hasNoPosition: Bool {
    box.width == 0 && box.height == 0 && landmarks.allSatisfy { $0.labelled.isEmpty }
  }

  /// The names that pitch, yaw and roll of a head have among the attributes.
  package static let headAngleNames = [
    ["headPitch", "pitch"], ["headYaw", "yaw"], ["headRoll", "roll"],
  ]

  /// Whether an attribute is an angle of a head, an eye or a gaze, which are in radians; those of `computed.` are in degrees.
  package static func isAngle(attribute: String) -> Bool {
    let name = attribute.lowercased()
    return !name.hasPrefix("computed.")
      && (["yaw", "pitch", "roll"].contains(where: name.hasSuffix) || name.hasPrefix("gaze_angle"))
  }
}

extension [FaceLabel] {
  /// Whether they say of a whole frame that its faces are not labelled.
  package func leaveOut(_ size: ImageSize) -> Bool {
    contains { $0.leavesOut(size) } && allSatisfy(\.isIgnored)
  }
}
