import COpenBLAS

/// The linear algebra library under the engine, OpenBLAS.
package enum BLAS {
  /// The core that OpenBLAS chose for this process, such as `Haswell` or `SkylakeX`.
  package static var coreName: String {
    openblas_get_corename().map { String(cString: $0) } ?? "unknown"
  }

  /// OpenBLAS's version and build options, as it reports them.
  ///
  /// Asked once: OpenBLAS writes the text anew into one buffer at each call, which another thread may be reading.
  package static let configuration: String =
    openblas_get_config().map { String(cString: $0) } ?? "unknown"

  /// Threads that one product may use.
  package static var threadCount: Int { Int(openblas_get_num_threads()) }

  /// Sets the threads that one product may use, for the whole process; the engine requires 1.
  package static func setThreadCount(_ count: Int) {
    openblas_set_num_threads(Int32(clamping: count))
  }

  /// c = a · b, all row-major without gaps: a is [rows, depth], b is [depth, columns], c is [rows, columns].
  // Safety: the three matrices must hold the floats that the sizes require; c must not overlap a or b.
  package static func multiply(
    _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, into c: UnsafeMutablePointer<Float>,
    rows: Int, depth: Int, columns: Int
  ) {
    cblas_sgemm(
      CblasRowMajor, CblasNoTrans, CblasNoTrans,
      blasint(rows), blasint(columns), blasint(depth),
      1, a, blasint(depth), b, blasint(columns), 0, c, blasint(columns))
  }
}
