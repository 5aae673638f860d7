package import Foundation
internal import Platform

/// A file of labels that is one split of a folder, such as `train/_annotations.coco.json`.
package struct SplitSource: Sendable, Hashable {
  /// Name of the split.
  package let name: String
  /// The file of labels.
  package let file: URL
  /// The folder of its images.
  package let images: URL

  /// The files, each with the only one of its split, if all are of one format and their images are found.
  static func all(
    of files: [URL], in folder: URL, as format: any DatasetFormat
  ) -> [SplitSource]? {
    let splits = files.compactMap { file -> SplitSource? in
      let path = String(file.path.dropFirst(folder.path.count + 1))
      guard let name = FolderSplit.name(ofLabels: path),
        let images = ImportSources.images(of: file, in: folder, as: format, isExact: true),
        FolderSplit.isNamed(name, images.path.dropFirst(folder.path.count + 1))
      else { return nil }
      return SplitSource(name: name, file: file, images: images)
    }
    let isEach = splits.count == files.count && Set(splits.map(\.name)).count == files.count
    return isEach && files.count > 1 ? splits : nil
  }
}

extension DatasetImport {
  /// Reads the sources as their format does; frames get the splits that folders and files name.
  ///
  /// A frame of a file that is a split has the split's name before its own, which need not be unique.
  func readSplits(into sink: FrameSink) throws(FileError) -> [ImportRemark] {
    var counts: [String: Int] = [:]
    let below = folders.map(\.standardizedFileURL.path)
    func add(_ frame: ImportedFrame) throws(FileError) {
      var frame = frame
      if !below.isEmpty, frame.splits.isEmpty, let image = frame.image.file {
        frame.splits = FolderSplit.names(of: image, below: below)
        for split in frame.splits { counts[split, default: 0] += 1 }
      }
      try sink(frame)
    }
    guard !splits.isEmpty else {
      return try format.readPlacingPoints(sources, options: options, into: add)
        + FolderSplit.remarks(counts)
    }
    var remarks: [(split: String, all: [ImportRemark])] = []
    for split in splits {
      var options = options
      options.imageFolder = split.images
      options.filesOfSplits = splits.map(\.file)
      let found = try format.readPlacingPoints([split.file], options: options) {
        (frame) throws(FileError) in
        var frame = frame
        frame.name = "\(split.name)/\(frame.name)"
        if frame.splits.isEmpty {
          frame.splits = [split.name]
          counts[split.name, default: 0] += 1
        }
        try sink(frame)
      }
      remarks.append((split.name, found))
    }
    let shared = remarks[0].all.filter { remark in remarks.allSatisfy { $0.all.contains(remark) } }
    return shared
      + remarks.flatMap { split, all in
        all.filter { !shared.contains($0) }.map { $0.about(split) }
      } + FolderSplit.remarks(counts)
  }
}
