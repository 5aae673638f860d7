import CommandSyntax
import Synchronization
import Testing

@Suite("Progress")
struct ProgressTests {
  private static let line = ProgressLine(
    label: "Evaluating", unit: "frames", completed: 250, total: 1000, sinceStart: 250,
    elapsed: .seconds(5))

  @Test(
    arguments: [
      (80, "Evaluating [########------------------------]  250/1000 frames  50.0/s  ETA 0:15"),
      (60, "Evaluating [###---------]  250/1000 frames  50.0/s  ETA 0:15"),
      (53, "Evaluating [#----]  250/1000 frames  50.0/s  ETA 0:15"),
      (52, "Evaluating  250/1000 frames  50.0/s  ETA 0:15"),
      (40, "Evaluating  250/1000 frames  50.0/s"), (30, "Evaluating  250/1000 frames"),
      (12, "Evaluating  "), (4, "Eval"), (0, ""),
    ])
  func `the line fits its width, and drops what there is no room for`(
    columns: Int, expected: String
  ) {
    let text = Self.line.rendered(columns: columns)
    #expect(text == expected)
    #expect(text.displayWidth <= columns)
  }

  @Test(
    arguments: [
      (0, 1000, 0, 0, "0/1000 frames"), (0, nil, 0, 3, "0 frames"),
      (30, nil, 30, 10, "30 frames  3.0/s"),
      (5, 1000, 5, 60, "5/1000 frames  5.0/min  ETA 3:19:00"),
      (600, 1000, 100, 10, "600/1000 frames  10.0/s  ETA 0:40"),
      (1000, 1000, 1000, 1, "1000/1000 frames  1000/s  ETA 0:00"),
      (1200, 1000, 1200, 1, "1200/1000 frames  1200/s  ETA 0:00"),
      (1, .max, 1, 1000, "1/9223372036854775807 frames  0.1/min  ETA 99:59:59"),
    ] as [(Int, Int?, Int, Int, String)])
  func `rate and remaining time count only what was done since the start`(
    completed: Int, total: Int?, sinceStart: Int, seconds: Int, expected: String
  ) {
    let line = ProgressLine(
      label: "", unit: "frames", completed: completed, total: total, sinceStart: sinceStart,
      elapsed: .seconds(seconds))
    let text = line.rendered(columns: 200)
    #expect(text.hasSuffix("  " + expected))
  }

  @Test func `labels of wide characters and control characters still fit`() {
    var line = Self.line
    line.label = "顔\u{1B}[2J\n"
    #expect(line.rendered(columns: 40) == "顔\\u{1b}[2J\\n  250/1000 frames  50.0/s")
    #expect(line.rendered(columns: 1) == "")
  }

  @Test func `a bar is drawn at most ten times a second and erased when it ends`() {
    let screen = Screen()
    let clock = TestClock()
    let diagnostics = screen.diagnostics(isTerminal: true)
    let bar = ProgressBar(
      "Work", total: 100, unit: "steps", on: diagnostics, elapsed: { clock.now })
    for _ in 0..<100 {
      clock.advance(milliseconds: 10)
      bar.advance()
    }
    diagnostics.warning("odd step")
    bar.finish()
    bar.advance()
    let drawn = screen.text.components(of: "\r\u{1B}[K")
    #expect(drawn.first == "Work [\(String(repeating: "-", count: 25))]  0/100 steps")
    #expect(drawn.count == 13)
    #expect(drawn[10].hasSuffix("  100/100 steps  100/s  ETA 0:00"))
    #expect(drawn[11] == "\u{1B}[1;33mwarning:\u{1B}[0m odd step\n" + drawn[10])
    #expect(drawn[12] == "")
  }

  @Test func `releasing a bar erases it`() {
    let screen = Screen()
    do {
      let bar = ProgressBar(
        "Work", total: 2, unit: "steps", on: screen.diagnostics(isTerminal: true))
      bar.advance()
    }
    #expect(screen.text.hasSuffix("\r\u{1B}[K"))
  }

  @Test
  func
    `anywhere but on a terminal there is a line every 30 seconds, over loops that follow each other`()
  {
    let screen = Screen()
    let clock = TestClock()
    let diagnostics = screen.diagnostics(isTerminal: false)
    let pace = ProgressPace(elapsed: { clock.now })
    let first = ProgressBar(
      "Work", total: 100, unit: "steps", on: diagnostics, pace: pace, elapsed: { clock.now })
    for _ in 0..<50 {
      clock.advance(milliseconds: 500)
      first.advance()
    }
    first.finish()
    #expect(screen.text == "", "25 seconds are no long silence")
    let start = clock.now
    let second = ProgressBar(
      "More work", total: 90, unit: "steps", on: diagnostics, pace: pace,
      elapsed: { clock.now - start })
    for _ in 0..<80 {
      clock.advance(milliseconds: 500)
      second.advance()
    }
    second.finish()
    clock.advance(milliseconds: 60_000)
    second.advance()
    #expect(
      screen.text == """
        More work  10/90 steps  2.0/s  ETA 0:40
        More work  70/90 steps  2.0/s  ETA 0:10

        """)
  }

  @Test func `quick work outside of a terminal prints nothing`() {
    let screen = Screen()
    let bar = ProgressBar(
      "Work", total: 2, unit: "steps", on: screen.diagnostics(isTerminal: false))
    bar.advance(by: 2)
    bar.finish()
    #expect(screen.text == "")
  }

  @Test func `many tasks may advance one bar, and none is lost`() async {
    let screen = Screen()
    let clock = TestClock()
    let bar = ProgressBar(
      "Work", total: 10_000, unit: "steps", on: screen.diagnostics(isTerminal: true),
      elapsed: { clock.now })
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<10 {
        group.addTask { for _ in 0..<1000 { bar.advance() } }
      }
    }
    clock.advance(milliseconds: 200)
    bar.advance(by: 0)
    #expect(screen.text.contains("10000/10000 steps"))
  }
}

extension String {
  fileprivate func components(of separator: String) -> [String] {
    split(separator: separator, omittingEmptySubsequences: false).map(String.init)
  }
}

/// A clock that stands still until it is told to go on.
private final class TestClock: Sendable {
  private let milliseconds = Atomic(0)
  var now: Duration { .milliseconds(milliseconds.load(ordering: .relaxed)) }
  func advance(milliseconds count: Int) { milliseconds.add(count, ordering: .relaxed) }
}
