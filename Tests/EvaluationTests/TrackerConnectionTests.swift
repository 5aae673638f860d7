import Datasets
import FaceCore
import Foundation
import Platform
import Running
import Scoring
import Synchronization
import TestSupport
import Testing

/// Trackers that connect, and what they say of themselves and of the time; bash plays them.
@Suite struct TrackerConnectionTests {
  private let folder: TemporaryFolder
  private let dataset: URL

  init() throws {
    folder = try TemporaryFolder()
    dataset = try DrawnClips.write([.init("a", DrawnClips.moving(6))], in: folder)
  }

  private static let hello =
    #"{"protocol":"facegauge.tracker","version":2,"name":"bash 2","inputs":["dataset"],"#
    + #""device":{"model":"a phone","delegate":"gpu"}}"#
  private static let answer =
    #"{"frame":$n,"received_ns":$now,"finished_ns":$now,"stages_ns":{"total":5},"#
    + #""faces":[{"box":[1,2,30,40],"score":0.5}]}"#
  private static let time = #"{"sync":$n,"received_ns":$now,"sent_ns":$now}"#

  /// A loop that reads requests from descriptor 3 and answers there; `$n` is the request's number, `$now` a clock.
  private static func loop(
    hello: String = hello, answer: String = answer, time: String = time,
    now: String = "$(date +%s%N)", endsAt last: Int = -1
  ) -> String {
    func quoted(_ text: String) -> String { text.replacing("\"", with: "\\\"") }
    return """
      printf '%s\\n' '\(hello)' >&3
      while read -r line <&3; do
        n=${line#*'"sync":'}; n=${n#*'"frame":'}; n=${n%%[,\\}]*}; now=\(now)
        case $line in
          *sync*) echo "\(quoted(time))" >&3;;
          *) if [ "$n" = \(last) ]; then exit; fi; echo "\(quoted(answer))" >&3;;
        esac
      done
      """
  }

  private static func connecting(to port: Int, _ loop: String) -> String {
    "exec 3<>/dev/tcp/127.0.0.1/\(port)\n" + loop
  }

  /// Runs a tracker, with scripts that are started one after the other when the run waits; the notes of the run.
  private func track(
    _ place: String, scripts: [@Sendable (_ port: Int) -> String] = [],
    pace: TrackerRun.Pace = .closed,
    seconds: Int = 600
  ) throws -> (summary: TrackerRun.Summary, notes: [String]) {
    var plan = TrackerRun(
      dataset: dataset, trackers: [.init(command: place, output: folder.file("p.h5"))])
    plan.secondsToAnswer = seconds
    plan.pace = pace
    let notes = Mutex<[String]>([])
    var monitor = RunMonitor.silent
    monitor.note = { note in
      notes.withLock { $0.append(note) }
      guard let port = note.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap({ Int($0.1) }) else {
        return
      }
      let texts = scripts.map { $0(port) }
      Thread {
        for text in texts { _ = try? ProcessResult(running: "/bin/bash", ["-c", text]) }
      }.start()
    }
    let summary = try plan.run(monitor: monitor)[0]
    return (summary, notes.withLock { $0 })
  }

  private func refusal(
    _ place: String, _ script: @escaping @Sendable (_ port: Int) -> String, seconds: Int = 600
  ) -> String {
    do {
      _ = try track(place, scripts: [script], seconds: seconds)
      return "none"
    } catch let error as EvaluationError {
      #expect(!folder.file("p.h5").isThere)
      return error.description
    } catch {
      return "\(error)"
    }
  }

  @Test func `a tracker that connects is measured as one that is started`() throws {
    let (summary, notes) = try track(
      "listen://127.0.0.1:0", scripts: [{ Self.connecting(to: $0, Self.loop()) }])
    #expect(notes.count == 1 && notes[0].hasPrefix("waiting for a tracker to connect to tcp://"))
    let reader = try PredictionsReader(folder.file("p.h5"))
    #expect(reader.header.stages == ["transfer", "total"])
    #expect(reader.header.options["device.model"] == "a phone")
    #expect(reader.header.options["device.delegate"] == "gpu")
    let connected = try reader.predictions(0..<6)
    #expect(summary.transfers.count == 6 && summary.isRemote)
    #expect(connected.map { $0.stageNanoseconds[0] } == summary.transfers.map(Optional.some))

    try FileManager.default.removeItem(at: folder.file("p.h5"))
    try folder.write(
      Self.loop().replacing("<&3", with: "").replacing(">&3", with: ""), to: "tracker.sh")
    let (started, _) = try track("bash '\(folder.file("tracker.sh").path)'")
    #expect(!started.isRemote && started.clock != nil)
    let other = try PredictionsReader(folder.file("p.h5")).predictions(0..<6)
    #expect(other.map(\.faces) == connected.map(\.faces))
    #expect(other.map(\.stageNanoseconds.last) == connected.map(\.stageNanoseconds.last))
  }

