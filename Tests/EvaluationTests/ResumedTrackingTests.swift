import Datasets
import FaceCore
import Foundation
import Running
import TestSupport
import Testing

/// Runs of a tracker that end early and are continued.
@Suite struct ResumedTrackingTests {
  private let folder: TemporaryFolder
  private let dataset: URL

  /// Clips of 200, 150 and 250 frames: parts of 256 frames end within the second and the third.
  init() throws {
    folder = try TemporaryFolder()
    dataset = try DrawnClips.write(
      [
        .init("a", DrawnClips.moving(200)), .init("b", DrawnClips.moving(150)),
        .init("c", DrawnClips.moving(250)),
      ], in: folder)
  }

  /// A tracker of the shell that writes each frame to `seen`, and ends at a frame unless the file `mended` is there.
  private func tracker(endsAt end: Int, name: String) -> String {
    #"echo '{"protocol":"facegauge.tracker","version":1,"name":"\#(name)","inputs":["dataset"],"#
      + #""stages":["total"]}'; while read -r line; do n=${line#*'"frame":'}; n=${n%%[,\}]*}; "#
      + "echo $n >> '\(folder.file("seen").path)'; "
      + "[ $n -lt \(end) ] || [ -e '\(folder.file("mended").path)' ] || exit 7; "
      + #"echo "{\"frame\":$n,\"stages_ns\":{\"total\":$((1000 + n))},"#
      + #"\"faces\":[{\"box\":[$n,2,30,40]}]}"; done"#
  }

  private func plan(
    endsAt end: Int, tracker name: String = "shell 1", resumes: Bool = false,
    to file: String = "p.h5"
  ) -> TrackerRun {
    var plan = TrackerRun(
      dataset: dataset,
      trackers: [.init(command: tracker(endsAt: end, name: name), output: folder.file(file))])
    plan.secondsToAnswer = 600
    plan.resumes = resumes
    return plan
  }

  private func predictions(_ name: String) throws -> [FramePrediction] {
    let reader = try PredictionsReader(folder.file(name))
    // Readings have times of answers.
    return try reader.predictions(0..<reader.frameCount).map { prediction in
      var prediction = prediction
      prediction.readings = []
      return prediction
    }
  }

  private func seen() throws -> [Int] {
    try String(contentsOf: folder.file("seen"), encoding: .utf8).split(separator: "\n").map {
      try #require(Int($0))
    }
  }

  private func mend() throws { try Data().write(to: folder.file("mended")) }

  @Test func `a resumed run continues after the last part, from the start of its video`() throws {
    let error = #expect(throws: EvaluationError.self) { try plan(endsAt: 300).run() }
    let message = try #require(error).description
    #expect(error?.kind == .wrongData)
    #expect(
      message.hasSuffix(
        "found the program's end with status 7; the first 256 frames are kept (--resume goes on)"),
      "\(message)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("p.h5").path))

    // Without a word about it the work is neither lost nor continued.
    let refused = #expect(throws: EvaluationError.self) { try plan(endsAt: 300).run() }
    #expect(refused?.kind == .cannotWrite)
    #expect(try #require(refused).description.contains("--resume continues it"))

    try mend()
    try FileManager.default.removeItem(at: folder.file("seen"))
    let summary = try #require(plan(endsAt: 300, resumes: true).run().first)
    #expect(try seen() == Array(200..<600))
    #expect(summary.frames == 600 && summary.faces == 600 && summary.broken == 0)
    #expect(summary.nanoseconds == (0..<600).map { UInt64(1000 + $0) })
    #expect(summary.answers == summary.answers.sorted())

    _ = try plan(endsAt: 300, to: "whole.h5").run()
    #expect(try predictions("p.h5") == predictions("whole.h5"))
    let reader = try PredictionsReader(folder.file("p.h5"))
    let whole = try PredictionsReader(folder.file("whole.h5"))
    #expect(reader.header.options["resumed"] == "frame 256")
    #expect(whole.header.options["resumed"] == nil)
    #expect(reader.header.facts == whole.header.facts)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        == ["clips.h5", "mended", "p.h5", "seen", "whole.h5"])
  }

  @Test func `stills of a dataset without a table of sequences are continued`() throws {
    let stills = try DrawnDataset.write(
      DrawnDataset.faces(300), asOne: .still, hasSequences: false, in: folder)
    var first = plan(endsAt: 280)
    first.dataset = stills
    #expect(throws: EvaluationError.self) { try first.run() }
    try mend()
    try FileManager.default.removeItem(at: folder.file("seen"))
    var rest = plan(endsAt: 280, resumes: true)
    rest.dataset = stills
    let summary = try #require(rest.run().first)
    #expect(try seen() == Array(256..<300))
    #expect(summary.frames == 300)
  }

  @Test func `what ends again keeps more, and is whole at last`() throws {
    #expect(throws: EvaluationError.self) { try plan(endsAt: 256).run() }
    #expect(throws: EvaluationError.self) { try plan(endsAt: 256, resumes: true).run() }
    try mend()
    _ = try plan(endsAt: 256, resumes: true).run()
    #expect(try predictions("p.h5").count == 600)
  }

