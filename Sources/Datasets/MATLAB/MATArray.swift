/// One variable of a MAT-file, or one cell of it.
enum MATValue {
  /// Numbers or logical values of two dimensions.
  case numbers(MATArray)
  /// A row of characters.
  case text(String)
  /// A cell array, column by column.
  case cells([MATValue])
}

/// A matrix of numbers as MATLAB stores it: column by column.
struct MATArray {
  /// Extent of the first dimension.
  let rows: Int
  /// Extent of the second dimension.
  let columns: Int
  /// `rows * columns` numbers, column by column.
  let values: [Double]

  /// The number in a row and column, both from 0 and inside.
  subscript(row: Int, column: Int) -> Double { values[column * rows + row] }
}
