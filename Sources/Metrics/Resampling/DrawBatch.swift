internal import Records

/// Up to eight draws side by side, so that ranked items are passed once for all of them.
struct DrawBatch: Sendable {
  /// A number for each draw.
  typealias Numbers = SIMD8<Double>

  let draws: [ClusterDraw]
  /// How often each cluster is taken, a lane a draw; 0 in lanes without a draw.
  let copies: [SIMD8<Int32>]

  static var size: Int { Numbers.scalarCount }

  init(_ draws: [ClusterDraw]) {
    self.draws = draws
    copies = (draws.first?.copies.indices ?? 0..<0).map { cluster in
      var lanes = SIMD8<Int32>.zero
      for lane in draws.indices { lanes[lane] = draws[lane].copies[cluster] }
      return lanes
    }
  }
}

extension SIMDMask<SIMD8<Int64>> {
  /// Whether it holds for any draw; the library's `any` looks at the lanes one by one.
  @inline(__always) var holdsForAny: Bool {
    let lanes = unsafeBitCast(self, to: SIMD8<Int64>.self)
    let four = lanes.lowHalf | lanes.highHalf
    let two = four.lowHalf | four.highHalf
    return two.x | two.y != 0
  }
}

/// Measures a batch of draws at a time.
protocol BatchResampler: FamilyResampler {
  /// The metrics of each draw of a batch, in the order of the family's own.
  func measurements(of batch: DrawBatch) -> [[Measurement]]
}

extension BatchResampler {
  func measurements(of draw: ClusterDraw) -> [Measurement] {
    measurements(of: DrawBatch([draw]))[0]
  }

  func batches(of draws: [ClusterDraw]) -> [@Sendable () -> [[Measurement]]] {
    stride(from: 0, to: draws.count, by: DrawBatch.size).map { first in
      let part = Array(draws[first..<min(first + DrawBatch.size, draws.count)])
      return { measurements(of: DrawBatch(part)) }
    }
  }
}
