package import Foundation

extension CanonicalFaceMesh {
  /// Loads the mesh from the user's cache, or from a folder or bundle; throws `missing` where it is not there.
  package init(from models: URL?) throws(ModelStoreError) {
    if let lone = FaceLandmarkerNets.loneNet(models) {
      throw ModelStoreError(
        .missing,
        "cannot load \(ModelDescription.faceGeometryMetadata.name): expected a folder or bundle of "
          + "models, found the single net \(lone)")
    }
    try self.init(NetBytes(.faceGeometryMetadata, from: models))
  }

  /// Reads the mesh; its errors name the file.
  init(_ metadata: NetBytes) throws(ModelStoreError) {
    do {
      try self.init(protobuf: metadata.bytes)
    } catch {
      throw ModelStoreError(
        error.kind,
        "cannot load \(ModelDescription.faceGeometryMetadata.name) from \(metadata.label): "
          + error.description)
    }
  }
}
