import Datasets
import FaceCore
import FacePipeline
import Foundation
import Metrics
import Records
import Running
import Scoring
import TestSupport
import Testing

/// Other programs as trackers; the shell plays most of them.
@Suite struct TrackerRunTests {
  private let folder: TemporaryFolder
  private let dataset: URL

  init() throws {
    folder = try TemporaryFolder()
    dataset = try DrawnClips.write(
      [.init("a", DrawnClips.moving(6)), .init("b", DrawnClips.moving(3))], in: folder)
  }

  private static let hello =
    #"echo '{"protocol":"facegauge.tracker","version":1,"name":"shell 1","inputs":["dataset"],"#
    + #""stages":["find","total"]}'; "#

  /// A loop that answers each request; `$n` is its frame.
  private static func answering(_ answer: String) -> String {
    hello
      + #"while read -r line; do n=${line#*'"frame":'}; n=${n%%[,\}]*}; echo "\#(answer)"; done"#
  }

  /// Ten minutes to answer are a guard against a test that hangs.
  private func run(_ command: String, seconds: Int = 600) throws -> [FramePrediction] {
    var plan = TrackerRun(
      dataset: dataset, trackers: [.init(command: command, output: folder.file("p.h5"))])
    plan.secondsToAnswer = seconds
    _ = try plan.run()
    let reader = try PredictionsReader(folder.file("p.h5"))
    return try reader.predictions(0..<reader.frameCount)
  }

