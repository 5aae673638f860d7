import Foundation

/// What Chrome's trace event format asks of a file with complete and metadata events.
struct TraceRules {
  private struct File: Decodable {
    var traceEvents: [Event]
  }

  private struct Event: Decodable {
    var ph: String
    var name: String
    var cat: String?
    var pid: Int
    var tid: Int
    var ts: Double?
    var dur: Double?
    var args: [String: String]?

    var nanoseconds: (begin: Int, end: Int) {
      let begin = Int(((ts ?? -1) * 1000).rounded())
      return (begin, begin + Int(((dur ?? -1) * 1000).rounded()))
    }
  }

  private let spans: [Event]
  /// A sentence for each rule that is broken.
  private(set) var broken: [String] = []

  /// Reads a file in the object form; throws where it is no such file.
  init(_ json: Data) throws {
    let events = try JSONDecoder().decode(File.self, from: json).traceEvents
    spans = events.filter { $0.ph == "X" }
    for event in events where !["X", "M"].contains(event.ph) {
      broken.append("unknown phase \(event.ph)")
    }
    for event in events where event.ph == "M" {
      if !["process_name", "thread_name"].contains(event.name) || event.args?["name"] == nil {
        broken.append("metadata \(event.name) without a name")
      }
    }
    let processes = Set(events.filter { $0.name == "process_name" }.map(\.pid))
    let threads = Set(events.filter { $0.name == "thread_name" }.map { [$0.pid, $0.tid] })
    for span in spans {
      if span.cat?.isEmpty ?? true { broken.append("\(span.name) has no category") }
      if !((span.ts ?? -1) >= 0 && (span.dur ?? -1) >= 0) {
        broken.append("\(span.name) has no time")
      }
      if !processes.contains(span.pid) { broken.append("process \(span.pid) has no name") }
      if !threads.contains([span.pid, span.tid]) {
        broken.append("thread \(span.tid) has no name")
      }
    }
    if spans.map({ $0.ts ?? 0 }) != spans.map({ $0.ts ?? 0 }).sorted() {
      broken.append("spans are not in the order of time")
    }
    for (_, lane) in Dictionary(grouping: spans, by: { [$0.pid, $0.tid] }) {
      var open: [(name: String, end: Int)] = []
      for span in lane {
        let (begin, end) = span.nanoseconds
        while let last = open.last, last.end <= begin { open.removeLast() }
        if let last = open.last, end > last.end {
          broken.append("\(span.name) begins in \(last.name) and ends after it")
        }
        open.append((span.name, end))
      }
    }
  }

  /// How many spans have a name, and an argument where one is asked for.
  func count(of name: String, with argument: String? = nil) -> Int {
    spans.count { span in
      span.name == name && argument.map { span.args?[$0] != nil } ?? true
    }
  }
}
