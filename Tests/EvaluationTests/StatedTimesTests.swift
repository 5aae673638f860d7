import Foundation
import Running
import Statistics
import TestSupport
import Testing

/// Totals that trackers state, next to how long their answers took.
@Suite struct StatedTimesTests {
  /// Frames that take about so many milliseconds, and of which so many more are the way of the pixels and the answer.
  private func times(
    _ milliseconds: Double, way: Double = 1, frames: Int = 60, isCommand: Bool = true,
    stated: (Double) -> Double
  ) -> StatedTimes {
    var generator = SplitMix64(seed: 1)
    var times = StatedTimes(isCommand: isCommand)
    for _ in 0..<frames {
      let own = milliseconds * Double.random(in: 0.8..<1.3, using: &generator)
      let after = own + 0.3 * way
      times.add(
        total: UInt64(max(stated(own * 1e6), 0)), wait: UInt64((own + way) * 1e6),
        work: UInt64(after * 1e6))
    }
    return times
  }

  @Test(arguments: [(1e3, 3.9), (1e3, 40), (1e6, 15)])
  func `times in a coarser unit are told by their factor`(unit: Double, milliseconds: Double) {
    let times = times(milliseconds) { $0 / unit }
    #expect(times.unit == unit)
    #expect(times.fault(atEnd: true) == nil)
  }

  @Test func `times that are a thousand times the wait are refused`() throws {
    let fault = try #require(times(3.9) { $0 * 1000 }.fault(atEnd: true))
    #expect(fault.expected.hasPrefix("stages_ns in nanoseconds, with a total of at most the "))
    #expect(fault.found.hasSuffix(" ms (medians of 60 frames)"))
  }

  @Test(arguments: [
    // Right ones, with much and with little time on the way; a tracker that does next to nothing.
    (3.9, 1.0, 1.0), (0.02, 3, 1), (0.02, 30, 1), (0.08, 0.1, 1), (40, 60, 1),
    // Without what comes before and after the model, and recorded times of a slower device.
    (4, 1, 0.1), (0.2, 1, 50),
  ])
  func `honest times are not accused`(milliseconds: Double, way: Double, share: Double) {
    let times = times(milliseconds, way: way) { $0 * share }
    #expect(times.unit == nil && times.fault(atEnd: true) == nil)
  }

  @Test func `a tracker of 20 µs is not accused for an answer that takes 4 ms to be written`() {
    var times = StatedTimes(isCommand: true)
    for frame in 0..<60 {
      times.add(total: UInt64(15_000 + 200 * frame), wait: 8_000_000, work: 4_000_000)
    }
    #expect(times.unit == nil)
  }

  @Test func `a total that leaves most of an answer's time out is noted`() throws {
    let note = try #require(times(40) { $0 / 50 }.note)
    #expect(note.contains("from a frame's last byte to its answer"))
    #expect(times(40) { $0 }.note == nil)
    // Milliseconds that the answer takes to be written.
    #expect(times(4) { $0 / 10 }.note == nil)
    #expect(times(40, isCommand: false) { $0 / 50 }.note == nil)
  }

  @Test func `a clock of 100 ms on another machine is not accused`() {
    var times = StatedTimes(isCommand: false)
    for frame in 0..<60 {
      let total: UInt64 = frame % 10 == 0 ? 100_000_000 : 0
      times.add(total: total, wait: 11_000_000, work: 10_000_000)
    }
    #expect(times.unit == nil && times.fault(atEnd: true) == nil)
  }

  @Test func `a run ends where the times cannot be, and nothing is written`() throws {
    let folder = try TemporaryFolder()
    let dataset = try DrawnClips.write([.init("a", DrawnClips.moving(6))], in: folder)
    let command =
      #"echo '{"protocol":"facegauge.tracker","version":1,"name":"s","inputs":["dataset"]}'; "#
      + #"while read -r line; do n=${line#*'"frame":'}; n=${n%%[,\}]*}; "#
      + #"echo "{\"frame\":$n,\"stages_ns\":{\"total\":3600000000000},\"faces\":[]}"; done"#
    let plan = TrackerRun(
      dataset: dataset, trackers: [.init(command: command, output: folder.file("p.h5"))])
    let error = #expect(throws: EvaluationError.self) { try plan.run() }
    #expect(error?.description.contains("its times: expected stages_ns in nanoseconds") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.file("p.h5").path))
  }
}
