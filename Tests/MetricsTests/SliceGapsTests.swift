import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

@Suite struct SliceGapsTests {
  /// What Tests/Oracles/slice_gaps.py writes.
  private struct Expected: Decodable {
    struct Finding: Decodable {
      var metric, worst, best: String
      var gap, low, high, p, visible: Double
      var needed: Int
    }

    var findings: [Finding]
  }

  private func metric(
    _ name: String, _ slice: String, _ value: Double, n: Int, isHigherBetter: Bool = true
  ) -> Records.Measurement {
    Records.Measurement(
      name: name, stage: "faces", value: value, unit: "1",
      better: isHigherBetter ? .higher : .lower,
      n: n, slice: slice)
  }

  @Test func `gaps, intervals, adjusted p and needed n are those of NumPy and SciPy`() throws {
    let groups: [(String, String, Bool, [(String, Int, Int)])] = [
      ("yaw", "recall", true, [("0-30", 120, 40), ("30-60", 60, 25), ("60-", 31, 12)]),
      ("yaw", "nme", false, [("0-30", 110, 40), ("30-60", 50, 25)]),
      ("light", "recall", true, [("dark", 90, 30), ("bright", 121, 38)]),
    ]
    var stream = SplitMix64(seed: 77)
    var slices: [SliceGaps.Sliced] = []
    for (dimension, name, isHigher, parts) in groups {
      for (position, (part, n, clusters)) in parts.enumerated() {
        let shift = 0.08 * Double(position) * (isHigher ? 1 : -1)
        let value = stream.between(4, 6) / 10 - shift
        let values = (0..<60).map { _ in value + (stream.between(0, 2) - 1) / 20 }
        slices.append(
          SliceGaps.Sliced(
            metric(name, "\(dimension)=\(part)", value, n: n, isHigherBetter: isHigher),
            values: values, sizes: ClusterSizes(equal: clusters)))
      }
    }
    let expected = try Oracles.read("slice_gaps", as: Expected.self).findings
    let findings = SliceGaps.findings(slices)
    #expect(findings.count == expected.count)
    for (finding, want) in zip(findings, expected) {
      #expect(finding.worst.name == want.metric && finding.worst.slice == want.worst)
      #expect(finding.best.slice == want.best)
      #expect(abs(finding.gap - want.gap) < 1e-12)
      #expect(abs(finding.low - want.low) < 1e-9 && abs(finding.high - want.high) < 1e-9)
      #expect(abs(finding.adjustedP - want.p) < 1e-9)
      #expect(abs(finding.visible - want.visible) < 1e-9)
      #expect(finding.needed == want.needed)
      #expect(finding.needed(forGap: want.gap) == want.needed)
    }
    #expect(findings.map(\.isDecisive) == expected.map { $0.p <= 0.05 })
  }

