import Foundation
import Platform
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

  @Test func `programs can be started while OpenBLAS computes on several threads`() async {
    await #expect(processExitsWith: .success) {
      // Ends this process where nothing else does.
      alarm(60)
      BLAS.setThreadCount(2)
      let products = Thread {
        let side = 256
        let matrix = [Float](repeating: 1, count: side * side)
        var product = matrix
        while true {
          BLAS.multiply(matrix, matrix, into: &product, rows: side, depth: side, columns: side)
          if product[0] != Float(side) { exit(1) }
        }
      }
      products.start()
      for _ in 0..<50 {
        _ = try ChildProgram.run("true", [], limit: .seconds(30)) { false }
      }
      _exit(0)
    }
  }
}
