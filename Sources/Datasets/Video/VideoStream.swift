internal import Foundation
internal import Platform

/// Properties of a container's first video stream, read with ffprobe.
struct VideoStream {
  /// Seconds per unit of its timestamps.
  let timeBase: (numerator: Int64, denominator: Int64)
  /// Average frames per second; 0 if unknown.
  let framesPerSecond: Double
  /// Number of frames that the container declares; nil if unknown.
  let declaredFrames: Int?
  /// Degrees that the images are turned for display; 0 if they are upright.
  let rotationDegrees: Double
  /// Aspect ratio of a stored pixel as ffprobe writes it; nil for square pixels.
  let pixelAspect: String?
  /// Bits per color value if more than 8.
  let deepBits: Int?
  /// The name of its high dynamic range, HLG or PQ; nil for others.
  let highRange: String?
  /// Whether its images hold two fields of different times.
  let isInterlaced: Bool
  /// Number of video streams in the file.
  let streamCount: Int

  /// Reads the stream's facts; throws `.wrongData` for a file without one.
  init(_ video: VideoSource) throws(FileError) {
    var program = try video.start(
      "ffprobe", before: ["-select_streams", "V"],
      after: [
        "-show_entries",
        "stream=time_base,avg_frame_rate,nb_frames,sample_aspect_ratio,bits_per_raw_sample"
          + ",pix_fmt,color_transfer,field_order"
          + ":stream_side_data=rotation", "-of", "compact",
      ])
    program.endWaiting(after: .seconds(120))
    var streams: [[String: String]] = []
    let ending: ChildProgram.Ending
    do throws(FileError) {
      while let line = try program.line() {
        if line.hasPrefix("stream|") { streams.append(VideoSource.fields(line)) }
      }
      ending = try program.finish()
    } catch {
      throw video.naming(error)
    }
    guard let facts = streams.first else {
      throw video.failure("expected a video stream, found none", ending.firstErrorLine)
    }
    streamCount = streams.count
    guard let base = Self.ratio(facts["time_base"]), base.0 > 0, base.1 > 0 else {
      throw video.failure(
        "expected a time base, found '\(facts["time_base"] ?? "none")'", ending.firstErrorLine)
    }
    timeBase = base
    let rate = Self.ratio(facts["avg_frame_rate"]) ?? (0, 1)
    framesPerSecond = rate.1 > 0 ? Double(rate.0) / Double(rate.1) : 0
    declaredFrames = facts["nb_frames"].flatMap { Int($0) }
    let rotation = facts.first { $0.key.hasSuffix("rotation") }.flatMap { Double($0.value) } ?? 0
    rotationDegrees = rotation.isFinite ? rotation : 0
    let aspect = facts["sample_aspect_ratio"]
    pixelAspect = aspect.flatMap { ["1:1", "0:1", "N/A"].contains($0) ? nil : $0 }
    let bits = facts["bits_per_raw_sample"].flatMap { Int($0) } ?? Self.bits(of: facts["pix_fmt"])
    deepBits = bits.flatMap { $0 > 8 ? $0 : nil }
    highRange = facts["color_transfer"].flatMap {
      ["arib-std-b67": "HLG", "smpte2084": "PQ"][$0]
    }
    isInterlaced = ["tt", "bb", "tb", "bt"].contains(facts["field_order"] ?? "")
  }

  /// Microseconds of a timestamp, rounded to the nearest; nil beyond 292,000 years.
  func microseconds(_ timestamp: Int64) -> Int64? {
    let scaled = Int128(timestamp) * Int128(timeBase.numerator) * 2_000_000
    let (divisor, half) = (2 * Int128(timeBase.denominator), Int128(timeBase.denominator))
    let shifted = scaled + half
    let floor = shifted / divisor - (shifted % divisor < 0 ? 1 : 0)
    return Int64(exactly: floor)
  }

  /// Bits per color value by the name of a pixel format, such as yuv420p10le; nil where it does not tell.
  private static func bits(of format: String?) -> Int? {
    (format ?? "").firstMatch(of: #/(?:p|p0|gray)(9|10|12|14|16)(?:le|be)?$/#).flatMap { Int($0.1) }
  }

  private static func ratio(_ text: String?) -> (Int64, Int64)? {
    let parts = (text ?? "").split(separator: "/").compactMap { Int64($0) }
    return parts.count == 2 ? (parts[0], parts[1]) : nil
  }
}
