import FaceCore
import Metrics
import Platform
import Records
import Testing

@Suite struct PromptScheduleTests {
  private func schedule(_ entries: String) throws -> PromptSchedule {
    let text = #"{"schema": "facegauge.prompts", "version": 1, "prompts": [\#(entries)]}"#
    return try PromptSchedule(json: Array(text.utf8), source: "prompts.json")
  }

  @Test func `the middle half of a time is used, and repetitions are counted by video`() throws {
    let schedule = try schedule(
      #"""
      {"start": 0, "end": 4, "prompt": "neutral"},
      {"start": 5, "end": 7, "prompt": "jaw-open", "video": "a"},
      {"start": 8, "end": 10, "prompt": "jaw-open", "video": "a"},
      {"start": 5, "end": 7, "coefficients": {"mouthRollLower": 1, "jawOpen": 0}, "video": "b"}
      """#)
    #expect(schedule.moment(second: 0.99, ofVideo: "a.mp4") == nil)
    #expect(schedule.moment(second: 1, ofVideo: "a.mp4")?.prompt.isRest == true)
    #expect(schedule.moment(second: 3, ofVideo: "c")?.repetition == 0)
    #expect(schedule.moment(second: 3.01, ofVideo: "a") == nil)
    #expect(schedule.moment(second: 9, ofVideo: "a.mp4")?.repetition == 1)
    #expect(schedule.moment(second: 9, ofVideo: "a.b.mp4") == nil)
    #expect(schedule.moment(second: 9, ofVideo: "b") == nil)
    let own = try #require(schedule.moment(second: 6, ofVideo: "b")).prompt
    #expect(own.name == "jawOpen=0+mouthRollLower=1" && !own.isRest)
    #expect(own.coefficients[Blendshape.mouthRollLower.index] == 1)
    #expect(own.coefficients[Blendshape.cheekPuff.index].isNaN)
    #expect(schedule.unknownVideos(among: ["a.mov"]) == ["b"])
  }

  @Test func `an entry that begins after its videos is found`() throws {
    let schedule = try schedule(
      #"""
      {"start": 0, "end": 4, "prompt": "neutral"},
      {"start": 5, "end": 9, "prompt": "jaw-open", "video": "a"},
      {"start": 5, "end": 9, "prompt": "jaw-open", "video": "b"}
      """#)
    // The middle half is from 6 to 8 s.
    #expect(schedule.firstBeyond([("a.mp4", 6), ("b", 8)]) == nil)
    let beyond = try #require(schedule.firstBeyond([("a.mp4", 6), ("b", 5.9)]))
    #expect(beyond.position == 2 && beyond.seconds == 5.9)
    #expect(schedule.firstBeyond([("a", 0.5), ("b", 60)])?.position == 1)
  }

  @Test
  func `prompts of the catalogue label each coefficient from 0 to 1, and sides of the subject`() {
    #expect(Set(FacePrompt.all.map(\.name)).count == FacePrompt.all.count)
    #expect(FacePrompt.all.filter(\.isRest).map(\.name) == ["neutral"])
    for prompt in FacePrompt.all {
      #expect(prompt.coefficients.count == 52 && prompt.labels[.neutral] == nil)
      #expect(prompt.isRest || prompt.labels.values.contains(1))
      for side in ["left", "right"]
      where prompt.name.hasSuffix(side) && !prompt.name.hasPrefix("look") {
        #expect(
          prompt.labels.filter { $0.value == 1 }.keys.allSatisfy {
            $0.rawValue.lowercased().hasSuffix(side)
          })
      }
    }
  }

  @Test(
    arguments: [
      (#"{"start": 0, "end": 1}"#, "a prompt, or coefficients of blendshapes, and not both"),
      (#"{"start": 1, "end": 1, "prompt": "smile"}"#, "an end after it"),
      (#"{"start": -1, "end": 1, "prompt": "smile"}"#, "start of 0 or more"),
      (#"{"start": 0, "end": 1, "prompt": "smiel"}"#, #"perhaps "smile""#),
      (#"{"start": 0, "end": 1, "prompt": "smile", "video": ""}"#, "the name of a video"),
      (#"{"start": 0, "end": 1, "coefficients": {"jawopen": 1}}"#, #"perhaps "jawOpen""#),
      (#"{"start": 0, "end": 1, "coefficients": {"jawOpen": 2}}"#, "a number from 0 to 1"),
      (#"{"start": 0, "end": 1, "coefficients": {}}"#, "values of blendshapes, found none"),
      (
        #"{"start": 0, "end": 2, "prompt": "smile"}, {"start": 1, "end": 3, "prompt": "frown"}"#,
        "which overlaps prompts[0]"
      ),
      (#"{"start": 0, "end": 1, "prompt": "smile", "when": 1}"#, "only the keys"),
      ("", "a list of 1 to 10000 prompts"),
    ])
  func `every doubt is an error that names the place`(entries: String, text: String) throws {
    let error = #expect(throws: FileError.self) { _ = try schedule(entries) }
    #expect(error?.description.contains(text) == true, "\(String(describing: error))")
    #expect(error?.description.contains("prompts.json") == true)
  }
}
