import Tensor

/// A tensor whose elements are known at load.
package struct Constant: Sendable {
  let shape: Shape
  let elements: Elements

  enum Elements: Sendable {
    case floats(FloatStorage)
    /// Little-endian elements as stored in the file.
    case raw(ElementType, ArraySlice<UInt8>)
    /// The non-zero elements as stored in the file, and their locations.
    case sparse(ElementType, ArraySlice<UInt8>, FlatTable)
  }

  /// The elements' type; decoded floats are FLOAT32.
  var type: ElementType {
    switch elements {
    case .floats: .float32
    case .raw(let type, _), .sparse(let type, _, _): type
    }
  }

  /// The elements as dense floats; nil for another type or a sparse tensor.
  var floats: FloatStorage? {
    switch elements {
    case .floats(let storage): storage
    case .raw(.float32, let bytes): FloatStorage([Float](float32Bytes: bytes))
    case .raw, .sparse: nil
    }
  }

  /// The elements as integers; nil for another type.
  var integers: [Int]? {
    guard case .raw(.int32, let bytes) = elements else { return nil }
    return bytes.withUnsafeBytes { raw in
      (0..<raw.count / 4).map {
        Int(Int32(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self)))
      }
    }
  }
}
