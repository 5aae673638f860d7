/// Eigenvalues and eigenvectors of a small symmetric matrix, by Jacobi's rotations.
enum SymmetricEigen {
  /// The eigenvector of the largest eigenvalue, of length 1; nil where an element is not finite.
  ///
  /// `matrix` is n rows of n numbers and symmetric. The element of largest magnitude is positive.
  static func principalVector(of matrix: [[Double]]) -> [Double]? {
    guard matrix.allSatisfy({ $0.allSatisfy(\.isFinite) }) else { return nil }
    let (values, vectors) = decompose(matrix)
    guard let best = values.indices.max(by: { values[$0] < values[$1] }) else { return nil }
    let vector = vectors.map { $0[best] }
    guard let largest = vector.max(by: { $0.magnitude < $1.magnitude }) else { return nil }
    return largest < 0 ? vector.map { -$0 } : vector
  }

  /// The eigenvalues, and the eigenvectors as columns.
  private static func decompose(_ matrix: [[Double]]) -> ([Double], [[Double]]) {
    let n = matrix.count
    var a = matrix
    var v = (0..<n).map { row in (0..<n).map { row == $0 ? 1.0 : 0.0 } }
    let scale = matrix.joined().map(\.magnitude).max() ?? 0
    for _ in 0..<60 {
      var rest = 0.0
      for p in 0..<n { for q in (p + 1)..<max(n, p + 1) { rest = max(rest, a[p][q].magnitude) } }
      guard rest > 1e-18 * scale else { break }
      for p in 0..<n {
        for q in (p + 1)..<max(n, p + 1) where a[p][q] != 0 {
          let theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
          let t =
            (theta < 0 ? -1 : 1) / (theta.magnitude + (theta * theta + 1).squareRoot())
          let cosine = 1 / (t * t + 1).squareRoot()
          let sine = t * cosine
          for k in 0..<n {
            let (first, second) = (a[k][p], a[k][q])
            a[k][p] = cosine * first - sine * second
            a[k][q] = sine * first + cosine * second
          }
          for k in 0..<n {
            let (first, second) = (a[p][k], a[q][k])
            a[p][k] = cosine * first - sine * second
            a[q][k] = sine * first + cosine * second
          }
          for k in 0..<n {
            let (first, second) = (v[k][p], v[k][q])
            v[k][p] = cosine * first - sine * second
            v[k][q] = sine * first + cosine * second
          }
        }
      }
    }
    return ((0..<n).map { a[$0][$0] }, v)
  }
}
