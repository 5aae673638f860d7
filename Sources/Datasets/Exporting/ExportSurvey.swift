internal import FaceCore
internal import Foundation
internal import Imaging
internal import Platform

/// Losses of an export and the file names of its images, determined before anything is written.
package struct ExportSurvey: Sendable {
  /// Categories of faces.
  package private(set) var categories: Set<Int> = []
  /// Losses with counts, in a fixed order.
  package private(set) var losses: [(what: String, count: Int)] = []
  /// Faces that will be written.
  private(set) var faceCount = 0
  /// Path of each frame's image; nil for a frame that is left out.
  private(set) var files: [String?] = []
  /// Whether any of them has an image.
  private(set) var hasImages = false

  private let layout: ExportLayout
  private var videos: [Int: String] = [:]
  /// Paths without their endings.
  private var stems: Set<String> = []
  private var folders: Set<String> = []
  private var taken: Set<String> = []
  private var renamed = 0

  /// Reads every face, and the first bytes of every image.
  init(
    of source: ExportSource, as format: any DatasetExporter, advance: (Int) -> Void,
    isInterrupted: () -> Bool
  ) throws(FileError) {
    layout = format.layout
    taken.insert(format.labelFile)
    if layout.isOfVideos { videos = Self.folders(of: source.dataset) }
    let scheme = source.exportedScheme
    var counts: [String: Int] = [:]
    var next = 0
    while next < source.dataset.frameCount {
      let range = try source.range(from: next)
      next = range.upperBound
      for (frame, faces) in zip(try source.dataset.frames(range), try source.faces(range)) {
        try FileError.stop(
          if: isInterrupted(),
          "interrupted after checking \(frame.index) frames; nothing was written")
        advance(1)
        guard !frame.hasNoImage || !layout.needsImages,
          !layout.isOfVideos || videos[frame.sequence] != nil
        else {
          let kind = frame.hasNoImage && layout.needsImages ? "frames without an image" : "stills"
          files.append(nil)
          counts[kind, default: 0] += 1
          counts["faces of \(kind)", default: 0] += faces.count
          continue
        }
        if let video = source.dataset.video(ofSequence: frame.sequence), layout.isOfVideos,
          !source.isPredictions, !Self.isOnTime(frame, of: video)
        {
          counts["times that do not follow from the frame rate", default: 0] += 1
        }
        let image =
          frame.hasNoImage ? nil : try Self.format(of: frame, in: source.dataset)
        hasImages = hasImages || image != nil
        if image?.isRotated == true {
          counts["Exif rotations of images: labels are of the pixels as stored", default: 0] += 1
        }
        files.append(file(of: frame, format: image?.format, in: source.dataset))
        faceCount += faces.count
        for face in faces {
          categories.insert(face.category)
          var lost = format.losses(of: face, in: frame.size, isPrediction: source.isPredictions)
          if layout.hasOneScheme {
            lost += ExportLoss.points(of: face, besides: scheme, hidden: false, missing: false)
          }
          for loss in lost {
            counts[loss, default: 0] += 1
          }
        }
      }
    }
    if renamed > 0 { counts["frame names that are not file names"] = renamed }
    let others = videos.count { source.dataset.sequence($0.key)?.name != $0.value }
    if others > 0 { counts["names of videos that are not folder names"] = others }
    losses =
      ExportLoss.ofWhole(source, layout)
      + counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Whether a frame's time is that of its number, to the microsecond.
  private static func isOnTime(_ frame: Frame, of video: SequenceDescription) -> Bool {
    let number = Double(frame.index - video.first)
    return video.framesPerSecond > 0
      && abs(Double(frame.timestampMicroseconds) - number * 1e6 / video.framesPerSecond) <= 1
  }

  /// What files call a category.
  func name(of category: Int) -> String { category == 1 ? "face" : "category \(category)" }

  /// The category that such a name has, other than faces; nil for other names.
  static func category(named name: String) -> Int? {
    guard name.hasPrefix("category "), let number = Int32(name.dropFirst("category ".count)),
      number != 1
    else { return nil }
    return Int(number)
  }

  /// The folder of a video; nil for stills.
  func folder(ofSequence sequence: Int) -> String? { videos[sequence] }

  /// The names of videos, with `-` for slashes, if these can be folders and are different, else their numbers.
  private static func folders(of dataset: DatasetReader) -> [Int: String] {
    var folders: [Int: String] = [:]
    var taken: Set<String> = []
    for (index, sequence) in dataset.sequences.enumerated() where sequence.kind == .video {
      let name = sequence.name.replacing("/", with: "-")
      var folder =
        isFileName("\(name).png", endings: ["png"]) ? name : "sequence-\(index)"
      while !taken.insert(folder.lowercased()).inserted { folder += "-\(index)" }
      folders[index] = folder
    }
    return folders
  }

  private static func format(
    of frame: Frame, in dataset: DatasetReader
  ) throws(FileError) -> (format: ImageFormat, isRotated: Bool) {
    guard case .encoded(let bytes) = try dataset.image(frame.index) else { return (.png, false) }
    guard let format = ImageFormat(of: bytes[...]) else {
      throw FileError.wrongData(
        "cannot export frame \(frame.index) '\(frame.name)' of \(dataset.url.relativePath): "
          + "expected a JPEG or PNG, found something else")
    }
    return (format, ((try? ImageHeader(of: bytes[...]).orientation) ?? 1) > 1)
  }

  /// The frame's name if it can be a file name in the folder, else with the ending that it lacks, else its number.
  ///
  /// What a tracker predicts on these files is joined by names, without extensions, to the frames again.
  private mutating func file(
    of frame: Frame, format: ImageFormat?, in dataset: DatasetReader
  ) -> String {
    let endings =
      switch format {
      case .png: ["png"]
      case .jpeg: ["jpg", "jpeg"]
      default: ["jpg", "jpeg", "png"]
      }
    if let folder = videos[frame.sequence], let video = dataset.video(ofSequence: frame.sequence) {
      return "\(folder)/img1/\((frame.index - video.first + 1).padded(to: 6)).\(endings[0])"
    }
    var name = frame.name
    if !Self.isFileName(name, endings: endings) { name += ".\(endings[0])" }
    let isPlain = Self.isFileName(name, endings: endings) && isFree(name)
    if name != frame.name || !isPlain { renamed += 1 }
    if !isPlain {
      name = "frame-\(frame.index.padded(to: 6)).\(endings[0])"
      while !isFree(name) { name = "_\(name)" }
    }
    taken.insert(name)
    if layout.hasFilePerImage { stems.insert(PathText(name).withoutSuffix) }
    var path = name[...]
    while let slash = path.lastIndex(of: "/") {
      path = path[..<slash]
      folders.insert(String(path))
    }
    return layout.imageFolder + name
  }

  private func isFree(_ name: String) -> Bool {
    guard !taken.contains(name), !folders.contains(name),
      !layout.hasFilePerImage || !stems.contains(PathText(name).withoutSuffix)
    else { return false }
    var path = name[...]
    while let slash = path.lastIndex(of: "/") {
      path = path[..<slash]
      if taken.contains(String(path)) { return false }
    }
    return true
  }

  /// Whether a name is a relative path of plain parts with an extension of its format.
  static func isFileName(_ name: String, endings: [String]) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    let isSafe = parts.allSatisfy { part in
      !part.isEmpty && !part.hasPrefix(".") && part.utf8.count <= 200
        && part.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\\" && $0.value != 0x7F }
    }
    let ending = parts.last?.split(separator: ".").last.map { $0.lowercased() } ?? ""
    return isSafe && name.utf8.count <= 1000 && endings.contains(ending)
      && parts.last?.contains(".") == true
  }
}
