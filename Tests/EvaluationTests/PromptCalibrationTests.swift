import Calibration
import Datasets
import FaceCore
import Foundation
import Metrics
import Platform
import Records
import Running
import Scoring
import Statistics
import TestSupport
import Testing
import Tuning

/// One person who follows prompts, and a tracker with a known rest, gain and crosstalk:
/// p = rest + gain · g + crosstalk · g′ + noise.
@Suite struct PromptCalibrationTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let prompts = ["neutral", "close-eyes", "wink-left", "wink-right", "jaw-open"]
  private static let rounds = 5

  /// Two seconds a prompt, five rounds, for every video.
  private func schedule() throws -> URL {
    var entries: [String] = []
    for index in 0..<Self.rounds * Self.prompts.count {
      let name = Self.prompts[index % Self.prompts.count]
      entries.append(#"{"start": \#(2 * index), "end": \#(2 * index + 2), "prompt": "\#(name)"}"#)
    }
    let text =
      #"{"schema": "facegauge.prompts", "version": 1, "prompts": [\#(entries.joined(separator: ","))]}"#
    try folder.write(text, to: "prompts.json")
    return folder.file("prompts.json")
  }

  /// A recording in 15 frames a second; `blink` is added to the left eye, `side` is the face's size in pixels.
  private func session(
    _ videos: [String], blink: Double = 0, seed: UInt64, side: Double = 100, run name: String
  ) throws -> URL {
    var stream = SplitMix64(seed: seed)
    let dataset = folder.file("\(name).data.h5")
    let writer = try DatasetWriter(dataset, name: name, replacing: true)
    var faces: [[FaceLabel]] = []
    for (number, video) in videos.enumerated() {
      writer.beginSequence(
        SequenceDescription(name: video, kind: .video, subject: "anna", framesPerSecond: 15))
      for round in 0..<Self.rounds {
        for prompt in Self.prompts {
          // What a person does differs a little from time to time.
          let strength = 0.95 + 0.02 * stream.normalPair().0
          for _ in 0..<30 {
            var predicted = [Float](repeating: 0.01, count: 52)
            func set(_ shape: Blendshape, _ value: Double) {
              predicted[shape.index] = Float(value + 0.005 * stream.normalPair().0)
            }
            let (left, right) = (
              ["close-eyes", "wink-left"].contains(prompt) ? strength : 0,
              ["close-eyes", "wink-right"].contains(prompt) ? strength : 0
            )
            let added = number == videos.count - 1 ? blink : 0
            set(.eyeBlinkLeft, 0.08 + added + 0.6 * left + 0.15 * right)
            set(.eyeBlinkRight, 0.05 + 0.7 * right + 0.1 * left)
            set(.jawOpen, 0.03 + 0.5 * (prompt == "jaw-open" ? strength : 0))
            var face = FaceLabel(box: BoundingBox(x: 10, y: 10, width: side, height: side))
            face.score = 0.9
            face.blendshapes = predicted
            faces.append([face])
            try writer.add(
              name: "\(video)-\(round)-\(prompt)-\(faces.count)", image: [],
              size: ImageSize(width: 400, height: 300),
              timestampMicroseconds: Int64(faces.count) * 66_667, faces: [])
          }
        }
      }
    }
    try writer.finish()
    let given = folder.file("\(name).given.h5")
    try GivenFaces.write(faces, on: dataset, to: given)
    var plan = EvaluationPlan(dataset: dataset, run: folder.file(name))
    plan.predictions = given
    plan.bootstrap.resamples = 0
    _ = try plan.finish()
    return folder.file(name)
  }

  private func plan(_ run: URL, output: String = "c.json") throws -> CalibrationPlan {
    var plan = CalibrationPlan(run: run, output: folder.file(output))
    plan.subjects = [.blendshapes]
    plan.prompts = try schedule()
    return plan
  }

  /// A prompted face is at .95 of the planted motion in the mean, and labelled 1.
  @Test func `planted rests, gains and crosstalk are found, held out by repetition`() throws {
    let run = try session(["take"], seed: 1, run: "run")
    let finished = try CalibrationRun.run(plan(run))
    let file = finished.file
    let blendshapes = try #require(file.blendshapes)
    #expect(blendshapes.heldOut == "repetitions of prompts" && blendshapes.folds == 5)
    let (before, after) = (try #require(blendshapes.before), try #require(blendshapes.after))
    #expect(after.meanAbsoluteError < 0.2 * before.meanAbsoluteError)
    let shared = try #require(blendshapes.shared)
    #expect(shared.channels.keys.sorted() == ["eyeBlinkLeft", "eyeBlinkRight", "jawOpen"])
    // The inverse of [[.6, .15], [.1, .7]] · .95, and of .5 · .95.
    let determinant = (0.6 * 0.7 - 0.15 * 0.1) * 0.95
    let wanted = [
      "eyeBlinkLeft": (0.7 / determinant, -0.15 / determinant),
      "eyeBlinkRight": (0.6 / determinant, -0.1 / determinant), "jawOpen": (1 / 0.475, 0),
    ]
    for (name, rest) in [("eyeBlinkLeft", 0.08), ("eyeBlinkRight", 0.05), ("jawOpen", 0.03)] {
      let channel = try #require(shared.channels[name])
      let (gain, crosstalk) = try #require(wanted[name])
      #expect(try abs(#require(shared.rest[name]) - rest) < 0.002, "\(name)")
      #expect(abs(channel.gain / gain - 1) < 0.03, "\(name): \(channel.gain), \(gain)")
      #expect(abs(channel.crosstalk - crosstalk) < 0.05, "\(name): \(channel.crosstalk)")
      #expect(abs(channel.offset) < 0.03, "\(name): \(channel.offset)")
    }
    let session = try #require(file.sessions?.first)
    #expect(session.name == "take" && session.subject == "anna")
    #expect(session.prompted["jawOpen"]?.count == 5 && session.rest["jawOpen"]?.count == 5)
    #expect(finished.record.series.contains { $0.name == "calibration.prompts" })
    #expect(!file.notes.contains { $0.contains("Drift") || $0.contains("WARNING") })
    let bytes = try folder.bytes("c.json")
    #expect(try CalibrationFile(json: bytes, source: "c.json") == file)
    #expect(
      try Schema("calibration").problems(
        in: JSONSerialization.jsonObject(with: Data(bytes))) == [])
  }

  @Test func `a session with another offset is noticed, one like the first is not`() throws {
    let same = try CalibrationRun.run(
      plan(try session(["plain", "again"], seed: 2, run: "same"))
    ).file
    #expect(same.sessions?.map(\.name) == ["plain", "again"])
    #expect(!same.notes.contains { $0.contains("WARNING") }, "\(same.notes)")
    let finished = try CalibrationRun.run(
      plan(try session(["plain", "glasses"], blink: 0.1, seed: 3, run: "moved"), output: "d.json"))
    let warning = try #require(finished.file.notes.first { $0.contains("WARNING") })
    #expect(warning.contains("'glasses' differs from 'plain' in eyeBlinkLeft at rest +0.1"))
    #expect(!warning.contains("jawOpen") && !warning.contains("eyeBlinkRight"))
    #expect(finished.record.series.contains { $0.name == "calibration.drift" })
  }

  @Test func `an earlier calibration is compared with, and its conditions`() throws {
    let first = try plan(try session(["monday"], seed: 4, run: "monday"), output: "monday.json")
    _ = try CalibrationRun.run(first)
    var later = try plan(
      try session(["friday"], blink: 0.1, seed: 5, side: 300, run: "friday"), output: "friday.json")
    later.against = first.output
    let notes = try CalibrationRun.run(later).file.notes
    #expect(notes.contains { $0.contains("'friday' differs from 'monday (earlier)'") }, "\(notes)")
    #expect(
      notes.contains {
        $0.contains("the conditions of 'friday' are not those")
          && $0.contains("the size of faces is 299 px here (median), and was 100 to 100 px there")
      }, "\(notes)")
    func evaluated(_ name: String) throws -> [String] {
      var plan = EvaluationPlan(
        dataset: folder.file("\(name).data.h5"), run: folder.file("\(name)-calibrated"))
      plan.predictions = folder.file("\(name).given.h5")
      plan.calibration = first.output
      plan.bootstrap.resamples = 0
      return try plan.finish().record.notes
    }
    #expect(try evaluated("friday").contains { $0.contains("under other conditions: the size") })
    #expect(try !evaluated("monday").contains { $0.contains("under other conditions") })
  }

  @Test func `what cannot be followed is one line`() throws {
    let run = try session(["take"], seed: 6, run: "run")
    func failure(_ change: (inout CalibrationPlan) throws -> Void) throws -> String {
      var plan = try plan(run, output: "x.json")
      try change(&plan)
      let error = #expect(throws: EvaluationError.self) { _ = try CalibrationRun.run(plan) }
      #expect(!FileManager.default.fileExists(atPath: folder.file("x.json").path))
      return error?.description ?? ""
    }
    func prompts(_ entries: String) throws -> URL {
      let text = #"{"schema": "facegauge.prompts", "version": 1, "prompts": [\#(entries)]}"#
      try folder.write(text, to: "other.json")
      return folder.file("other.json")
    }
    #expect(
      try failure {
        $0.prompts = try prompts(#"{"video": "tkae", "start": 0, "end": 1, "prompt": "smile"}"#)
      }.contains("expected a video named 'tkae', found take"))
    #expect(
      try failure {
        $0.prompts = try prompts(#"{"start": 0, "end": 2, "prompt": "neutral"}"#)
      }.contains("expected two repetitions"))
    #expect(
      try failure {
        $0.prompts = try prompts(
          #"{"start": 0, "end": 1, "prompt": "smile"}, {"start": 900, "end": 902, "prompt": "neutral"}"#
        )
      }.contains("cannot follow prompts[1] of "))
    #expect(try failure { $0.against = folder.file("none.json") }.contains("no such file"))
    var plain = try plan(run, output: "plain.json")
    plain.prompts = nil
    plain.rest = 0...1.9
    _ = try CalibrationRun.run(plain)
    #expect(
      try failure { $0.against = folder.file("plain.json") }.contains("made with --prompts"))
  }
}
