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
  /// The image file of each frame; nil if it has none.
  private(set) var files: [String?] = []

  private var folders: Set<String> = []
  private var taken: Set<String> = []
  private var renamed = 0

  /// Reads every label, and the first bytes of every image.
  init(
    of dataset: DatasetReader, as format: any DatasetExporter, advance: (Int) -> Void,
    isInterrupted: () -> Bool
  ) throws(FileError) {
    taken.insert(format.labelFile)
    var counts: [String: Int] = [:]
    var next = 0
    while next < dataset.frameCount {
      let range = try dataset.range(from: next, atMost: 256)
      next = range.upperBound
      for (frame, faces) in zip(try dataset.frames(range), try dataset.labels(range)) {
        guard !isInterrupted() else {
          throw FileError(
            .interrupted, "interrupted after checking \(frame.index) frames; nothing was written")
        }
        advance(1)
        guard !frame.hasNoImage else {
          files.append(nil)
          counts["frames without an image", default: 0] += 1
          counts["faces of frames without an image", default: 0] += faces.count
          continue
        }
        files.append(file(of: frame, format: try Self.format(of: frame, in: dataset)))
        faceCount += faces.count
        for face in faces {
          categories.insert(face.category)
          for loss in format.losses(of: face) { counts[loss, default: 0] += 1 }
        }
      }
    }
    if renamed > 0 { counts["frame names that are not file names"] = renamed }
    losses =
      ExportLoss.ofWhole(dataset)
      + counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private static func format(
    of frame: Frame, in dataset: DatasetReader
  ) throws(FileError) -> ImageFormat {
    guard case .encoded(let bytes) = try dataset.image(frame.index) else { return .png }
    guard let format = ImageFormat(of: bytes.span) else {
      throw FileError(
        .wrongData,
        "cannot export frame \(frame.index) '\(frame.name)' of \(dataset.url.relativePath): "
          + "expected a JPEG or PNG, found something else")
    }
    return format
  }

  /// The frame's name if it can be a file name in the folder, else its number.
  private mutating func file(of frame: Frame, format: ImageFormat) -> String {
    let endings = format == .png ? ["png"] : ["jpg", "jpeg"]
    let isPlain = Self.isFileName(frame.name, endings: endings) && isFree(frame.name)
    var name = frame.name
    if !isPlain {
      renamed += 1
      let digits = "\(frame.index)"
      let stem = "frame-" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
      name = "\(stem).\(endings[0])"
      while !isFree(name) { name = "_\(name)" }
    }
    taken.insert(name)
    var path = name[...]
    while let slash = path.lastIndex(of: "/") {
      path = path[..<slash]
      folders.insert(String(path))
    }
    return name
  }

  private func isFree(_ name: String) -> Bool {
    guard !taken.contains(name), !folders.contains(name) else { return false }
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
