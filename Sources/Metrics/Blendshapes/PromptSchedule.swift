internal import FaceCore
internal import Platform
package import Records

/// When a person was asked to do what, in the videos of a run.
package struct PromptSchedule: Sendable, Hashable {
  /// One prompt and the time in which it is held.
  package struct Entry: Sendable, Hashable {
    /// Name of the video, with or without extension; nil for every video.
    package var video: String?
    /// Seconds from the video's first frame.
    package var seconds: ClosedRange<Double>
    /// What was asked for.
    package var prompt: FacePrompt
  }

  /// A moment in which a prompt was held.
  package struct Moment: Sendable, Hashable {
    /// What was asked for.
    package let prompt: FacePrompt
    /// Which time it was, from 0, in this video.
    package let repetition: Int
  }

  /// The entries, in the order of the file.
  package let entries: [Entry]

  /// Only the middle half of an entry is used: people begin late and end early.
  static let usedShare = 0.5
  /// How many prompts a file may have.
  static let limit = 10_000

  /// The prompt that is held at a moment of a video; nil between prompts and near their ends.
  package func moment(second: Double, ofVideo name: String) -> Moment? {
    let own = entries.filter { entry in entry.video.map { Self.isName($0, of: name) } ?? true }
    guard
      let entry = own.first(where: { entry in
        let (low, high) = (entry.seconds.lowerBound, entry.seconds.upperBound)
        let cut = (high - low) * (1 - Self.usedShare) / 2
        return (low + cut...high - cut).contains(second)
      })
    else { return nil }
    let repetition = own.count {
      $0.prompt.name == entry.prompt.name && $0.seconds.lowerBound < entry.seconds.lowerBound
    }
    return Moment(prompt: entry.prompt, repetition: repetition)
  }

  /// The names of videos that no video has; empty where all are known.
  package func unknownVideos(among videos: [String]) -> [String] {
    Set(entries.compactMap(\.video)).filter { name in
      !videos.contains { Self.isName(name, of: $0) }
    }.sorted()
  }

  private static func isName(_ name: String, of video: String) -> Bool {
    name == video || video.hasPrefix(name + ".") && !video.dropFirst(name.count + 1).contains(".")
  }
}

extension PromptSchedule {
  /// Reads `{"schema":"facegauge.prompts","version":1,"prompts":[…]}`; every doubt throws.
  ///
  /// An entry has `start` and `end` in seconds, `prompt` (a name of the catalogue) or `coefficients` (values of
  /// blendshapes by name), and `video` where it is not for every video. `source` names the file in messages.
  package init(json: [UInt8], source: String) throws(RecordError) {
    let file = RuleFile(source: source)
    let list = try file.entries(
      of: JSONValue(bytes: json, source: source), schema: "facegauge.prompts", key: "prompts",
      atMost: Self.limit)
    var entries: [Entry] = []
    for (index, value) in list.enumerated() {
      let entry = try Self.entry(value, at: "prompts[\(index)]", in: file)
      if let other = entries.firstIndex(where: { other in
        (other.video == nil || entry.video == nil || other.video == entry.video)
          && other.seconds.lowerBound < entry.seconds.upperBound
          && entry.seconds.lowerBound < other.seconds.upperBound
      }) {
        throw file.wrong(
          "prompts[\(index)]", "times that no other prompt of the video has",
          "\(entry.seconds.lowerBound.plainText) to \(entry.seconds.upperBound.plainText) s, which "
            + "overlaps prompts[\(other)]")
      }
      entries.append(entry)
    }
    self.entries = entries
  }

  private static func entry(
    _ value: JSONValue, at position: String, in file: RuleFile
  ) throws(RecordError) -> Entry {
    let members = try file.object(
      value, at: position, required: ["start", "end"],
      optional: ["video", "prompt", "coefficients"])
    guard let start = try file.number("start", of: members, at: position),
      let end = try file.number("end", of: members, at: position), start >= 0, end > start,
      end <= 86_400
    else {
      throw file.wrong(
        position, "start of 0 or more and an end after it, in seconds",
        "start \(members["start"]?.summary ?? "nothing"), end \(members["end"]?.summary ?? "nothing")"
      )
    }
    var video: String?
    if let given = members["video"] {
      guard case .string(let name) = given, !name.isEmpty else {
        throw file.wrong("\(position).video", "the name of a video", given)
      }
      video = name
    }
    return Entry(
      video: video, seconds: start...end, prompt: try prompt(members, at: position, in: file))
  }

  private static func prompt(
    _ members: [String: JSONValue], at position: String, in file: RuleFile
  ) throws(RecordError) -> FacePrompt {
    switch (members["prompt"], members["coefficients"]) {
    case (let given?, nil):
      guard case .string(let name) = given, let known = FacePrompt.named(name) else {
        let names = FacePrompt.all.map(\.name)
        var hint = ""
        if case .string(let name) = given {
          hint = Suggestion.perhaps(name, among: names, quote: "\"")
        }
        throw file.wrong(
          "\(position).prompt", "one of " + names.joined(separator: ", ") + hint, given)
      }
      return known
    case (nil, .object(let values)?) where !values.isEmpty:
      var labels: [Blendshape: Float] = [:]
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        guard let shape = Blendshape(rawValue: name), shape != .neutral else {
          throw file.wrong(
            "\(position).coefficients",
            "names of blendshapes"
              + Suggestion.perhaps(name, among: Blendshape.allCases.map(\.rawValue), quote: "\""),
            "\"\(name.prefix(60))\"")
        }
        guard case .number(let number) = value, (0...1).contains(number) else {
          throw file.wrong("\(position).coefficients.\(name)", "a number from 0 to 1", value)
        }
        labels[shape] = Float(number)
      }
      let name = labels.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { "\($0.key.rawValue)=\(Double($0.value).plainText)" }.joined(separator: "+")
      return FacePrompt(name, labels)
    default:
      throw file.wrong(
        position, "a prompt, or coefficients of blendshapes, and not both",
        members["prompt"] == nil && members["coefficients"] == nil ? "neither" : "another value")
    }
  }
}
