import FacePipeline
import Foundation
import TFLite
import TestSupport

extension Shared {
  /// The bytes of the bundle's face geometry.
  static func geometryBytes() throws -> [UInt8] {
    let bundle = try ModelBundle(path: bundle.path)
    return try [UInt8](bundle.member("geometry_pipeline_metadata_landmarks.binarypb"))
  }

  /// The bundle's canonical face.
  static func canonicalMesh() throws -> CanonicalFaceMesh {
    try CanonicalFaceMesh(protobuf: geometryBytes())
  }
}
