package import Foundation
package import Platform

/// The canonical face: a mesh in centimetres, and the weights by which it is laid over a face.
///
/// y points up, the face looks along +z.
package struct CanonicalFaceMesh: Sendable, Equatable {
  /// How many vertices the mesh has: one for each landmark but the irises'.
  static let vertexCount = 468
  /// Floats a vertex: x, y, z and a texture's u, v.
  private static let vertexSize = 5

  /// The 468 vertices in centimetres, in the order of the landmarks.
  package let vertices: [SIMD3<Float>]
  /// Three vertices a triangle.
  package let triangles: [SIMD3<Int32>]
  /// The weight of each vertex, at least 0; most weights are 0.
  package let weights: [Float]

  init(vertices: [SIMD3<Float>], triangles: [SIMD3<Int32>], weights: [Float]) {
    (self.vertices, self.triangles, self.weights) = (vertices, triangles, weights)
  }

  /// Reads MediaPipe's `GeometryPipelineMetadata`; throws `.wrongData` where bytes, counts or indices are wrong.
  package init(protobuf bytes: [UInt8]) throws(FileError) {
    var message = ProtobufReader(bytes[...])
    var mesh: MeshFields?
    var weights = [Float?](repeating: nil, count: Self.vertexCount)
    typealias Field = FaceGeometryFields.Metadata
    while let (number, value) = try message.next() {
      switch (number, value) {
      case (Field.canonicalMesh, .bytes(let part)):
        guard mesh == nil else { throw message.broken("one canonical mesh", "two") }
        mesh = try MeshFields(part)
      case (Field.weightedLandmarks, .bytes(let part)):
        let (landmark, weight) = try Self.weightedLandmark(part)
        guard weights[landmark] == nil else {
          throw message.broken("one weight for landmark \(landmark)", "two")
        }
        weights[landmark] = weight
      case (Field.inputSource, .varint(let source)):
        guard Field.readSources.contains(source) else {
          throw message.broken("input source 0 or 1", "\(source)")
        }
      case (Field.all, _):
        throw message.broken("a message or a number for field \(number)", "another wire type")
      default: continue
      }
    }
    guard let mesh else { throw message.broken("a canonical mesh", "none") }
    self.weights = weights.map { $0 ?? 0 }
    guard self.weights.reduce(0, +) > 1e-9 else {
      throw message.broken("landmark weights above 0", "none")
    }
    vertices = try mesh.vertices(size: Self.vertexSize, count: Self.vertexCount)
    triangles = try mesh.triangles(of: Self.vertexCount)
  }

  private static func weightedLandmark(
    _ part: ProtobufReader
  ) throws(FileError) -> (landmark: Int, weight: Float) {
    var part = part
    var landmark: UInt64?
    var weight: Float?
    typealias Field = FaceGeometryFields.WeightedLandmark
    while let (number, value) = try part.next() {
      switch (number, value) {
      case (Field.landmark, .varint(let index)) where landmark == nil: landmark = index
      case (Field.weight, .fixed32(let bits)) where weight == nil:
        weight = Float(bitPattern: bits)
      case (Field.all, _):
        throw part.broken("one landmark and one weight", "field \(number) again or of another type")
      default: continue
      }
    }
    // Protobuf leaves out a number that is 0.
    let index = landmark ?? 0
    guard index < UInt64(vertexCount) else {
      throw part.broken("a landmark below \(vertexCount)", "\(index)")
    }
    guard let weight else { throw part.broken("a weight for landmark \(index)", "none") }
    guard weight >= 0, weight.isFinite else {
      throw part.broken("a finite weight from 0", "\(weight)")
    }
    return (Int(index), weight)
  }
}

/// The fields of a mesh message, not yet checked against each other.
private struct MeshFields {
  private var floats: [Float] = []
  private var indices: [UInt64] = []
  private let message: ProtobufReader

  init(_ part: ProtobufReader) throws(FileError) {
    var part = part
    typealias Field = FaceGeometryFields.Mesh
    while let (number, value) = try part.next() {
      switch (number, value) {
      case (Field.vertexType, .varint(let type)), (Field.primitiveType, .varint(let type)):
        guard type == Field.readType else {
          throw part.broken("vertices with position and texture in triangles", "type \(type)")
        }
      case (Field.vertexBuffer, .fixed32(let bits)): floats.append(Float(bitPattern: bits))
      case (Field.vertexBuffer, .bytes(var packed)):
        while packed.remaining > 0 { floats.append(Float(bitPattern: try packed.fixed32())) }
      case (Field.indexBuffer, .varint(let index)): indices.append(index)
      case (Field.indexBuffer, .bytes(var packed)):
        while packed.remaining > 0 { indices.append(try packed.varint()) }
      case (Field.all, _):
        throw part.broken("a number for mesh field \(number)", "another wire type")
      default: continue
      }
    }
    message = part
  }

  func vertices(size: Int, count: Int) throws(FileError) -> [SIMD3<Float>] {
    guard floats.count == size * count else {
      throw message.broken("\(size * count) vertex values", "\(floats.count)")
    }
    guard floats.allSatisfy(\.isFinite) else {
      throw message.broken("finite vertex values", "an infinite one or none")
    }
    return stride(from: 0, to: floats.count, by: size).map { at in
      SIMD3(floats[at], floats[at + 1], floats[at + 2])
    }
  }

  func triangles(of vertexCount: Int) throws(FileError) -> [SIMD3<Int32>] {
    guard !indices.isEmpty, indices.count.isMultiple(of: 3) else {
      throw message.broken("three indices a triangle", "\(indices.count) indices")
    }
    if let index = indices.first(where: { $0 >= UInt64(vertexCount) }) {
      throw message.broken("indices below \(vertexCount)", "\(index)")
    }
    return stride(from: 0, to: indices.count, by: 3).map { at in
      SIMD3(Int32(indices[at]), Int32(indices[at + 1]), Int32(indices[at + 2]))
    }
  }
}

extension CanonicalFaceMesh {
  /// Loads the mesh from the user's cache, or from a folder or bundle; throws `missing` where it is not there.
  package init(from models: URL?) throws(FileError) {
    if let lone = FaceLandmarkerModels.loneModel(models) {
      throw FileError(
        .missing,
        "cannot load \(ModelDescription.faceGeometryMetadata.name): expected a folder or bundle of "
          + "models, found the single model \(lone)")
    }
    try self.init(ModelBytes(.faceGeometryMetadata, from: models))
  }

  /// Reads the mesh; its errors name the file.
  init(_ metadata: ModelBytes) throws(FileError) {
    do {
      try self.init(protobuf: metadata.bytes)
    } catch {
      throw FileError(
        error.kind,
        "cannot load \(ModelDescription.faceGeometryMetadata.name) from \(metadata.label): "
          + error.description)
    }
  }
}
