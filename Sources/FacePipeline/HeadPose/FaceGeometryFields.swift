/// Field numbers of the messages of MediaPipe's face geometry; each group has the message's name.
enum FaceGeometryFields {
  /// GeometryPipelineMetadata.
  enum Metadata {
    static let canonicalMesh: UInt64 = 1
    static let weightedLandmarks: UInt64 = 2
    static let inputSource: UInt64 = 3
    static let all = canonicalMesh...inputSource
    /// InputSource: unstated, and landmarks.
    static let readSources: ClosedRange<UInt64> = 0...1
  }

  /// WeightedLandmarkRef.
  enum WeightedLandmark {
    static let landmark: UInt64 = 1
    static let weight: UInt64 = 2
    static let all = landmark...weight
  }

  /// Mesh3d.
  enum Mesh {
    static let vertexType: UInt64 = 1
    static let primitiveType: UInt64 = 2
    static let vertexBuffer: UInt64 = 3
    static let indexBuffer: UInt64 = 4
    static let all = vertexType...indexBuffer
    /// VertexType with position and texture, and PrimitiveType of triangles.
    static let readType: UInt64 = 0
  }
}
