internal import FaceCore
package import Platform

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

    /// The part in which the prompt is surely held.
    var held: ClosedRange<Double> {
      let (low, high) = (seconds.lowerBound, seconds.upperBound)
      let cut = (high - low) * (1 - PromptSchedule.usedShare) / 2
      return low + cut...high - cut
    }
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
    let own = entries.filter { Self.isEntry($0, of: name) }
    guard let entry = own.first(where: { $0.held.contains(second) }) else { return nil }
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

  /// The position of the first entry that begins when each of its videos is over, and how long they are at most; nil for none.
  ///
  /// A video has its name, and the seconds from its first frame to its last.
  package func firstBeyond(
    _ videos: [(name: String, seconds: Double)]
  ) -> (position: Int, seconds: Double)? {
    for (position, entry) in entries.enumerated() {
      let lengths = videos.filter { Self.isEntry(entry, of: $0.name) }.map(\.seconds)
      if let longest = lengths.max(), entry.held.lowerBound > longest {
        return (position, longest)
      }
    }
    return nil
  }

  private static func isEntry(_ entry: Entry, of video: String) -> Bool {
    entry.video.map { isName($0, of: video) } ?? true
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
  package init(json: [UInt8], source: String) throws(FileError) {
    let root = try JSONNode(
      json, source: source, header: JSONHeader("facegauge.prompts", version: 1), keys: ["prompts"])
    var entries: [Entry] = []
    for node in try root["prompts"].items(1...Self.limit, of: "prompts") {
      let entry = try Entry(node)
      if let other = entries.firstIndex(where: { other in
        (other.video == nil || entry.video == nil || other.video == entry.video)
          && other.seconds.lowerBound < entry.seconds.upperBound
          && entry.seconds.lowerBound < other.seconds.upperBound
      }) {
        throw node.wrong(
          "times that no other prompt of the video has",
          found:
            "\(entry.seconds.lowerBound.plainText) to \(entry.seconds.upperBound.plainText) s, "
            + "which overlaps prompts[\(other)]")
      }
      entries.append(entry)
    }
    self.entries = entries
  }
}

extension PromptSchedule.Entry {
  fileprivate init(_ node: JSONNode) throws(FileError) {
    try node.requireKeys(["start", "end"], optional: ["video", "prompt", "coefficients"])
    let (start, end) = (try node["start"].number(), try node["end"].number())
    guard start >= 0, end > start, end <= 86_400 else {
      throw node.wrong(
        "start of 0 or more and an end after it, in seconds",
        found: "start \(start.plainText), end \(end.plainText)")
    }
    self.init(
      video: try node["video"].given?.text("the name of a video"), seconds: start...end,
      prompt: try FacePrompt(node))
  }
}

extension FacePrompt {
  fileprivate init(_ node: JSONNode) throws(FileError) {
    let (prompt, coefficients) = (node["prompt"], node["coefficients"])
    guard prompt.isGiven != coefficients.isGiven else {
      throw node.wrong(
        "a prompt, or coefficients of blendshapes, and not both",
        found: prompt.isGiven ? "both" : "neither")
    }
    if prompt.isGiven {
      let expected = "one of " + FacePrompt.all.map(\.name).joined(separator: ", ")
      let name = try prompt.text(expected)
      guard let known = FacePrompt.named(name) else {
        throw prompt.wrong(
          expected + Suggestion.perhaps(name, among: FacePrompt.all.map(\.name), quote: "\""))
      }
      self = known
      return
    }
    var labels: [Blendshape: Float] = [:]
    for name in try coefficients.keys() {
      guard let shape = Blendshape(rawValue: name), shape != .neutral else {
        throw coefficients.wrong(
          "names of blendshapes"
            + Suggestion.perhaps(name, among: Blendshape.allCases.map(\.rawValue), quote: "\""),
          found: "\"\(name.prefix(60))\"")
      }
      labels[shape] = Float(try coefficients[name].number(0...1))
    }
    guard !labels.isEmpty else { throw coefficients.wrong("values of blendshapes", found: "none") }
    let name = labels.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { "\($0.key.rawValue)=\(Double($0.value).plainText)" }.joined(separator: "+")
    self.init(name, labels)
  }
}
