internal import Platform

/// A timeline in the trace event format, which chrome://tracing and Perfetto open.
///
/// Spans are complete events (`ph` is `X`) with times in microseconds from the first span; spans of one thread nest.
package struct TraceFile: Sendable {
  private struct Span {
    var name: String
    var category: String
    var process: Int
    var thread: Int
    var begin: UInt64
    var end: UInt64
    var arguments: [(name: String, value: String)]
  }

  /// The events that name processes and threads.
  private var names: [String] = []
  private var spans: [Span] = []

  /// Starts without events.
  package init() {}

  /// Names a process of the timeline.
  package mutating func name(process: Int, _ name: String) {
    add(name, as: "process_name", process: process, thread: 0)
  }

  /// Names a thread of a process.
  package mutating func name(thread: Int, ofProcess process: Int, _ name: String) {
    add(name, as: "thread_name", process: process, thread: thread)
  }

  private mutating func add(_ name: String, as kind: String, process: Int, thread: Int) {
    names.append(
      "{\"ph\":\"M\",\"name\":\"\(kind)\",\"pid\":\(process),\"tid\":\(thread),"
        + "\"args\":{\"name\":\(name.quotedForJSON)}}")
  }

  /// Adds a span between two moments, in nanoseconds of one clock; one that ends before it begins is empty.
  package mutating func add(
    _ name: String, category: String, process: Int, thread: Int, begin: UInt64, end: UInt64,
    arguments: [(name: String, value: String)] = []
  ) {
    spans.append(
      Span(
        name: name, category: category, process: process, thread: thread, begin: begin,
        end: max(begin, end), arguments: arguments))
  }

  /// The file: names first, then spans by begin, the longer one first where two begin together.
  package func json() -> [UInt8] {
    let origin = spans.map(\.begin).min() ?? 0
    let sorted = spans.enumerated().sorted {
      ($0.element.begin, $1.element.end, $0.offset) < ($1.element.begin, $0.element.end, $1.offset)
    }
    let lines =
      names
      + sorted.map { _, span in
        let arguments = span.arguments.map { "\($0.name.quotedForJSON):\($0.value.quotedForJSON)" }
        return "{\"ph\":\"X\",\"name\":\(span.name.quotedForJSON),"
          + "\"cat\":\(span.category.quotedForJSON),\"pid\":\(span.process),\"tid\":\(span.thread),"
          + "\"ts\":\(Self.microseconds(span.begin - origin)),"
          + "\"dur\":\(Self.microseconds(span.end - span.begin)),"
          + "\"args\":{\(arguments.joined(separator: ","))}}"
      }
    let text =
      "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n\(lines.joined(separator: ",\n"))\n]}\n"
    return Array(text.utf8)
  }

  /// All digits of a time; rounding could break the nesting of spans.
  private static func microseconds(_ nanoseconds: UInt64) -> String {
    let rest = String(nanoseconds % 1000)
    return "\(nanoseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
