internal import FaceCore
package import Foundation
internal import Imaging
package import Platform

/// Video files without labels, decoded by ffmpeg.
package struct Video: DatasetFormat {
  package let name = "video"
  package let summary = "video files that ffmpeg decodes, one sequence each; no labels"
  package let usesImageFolder = false
  package let isLabelled = false

  package init() {}

  /// A file whose extension and first bytes match the same container.
  package func recognises(_ source: URL) -> String? {
    VideoContainer.of(source).map { "a .\(source.pathExtension) file that begins as \($0.name)" }
  }

  /// Decodes each file and hands over its frames as PNG, with the container's times.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    let titles = SourceFiles.Titles(sources, keepsExtension: true)
    for source in sources {
      remarks += try read(
        VideoSource(source, isInterrupted: options.isInterrupted), title: titles[source],
        into: sink)
    }
    return remarks + [Self.withoutLabels]
  }

  /// That frames have no labels.
  static let withoutLabels = ImportRemark.assumed(
    "no labels: only metrics that need none are computed")

  private func read(
    _ source: VideoSource, title: String, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    let stream = try VideoStream(source)
    var frames = try VideoFrames.decode(source, stream)
    var last: Int64?
    var stopped = 0
    while let frame = try frames.next() {
      if let last, frame.timestampMicroseconds <= last {
        stopped += 1
        continue
      }
      let bytes: [UInt8]
      do {
        bytes = try frame.pixels.pngBytes()
      } catch {
        throw source.failure(error.description)
      }
      try sink(
        ImportedFrame(
          name: "\(title)/\(frames.count - 1)", image: .encoded(bytes), faces: [],
          timestampMicroseconds: frame.timestampMicroseconds,
          begins: last == nil ? .video(title, at: stream.framesPerSecond) : nil))
      last = frame.timestampMicroseconds
    }
    let firstErrorLine = try frames.finish()
    guard last != nil else { throw source.failure("expected frames, found none", firstErrorLine) }
    return Self.losses(
      title, frames, declared: stream.declaredFrames, stopped: stopped,
      firstErrorLine: firstErrorLine)
      + stream.remarks(title)
  }

  private static func losses(
    _ title: String, _ frames: borrowing VideoFrames, declared: Int?, stopped: Int,
    firstErrorLine: String?
  ) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    if let firstErrorLine {
      let promised = declared.flatMap { $0 > frames.count ? " of \($0)" : nil } ?? ""
      remarks.drop(
        "\(title): damaged, \(frames.count)\(promised) frames could be decoded (ffmpeg: "
          + "\(VideoSource.plain(firstErrorLine)))")
    } else if let declared, frames.storedCount < declared {
      remarks.drop("\(title): \(frames.storedCount) of \(declared) declared frames are in the file")
    }
    remarks.assume(frames.hiddenCount, "stored frames are hidden by its edit list", about: title)
    remarks.assume(
      frames.untimedCount, "frames without a time are a step after the one before", about: title)
    remarks.drop(stopped, "frames whose timestamp does not rise", about: title)
    return remarks
  }
}

extension VideoStream {
  /// Assumptions about a file of that name.
  fileprivate func remarks(_ title: String) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    remarks.assume(
      "\(title): turned by \(rotationDegrees.formatted())° by its display matrix",
      if: rotationDegrees != 0)
    if let pixelAspect {
      remarks.assume(
        "\(title): pixels of aspect \(pixelAspect) are kept as stored, not made square")
    }
    if let deepBits {
      remarks.assume("\(title): \(deepBits) bits per color value are reduced to 8")
    }
    if let highRange {
      remarks.assume(
        "\(title): the high dynamic range (\(highRange)) is kept as stored: faces are darker and paler than a "
          + "player shows them, or an app gets them (convert the video first, see the guide VideoFormat)"
      )
    }
    remarks.assume(
      "\(title): interlaced: the rows of an image are of two moments, so that what moves has combs (convert it "
        + "first with ffmpeg -vf bwdif)", if: isInterlaced)
    remarks.assume(
      "\(title): the first of \(streamCount) video streams is read", if: streamCount > 1)
    return remarks
  }
}
