internal import FaceCore

/// Optional data that labels and predictions of a face share, in addition to boxes and points.
struct FaceAttributes: Sendable {
  var blendshapes: [Float]?
  var pose: HeadPose?
  /// Vertices of ARKit's face geometry; predictions have none.
  var arkitMesh: [SIMD3<Float>]?
  var expression: String?
  /// Name of the class where several are faces; predictions have none.
  var categoryName: String?
  var attributes: [String: Double] = [:]
}

extension FaceLabel {
  /// Expression, pose, mesh and attributes.
  var faceAttributes: FaceAttributes {
    get {
      FaceAttributes(
        blendshapes: blendshapes, pose: pose, arkitMesh: arkitMesh, expression: expression,
        categoryName: categoryName, attributes: attributes)
    }
    set {
      blendshapes = newValue.blendshapes
      pose = newValue.pose
      arkitMesh = newValue.arkitMesh
      expression = newValue.expression
      categoryName = newValue.categoryName
      attributes = newValue.attributes
    }
  }
}

extension FacePrediction {
  /// Expression, pose and attributes.
  var faceAttributes: FaceAttributes {
    get {
      FaceAttributes(
        blendshapes: blendshapes, pose: pose, expression: expression, attributes: attributes)
    }
    set {
      blendshapes = newValue.blendshapes
      pose = newValue.pose
      expression = newValue.expression
      attributes = newValue.attributes
    }
  }
}