  @Test func `a clock that is ahead and fast is told from ours`() throws {
    // Ten frames a second, so that the round trips span a time; 2 s ahead of the system's clock, and twice as fast.
    let start = UInt64(Date().timeIntervalSince1970 * 1e9)
    let (summary, _) = try track(
      "listen://127.0.0.1:0",
      scripts: [
        {
          Self.connecting(
            to: $0, Self.loop(now: "$(( 2 * $(date +%s%N) - \(start) + 2000000000 ))"))
        }
      ], pace: .paced(framesPerSecond: 2))
    let clock = try #require(summary.clock)
    let rate = try #require(clock.partsPerMillion)
    let uncertainty = try #require(clock.rateUncertainty)
    // The way includes a process that is started to read the clock; on a busy machine that takes long, and it is stated.
    #expect(abs(rate - 1e6) < 2 * uncertainty && uncertainty < 5e5, "\(clock)")
  }

  @Test func `a coarse clock leaves the way unknown, and version 1 may say what it likes`() throws {
    let longer = Self.answer.replacing(
      #"finished_ns":$now"#, with: #"finished_ns":$((now + 90000000))"#)
    let (summary, _) = try track(
      "listen://127.0.0.1:0", scripts: [{ Self.connecting(to: $0, Self.loop(answer: longer)) }])
    #expect(summary.frames == 6 && summary.transfers.isEmpty)
    let first = try PredictionsReader(folder.file("p.h5")).predictions(0..<1)[0]
    #expect(first.stageNanoseconds == [nil, 5])
    try FileManager.default.removeItem(at: folder.file("p.h5"))
    let (old, _) = try track(
      "listen://127.0.0.1:0",
      scripts: [
        {
          Self.connecting(
            to: $0,
            Self.loop(
              hello: Self.hello.replacing(":2,", with: ":1,"),
              answer: Self.answer.replacing(#"finished_ns":$now"#, with: #"finished_ns":1"#)))
        }
      ])
    #expect(old.frames == 6 && old.clock == nil && old.stages == ["total"])
  }

  @Test func `only a tracker with the token is sent frames`() throws {
    let (summary, notes) = try track(
      "listen://127.0.0.1:0/5ecret",
      scripts: [
        { Self.connecting(to: $0, #"echo '{"token":"wrong"}' >&3; \#n"# + Self.loop()) },
        { Self.connecting(to: $0, #"head -c 5000 /dev/zero >&3"#) },
        { Self.connecting(to: $0, #"echo '{"token":"5ecret"}' >&3; \#n"# + Self.loop()) },
      ])
    #expect(summary.frames == 6)
    let options = try PredictionsReader(folder.file("p.h5")).header.options
    #expect(options["command"] == "listen://127.0.0.1:0")
    #expect(notes.count == 3)
    #expect(notes[0].hasSuffix("/5ecret"))
    #expect(notes[1] == notes[2] && notes[1].hasPrefix("refused a tracker: expected a first line"))
  }

  @Test func `a tracker that is gone, lies or says nothing gives one line and no file`() {
    let place = "listen://127.0.0.1:0"
    let gone = refusal(place, { Self.connecting(to: $0, "sleep .1") })
    #expect(gone.hasSuffix("version 1 or 2, found the end of the connection"), "\(gone)")
    let silent = refusal(place, { Self.connecting(to: $0, "sleep 60") }, seconds: 1)
    #expect(silent.contains("expected a first line within 1 s, found none"), "\(silent)")
    let cut = refusal(place, { Self.connecting(to: $0, Self.loop(endsAt: 1)) })
    #expect(cut.hasSuffix("frame 1: expected an answer, found the end of the connection"), "\(cut)")
    let future = refusal(
      place,
      { Self.connecting(to: $0, Self.loop(hello: Self.hello.replacing(":2,", with: ":3,"))) })
    #expect(future.contains("version 1 or 2, found '{"), "\(future)")
    let late = refusal(
      place,
      {
        Self.connecting(
          to: $0,
          Self.loop(
            answer: Self.answer.replacing(
              #"finished_ns":$now"#, with: #"finished_ns":9000000000000000000"#)))
      })
    #expect(late.contains("expected received_ns and finished_ns at most"), "\(late)")
    let untimed = refusal(
      place, { Self.connecting(to: $0, Self.loop(time: #"{"sync":$n}"#)) })
    #expect(untimed.contains("expected sync 0 with received_ns and sent_ns"), "\(untimed)")
    let many = #""device":{"a b":"c","#
    let strange = refusal(
      place,
      {
        Self.connecting(
          to: $0, Self.loop(hello: Self.hello.replacing(#""device":{"#, with: many)))
      })
    #expect(strange.contains("expected at most 32 facts of the device"), "\(strange)")
  }

  @Test func `a paced run keeps the frames before a tracker is gone`() throws {
    let script: @Sendable (Int) -> String = { Self.connecting(to: $0, Self.loop(endsAt: 3)) }
    let error = #expect(throws: EvaluationError.self) {
      try track("listen://127.0.0.1:0", scripts: [script], pace: .paced(framesPerSecond: 4))
    }
    let text = error?.description ?? ""
    #expect(text.contains("found the end of the connection; the first 3 frames are in "), "\(text)")
    #expect(text.hasSuffix("p.h5, the others count as not run"), "\(text)")
    let frames = try PredictionsReader(folder.file("p.h5")).predictions(0..<6)
    #expect(frames.map(\.isInSource) == [true, true, true, false, false, false])
    #expect(frames[..<3].allSatisfy { $0.stageNanoseconds.last == 5 })
    #expect(frames[3...].allSatisfy { $0.faces.isEmpty && $0.stageNanoseconds == [nil, nil, nil] })
  }

  @Test func `a paced run keeps the frames before an answer that the file cannot hold`() throws {
    let many = #"$([ $n = 3 ] && seq -s, -f Qa%gQ:1 5000 | tr Q '\042')"#
    let answer = Self.answer.replacing(
      #""score":0.5"#, with: #""score":0.5,"attributes":{"# + many + "}")
    let script: @Sendable (Int) -> String = { Self.connecting(to: $0, Self.loop(answer: answer)) }
    let error = #expect(throws: EvaluationError.self) {
      try track("listen://127.0.0.1:0", scripts: [script], pace: .paced(framesPerSecond: 4))
    }
    let text = error?.description ?? ""
    #expect(text.contains(" attributes, found 5000; the first 3 frames are in "), "\(text)")
    let frames = try PredictionsReader(folder.file("p.h5")).predictions(0..<6)
    #expect(frames.map(\.isInSource) == [true, true, true, false, false, false])
  }

  @Test func `an address that is none, or has nobody, is refused at once`() throws {
    for place in ["tcp://nowhere", "tcp://a:b", "listen://:70", "tcp://u@h:1", "tcp://h:1/a/b"] {
      let error = refusal(place, { _ in "" })
      #expect(error.contains("expected tcp://host:port or listen://host:port"), "\(error)")
    }
    let error = refusal("tcp://127.0.0.1:1", { _ in "" })
    #expect(error == "cannot connect to tcp://127.0.0.1:1: Connection refused")
    #expect(NetworkAddress("tcp://[::1]:80/t")?.description == "tcp://[::1]:80/t")
  }

  @Test func `notes of a tracker come before its first line`() throws {
    try folder.write(
      #"echo '{"note":"open the page"}'"# + "\n"
        + Self.loop().replacing("<&3", with: "").replacing(">&3", with: ""), to: "tracker.sh")
    let (_, notes) = try track("bash '\(folder.file("tracker.sh").path)'")
    #expect(notes == ["open the page"])
  }

  @Test func `image files come as they are stored`() throws {
    // The tracker answers with the number of bytes that it read, and the sum of them as cksum has it.
    let script = """
      echo '\(Self.hello.replacing("dataset", with: "image").replacing(":2,", with: ":1,"))'
      while read -r line; do
        n=${line#*'"frame":'}; n=${n%%[,\\}]*}; count=${line#*'"image_bytes":'}; count=${count%%[,\\}]*}
        sum=$(head -c "$count" | cksum); sum=${sum%% *}
        echo "{\\"frame\\":$n,\\"faces\\":[{\\"box\\":[0,0,1,1],\\"attributes\\":{\\"sum\\":$sum}}]}"
      done
      """
    try folder.write(script, to: "tracker.sh")
    let (summary, _) = try track("bash '\(folder.file("tracker.sh").path)'")
    #expect(summary.input == "image" && summary.frames == 6)
    let predictions = try PredictionsReader(folder.file("p.h5")).predictions(0..<6)
    let reader = try DatasetReader(dataset)
    for (frame, prediction) in predictions.enumerated() {
      guard case .encoded(let bytes) = try reader.image(frame) else {
        Issue.record("expected a file")
        continue
      }
      try Data(bytes).write(to: folder.file("image"))
      let sum = try ProcessResult(running: "/usr/bin/cksum", [folder.file("image").path]).output
      let expected = try #require(Double(sum.prefix { $0 != " " }))
      #expect(prediction.faces.first?.attributes["sum"] == expected)
    }
  }
}
