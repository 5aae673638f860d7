package import Foundation
package import Platform

/// A folder of images without labels.
package struct ImageFolder: DatasetFormat {
  package let name = "images"
  package let summary = "a folder of JPEG and PNG images, folders inside included; no labels"
  package let usesImageFolder = false
  package let isLabelled = false

  package init() {}

  /// A folder with an image somewhere in it.
  package func recognises(_ source: URL) -> String? {
    SourceFiles.filesIfFolder(source, extensions: SourceFiles.imageExtensions).isEmpty
      ? nil : "a folder with images and no labels"
  }

  /// Reads each folder's images in order of their names.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var (others, folders, unread) = (OtherFiles(), Set<String>(), [String: Int]())
    for source in sources {
      try SourceFiles.requireFolder(source)
      try others.add(of: source)
      let files = try SourceFiles.files(in: source, extensions: SourceFiles.imageExtensions)
      for file in try SourceFiles.files(in: source, extensions: SourceFiles.unreadExtensions) {
        unread[PathText(file).suffix.lowercased(), default: 0] += 1
      }
      guard !files.isEmpty else {
        let found = Self.text(unread)
        throw FileError.wrongData(
          "cannot import \(source.relativePath): expected .jpg, .jpeg or .png files, found "
            + (found.isEmpty ? "none" : found))
      }
      for file in files {
        if let end = file.lastIndex(of: "/") { folders.insert(String(file[..<end])) }
        try sink(ImportedFrame(file, in: source, faces: []))
      }
    }
    var remarks: [ImportRemark] = [
      .assumed(
        options.statesNoFaces
          ? "no image shows a face (--no-faces)"
          : "no labels: only metrics that need none are computed")
    ]
    if folders.count > 1 || folders.contains(where: ClassFolders.isExpression) {
      let those =
        folders.count == 1
        ? "the folder of images is a part" : "the \(folders.count) folders of the images are parts"
      remarks.assume(
        "\(those) of frame names, not labels (import class-folders reads them as expressions)")
    }
    remarks.drop("images of unread formats left out: \(Self.text(unread))", if: !unread.isEmpty)
    return remarks + others.remarks
  }

  /// `3 .webp, 1 .gif`, by name.
  private static func text(_ counts: [String: Int]) -> String {
    counts.sorted { $0.key < $1.key }.map { "\($0.value) .\($0.key)" }.joined(separator: ", ")
  }
}

/// Files of an image folder that are not images.
struct OtherFiles {
  private var counts: [String: Int] = [:]
  private var first: String?

  /// Common file names without labels, such as readmes.
  static let plain: Set<String> = [
    "readme", "license", "licence", "thumbs", "desktop", "notice", "copying", "requirements",
  ]

  mutating func add(of folder: URL) throws(FileError) {
    for name in try SourceFiles.names(below: folder, depth: 64) where !SourceFiles.isImage(name) {
      let file = PathText(name)
      guard !Self.plain.contains(file.stem.lowercased()) else { continue }
      let type = file.suffix.lowercased()
      guard !SourceFiles.unreadExtensions.contains(type) else { continue }
      counts[type.isEmpty ? "no extension" : ".\(type.prefix(20))", default: 0] += 1
      if first == nil { first = name }
    }
  }

  var remarks: [ImportRemark] {
    guard let first else { return [] }
    let kinds = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return [
      .dropped(
        "\(counts.values.reduce(0, +)) files other than JPEG or PNG left out ("
          + kinds.prefix(8).map { "\($0.key) \($0.value)" }.joined(separator: ", ")
          + "), the first is \(first.prefix(200))")
    ]
  }
}
