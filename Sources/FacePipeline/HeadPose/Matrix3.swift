/// A 3 by 3 matrix by columns, which takes no memory of its own.
struct Matrix3<Scalar: SIMDScalar> {
  private var first: SIMD3<Scalar>
  private var second: SIMD3<Scalar>
  private var third: SIMD3<Scalar>

  /// The columns of the axes x, y and z.
  init(_ first: SIMD3<Scalar>, _ second: SIMD3<Scalar>, _ third: SIMD3<Scalar>) {
    (self.first, self.second, self.third) = (first, second, third)
  }

  /// The column of an axis, 0 to 2.
  subscript(axis: Int) -> SIMD3<Scalar> {
    get {
      precondition((0..<3).contains(axis), "one of three axes")
      return axis == 0 ? first : axis == 1 ? second : third
    }
    set {
      precondition((0..<3).contains(axis), "one of three axes")
      switch axis {
      case 0: first = newValue
      case 1: second = newValue
      default: third = newValue
      }
    }
  }
}
