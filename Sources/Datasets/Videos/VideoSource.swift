internal import Foundation

/// A video file, and how ffmpeg's programs are asked about it.
struct VideoSource {
  let file: URL
  private let isInterrupted: @Sendable () -> Bool

  /// Containers with times and pictures of their own: no playlists, no lists of files, no bare streams.
  private static let demuxers = [
    "apng", "asf", "avi", "dv", "flv", "gif", "ivf", "matroska", "mov", "mpeg", "mpegts", "mxf",
    "nut",
    "ogg", "rm", "swf", "wtv", "yuv4mpegpipe",
    // Recognised as sound without pictures.
    "aac", "flac", "mp3", "wav",
  ].joined(separator: ",")

  /// Checks that it is a regular file, which can be read twice at once.
  init(_ file: URL, isInterrupted: @escaping @Sendable () -> Bool) throws(DatasetError) {
    self.file = file
    self.isInterrupted = isInterrupted
    try SourceFiles.requireFile(file)
    var status = stat()
    guard stat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw DatasetError(
        .wrongData,
        "cannot read \(file.relativePath): expected a regular file, found a device or pipe")
    }
  }

  /// Starts a program on the file, with options for reading it before its name and others behind.
  ///
  /// The name is a `file:` address of the whole path, so that no name is taken for an option, a
  /// protocol or a pattern; one thread makes two programs agree about damaged pictures.
  func start(
    _ program: String, before: [String] = [], after: [String]
  ) throws(DatasetError) -> ChildProgram {
    let reading = [
      "-v", "error", "-threads", "1", "-protocol_whitelist", "file", "-format_whitelist",
      Self.demuxers,
    ]
    do throws(DatasetError) {
      return try ChildProgram.start(
        program, reading + before + ["-i", "file:" + file.standardizedFileURL.path] + after,
        package: "ffmpeg", isInterrupted: isInterrupted)
    } catch {
      throw DatasetError(error.kind, "cannot import \(file.relativePath): \(error.description)")
    }
  }

  /// The error of a program that was asked about the file, which is named.
  func naming(_ error: DatasetError) -> DatasetError {
    error.kind == .inputOutput
      ? DatasetError(.inputOutput, "cannot import \(file.relativePath): \(error.description)")
      : error
  }

  /// The error of a file that cannot be imported, with what ffmpeg said first.
  func failure(_ what: String, _ complaint: String? = nil) -> DatasetError {
    DatasetError(
      .wrongData,
      "cannot import \(file.relativePath): \(what)"
        + (complaint.map { " (ffmpeg: \(Self.plain($0)))" } ?? ""))
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
