import Foundation
import TFLite
import Tensor
import TestSupport
import Testing

/// Damaged models must throw `ModelError` or run; a crash or a huge allocation ends the test process.
@Suite struct HostileModelTests {
  /// splitmix64.
  struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var z = state
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      return z ^ (z >> 31)
    }
  }

  static let tiny = OperatorTests.cases.filter {
    [
      "a block", "rows and columns", "DENSIFY", "CONCATENATION", "RESHAPE (2, 6)",
      "RESIZE_BILINEAR", "the three together", "MAX_POOL_2D (4, 4)", "STRIDED_SLICE (3, 4)",
      "MEAN SUM (1, 29, 2)",
      "TRANSPOSE (2, 3, 4)", "ADD SUB MUL DIV SQUARED_DIFFERENCE (4,)", "PRELU (2, 2, 2, 3)",
      "a landmark block (3, 5)", "CONV_2D INT8 3x3 stride 1 dilation 1 4>9 of (5, 6) RELU6",
      "FULLY_CONNECTED INT8 3 rows kept", "ADD INT8 (1, 3, 4, 6) (6,) RELU6", "PRELU INT8",
      "QUANTIZE DEQUANTIZE of floats", "SOFTMAX INT8", "MEAN INT8", "SHAPE STRIDED_SLICE PACK",
      "SPACE_TO_BATCH_ND", "RESIZE_NEAREST_NEIGHBOR corners True",
    ]
    .contains(where: $0.name.hasPrefix)
  }

  enum Outcome { case ran, refused(ModelError) }

  static func attempt(_ bytes: [UInt8]) -> Outcome {
    do {
      let model = try Model(bytes: bytes[...])
      #expect(model.arenaBytes <= 1 << 28)
      let session = Session(model)
      session.run()
      return .ran
    } catch {
      #expect(!error.description.contains("\n"))
      #expect(!error.description.isEmpty)
      return .refused(error)
    }
  }

  @Test(arguments: tiny)
  func `every truncation of a small model is refused`(_ test: OperatorTests.Case) throws {
    let bytes = [UInt8](test.model)
    // The last bytes of a file may be padding that nothing refers to.
    var refused = 0
    for length in 0..<bytes.count {
      if case .refused = HostileModelTests.attempt(Array(bytes[..<length])) { refused += 1 }
    }
    #expect(refused >= bytes.count - 4)
  }

  @Test(arguments: tiny)
  func `byte flips in a small model never crash`(_ test: OperatorTests.Case) throws {
    let bytes = [UInt8](test.model)
    var random = Generator(state: UInt64(bytes.count))
    var refused = 0
    for _ in 0..<1500 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        damaged[Int.random(in: 8..<bytes.count, using: &random)] =
          [0, 1, 0x7f, 0x80, 0xff, UInt8.random(in: 0...255, using: &random)]
          .randomElement(using: &random) ?? 0
      }
      if case .refused = HostileModelTests.attempt(damaged) { refused += 1 }
    }
    #expect(refused > 0)
  }

  @Test(.enabled(if: Shared.isAvailable))
  func `byte flips in the real detector never crash`() throws {
    let bytes = Array(
      try ModelBundle(path: Shared.bundle.path)
        .member("face_detector.tflite"))
    var random = Generator(state: 7)
    var refused = 0
    for _ in 0..<200 {
      var damaged = bytes
      for _ in 0..<20 {
        damaged[Int.random(in: 8..<bytes.count, using: &random)] =
          UInt8.random(in: 0...255, using: &random)
      }
      if case .refused = HostileModelTests.attempt(damaged) { refused += 1 }
    }
    #expect(refused > 0)
  }

  @Test(arguments: [UInt32(0), 3, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff])
  func `a root offset outside the model is refused`(_ offset: UInt32) throws {
    var bytes = [UInt8](try #require(OperatorTests.cases.first).model)
    for position in 0..<4 {
      bytes[position] = UInt8(truncatingIfNeeded: offset >> (8 * UInt32(position)))
    }
    guard case .refused(let error) = HostileModelTests.attempt(bytes) else {
      Issue.record("it loaded")
      return
    }
    #expect(error.kind == .corrupt)
    #expect(error.byteOffset != nil)
  }

  @Test func `bytes that are no model are refused as corrupt`() throws {
    for bytes in [[], [1], Array("TFL3TFL3".utf8), Array(repeating: 0xff, count: 64)] as [[UInt8]] {
      guard case .refused(let error) = HostileModelTests.attempt(bytes) else {
        Issue.record("it loaded")
        continue
      }
      #expect(error.kind == .corrupt)
    }
  }
}
