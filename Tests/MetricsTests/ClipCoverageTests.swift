import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private let asked = ProcessInfo.processInfo.environment["FACEGAUGE_COVERAGE"].flatMap(Int.init)

/// Intervals of a mean over the frames of one clip, whose errors stay alike for a while (an autoregression).
@Suite struct ClipCoverageTests {
  /// Share of samples whose 95 % interval holds the true mean, 0.
  private func held(
    frames count: Int, memory: Double, clip: Bool = true, samples: Int
  ) throws -> Double {
    var clusters = FrameClusters(clip: clip ? 0..<count : nil)
    for frame in 0..<count {
      clusters.add(frame, sequence: clip ? 0 : frame, subject: "", isVideo: clip)
    }
    let made = clusters
    let likeness = exp(-1 / memory)
    let results = ClusterBootstrap().results(ofDraws: 0..<samples) { sample in
      var generator = SplitMix64(seed: UInt64(sample) &* 0x9E37 &+ UInt64(count))
      var sums = [Double](repeating: 0, count: made.count)
      var sizes = sums
      var error = generator.normalPair().0
      for frame in 0..<count {
        let cluster = made.cluster(of: frame) ?? 0
        sums[cluster] += error
        sizes[cluster] += 1
        error = likeness * error + (1 - likeness * likeness).squareRoot() * generator.normalPair().0
      }
      let bootstrap = ClusterBootstrap(resamples: 199, seed: UInt64(sample))
      func mean(_ copies: [Int]) -> Double {
        zip(copies, sums).reduce(0) { $0 + Double($1.0) * $1.1 }
          / zip(copies, sizes).reduce(0) { $0 + Double($1.0) * $1.1 }
      }
      let interval = bootstrap.interval(
        of: (0..<199).map { mean(bootstrap.copies(ofDraw: $0, clusters: made.count)) },
        about: mean(sums.map { _ in 1 }), in: .any, sizes: made.sizes)
      return interval.low.flatMap { low in interval.high.map { low <= 0 && 0 <= $0 } }
    }
    let known = results.compactMap { $0 }
    #expect(known.count == samples)
    return Double(known.count { $0 }) / Double(samples)
  }

  @Test(arguments: [600, 1800])
  func `stretches of a clip hold the mean where errors stay alike for a part of them`(frames: Int)
    throws
  {
    let samples = asked ?? 300
    for (part, least) in [(12.0, 0.95), (6, 0.93), (2, 0.86)] {
      let share = try held(frames: frames, memory: Double(frames) / 10 / part, samples: samples)
      print("one clip of \(frames) frames, errors alike for 1/\(part) of a stretch: \(share)")
      // Three binomial errors below what the note on such a record says.
      #expect(share >= least - 3 * (least * (1 - least) / Double(samples)).squareRoot())
    }
  }

  @Test func `frames as stills are far too narrow, which the test would see`() throws {
    #expect(try held(frames: 600, memory: 10, clip: false, samples: 100) < 0.5)
  }

  @Test func `a clip is cut into ten stretches of as many frames, whoever it shows`() throws {
    var clusters = FrameClusters(clip: 0..<25)
    for frame in 0..<25 { clusters.add(frame, sequence: 0, subject: "anna", isVideo: true) }
    #expect(clusters.isOfOneClip && clusters.count == 10)
    #expect(clusters.cluster(of: 0) == 0 && clusters.cluster(of: 24) == 9)
    let sizes = (0..<10).map { number in (0..<25).count { clusters.cluster(of: $0) == number } }
    #expect(sizes.allSatisfy { 2...3 ~= $0 })
    let bootstrap = ClusterBootstrap(resamples: 40)
    let values = (0..<40).map { Double($0) / 40 }
    let interval = bootstrap.interval(of: values, about: 0.5, in: .unit, sizes: clusters.sizes)
    #expect(interval.isOfThisClip)
    #expect(
      interval.method?.hasSuffix("of 10 stretches worth 9.6, 40 resamples, seed 1, this clip only")
        == true)
    let few = clusters.sizes(of: 0..<20)
    #expect(
      bootstrap.interval(of: values, about: 0.5, in: .unit, sizes: few).reason
        == "it rests on 8 of the 10 stretches of the clip")
    #expect(ClusterBootstrap.caution(clusters.sizes)?.contains("of this clip only") == true)
    #expect(interval.ofThisClip == interval)
  }
}
