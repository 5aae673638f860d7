import Tensor
import Testing

@Suite struct BLASTests {
  @Test func `it reports its core, configuration and threads`() {
    #expect(!BLAS.coreName.isEmpty)
    #expect(BLAS.configuration.contains("OpenBLAS"))
    BLAS.setThreadCount(1)
    #expect(BLAS.threadCount == 1)
  }

  /// Integers below 2^24 are exact in any order of summation.
  @Test func `a product is row-major without gaps`() {
    let a: [Float] = [1, 2, 3, 4, 5, 6]
    let b: [Float] = [7, 8, 9, 10, 11, 12]
    var c = [Float](repeating: .nan, count: 4)
    BLAS.multiply(a, b, into: &c, rows: 2, depth: 3, columns: 2)
    #expect(c == [58, 64, 139, 154])
  }
}
