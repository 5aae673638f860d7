/// Dimensions of a dense row-major array, outermost first; no dimensions mean one scalar.
package struct Shape: Sendable, Hashable, CustomStringConvertible {
  /// Sizes of the dimensions, each 1 or more.
  package let dimensions: [Int]
  /// Number of elements.
  package let count: Int

  /// Maximum number of elements of a shape, 256 MiB of floats.
  package static let maximumCount = 1 << 26

  /// Makes a shape; nil if a dimension is below 1 or the count is above `maximumCount`.
  package init?(_ dimensions: [Int]) {
    var count = 1
    for size in dimensions {
      guard size >= 1, size <= Shape.maximumCount / count else { return nil }
      count *= size
    }
    self.dimensions = dimensions
    self.count = count
  }

  /// Number of dimensions.
  package var rank: Int { dimensions.count }

  /// The size of one dimension.
  package subscript(axis: Int) -> Int { dimensions[axis] }

  /// The sizes as `[1, 128, 128, 3]`.
  package var description: String {
    "[" + dimensions.map(String.init).joined(separator: ", ") + "]"
  }
}