  @Test func `a run of another tracker is not continued, and stays`() throws {
    #expect(throws: EvaluationError.self) { try plan(endsAt: 300).run() }
    let error = #expect(throws: EvaluationError.self) {
      try plan(endsAt: 300, tracker: "shell 2", resumes: true).run()
    }
    #expect(error?.kind == .wrongData)
    #expect(
      try #require(error).description.contains(
        "expected tracker shell 1 as before, found shell 2"))
    var other = plan(endsAt: 300, resumes: true)
    other.isVideo = false
    let mode = #expect(throws: EvaluationError.self) { try other.run() }
    #expect(try #require(mode).description.contains("expected mode video as before, found image"))
    // The same tracker may be started in another way.
    _ = try plan(endsAt: 600, resumes: true).run()
    #expect(try predictions("p.h5").count == 600)
  }

  @Test func `a damaged part is one line that says how to go on`() throws {
    #expect(throws: EvaluationError.self) { try plan(endsAt: 300).run() }
    let part = folder.file("p.h5.partial/segments/0.h5")
    try Data([1, 2, 3]).write(to: part)
    let error = #expect(throws: EvaluationError.self) { try plan(endsAt: 300, resumes: true).run() }
    let message = try #require(error).description
    #expect(error?.kind == .wrongData)
    #expect(message.contains("segments/0.h5"), "\(message)")
    #expect(message.hasSuffix(" (--force starts again)"), "\(message)")
    #expect(FileManager.default.fileExists(atPath: part.path))
  }

  @Test(arguments: [1e300, 1e8, -1])
  func `times of answers that no run has do not end a continued one`(first: Double) throws {
    #expect(throws: EvaluationError.self) { try plan(endsAt: 300).run() }
    let part = folder.file("p.h5.partial/segments/0.h5")
    let reader = try PredictionsReader(part)
    let writer = try PredictionsWriter(folder.file("part.h5"), header: reader.header)
    for var prediction in try reader.predictions(0..<reader.frameCount) {
      if prediction.frame == 0 { prediction.readings[0] = first }
      try writer.add(prediction)
    }
    try writer.finish()
    try FileManager.default.removeItem(at: part)
    try FileManager.default.moveItem(at: folder.file("part.h5"), to: part)
    try mend()
    let summary = try #require(plan(endsAt: 300, resumes: true).run().first)
    #expect(summary.frames == 600 && summary.answers == summary.answers.sorted())
  }

  @Test func `nothing stays before the first part, and nothing cannot be continued`() throws {
    let error = #expect(throws: EvaluationError.self) { try plan(endsAt: 255).run() }
    #expect(try #require(error).description.hasSuffix("with status 7"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        == ["clips.h5", "seen"])
    let missing = #expect(throws: EvaluationError.self) {
      try plan(endsAt: 255, resumes: true).run()
    }
    #expect(missing?.kind == .notFound)
  }

  @Test func `an interrupted run keeps its parts`() throws {
    let path = folder.file("seen").path
    let monitor = RunMonitor(
      begin: { _, _ in }, advanceBy: { _ in },
      isInterrupted: {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.hasSuffix("\n280\n")
      })
    let error = #expect(throws: EvaluationError.self) {
      try plan(endsAt: 600).run(monitor: monitor)
    }
    #expect(error?.kind == .interrupted)
    let message = try #require(error).description
    #expect(
      message.hasSuffix("; the first 256 frames are kept (--resume goes on)"), "\(message)")
    #expect(!message.contains("nothing"))
    _ = try plan(endsAt: 600, resumes: true).run()
    #expect(try predictions("p.h5").count == 600)
  }

  @Test func `the unit of the times before an interruption is not forgotten`() throws {
    let command =
      #"echo '{"protocol":"facegauge.tracker","version":1,"name":"s","inputs":["dataset"]}'; "#
      + #"while read -r line; do n=${line#*'"frame":'}; n=${n%%[,\}]*}; "#
      + "[ $n -lt 258 ] || [ -e '\(folder.file("mended").path)' ] || exit 7; "
      + "a=$(date +%s%N); sleep 0.004; b=$(date +%s%N); "
      + #"echo "{\"frame\":$n,\"stages_ns\":{\"total\":$(((b - a) / 1000))},\"faces\":[]}"; done"#
    var plan = TrackerRun(
      dataset: try DrawnDataset.write(
        Array(repeating: DrawnDataset.Image(), count: 260), in: folder),
      trackers: [.init(command: command, output: folder.file("p.h5"))])
    plan.secondsToAnswer = 600
    #expect(throws: EvaluationError.self) { try plan.run() }
    try mend()
    plan.resumes = true
    // The four frames that are left are too few to tell.
    _ = try plan.run()
    #expect(try PredictionsReader(folder.file("p.h5")).header.timesUnit == 1000)
  }
}
