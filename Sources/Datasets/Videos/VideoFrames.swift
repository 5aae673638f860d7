internal import FaceCore
internal import Foundation
internal import Imaging

/// The decoded frames of a video one after another, each with its time in the container.
///
/// ffmpeg gives the pixels and ffprobe, decoding the same stream beside it, the timestamps.
struct VideoFrames: ~Copyable {
  /// One picture as it is displayed.
  struct Frame {
    let pixels: PixelBuffer
    let timestampMicroseconds: Int64
  }

  private let source: VideoSource
  private let stream: VideoStream
  private var pictures: ChildProgram
  private var times: ChildProgram
  private var storedSize: PictureSize?
  /// How many frames were decoded so far.
  private(set) var count = 0
  /// How many frames the file has held so far, decoded or not.
  private(set) var storedCount = 0
  /// How many of those the container's edit list hides.
  private(set) var hiddenCount = 0

  private init(
    _ source: VideoSource, _ stream: VideoStream, pictures: consuming ChildProgram,
    times: consuming ChildProgram
  ) {
    self.source = source
    self.stream = stream
    self.pictures = pictures
    self.times = times
  }

  /// Starts decoding.
  static func decode(
    _ source: VideoSource, _ stream: VideoStream
  ) throws(DatasetError) -> VideoFrames {
    // Times that rise by the hour keep ffmpeg from complaining about those of the file.
    let pictures = try source.start(
      "ffmpeg", before: ["-nostdin"],
      after: [
        "-map", "0:V:0", "-fps_mode", "passthrough", "-vf", "setpts=N*3600/TB", "-pix_fmt",
        "rgb24", "-c:v", "ppm", "-f", "image2pipe", "pipe:1",
      ])
    let times = try source.start(
      "ffprobe", before: ["-select_streams", "V:0"],
      after: [
        "-show_entries", "packet=flags:frame=best_effort_timestamp,width,height", "-of", "compact",
      ])
    return VideoFrames(source, stream, pictures: pictures, times: times)
  }

  /// The next frame, or nil at the end; throws `.wrongData` where frames differ in size or lack a time.
  mutating func next() throws(DatasetError) -> Frame? {
    let picture: PixelBuffer?
    let facts: [String: String]?
    do throws(DatasetError) {
      picture = try nextPicture()
      facts = try nextFacts()
    } catch {
      throw source.naming(error)
    }
    switch (picture, facts) {
    case (nil, nil): return nil
    case (let picture?, let facts?):
      try checkSize(facts)
      guard let timestamp = facts["best_effort_timestamp"].flatMap({ Int64($0) }),
        let microseconds = stream.microseconds(timestamp)
      else {
        throw source.failure("expected a timestamp for every frame, found none for frame \(count)")
      }
      count += 1
      return Frame(pixels: picture, timestampMicroseconds: microseconds)
    case (nil, _?), (_?, nil):
      throw source.failure(
        "expected ffmpeg and ffprobe to find the same frames, found \(picture == nil ? "fewer" : "more") "
          + "by ffmpeg after \(count)", try finish())
    }
  }

  /// What the programs complained about first; nil where both ended well and said nothing.
  mutating func finish() throws(DatasetError) -> String? {
    let endings = [try pictures.finish(), try times.finish()]
    if let complaint = endings.lazy.compactMap(\.complaint).first { return complaint }
    return endings.allSatisfy(\.isSuccess) ? nil : "it ended early without a message"
  }

  private mutating func nextFacts() throws(DatasetError) -> [String: String]? {
    while let line = try times.line() {
      let fields = VideoSource.fields(line)
      if line.hasPrefix("frame|") { return fields }
      if let flags = fields["flags"] {
        storedCount += 1
        if flags.contains("D") { hiddenCount += 1 }
      }
    }
    return nil
  }

  private mutating func checkSize(_ facts: [String: String]) throws(DatasetError) {
    guard let width = facts["width"].flatMap({ Int($0) }),
      let height = facts["height"].flatMap({ Int($0) })
    else { throw source.failure("expected a size for every frame, found none for frame \(count)") }
    let size = PictureSize(width: width, height: height)
    let expected = storedSize ?? size
    guard size == expected else {
      throw source.failure(
        "expected frames of \(expected.width)x\(expected.height) as the first, found "
          + "\(width)x\(height) in frame \(count)")
    }
    storedSize = size
  }

  /// A picture in the binary PPM form: `P6`, sides, the largest value, and RGB bytes.
  private mutating func nextPicture() throws(DatasetError) -> PixelBuffer? {
    guard let magic = try pictures.line(limit: 16) else { return nil }
    let sides = (try pictures.line(limit: 32) ?? "").split(separator: " ").compactMap { Int($0) }
    let largest = try pictures.line(limit: 16)
    let limits = 1...PictureHeader.maximumSide
    guard magic == "P6", largest == "255", sides.count == 2, sides.allSatisfy(limits.contains)
    else {
      throw source.failure("expected pictures with sides of 1 to \(limits.upperBound), found none")
    }
    let bytes = try pictures.bytes(3 * sides[0] * sides[1])
    return PixelBuffer(width: sides[0], height: sides[1], bytes: bytes)
  }
}
