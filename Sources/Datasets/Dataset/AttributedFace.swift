internal import FaceCore

/// Optional data that labels and predictions of a face share, in addition to boxes and points.
protocol AttributedFace: Sendable {
  /// The tables of one value per face.
  static var columns: [OptionalColumn<Self>] { get }

  var blendshapes: [Float]? { get set }
  var pose: HeadPose? { get set }
  /// Vertices of ARKit's face geometry; predictions have none.
  var arkitMesh: [SIMD3<Float>]? { get set }
  var expression: String? { get set }
  var attributes: [String: Double] { get set }
}

extension FaceLabel: AttributedFace {
  static let columns: [OptionalColumn<Self>] = [
    .init("score", .number({ $0.score }, { $0.score = $1 }), plural: "scores"),
    .init("expression", .text({ $0.expression }, { $0.expression = $1 }), plural: "expressions"),
    .init(
      "category_name", .text({ $0.categoryName }, { $0.categoryName = $1 }), title: "categoryName",
      plural: "names of classes"),
  ]
}

extension FacePrediction: AttributedFace {
  static let columns: [OptionalColumn<Self>] = [
    .init("expression", .text({ $0.expression }, { $0.expression = $1 }), plural: "expressions")
  ]

  var arkitMesh: [SIMD3<Float>]? {
    get { nil }
    set {}
  }
}

extension AttributedFace {
  /// Takes over what labels and predictions share.
  mutating func takeAttributes(of face: some AttributedFace) {
    blendshapes = face.blendshapes
    pose = face.pose
    expression = face.expression
    attributes = face.attributes
  }
}
