internal import FaceCore
internal import Foundation
internal import Platform

/// The rectangles that Label Studio has of a clip.
///
/// Its frames are so many a second as its project says, 24 where it says nothing, whatever the clip has: the number of frames
/// and the duration of a track tell how many.
struct LabelStudioVideo {
  /// How many frames there are a second.
  struct Rate {
    /// Frames a second of what is read.
    var framesPerSecond = 30.0
    /// Those of the source; nil where it does not tell.
    var stated: Double?
    /// Whether the user gave it.
    var isGiven = false
    /// Whether keyframes are put on the frames of a video of another rate.
    var isOther = false
  }

  private var tracks: [CVATTrack] = []
  /// Keyframes whose box is turned, while the size of the frames is not known.
  private(set) var turned = 0
  private var frameCount = 0
  private var duration = 0.0

  /// Another rate moves the last frame by so many frames at least; less is what counts and durations are rounded by.
  private static let leastDrift = 2.0

  /// Rates that people give a project; a count over a duration is near one.
  private static let usual: [Double] = [24, 25, 30, 50, 60]

  /// Whether there are tracks.
  var isEmpty: Bool { tracks.isEmpty }

  /// The labels of the tracks that are shown, in the order in which they begin.
  var labels: [String] {
    let first = tracks.enumerated().compactMap { number, track in
      track.states.lazy.filter { !$0.isOutside }.map(\.frame).min().map { ($0, number) }
    }
    return first.sorted(by: <).map { tracks[$0.1].label }
  }

  /// Takes the track of a region.
  ///
  /// A box is turned about its upper left corner in pixels: `size` is that of the frames, nil where it is not known.
  mutating func add(_ value: JSONNode, label: String, in size: ImageSize?) throws(FileError) {
    var track = CVATTrack(["label": label, "id": "\(tracks.count)"])
    if let count = value["framesCount"].unlessNull {
      frameCount = max(frameCount, try count.integer(0...Int(Int32.max)))
    }
    if let seconds = value["duration"].ifNumber { duration = max(duration, seconds) }
    for item in try value["sequence"].items(of: "keyframes") {
      let frame = try item["frame"].integer(1...Int(Int32.max)) - 1
      var box = BoundingBox(
        x: try item["x"].number() / 100, y: try item["y"].number() / 100,
        width: try item["width"].number() / 100, height: try item["height"].number() / 100)
      guard box.isWellFormed else { throw item.wrong("a box of non-negative size") }
      if let degrees = item["rotation"].ifNumber, degrees != 0 {
        if let size { box = Self.tight(box, turnedBy: degrees, in: size) } else { turned += 1 }
      }
      let shape = CVATDocument.Shape(label: label, box: box)
      track.states.append(.init(frame: frame, isOutside: false, shape: shape))
      if item["enabled"].value == .bool(false) {
        track.states.append(.init(frame: frame + 1, isOutside: true, shape: shape))
      }
    }
    tracks.append(track)
  }

  /// The tight box, in fractions, of a box in fractions that is turned in an image of this size.
  private static func tight(
    _ box: BoundingBox, turnedBy degrees: Double, in size: ImageSize
  ) -> BoundingBox {
    let tight = ShapeFaces.box(
      around: FaceRepair.fractions.box(box, in: size), turnedAboutCornerBy: degrees)
    return FaceRepair.scale(x: 1 / Double(size.width), y: 1 / Double(size.height))
      .box(tight, in: size)
  }

  /// The rate of the frames, by the user, else by the tracks' count and duration.
  func rate(_ options: ImportOptions) -> Rate {
    var stated = options.framesPerSecond
    if stated == nil, frameCount > 1, duration > 0 {
      let count = Double(frameCount)
      let near = Self.usual.min { abs($0 * duration - count) < abs($1 * duration - count) }
      stated = near.flatMap { abs($0 * duration - count) <= 1 ? $0 : nil } ?? count / duration
    }
    guard let stated, (1...1000).contains(stated) else { return Rate() }
    guard let video = options.frameRateOfVideo, video > 0,
      abs(video / stated - 1) * Double(frameCount) >= Self.leastDrift
    else {
      return Rate(
        framesPerSecond: stated, stated: stated, isGiven: options.framesPerSecond != nil)
    }
    return Rate(framesPerSecond: video, stated: stated, isOther: true)
  }

  /// The recording of a clip, with keyframes at the video's frames where these are of another rate.
  func recording(
    of clip: String, at rate: Rate, in file: URL
  ) throws(FileError) -> CVATRecording {
    let (task, moved) = parts(of: clip, at: rate)
    return try CVATRecording(
      moved, of: task, title: clip, first: 0, byteCount: SourceFiles.byteCount(of: file),
      in: file.relativePath)
  }

  /// How many frames the recording at a rate has.
  func countFrames(at rate: Rate) -> Int {
    let (task, moved) = parts(of: "", at: rate)
    return CVATRecording.frames(of: task, moved).count
  }

  /// The clip as a task, and its tracks.
  private func parts(of clip: String, at rate: Rate) -> (task: CVATTask, tracks: [CVATTrack]) {
    let factor = rate.isOther ? rate.framesPerSecond / (rate.stated ?? rate.framesPerSecond) : 1
    var moved = tracks
    for (number, track) in tracks.enumerated() where rate.isOther {
      moved[number].states = track.states.map { state in
        var state = state
        state.frame = Int((Double(state.frame) * factor).rounded())
        return state
      }
    }
    var task = CVATTask()
    task.values["source"] = clip
    if frameCount > 0 { task.values["size"] = "\(Int((Double(frameCount) * factor).rounded()))" }
    return (task, moved)
  }
}
