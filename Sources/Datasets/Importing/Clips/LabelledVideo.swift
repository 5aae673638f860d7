internal import FaceCore
package import Foundation
internal import Imaging
package import Platform

/// Labels of another format on the decoded frames of videos.
package struct LabelledVideo {
  package let labels: any DatasetFormat
  private let videos: [URL]
  private let staging: URL
  /// How label frames find theirs; nil means by names as videos have them, else by numbers or the format's key.
  package var key: FrameKey?
  /// What is added to the numbers or times of the labels before they are joined.
  package var offset = FrameOffset.frames(0)
  /// The number of a video's first frame in the labels; nil means the one that the numbers tell.
  package var firstNumber: Int?

  /// Puts labels on the frames of videos; `staging` is a folder to make meanwhile.
  package init(_ labels: any DatasetFormat, on videos: [URL], staging: URL) {
    self.labels = labels
    self.videos = videos
    self.staging = staging
  }

  /// The videos of files and folders, a folder's in order of their names; throws where one is no video.
  package static func videos(in places: [URL]) throws(FileError) -> [URL] {
    var found: [URL] = []
    for place in places {
      guard place.isThere else {
        throw FileError(.notFound, "cannot read \(place.relativePath): no such file or folder")
      }
      let names = place.isFolder ? try SourceFiles.names(below: place, depth: 64) : []
      let own = place.isFolder ? names.map { place.appendingPathComponent($0) } : [place]
      let videos = own.filter { VideoContainer.of($0) != nil }
      guard !videos.isEmpty else {
        throw FileError.wrongData(
          "cannot put labels on \(place.relativePath): expected a video, found "
            + (place.isFolder ? "a folder without any" : "another file"))
      }
      found += videos
    }
    return found
  }
}

extension LabelledVideo: FormatOfClips {
  package var usesImageFolder: Bool { false }

  /// Reads all labels, decodes the videos, and passes on every frame of them with its labels.
  ///
  /// Throws `.wrongData` where the labels name no frame of the videos, or do not tell which.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    let folder = try AtomicFolder(temporary: staging)
    try folder.make()
    defer { folder.discard() }
    var own = options
    own.isLabelsOnly = true
    own.keepsClock = true
    (own.frameSizeOfVideo, own.frameRateOfVideo) = try facts(options)
    let staged = try StagedFrames(
      labels, sources, options: own, in: folder.partial.appendingPathComponent("labels.h5"))
    guard !staged.rows.isEmpty else {
      throw FileError.wrongData(
        "cannot import \(sources.map(\.relativePath).joined(separator: ", ")): expected labels, "
          + "found none")
    }
    let file = folder.partial.appendingPathComponent("video.h5")
    var remarks = staged.remarks
    remarks += try decode(options, into: file)
    let clips = try DatasetReader(file)
    let key = if let key { key } else { try automaticKey(staged, clips) }
    let join = try LabelsOnClips(
      staged, clips, key: key, offset: offset,
      firstNumber: firstNumber, framesPerSecond: options.framesPerSecond, sources: sources)
    let subjects = clips.sequences.map { sequence in
      staged.subject(of: sequence.frames.lazy.flatMap { join.rows(ofFrame: $0) })
    }
    var unlabelled = 0
    for start in stride(from: 0, to: clips.frameCount, by: 256) {
      for frame in try clips.frames(start..<min(start + 256, clips.frameCount)) {
        let rows = join.rows(ofFrame: frame.index)
        var labelled =
          try rows.first.map { (row) throws(FileError) in try staged.frame(row) }
          ?? ImportedFrame(name: frame.name, image: .none, faces: [])
        for row in rows.dropFirst() { labelled.faces += try staged.faces(row) }
        if rows.isEmpty {
          unlabelled += 1
          if !labels.labelsEveryFrame { labelled.faces = [.unlabelled(frame.size)] }
        }
        labelled.name = frame.name
        labelled.image = .encoded(Array(try clips.image(frame.index).bytes))
        labelled.timestampMicroseconds = frame.timestampMicroseconds
        var sequence = clips.sequences[frame.sequence]
        sequence.subject = subjects[frame.sequence] ?? ""
        labelled.begins = frame.index == sequence.first ? sequence : nil
        try sink(labelled)
      }
    }
    remarks += join.remarks
    let mixed = subjects.count { $0 == nil }
    if let remark = StagedFrames.remark(ofSubjects: mixed) { remarks.append(remark) }
    if unlabelled > 0 {
      let text = "\(unlabelled) of \(clips.frameCount) frames of the videos are not in the labels"
      remarks.assume(
        labels.labelsEveryFrame
          ? "\(text): nobody is there, as \(labels.name) lists every face"
          : "\(text): they are not labelled, so that an ignored region of the whole frame keeps faces "
            + "there from counting")
    }
    return remarks
  }

  /// Size of the first video's frames as they are decoded, and the frames per second of all; nil where these differ.
  private func facts(
    _ options: ImportOptions
  ) throws(FileError) -> (size: ImageSize?, framesPerSecond: Double?) {
    let source = try VideoSource(videos[0], isInterrupted: options.isInterrupted)
    let stream = try VideoStream(source)
    var isOne = true
    for other in videos.dropFirst() where isOne {
      let next = try VideoStream(VideoSource(other, isInterrupted: options.isInterrupted))
      isOne = next.framesPerSecond == stream.framesPerSecond
    }
    var frames = try VideoFrames.decode(source, stream)
    let size = try frames.next().map {
      ImageSize(width: $0.pixels.width, height: $0.pixels.height)
    }
    return (size, isOne ? stream.framesPerSecond : nil)
  }

  private func decode(
    _ options: ImportOptions, into file: URL
  ) throws(FileError) -> [ImportRemark] {
    let writer = try DatasetWriter(file, name: "staging", replacing: true)
    let remarks = try Video().read(videos, options: options) { (frame) throws(FileError) in
      try FileError.stop(
        if: options.isInterrupted(),
        "interrupted after \(writer.frameCount) frames; nothing was written")
      if let begins = frame.begins { writer.beginSequence(begins) }
      var (bytes, size) = ([UInt8](), ImageSize(width: 0, height: 0))
      if case .encoded(let own) = frame.image {
        bytes = own
        size = try Self.size(of: own, named: frame.name)
      }
      try writer.add(
        name: frame.name, image: bytes, size: size,
        timestampMicroseconds: frame.timestampMicroseconds, faces: [])
    }
    try writer.finish()
    return remarks.filter { $0 != Video.withoutLabels }
  }

  private static func size(of image: [UInt8], named name: String) throws(FileError) -> ImageSize {
    do {
      return try ImageHeader(of: image[...]).size
    } catch {
      throw FileError.wrongData("cannot import \(name): \(error.description)")
    }
  }

  private func automaticKey(
    _ staged: StagedFrames, _ clips: DatasetReader
  ) throws(FileError) -> FrameKey {
    let own = staged.rows.lazy.compactMap(\.joins).first ?? labels.joins
    if own != .name { return own }
    if staged.isTimedAlone { return .time }
    // Without the extension in it, a name is nobody's in particular, and its number may count from 1.
    let known = Set(try clips.collectFrames { $0.name })
    return staged.rows.allSatisfy { known.contains(NumberedName.withoutSuffix($0.name)) }
      ? .name : .number
  }
}
