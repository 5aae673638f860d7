import CKernels

/// Arithmetic on two arrays, element by element.
package enum BinaryOperation: Sendable, Hashable {
  /// a + b
  case add
  /// a − b
  case subtract
  /// a · b
  case multiply
  /// a / b
  case divide
  /// (a − b)²
  case squaredDifference
  /// a where a ≥ 0, a · b elsewhere
  case slope

  fileprivate var code: fg_binary {
    switch self {
    case .add: fg_add
    case .subtract: fg_subtract
    case .multiply: fg_multiply
    case .divide: fg_divide
    case .squaredDifference: fg_squared_difference
    case .slope: fg_slope
    }
  }
}

/// A function of one array's elements.
package enum UnaryOperation: Sendable, Hashable {
  /// −x
  case negate
  /// √x
  case squareRoot
  /// 1 / √x
  case reciprocalSquareRoot
  /// 1 / (1 + e⁻ˣ)
  case logistic

  fileprivate var code: fg_unary {
    switch self {
    case .negate: fg_negate
    case .squareRoot: fg_square_root
    case .reciprocalSquareRoot: fg_reciprocal_square_root
    case .logistic: fg_logistic
    }
  }
}

// Safety: every pointer parameter must hold the floats that the counts and strides say.
extension Kernels {
  /// Combines `count` pairs and clamps the results; a step of 0 repeats one float of its array, 1 walks along.
  ///
  /// `result` may be `a` or `b` itself.
  package func combine(
    _ operation: BinaryOperation, _ a: UnsafePointer<Float>, step aStep: Int,
    _ b: UnsafePointer<Float>, step bStep: Int, into result: UnsafeMutablePointer<Float>,
    count: Int, clamp: Clamp
  ) {
    table.pointee.binary(
      operation.code, a, aStep, b, bStep, result, count, clamp.low, clamp.high)
  }

  /// Maps `count` floats.
  package func map(
    _ operation: UnaryOperation, _ values: UnsafePointer<Float>,
    into result: UnsafeMutablePointer<Float>, count: Int
  ) {
    table.pointee.unary(operation.code, values, result, count)
  }

  /// Layer normalisation of rows as long as `scales`: (x − mean) · scale / √(variance + epsilon).
  package func normalize(
    _ values: UnsafePointer<Float>, rows: Int, scales: FloatStorage, epsilon: Float,
    into result: UnsafeMutablePointer<Float>
  ) {
    table.pointee.normalize(values, rows, scales.count, scales.pointer, epsilon, result)
  }

  /// Writes the columns of a [rows, columns] matrix as rows without gaps; `rowStep` may be of any sign.
  package func transpose(
    _ values: UnsafePointer<Float>, rowStep: Int, rows: Int, columns: Int,
    into result: UnsafeMutablePointer<Float>
  ) {
    table.pointee.transpose(values, rowStep, rows, columns, result)
  }

  /// The sum of `count` floats, added up in as many parts as a vector has lanes.
  package func sum(_ values: UnsafePointer<Float>, count: Int) -> Float {
    table.pointee.sum(values, count)
  }
}
