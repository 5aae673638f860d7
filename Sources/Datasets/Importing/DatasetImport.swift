internal import FaceCore
package import Foundation
internal import Imaging
package import Platform

/// Reads labelled files of a known format into a dataset.
package struct DatasetImport: Sendable {
  /// The format of the sources.
  package var format: any DatasetFormat
  /// The files or folders to read, in order.
  package var sources: [URL]
  /// The user's options.
  package var options: ImportOptions
  /// Whether anything lost or changed is an error.
  package var isStrict: Bool
  /// The folders that the user gave, in which images may lie in folders of splits.
  package var folders: [URL]
  /// The files of labels that are splits of a folder; empty if the sources are read together.
  package var splits: [SplitSource] = []

  /// Plans an import.
  package init(
    format: any DatasetFormat, sources: [URL], options: ImportOptions, isStrict: Bool
  ) {
    self.format = format
    self.sources = sources
    self.options = options
    self.isStrict = isStrict
    folders = sources.filter(\.isFolder)
  }

  /// Reads everything into a writer and finishes its file; returns assumptions and losses.
  package func run(
    into writer: DatasetWriter, advance: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(FileError) -> [ImportRemark] {
    try run(into: ImportParts(writer), advance: advance, isInterrupted: isInterrupted)
  }

  /// Reads the frames that the parts do not have yet and makes the dataset.
  ///
  /// After an interruption the finished parts stay. Returns assumptions and losses.
  package func run(
    into parts: ImportParts, advance: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(FileError) -> [ImportRemark] {
    do {
      return try readAll(into: parts, advance: advance, isInterrupted: isInterrupted)
    } catch {
      throw parts.end(after: error)
    }
  }

  private func readAll(
    into parts: ImportParts, advance: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(FileError) -> [ImportRemark] {
    for source in sources { try parts.requireOther(than: source) }
    var splits: [String: [Int]] = [:]
    var position = -1
    var placement = FacePlacement(options, of: format)
    placement.counts = parts.placed
    var tooLarge: (count: Int, first: String) = (0, "")
    var identities = RepeatedIdentities()
    var tracks = TrackNumbers()
    var nothing = 0
    var nearby = NearbyImages()
    /// Whether the still that was left out last began a sequence, which the next frame is no part of.
    var lacksStill = false
    var remarks = try readSplits {
      (frame) throws(FileError) in
      try FileError.stop(
        if: isInterrupted(), "interrupted after \(parts.frameCount) images; nothing was written")
      position += 1
      defer { advance(1) }
      var frame = frame
      if format.numbersTracks { tracks.renumber(&frame) }
      guard parts.leftOut[position] == nil else {
        lacksStill = frame.begins != nil || lacksStill
        return
      }
      if lacksStill, frame.begins == nil {
        frame.begins = SequenceDescription(name: frame.name, kind: .still)
      }
      lacksStill = false
      if !options.isLabelsOnly { try nearby.resolve(&frame) }
      let index = parts.frameCount
      if try !parts.skips(frame) {
        let (bytes, header, exif): ([UInt8]?, ImageHeader?, ExifTurn?)
        do throws(FileError) {
          (bytes, header, exif) = try image(of: frame, besides: parts)
        } catch {
          guard frame.begins?.kind != .video, error.kind != .cannotWrite,
            parts.leftOut.count < options.maxBadImages
          else { throw error }
          lacksStill = frame.begins != nil
          return parts.leaveOut(position, error.description)
        }
        if options.turnsImages, exif != nil { try Self.requireNoCamera(of: frame) }
        if let bytes, let header {
          do throws(ImageError) {
            try header.requireMemory(ofBytes: bytes.count)
          } catch {
            if tooLarge.count == 0 { tooLarge.first = "'\(frame.name)': \(error.description)" }
            tooLarge.count += 1
          }
        }
        var placed = frame
        placed.faces.removeAll(where: \.isNothing)
        nothing += frame.faces.count - placed.faces.count
        placed.faces = try placement.place(
          placed.faces,
          in: .init(
            name: frame.name, stated: frame.statedSize, stored: header?.size,
            isSizeOfImage: frame.isSizeOfImage, exif: exif, isRelative: frame.isRelative)
        ) { () throws(FileError) in header?.orientation ?? 1 }
        try parts.add(
          placed, image: bytes ?? [], size: header?.size ?? Self.sizeAlone(of: frame),
          isRotated: exif != nil && !placement.isTurned)
        parts.placed = placement.counts
      } else {
        placement.count(frame.faces)
        nothing += frame.faces.count(where: \.isNothing)
      }
      identities.add(frame.faces, of: frame.name)
      for split in frame.splits { splits[split, default: []].append(index) }
    }
    remarks += Self.remarks(of: parts.leftOut)
    if let remark = nearby.remark { remarks.append(remark) }
    remarks += placement.remarks
    remarks.dropNothing(nothing)
    if let remark = identities.remark { remarks.append(remark) }
    if let remark = tracks.remark { remarks.append(remark) }
    remarks.assume(
      tooLarge.count,
      "images are too large to be decoded whole; the first is "
        + tooLarge.first)
    remarks.assume("images left out (--labels-only)", if: options.isLabelsOnly)
    if parts.rotatedCount > 0, options.turnsImages {
      remarks.assume(
        "\(parts.rotatedCount) images are turned upright, as Exif says, and stored as PNG; labels "
          + "are taken to be for the upright images (--apply-exif images)")
    } else if parts.rotatedCount > 0 {
      remarks.assume(
        "\(parts.rotatedCount) images carry an Exif rotation; labels are taken to be for the "
          + "pixels as stored (--apply-exif labels: for the upright images)")
    }
    guard parts.frameCount > 0 else {
      throw FileError.wrongData(
        "cannot import \(sources.map(\.relativePath).joined(separator: ", ")): expected images, "
          + "found none")
    }
    guard parts.faceCount == 0 || !options.statesNoFaces else {
      throw FileError.wrongData(
        "cannot import \(sources.map(\.relativePath).joined(separator: ", ")): expected no face "
          + "(--no-faces), found \(parts.faceCount)")
    }
    let loss = remarks.first(where: \.isLoss)
    if isStrict, let loss {
      throw FileError.wrongData("cannot import without loss (--strict): \(loss.text)")
    }
    let count = format.statesCategory ? parts.labelCount : parts.faceCount
    guard count > 0 || !format.isLabelled || options.statesNoFaces else {
      throw FileError.wrongData(
        "cannot import \(sources.map(\.relativePath).joined(separator: ", ")): expected labelled faces, "
          + "found none on \(parts.frameCount) images\(loss.map { ", \($0.text)" } ?? "") (import images "
          + "reads images without labels; --no-faces says that they show no face)")
    }
    try placement.requireEffect(on: sources.map(\.relativePath).joined(separator: ", "))
    try parts.finish(splits: splits, isInterrupted: isInterrupted)
    return remarks
  }

  /// The size of an image that is not imported, as its source states it; 0 by 0 where it states none.
  private static func sizeAlone(of frame: ImportedFrame) -> ImageSize {
    let sides = 1...ImageHeader.maximumSide
    guard let size = frame.statedSize, sides.contains(size.width), sides.contains(size.height),
      size.width * size.height <= ImageHeader.maximumPixels
    else { return ImageSize(width: 0, height: 0) }
    return size
  }

  private static func remarks(of leftOut: [Int: String]) -> [ImportRemark] {
    let reasons = leftOut.sorted { $0.key < $1.key }.map(\.value)
    let named = 20
    return reasons.prefix(named).map { .dropped("image left out: \($0)") }
      + (reasons.count > named
        ? [.dropped("\(reasons.count - named) more unreadable images left out")] : [])
  }

  /// Throws for a frame whose camera or depth map would not be turned with its image.
  private static func requireNoCamera(of frame: ImportedFrame) throws(FileError) {
    let context = frame.context
    guard context.intrinsics == nil, context.cameraTransform == nil, frame.depth == nil else {
      throw FileError.wrongData(
        "cannot turn '\(frame.name)' upright: expected an image without a camera and a depth map, which are "
          + "of the pixels as stored, found one of them (import without --apply-exif images)")
    }
  }

  /// The bytes of a frame's image, its header, and how Exif turns what the source has; nil if the frame has none.
  private func image(
    of frame: ImportedFrame, besides parts: ImportParts
  ) throws(FileError) -> ([UInt8]?, ImageHeader?, ExifTurn?) {
    let (bytes, position) = try contents(of: frame, besides: parts)
    guard let bytes else { return (nil, nil, nil) }
    do {
      let header = try ImageHeader(of: bytes[...])
      let exif = ExifTurn(orientation: header.orientation, stored: header.size)
      guard options.turnsImages, let exif else { return (bytes, header, exif) }
      try header.requireMemory(ofBytes: bytes.count)
      let upright = try exif.upright(PixelBuffer(decoding: bytes[...])).pngBytes()
      return (upright, try ImageHeader(of: upright[...]), exif)
    } catch {
      throw FileError.wrongData("cannot import \(position): \(error.description)")
    }
  }

  private func contents(
    of frame: ImportedFrame, besides parts: ImportParts
  ) throws(FileError) -> (bytes: [UInt8]?, position: String) {
    guard !options.isLabelsOnly else { return (nil, frame.name) }
    if case .encoded(let bytes) = frame.image { return (bytes, frame.name) }
    guard let url = frame.image.file else { return (nil, frame.name) }
    try parts.requireOther(than: url)
    guard options.imageFolder != nil || url.isThere else {
      throw FileError(
        .notFound,
        "cannot read \(url.relativePath): no such file (--images names the folder of the images, --labels-only omits them)"
      )
    }
    return (try SourceFiles.bytes(of: url), url.relativePath)
  }

  /// The first format that every source looks like, with the reason; throws if there is none.
  package static func detectFormat(
    of sources: [URL]
  ) throws(FileError) -> (format: any DatasetFormat, reason: String) {
    for source in sources where !source.isThere {
      throw FileError(.notFound, "cannot read \(source.relativePath): no such file or folder")
    }
    for source in sources where !source.isFolder { _ = try InputFile(source) }
    for format in DatasetFormats.all {
      let reasons = sources.compactMap { format.recognises($0) }
      if reasons.count == sources.count, let reason = reasons.first { return (format, reason) }
    }
    try SourceFiles.requireReadable(sources)
    let names = DatasetFormats.all.map(\.name).joined(separator: ", ")
    throw FileError.wrongData(
      "cannot import \(sources.map(\.relativePath).joined(separator: ", ")): expected one of "
        + "\(names), found none of them (name the format to see why\(ImportHint.clause(ofUnknown: sources[0])))"
    )
  }
}
