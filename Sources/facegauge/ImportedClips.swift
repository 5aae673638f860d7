import CommandSyntax
import Datasets
import Foundation

extension Command {
  static let importVideo = Option(
    repeating: "video", valueName: "clip.mp4", .path, otherwise: "none",
    help: "Video, or folder of videos, whose frames get the labels; repeatable.")
  static let importSequence = Option(
    "sequence", valueName: "grouping", .choice(SequenceGrouping.self),
    otherwise: "images are stills",
    help: "Images are frames: a video a folder, or one of all.")
  static let importFirstNumber = Option(
    "first-number", valueName: "n", .integer(in: 0...1), otherwise: "the one that the numbers tell",
    help: "Number of a video's first frame in the source of --video or --of.")

  /// The format that puts labels on videos, or in order, where the options ask for it; nil for labels as they are.
  static func clips(
    _ arguments: ParsedArguments, of labels: any DatasetFormat, into target: URL, join: FrameKey?,
    offset: FrameOffset?
  ) throws -> (any DatasetFormat)? {
    let places = arguments[importVideo]
    let staging = target.appendingPathExtension("staging")
    try arguments.refuse(importVideo, with: importSequence)
    if let grouping = arguments[importSequence] {
      guard offset == nil else {
        throw arguments.usageError("'--offset' cannot be combined with '--sequence'")
      }
      return LabelledSequences(labels, by: grouping, orderedBy: join ?? .name, staging: staging)
    }
    guard !places.isEmpty else { return nil }
    guard labels.isLabelled else {
      throw arguments.usageError("'--video' requires labels, and \(labels.name) has none")
    }
    var clips = LabelledVideo(
      labels, on: try LabelledVideo.videos(in: places.map { URL(fileURLWithPath: $0) }),
      staging: staging)
    clips.key = join
    clips.firstNumber = arguments[importFirstNumber]
    if let offset { clips.offset = offset }
    return clips
  }

  /// What of the options a resumed import must have as before.
  static func clipFacts(
    _ arguments: ParsedArguments, join: FrameKey?, offset: FrameOffset?
  ) throws -> String {
    let videos = try LabelledVideo.videos(
      in: arguments[importVideo].map { URL(fileURLWithPath: $0) }
    ).map(SourceMark.of)
    let others = [
      arguments[importSequence]?.rawValue, join?.rawValue, offset?.text,
      arguments[importFirstNumber].map { "\($0)" },
    ]
    return (videos + others.map { $0 ?? "default" }).joined(separator: ", ")
  }
}
