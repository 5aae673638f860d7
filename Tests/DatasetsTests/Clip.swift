import Datasets
import FaceCore
import Foundation
import Imaging
import Statistics
import TestSupport
import Testing

/// Clips that ffmpeg makes out of pixels that the test knows.
struct Clip {
  let width: Int
  let height: Int
  let frames: [[UInt8]]

  /// Whether the programs are there.
  static let isPossible =
    (try? ProcessResult(running: "/usr/bin/env", ["ffmpeg", "-version"]).status == 0) == true
    && (try? ProcessResult(running: "/usr/bin/env", ["ffprobe", "-version"]).status == 0) == true

  static let absence: Comment = "ffmpeg is not installed"

  /// Frames of noise in large tiles, each unlike the others.
  init(_ count: Int, width: Int = 48, height: Int = 32, seed: UInt64 = 1) {
    var numbers = SplitMix64(seed: seed)
    self.width = width
    self.height = height
    frames = (0..<count).map { _ in
      let tiles = (0..<(width * height)).map { _ in UInt8.random(in: 0...255, using: &numbers) }
      return (0..<(width * height * 3)).map { index in
        let (pixel, channel) = (index / 3, index % 3)
        return tiles[(pixel / width / 4) * width + (pixel % width) / 4 * 3 + channel]
      }
    }
  }

  /// Encodes into the file; its extension chooses the container.
  func write(to file: URL, _ options: [String], rate: String = "25") throws {
    let raw = file.appendingPathExtension("raw")
    try Data(frames.flatMap { $0 }).write(to: raw)
    defer { try? FileManager.default.removeItem(at: raw) }
    try Self.ffmpeg(
      [
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", "\(width)x\(height)", "-r", rate, "-i",
        raw.path,
      ]
        + options + [file.path])
  }

  /// Codecs that keep every RGB value.
  static let lossless = ["-c:v", "png", "-pix_fmt", "rgb24"]

  static func ffmpeg(_ words: [String]) throws {
    let result = try ProcessResult(
      running: "/usr/bin/env", ["ffmpeg", "-v", "error", "-nostdin", "-y"] + words)
    try #require(result.status == 0, "\(result.errors)")
  }

  /// What ffmpeg itself decodes, as one array a frame.
  static func decode(_ file: URL, frameBytes: Int) throws -> [[UInt8]] {
    let raw = file.appendingPathExtension("decoded")
    try ffmpeg(
      [
        "-i", file.path, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24",
        raw.path,
      ])
    let bytes = Array(try Data(contentsOf: raw))
    return stride(from: 0, to: bytes.count, by: frameBytes).map {
      Array(bytes[$0..<min($0 + frameBytes, bytes.count)])
    }
  }
}

/// A dataset that was imported from videos, with the remarks of the import.
struct ImportedClip {
  let dataset: DatasetReader
  let remarks: [String]

  init(_ sources: [URL], to url: URL, isStrict: Bool = false) throws {
    let writer = try DatasetWriter(url, name: "clip", replacing: true)
    let plan = DatasetImport(
      format: Video(), sources: sources, options: ImportOptions(), isStrict: isStrict)
    remarks = try plan.run(into: writer, advance: { _ in }, isInterrupted: { false })
      .map { ($0.isLoss ? "lost: " : "") + $0.text }
      .filter { $0 != "no labels: only metrics that need none are computed" }
    dataset = try DatasetReader(url)
    // Frames that are left out contradict the rate that ffmpeg 7 writes into a file.
    if !remarks.contains(where: { $0.hasSuffix("frames whose timestamp does not rise") }) {
      #expect(try DatasetValidation(of: dataset).findings.isEmpty)
    }
  }

  var timestamps: [Int64] {
    get throws { try dataset.frames(0..<dataset.frameCount).map(\.timestampMicroseconds) }
  }

  /// The decoded pixels of each frame.
  var pixels: [[UInt8]] {
    get throws {
      try (0..<dataset.frameCount).map(pixels)
    }
  }

  func pixels(_ frame: Int) throws -> [UInt8] {
    guard case .encoded(let bytes) = try dataset.image(frame) else { return [] }
    return try PixelBuffer(decoding: bytes[...]).bytes
  }
}
