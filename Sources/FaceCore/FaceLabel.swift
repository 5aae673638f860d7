/// What a dataset says of one face in one frame.
public struct FaceLabel: Sendable, Hashable {
  /// The labelled rectangle in pixels; nothing is clipped to the picture.
  public var box: BoundingBox
  /// The area that size classes use, in square pixels; usually that of the box.
  public var area: Double
  /// Whether neither finding nor missing this face counts.
  public var isIgnored: Bool
  /// Whether the box stands for a group; it then also absorbs any number of detections.
  public var isCrowd: Bool
  /// The class of the object; faces are 1.
  public var category: Int
  /// Who it is, within the dataset; nil where unknown.
  public var identity: Int?
  /// How sure the source is of this face, in its own scale; nil where it does not say.
  public var score: Double?
  /// The labelled points, of any number of schemes.
  public var landmarks: [Landmarks]
  /// The 52 coefficients in the order of `Blendshape`, NaN where one is not labelled; nil without any.
  public var blendshapes: [Float]?
  /// Where the head is; the translation is NaN where only the rotation is labelled.
  public var pose: HeadPose?
  /// The 1220 vertices of ARKit's face geometry, in metres in the face's own coordinates; nil without any.
  public var arkitMesh: [SIMD3<Float>]?
  /// The expression in the source's own word; nil where it is not labelled.
  public var expression: String?
  /// Whatever else the source says in numbers, by name; angles in radians.
  public var attributes: [String: Double] = [:]

  /// Makes a label; the area is the box's unless another is given.
  public init(
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
