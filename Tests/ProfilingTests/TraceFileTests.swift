import Foundation
import Profiling
import Testing

@Suite struct TraceFileTests {
  private struct File: Decodable {
    struct Event: Decodable {
      var ph: String
      var name: String
      var cat: String?
      var pid: Int
      var tid: Int
      var ts: Double?
      var dur: Double?
      var args: [String: String]
    }
    var displayTimeUnit: String
    var traceEvents: [Event]
  }

  private func read(_ file: TraceFile) throws -> File {
    try JSONDecoder().decode(File.self, from: Data(file.json()))
  }

  @Test func `spans are complete events in microseconds from the first, names come first`() throws {
    var file = TraceFile()
    file.add("b", category: "c", process: 1, thread: 2, begin: 5_002_000, end: 5_003_001)
    file.add(
      "a", category: "c", process: 1, thread: 2, begin: 5_000_000, end: 6_000_000,
      arguments: [(name: "k", value: "v")])
    file.name(process: 1, "p")
    file.name(thread: 2, ofProcess: 1, "t")
    let read = try read(file)
    #expect(read.traceEvents.map(\.ph) == ["M", "M", "X", "X"])
    #expect(read.traceEvents.map(\.name) == ["process_name", "thread_name", "a", "b"])
    #expect(read.traceEvents[0].args == ["name": "p"])
    #expect(read.traceEvents[2].ts == 0 && read.traceEvents[2].dur == 1000)
    #expect(read.traceEvents[3].ts == 2 && read.traceEvents[3].dur == 1.001)
    #expect(read.traceEvents[2].args == ["k": "v"])
  }

  @Test func `a span is written before those inside it even where they begin together`() throws {
    var file = TraceFile()
    file.add("inner", category: "c", process: 1, thread: 1, begin: 10, end: 20)
    file.add("outer", category: "c", process: 1, thread: 1, begin: 10, end: 30)
    #expect(try read(file).traceEvents.map(\.name) == ["outer", "inner"])
  }

  @Test(arguments: ["a \"quoted\" \\ name", "line\nbreak\ttab\u{1}", "é 顔 \u{1F600}", ""])
  func `any name comes through`(name: String) throws {
    var file = TraceFile()
    file.add(name, category: name, process: 1, thread: 1, begin: 0, end: 1)
    file.name(process: 1, name)
    let events = try read(file).traceEvents
    #expect(events[0].args["name"] == name)
    #expect(events[1].name == name && events[1].cat == name)
  }

  @Test func `a span that ends before it begins is empty and no events are a file too`() throws {
    var file = TraceFile()
    #expect(try read(file).traceEvents.isEmpty)
    file.add("x", category: "c", process: 1, thread: 1, begin: 9, end: 3)
    #expect(try read(file).traceEvents[0].dur == 0)
  }
}