  @Test func `a tracker finds the programs in this one's folder, despite an alias`() throws {
    let position = folder.file("position")
    _ = try run(
      "command -v facegauge > '\(position.path)'; "
        + Self.answering(#"{\"frame\":$n,\"stages_ns\":{\"total\":1},\"faces\":[]}"#))
    let found = try String(contentsOf: position, encoding: .utf8)
    #expect(found.hasSuffix("/facegauge\n"))
  }

  @Test(arguments: [0, 2, 5, 6])
  func `detections of an answer have the points that its detector outputs`(count: Int) throws {
    let numbers = (0..<2 * count).map { "\($0)" }.joined(separator: ",")
    let detection = #"{\"box\":[1,2,30,40],\"score\":0.9,\"keypoints\":[\#(numbers)]}"#
    let found = try run(
      Self.answering(
        #"{\"frame\":$n,\"stages_ns\":{\"total\":1},\"faces\":[],"#
          + #"\"detections\":[\#(detection)]}"#))
    let points = (0..<count).map { Point(x: Double(2 * $0), y: Double(2 * $0 + 1)) }
    #expect(found.count == 9 && found.allSatisfy { $0.detections.map(\.keypoints) == [points] })
  }

  @Test func `answers become predictions with their own times`() throws {
    let face = #"{\"box\":[1,2,30,40],\"score\":0.9,\"identity\":3,\"presence\":0.5}"#
    let weaker = #"{\"box\":[50,2,10,10],\"score\":0.95}"#
    let found = try run(
      Self.answering(
        #"{\"frame\":$n,\"stages_ns\":{\"total\":$((1000 + n))},\"faces\":[\#(face),\#(weaker)]}"#))
    #expect(found.count == 9)
    #expect(found.map(\.stageNanoseconds) == (0..<9).map { [nil, UInt64(1000 + $0)] })
    #expect(found.allSatisfy { $0.faces.count == 2 && $0.detectorRan })
    let first = try #require(found.first)
    #expect(first.faces[0].ownBox == BoundingBox(x: 1, y: 2, width: 30, height: 40))
    #expect(first.faces[0].identity == 3)
    #expect(first.faces[0].presence == 0.5)
    // By descending score, whatever the order of the faces.
    #expect(first.detections.map(\.box.x) == [50, 1])
    let reader = try PredictionsReader(folder.file("p.h5"))
    #expect(reader.header.stages == ["find", "total"])
    #expect(reader.header.options["tracker"] == "shell 1")
  }

  @Test func `numbers by name come with a face, and null is none`() throws {
    let face = #"{\"box\":[1,2,30,40],\"attributes\":{\"AU12\":2.5,\"age\":null}}"#
    let found = try run(Self.answering(#"{\"frame\":$n,\"faces\":[\#(face)]}"#))
    #expect(found.allSatisfy { $0.faces.map(\.attributes) == [["AU12": 2.5]] })
    try FileManager.default.removeItem(at: folder.file("p.h5"))
    let wrong = face.replacing("AU12", with: "AU 12")
    let error = #expect(throws: EvaluationError.self) {
      try run(Self.answering(#"{\"frame\":$n,\"faces\":[\#(wrong)]}"#))
    }
    let message = try #require(error).description
    #expect(message.contains("found 'AU 12'"), "\(message)")
  }

  @Test func `coefficients have ARKit's names in any spelling, and need no box`() throws {
    let face = #"{\"blendshapes\":{\"JawOpen\":0.5,\"eyeBlink_L\":0.25,\"tongue_out\":0.75}}"#
    let found = try run(Self.answering(#"{\"frame\":$n,\"faces\":[\#(face)]}"#))
    let own = try #require(found.first?.faces.first)
    let shapes = try #require(own.blendshapes)
    #expect(shapes[Blendshape.jawOpen.index] == 0.5)
    #expect(shapes[Blendshape.eyeBlinkLeft.index] == 0.25)
    #expect(shapes[Blendshape.mouthClose.index].isNaN && own.box == nil)
    #expect(own.attributes["tongueOut"] == 0.75)
    try FileManager.default.removeItem(at: folder.file("p.h5"))
    let other = #"{\"blendshapes\":{\"Jaw_Drop\":0.5}}"#
    let error = #expect(throws: EvaluationError.self) {
      try run(Self.answering(#"{\"frame\":$n,\"faces\":[\#(other)]}"#))
    }
    #expect(error?.description.contains("such as jawOpen") == true)
    let twice = #"{\"blendshapes\":{\"jawOpen\":0.5,\"jaw_open\":0.25}}"#
    let repeated = #expect(throws: EvaluationError.self) {
      try run(Self.answering(#"{\"frame\":$n,\"faces\":[\#(twice)]}"#))
    }
    #expect(repeated?.description.contains("found jawOpen in two spellings") == true)
  }

  @Test func `a tracker without a time of its own is timed from request to answer`() throws {
    let found = try run(Self.answering(#"{\"frame\":$n,\"faces\":[]}"#))
    #expect(found.allSatisfy { ($0.stageNanoseconds.last.flatMap { $0 } ?? 0) > 0 })
  }

  @Test(arguments: [
    ("exec false", "found the program's end with status 1"),
    ("echo hi", "found 'hi'"),
    ("echo bad news >&2; exit 3", "status 3, last error line: bad news"),
    ("kill -9 $$", "found the program's end by a signal"),
    (TrackerRunTests.hello + "exit 0", "frame 0: expected an answer, found the program's end"),
    (
      TrackerRunTests.hello + "exec cat >/dev/null",
      "frame 0: expected an answer, found the program's end"
    ),
    (
      TrackerRunTests.hello + "read -r line; echo nonsense; sleep 9",
      "frame 0: expected an answer, found 'nonsense'"
    ),
    (
      TrackerRunTests.answering(#"{\"frame\":7}"#), "expected an answer to it, found one to frame 7"
    ),
    (
      TrackerRunTests.answering(#"{\"frame\":$n,\"faces\":[{\"box\":[1,2,3]}]}"#),
      "expected x, y, width, height of a box"
    ),
    (
      TrackerRunTests.answering(#"{\"frame\":$n,\"faces\":[{\"points\":[1,2,3]}]}"#),
      "expected no points without a scheme"
    ),
    (
      TrackerRunTests.answering(#"{\"frame\":$n,\"faces\":[{}]}"#),
      "expected a box, a point that is known, or"
    ),
    (
      TrackerRunTests.answering(
        #"{\"frame\":$n,\"faces\":[{\"box\":[1,2,3,4],\"presence\":1.5}]}"#),
      "expected a presence of 0 to 1, found 1.5"
    ),
    (
      TrackerRunTests.answering(
        #"{\"frame\":$n,\"faces\":[{\"box\":[1,2,3,4],\"identity\":1099511627776}]}"#),
      "expected an identity of 0 to 2147483646, found 1099511627776"
    ),
    (
      TrackerRunTests.answering(
        #"{\"frame\":$n,\"faces\":[{\"box\":[1,2,3,4],\"score\":1e308}]}"#),
      "expected whole numbers where things are counted, and no number beyond 3.4e38, found one with decimals"
    ),
    (
      TrackerRunTests.hello
        + #"read -r line; printf '{"frame":0,"x":"'; head -c 34000000 /dev/zero | tr '\0' a; sleep 9"#,
      "frame 0: expected a line of at most 32 MiB, found a longer one"
    ),
    (
      TrackerRunTests.answering(#"{\"frame\":$n,\"stages_ns\":{\"other\":1}}"#),
      "expected times of find, total, found 'other'"
    ),
    (
      TrackerRunTests.answering(#"{\"frame\":$n,\"stages_ns\":{\"total\":-1}}"#),
      "frame 0: expected whole nanoseconds in stages_ns.total, found -1.0"
    ),
    (
      TrackerRunTests.answering(#"{\"frame\":$n,\"stages_ns\":{\"total\":0.003}}"#),
      "frame 0: expected whole nanoseconds in stages_ns.total, found 0.003"
    ),
    (
      TrackerRunTests.answering(#"{\"frame\":$n,\"faces\":[{\"box\":[1,NaN,3,4]}]}"#),
      "frame 0: cannot read 'faces[0].box[1]' in its answer: expected a JSON value, found NaN"
    ),
    (
      TrackerRunTests.answering(#"{\"frame\":$n,\"faces\":[{\"box\":\"none\"}]}"#),
      "frame 0: cannot read 'faces[0].box' in its answer: expected a list"
    ),
    (
      TrackerRunTests.answering(#"{\"frame\":$n,\"faces\":[],\"faces\":[]}"#),
      "frame 0: cannot read its answer: expected each key once, found 'faces' twice"
    ),
    (
      TrackerRunTests.answering(
        #"{\"frame\":$n,\"faces\":[{\"box\":[1,2,3,4],\"transform\":[1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1]}]}"#
      ), "found [5.0, 6.0, 7.0, 1.0], as of one by columns (transpose it)"
    ),
    (
      TrackerRunTests.answering(
        #"{\"frame\":$n,\"detections\":[{\"box\":[1,2,3,4],\"score\":1,\"keypoints\":[5]}]}"#),
      "expected x and y of at most 6 points in keypoints, found 1 numbers"
    ),
    (TrackerRunTests.answering(#"{\"frame\":$n,\"error\":\"no\"}"#), "expected at most 0 broken"),
    (
      TrackerRunTests.answering(#"{\"frame\":$n}"#).replacingOccurrences(
        of: "done", with: "[ $n = 8 ] && exit 4; done"),
      "expected status 0, found the program's end"
    ),
  ])
  func `a tracker that fails gives one line and no file`(command: String, words: String) {
    let error = #expect(throws: EvaluationError.self) { try run(command) }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("\n") == false)
    #expect((try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) == ["clips.h5"])
  }

  @Test(arguments: [
    "exec sleep 3600", "sleep 3600 & wait", "while true; do echo noise >&2; sleep 0.01; done",
    TrackerRunTests.hello + "exec sleep 3600",
    TrackerRunTests.answering(#"{\"frame\":$n}"#).replacingOccurrences(
      of: "done", with: "done; exec sleep 3600"),
  ])
  func `a tracker that hangs is ended after the time limit`(command: String) {
    let error = #expect(throws: EvaluationError.self) { try run(command, seconds: 1) }
    #expect(
      error?.description.contains("within 1 s, found none") == true,
      "\(error?.description ?? "")")
  }

  @Test func `a tracker's stage may not have the name of a metric of ours`() {
    let command = Self.hello.replacing("\"find\"", with: "\"unaccounted\"") + "cat >/dev/null"
    let error = #expect(throws: EvaluationError.self) { try run(command) }
    #expect(error?.description.contains("than unaccounted, response, transfer, pipeline") == true)
  }

  @Test func `frames that one tracker could not read are left out of the ratio`() throws {
    func tracker(_ nanoseconds: Int, broken: Int) -> String {
      Self.hello
        + #"while read -r line; do n=${line#*'"frame":'}; n=${n%%[,\}]*}; if [ $n = \#(broken) ]; "#
        + #"then echo "{\"frame\":$n,\"error\":\"no\"}"; else "#
        + #"echo "{\"frame\":$n,\"stages_ns\":{\"total\":$((\#(nanoseconds) << n))},\"faces\":[]}"; fi; done"#
    }
    var plan = TrackerRun(
      dataset: dataset,
      trackers: [(1000, 2), (3000, 5)].map {
        .init(command: tracker($0, broken: $1), output: folder.file("\($1).h5"))
      })
    plan.maxBadFrames = 1
    plan.isVideo = false
    let summaries = try plan.run()
    let ratio = try #require(summaries[1].ratio(to: summaries[0]))
    #expect(abs(ratio.median - 3) < 1e-12 && ratio.starts == 7)
    let interval = try #require(ratio.interval)
    #expect(abs(interval.lowerBound - 3) < 1e-12 && abs(interval.upperBound - 3) < 1e-12)
    plan.starts = 5
    plan.replaces = true
    let fewer = try plan.run()
    let advisory = try #require(fewer[1].ratio(to: fewer[0]))
    #expect(advisory.starts == 5 && advisory.interval == nil)
  }

  @Test func `several trackers are started again before a sequence, one tracker is not`() throws {
    let answer = Self.answering(#"{\"frame\":$n,\"stages_ns\":{\"total\":1000},\"faces\":[]}"#)
    let log = folder.file("starts")
    func starts(
      _ trackers: Int, atMost count: Int, isVideo: Bool = false
    ) throws -> (lines: Int, frames: [Range<Int>]) {
      try? FileManager.default.removeItem(at: log)
      var plan = TrackerRun(
        dataset: dataset,
        trackers: (0..<trackers).map {
          .init(
            command: "echo >> '\(log.path)'; " + answer, output: folder.file("\($0).h5"))
        })
      plan.starts = count
      plan.isVideo = isVideo
      plan.replaces = true
      let summary = try plan.run()
      #expect(summary.allSatisfy { $0.frames == 9 })
      return (try String(contentsOf: log, encoding: .utf8).count, summary[0].starts)
    }
    #expect(try starts(1, atMost: 12).lines == 1)
    #expect(try starts(2, atMost: 12, isVideo: true) == (4, [0..<6, 6..<9]))
    #expect(try starts(2, atMost: 12) == (18, (0..<9).map { $0..<$0 + 1 }))
    #expect(try starts(2, atMost: 2) == (4, [0..<5, 5..<9]))
    #expect(try starts(3, atMost: 1) == (3, [0..<9]))
  }

  @Test func `a tracker that reports more faces than a frame may have is refused at the frame`()
    throws
  {
    let many =
      Self.hello + #"""
        read -r line; echo '{"frame":0,"faces":[]}'; read -r line
        one='{"box":[1,2,3,4],"score":0.5}'; ten="$one,$one,$one,$one,$one,$one,$one,$one,$one,$one"
        hundred="$ten,$ten,$ten,$ten,$ten,$ten,$ten,$ten,$ten,$ten"; printf '{"frame":1,"faces":[%s' "$one"
        n=0; while [ $n -lt 100 ]; do printf ',%s' "$hundred"; n=$((n + 1)); done; echo ']}'; cat
        """#
    let error = #expect(throws: EvaluationError.self) { _ = try run(many) }
    #expect(error?.description.hasPrefix("cannot track with '") == true)
    #expect(
      error?.description.hasSuffix("', frame 1: expected at most 10000 faces, found 10001") == true,
      "\(error?.description ?? "")")
    #expect(!FileManager.default.fileExists(atPath: folder.file("p.h5").path))
  }

  @Test func `a tracker that says something else after a new start is refused`() throws {
    let changing = Self.answering(#"{\"frame\":$n,\"stages_ns\":{\"total\":1000},\"faces\":[]}"#)
      .replacing("shell 1", with: "shell '$$'")
    let plan = TrackerRun(
      dataset: dataset,
      trackers: ["a", "b"].map { .init(command: changing, output: folder.file("\($0).h5")) })
    let error = #expect(throws: EvaluationError.self) { _ = try plan.run() }
    #expect(error?.description.contains("expected the first line of the start before") == true)
  }

  @Test func `files of trackers that took turns are known as such when they are compared`() throws {
    let answer = Self.answering(#"{\"frame\":$n,\"stages_ns\":{\"total\":1000},\"faces\":[]}"#)
    func track(_ names: String...) throws {
      let plan = TrackerRun(
        dataset: dataset,
        trackers: names.map { .init(command: answer, output: folder.file("\($0).h5")) })
      _ = try plan.run()
      for name in names {
        var evaluated = EvaluationPlan(dataset: dataset, run: folder.file(name))
        evaluated.predictions = folder.file("\(name).h5")
        evaluated.bootstrap.resamples = 0
        _ = try evaluated.finish()
      }
    }
    func notes(_ base: String, _ candidate: String) throws -> String {
      try RunComparison.run(
        ComparisonPlan(runs: [folder.file(base), folder.file(candidate)])
      ).result.notes.joined(separator: " ")
    }
    try track("a", "b")
    try track("c")
    #expect(try notes("a", "b").contains("alternately on each frame"))
    let apart = try notes("a", "c")
    #expect(apart.contains("made one after the other"))
    #expect(!apart.contains("alternately on each frame"))
  }

  @Test func `pixels come whole, whatever their number`() throws {
    let command =
      Self.hello.replacing("\"dataset\"", with: "\"rgb\"")
      + #"while read -r line; do n=${line#*'"frame":'}; n=${n%%[,\}]*}; "#
      + #"c=${line#*'"rgb_bytes":'}; c=${c%%[,\}]*}; "#
      + #"m=$(dd iflag=fullblock bs=$c count=1 2>/dev/null | wc -c); "#
      + #"echo "{\"frame\":$n,\"faces\":[{\"box\":[0,0,$m,$c]}]}"; done"#
    // The shell reads byte by byte, so that the pixels are left to dd.
    let found = try run(command)
    let pixels = Double(DrawnDataset.size.width * DrawnDataset.size.height * 3)
    #expect(found.count == 9)
    for frame in found {
      #expect(frame.faces.first?.ownBox?.width == pixels)
      #expect(frame.faces.first?.ownBox?.height == pixels)
    }
  }

  @Test func `a clip whose first image is broken begins anew with the next one`() throws {
    var second = DrawnClips.moving(3)
    second[0].isBroken = true
    let clips = try DrawnClips.write(
      [.init("a", DrawnClips.moving(2)), .init("b", second)], as: "broken.h5", in: folder)
    let log = folder.file("resets")
    let command =
      Self.hello.replacing("\"dataset\"", with: "\"rgb\"")
      + #"while read -r line; do n=${line#*'"frame":'}; n=${n%%[,\}]*}; "#
      + #"c=${line#*'"rgb_bytes":'}; dd iflag=fullblock bs=${c%%[,\}]*} count=1 >/dev/null 2>&1; "#
      + #"case $line in *'"reset":true'*) echo $n >> '\#(log.path)';; esac; "#
      + #"echo "{\"frame\":$n,\"faces\":[]}"; done"#
    var plan = TrackerRun(
      dataset: clips, trackers: [.init(command: command, output: folder.file("p.h5"))])
    plan.maxBadFrames = 1
    _ = try plan.run()
    #expect(try String(contentsOf: log, encoding: .utf8) == "0\n3\n")
  }
}
