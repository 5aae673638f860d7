import Tensor

/// A tensor whose elements are known at load.
package struct Constant: Sendable {
  let shape: Shape
  let elements: Elements
  /// How the elements stand for real numbers, where they are INT8.
  var quantization: Quantization?

  enum Elements: Sendable {
    case floats(FloatStorage)
    /// Little-endian elements as stored in the file.
    case raw(ElementType, ArraySlice<UInt8>)
    /// The non-zero elements as stored in the file, and their locations.
    case sparse(ElementType, ArraySlice<UInt8>, FlatTable)
  }
}

extension Constant {
  /// INT32 numbers that follow from the file.
  init(shape: Shape, integers: [Int]) {
    let bytes = integers.flatMap { number in
      withUnsafeBytes(of: Int32(truncatingIfNeeded: number).littleEndian) { [UInt8]($0) }
    }
    self.init(shape: shape, elements: .raw(.int32, bytes[...]))
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

  /// q − zero point of each element; nil for another type than INT8.
  var centered: FloatStorage? {
    mapped { value, _, zeroPoint in Float(value - zeroPoint) }
  }

  /// The real numbers of INT8 elements; nil for another type.
  var dequantized: FloatStorage? {
    mapped { value, scale, zeroPoint in scale * Float(value - zeroPoint) }
  }

  private func mapped(_ value: (Int, Float, Int) -> Float) -> FloatStorage? {
    guard case .raw(.int8, let bytes) = elements, let quantization else { return nil }
    let stride = quantization.scales.count == 1 ? shape.count : shape.strides[quantization.axis]
    return FloatStorage(count: shape.count) { floats in
      for (index, byte) in bytes.enumerated() {
        let part = index / stride % quantization.scales.count
        floats[index] = value(
          Int(Int8(bitPattern: byte)), quantization.scales[part], quantization.zeroPoints[part])
      }
    }
  }
}
