internal import FaceCore
internal import Foundation
internal import Imaging
internal import Platform

/// The decoded frames of a video one after another, each with its time in the container.
///
/// ffmpeg gives the pixels and ffprobe, decoding the same stream in parallel, the timestamps.
struct VideoFrames: ~Copyable {
  /// One displayed image.
  struct Frame {
    let pixels: PixelBuffer
    let timestampMicroseconds: Int64
  }

  private let source: VideoSource
  private let stream: VideoStream
  private var images: ChildProgram
  private var times: ChildProgram
  private var storedSize: ImageSize?
  /// Number of frames decoded so far.
  private(set) var count = 0
  /// Number of stored frames so far, decoded or not.
  private(set) var storedCount = 0
  /// Number of those frames that the container's edit list hides.
  private(set) var hiddenCount = 0
  /// Number of frames without a time of their own: the last ones that a decoder gives out may have none.
  private(set) var untimedCount = 0
  /// Microseconds of the two frames before, the later one first.
  private var earlier: [Int64] = []

  /// Starts decoding.
  static func decode(
    _ source: VideoSource, _ stream: VideoStream
  ) throws(FileError) -> VideoFrames {
    // Output times that rise by an hour per frame avoid ffmpeg errors about the file's times.
    let images = try source.start(
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
    return VideoFrames(source: source, stream: stream, images: images, times: times)
  }

  /// The next frame, or nil at the end; throws `.wrongData` if frames differ in size or lack a time.
  mutating func next() throws(FileError) -> Frame? {
    let image: PixelBuffer?
    let facts: [String: String]?
    do throws(FileError) {
      image = try nextImage()
      facts = try nextFacts()
    } catch {
      throw source.naming(error)
    }
    switch (image, facts) {
    case (nil, nil): return nil
    case (let image?, let facts?):
      try checkSize(facts)
      let stated = facts["best_effort_timestamp"].flatMap { Int64($0) }
        .flatMap(stream.microseconds)
      let next =
        earlier.count == 2
        ? Int64(exactly: 2 * Int128(earlier[0]) - Int128(earlier[1])) : nil
      guard let microseconds = stated ?? next else {
        throw source.failure(
          "expected a timestamp for every frame, found none for frame \(count) ('ffmpeg -fflags +genpts -i IN -c copy "
            + "OUT.mkv' makes them of the frame rate)")
      }
      if stated == nil { untimedCount += 1 }
      earlier = [microseconds] + earlier.prefix(1)
      count += 1
      return Frame(pixels: image, timestampMicroseconds: microseconds)
    case (nil, _?), (_?, nil):
      throw source.failure(
        "expected ffmpeg and ffprobe to find the same frames, found \(image == nil ? "fewer" : "more") "
          + "by ffmpeg after \(count)", try finish())
    }
  }

  /// The first error message of the programs; nil if both succeeded without one.
  mutating func finish() throws(FileError) -> String? {
    let endings = [try images.finish(), try times.finish()]
    let isSuccess = endings.allSatisfy(\.isSuccess)
    return endings.lazy.compactMap(\.firstErrorLine).first
      ?? (isSuccess ? nil : "it ended early without a message")
  }

  private mutating func nextFacts() throws(FileError) -> [String: String]? {
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

  private mutating func checkSize(_ facts: [String: String]) throws(FileError) {
    guard let width = facts["width"].flatMap({ Int($0) }),
      let height = facts["height"].flatMap({ Int($0) })
    else { throw source.failure("expected a size for every frame, found none for frame \(count)") }
    let size = ImageSize(width: width, height: height)
    let expected = storedSize ?? size
    guard size == expected else {
      throw source.failure(
        "expected frames of \(expected.width)x\(expected.height) like the first, found "
          + "\(width)x\(height) in frame \(count)")
    }
    storedSize = size
  }

  /// An image in the binary PPM form: `P6`, sides, the largest value, and RGB bytes.
  private mutating func nextImage() throws(FileError) -> PixelBuffer? {
    guard let magic = try images.line(limit: 16) else { return nil }
    let sides = (try images.line(limit: 32) ?? "").split(separator: " ").compactMap { Int($0) }
    let largest = try images.line(limit: 16)
    let limits = 1...ImageHeader.maximumSide
    guard magic == "P6", largest == "255", sides.count == 2, sides.allSatisfy(limits.contains)
    else {
      throw source.failure("expected images with sides of 1 to \(limits.upperBound), found none")
    }
    guard sides[0] * sides[1] <= ImageHeader.maximumPixels else {
      throw source.failure(
        "expected frames of at most \(ImageHeader.maximumPixels) pixels, found "
          + "\(sides[0])x\(sides[1])")
    }
    let bytes = try images.bytes(3 * sides[0] * sides[1])
    return PixelBuffer(width: sides[0], height: sides[1], bytes: bytes)
  }
}
