internal import Foundation
internal import Platform

/// A kind of video file, with its first bytes and extensions.
struct VideoContainer: Sendable {
  let name: String
  let extensions: Set<String>
  private let signatures: [Signature]

  private struct Signature: Sendable {
    let offset: Int
    let bytes: [UInt8]

    init(_ text: String, at offset: Int = 0) { self.init(Array(text.utf8), at: offset) }

    init(_ bytes: [UInt8], at offset: Int = 0) {
      self.offset = offset
      self.bytes = bytes
    }
  }

  private static let all = [
    VideoContainer(
      name: "MP4 or QuickTime", extensions: ["mp4", "m4v", "mov", "3gp"],
      signatures: ["ftyp", "moov", "mdat", "wide", "free", "skip"].map { Signature($0, at: 4) }),
    VideoContainer(
      name: "Matroska or WebM", extensions: ["mkv", "webm"],
      signatures: [Signature([0x1A, 0x45, 0xDF, 0xA3])]),
    VideoContainer(name: "AVI", extensions: ["avi"], signatures: [Signature("AVI ", at: 8)]),
    VideoContainer(name: "GIF", extensions: ["gif"], signatures: [Signature("GIF8")]),
    VideoContainer(
      name: "an MPEG transport stream", extensions: ["ts", "mts", "m2ts"],
      signatures: [Signature([0x47]), Signature([0x47], at: 4)]),
    VideoContainer(
      name: "an MPEG program stream", extensions: ["mpg", "mpeg"],
      signatures: [Signature([0, 0, 1, 0xBA])]),
    VideoContainer(name: "Ogg", extensions: ["ogv", "ogg"], signatures: [Signature("OggS")]),
    VideoContainer(name: "Flash video", extensions: ["flv"], signatures: [Signature("FLV")]),
    VideoContainer(
      name: "Windows Media", extensions: ["wmv", "asf"],
      signatures: [Signature([0x30, 0x26, 0xB2, 0x75])]),
  ]

  /// The extensions of all kinds, in lower case.
  static let allExtensions = all.reduce(into: Set<String>()) { $0.formUnion($1.extensions) }

  /// The kind that matches both extension and first bytes, or nil.
  static func of(_ file: URL) -> VideoContainer? {
    let word = file.pathExtension.lowercased()
    guard let kind = all.first(where: { $0.extensions.contains(word) }),
      let head = InputFile.head(of: file, 16)
    else { return nil }
    return kind.signatures.contains { head.dropFirst($0.offset).starts(with: $0.bytes) }
      ? kind : nil
  }
}
