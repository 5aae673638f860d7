internal import Foundation
internal import Platform

/// A video file, and the ffmpeg commands that read it.
struct VideoSource {
  let file: URL
  private let isInterrupted: @Sendable () -> Bool

  /// Containers that hold their own times and images: no playlists, file lists or raw streams.
  private static let demuxers = [
    "apng", "asf", "avi", "dv", "flv", "gif", "ivf", "matroska", "mov", "mpeg", "mpegts", "mxf",
    "nut", "ogg", "rm", "swf", "wtv", "yuv4mpegpipe",
    // Recognised as sound without images.
    "aac", "flac", "mp3", "wav",
  ].joined(separator: ",")

  /// Checks that it is a regular file, which can be read twice at once.
  init(_ file: URL, isInterrupted: @escaping @Sendable () -> Bool) throws(FileError) {
    self.file = file
    self.isInterrupted = isInterrupted
    _ = try InputFile(file)
  }

  /// Starts a program on the file, with input options before its name and output options after it.
  ///
  /// The name is a `file:` address of the whole path, which prevents its use as an option,
  /// protocol or pattern; with one thread both programs agree about damaged images.
  func start(
    _ program: String, before: [String] = [], after: [String]
  ) throws(FileError) -> ChildProgram {
    let reading = [
      "-v", "error", "-threads", "1", "-protocol_whitelist", "file", "-format_whitelist",
      Self.demuxers,
    ]
    do throws(FileError) {
      return try ChildProgram.start(
        program, reading + before + ["-i", "file:" + file.standardizedFileURL.path] + after,
        in: .tool, package: "ffmpeg", isInterrupted: isInterrupted)
    } catch {
      throw FileError(error.kind, "cannot import \(file.relativePath): \(error.description)")
    }
  }

  /// An error of a program about the file, with the file's name.
  func naming(_ error: FileError) -> FileError {
    error.kind == .inputOutput
      ? FileError(.inputOutput, "cannot import \(file.relativePath): \(error.description)")
      : error
  }

  /// An error about a file that cannot be imported, with ffmpeg's first error message.
  func failure(_ what: String, _ firstErrorLine: String? = nil) -> FileError {
    FileError.wrongData(
      "cannot import \(file.relativePath): \(what)"
        + (firstErrorLine.map { " (ffmpeg: \(Self.plain($0)))" } ?? ""))
  }

  /// A message without the addresses of objects in memory, and cut to a readable length.
  static func plain(_ message: String) -> String {
    let text = message.replacing(#/\[(\S+) @ 0x[0-9a-f]+\] /#) { $0.1 == "NULL" ? "" : "\($0.1): " }
    return text.count <= 160 ? text : text.prefix(160) + "…"
  }

  /// The fields of a line that ffprobe writes in its compact form.
  static func fields(_ line: String) -> [String: String] {
    var fields: [String: String] = [:]
    for part in line.split(separator: "|") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 { fields[String(pair[0])] = String(pair[1]) }
    }
    return fields
  }
}
