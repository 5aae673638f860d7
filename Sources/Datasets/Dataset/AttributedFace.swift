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
  static let columns = [
    OptionalColumn("score", .number(\FaceLabel.score), plural: "scores"),
    OptionalColumn("expression", .text(\.expression), plural: "expressions"),
    OptionalColumn(
      "category_name", .text(\.categoryName), title: "categoryName", plural: "names of classes"),
  ]
}

extension FacePrediction: AttributedFace {
  static let columns = [
    OptionalColumn("expression", .text(\FacePrediction.expression), plural: "expressions")
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