  @Test func `what cannot be tested takes no part`() {
    func sliced(_ slice: String, _ value: Double?, _ values: [Double?]) -> SliceGaps.Sliced {
      var one = metric("recall", slice, value ?? 0, n: 50)
      one.value = value
      return SliceGaps.Sliced(one, values: values, sizes: ClusterSizes(equal: 20))
    }
    let noisy = (0..<40).map { Double($0 % 7) / 100 }
    #expect(SliceGaps.findings([sliced("yaw=0-30", 0.9, noisy)]).isEmpty)
    #expect(
      SliceGaps.findings([sliced("yaw=0-30", 0.9, noisy), sliced("yaw=60-", nil, noisy)]).isEmpty)
    #expect(
      SliceGaps.findings([sliced("yaw=0-30", 0.9, noisy), sliced("size=small", 0.1, noisy)]).isEmpty
    )
    let still = [Double?](repeating: 1, count: 40)
    #expect(
      SliceGaps.findings([sliced("yaw=0-30", 1, still), sliced("yaw=60-", 1, still)]).isEmpty)
    let missing = (0..<40).map { $0 < 5 ? nil : Double($0 % 7) / 100 }
    #expect(
      SliceGaps.findings([sliced("yaw=0-30", 0.9, noisy), sliced("yaw=60-", 0.8, missing)]).isEmpty)
  }

  @Test func `of a metric with a target the slice farther from it is the worse`() throws {
    let values = (0..<40).map { Double($0 % 7) }
    func sliced(_ slice: String, _ value: Double) -> SliceGaps.Sliced {
      SliceGaps.Sliced(
        Records.Measurement(
          name: "lag.ms", stage: "landmarks", value: value, unit: "ms", better: .closest,
          target: 0, n: 50, slice: slice),
        values: values.map { value + $0 }, sizes: ClusterSizes(equal: 20))
    }
    let findings = SliceGaps.findings([
      sliced("yaw=0-30", 10), sliced("yaw=60-", -40),
    ])
    let finding = try #require(findings.first)
    #expect(finding.worst.slice == "yaw=60-" && finding.best.slice == "yaw=0-30")
    #expect(finding.gap == 30)
  }

  /// Faces, each a cluster of its own, with a property of three values, one of two, an error and a hit.
  private struct Sample {
    var errors: [Double]
    var hits: [Double]
    var properties: [[Int]]

    /// Faces whose error is larger by a gap where the first property is 2.
    init(count: Int, gap: Double, using generator: inout SplitMix64) {
      (errors, hits, properties) = ([], [], [[], []])
      for face in 0..<count {
        let first = face % 3
        properties[0].append(first)
        properties[1].append(Int(generator.next() % 2))
        let normal = (0..<12).reduce(-6.0) { sum, _ in
          sum + Double(generator.next() >> 11) * 0x1p-53
        }
        errors.append(0.05 + (first == 2 ? gap : 0) + 0.02 * exp(0.5 * normal))
        hits.append(generator.next() % 10 == 0 ? 0 : 1)
      }
    }

    /// All slices with their values over resamples that they share.
    func slices(resamples: Int, seed: UInt64) -> [SliceGaps.Sliced] {
      let bootstrap = ClusterBootstrap(resamples: resamples, seed: seed)
      let draws = (0..<resamples).map { bootstrap.copies(ofDraw: $0, clusters: errors.count) }
      let ones = [Int](repeating: 1, count: errors.count)
      return properties.enumerated().flatMap { index, property in
        (0...(property.max() ?? 0)).flatMap { part in
          [("nme", errors, false), ("recall", hits, true)].map { name, values, isHigher in
            func mean(_ copies: [Int]) -> Double? {
              var (sum, count) = (0.0, 0)
              for face in values.indices where property[face] == part {
                sum += values[face] * Double(copies[face])
                count += copies[face]
              }
              return count > 0 ? sum / Double(count) : nil
            }
            let n = property.count { $0 == part }
            let metric = Records.Measurement(
              name: name, stage: "faces", value: mean(ones), unit: "1",
              better: isHigher ? .higher : .lower, n: n, slice: "p\(index)=\(part)")
            return SliceGaps.Sliced(
              metric, values: draws.map(mean), sizes: ClusterSizes(equal: n))
          }
        }
      }
    }
  }

  private static let repetitions =
    ProcessInfo.processInfo.environment["FACEGAUGE_REPETITIONS"].flatMap { Int($0) } ?? 40

  /// How many of some repetitions an event of a probability is in, at most or at least, but for 1 in 1,000.
  private static func bound(_ probability: Double, upper: Bool) -> Int {
    let n = Double(repetitions)
    let reach = 3.1 * (n * probability * (1 - probability)).squareRoot() + 1
    return Int((n * probability + (upper ? reach : -reach)).rounded(upper ? .up : .down))
  }

  @Test func `coverage: equal slices are called different in at most 5 % of samples`() {
    var generator = SplitMix64(seed: 21)
    var alarms = 0
    for repetition in 0..<Self.repetitions {
      let sample = Sample(count: 180, gap: 0, using: &generator)
      let findings = SliceGaps.findings(
        sample.slices(resamples: 200, seed: UInt64(repetition)))
      #expect(findings.count == 4)
      if findings.contains(where: \.isDecisive) { alarms += 1 }
    }
    #expect(alarms <= Self.bound(0.05, upper: true), "\(alarms) of \(Self.repetitions)")
  }

  @Test func `coverage: a planted gap is found in 80 % of samples of the needed n`() throws {
    var generator = SplitMix64(seed: 22)
    let gap = 0.01
    let pilot = Sample(count: 900, gap: gap, using: &generator)
    let finding = try #require(
      SliceGaps.findings(pilot.slices(resamples: 400, seed: 5)).first {
        $0.worst.name == "nme" && $0.worst.slice == "p0=2"
      })
    let needed = try #require(finding.needed(forGap: gap))
    #expect((20...400).contains(needed))
    var found = 0
    for repetition in 0..<Self.repetitions {
      let sample = Sample(count: 3 * needed, gap: gap, using: &generator)
      let findings = SliceGaps.findings(
        sample.slices(resamples: 200, seed: UInt64(repetition)))
      if findings.contains(where: { $0.isDecisive && $0.worst.slice == "p0=2" }) { found += 1 }
    }
    // Of three slices the worst is compared with the better of two, so the gap seen is larger than the planted one.
    #expect(
      found >= Self.bound(0.8, upper: false), "\(found) of \(Self.repetitions) at n \(needed)")
  }
}
