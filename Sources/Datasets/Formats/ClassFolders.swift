internal import FaceCore
package import Foundation
internal import Imaging

/// Folders named by expressions, as RAF-DB, AffectNet and FER2013 come for training classifiers.
package struct ClassFolders: DatasetFormat {
  /// The word on the command line.
  package let name = "class-folders"
  /// What it reads.
  package let summary =
    "class folders: EXPRESSION/image, SPLIT/EXPRESSION/image; whole images"

  /// Makes the format.
  package init() {}

  /// Names of folders that are taken as expressions without being told so, in lower case.
  private static let words: Set<String> = [
    "afraid", "anger", "angry", "calm", "contempt", "disgust", "disgusted", "disgusting", "fear",
    "fearful", "happiness", "happy", "joy", "neutral", "sad", "sadness", "scared", "surprise",
    "surprised",
  ]

  /// A folder whose images all lie in folders named by two or more expressions.
  package func recognises(_ source: URL) -> String? {
    guard SourceFiles.isFolder(source),
      let files = try? SourceFiles.files(in: source, extensions: SourceFiles.pictureExtensions),
      !files.isEmpty
    else { return nil }
    let classes = Set(files.map { Self.place(of: $0)?.expression.lowercased() ?? "" })
    guard classes.count > 1, classes.isSubset(of: Self.words) else { return nil }
    return "a folder of images in folders named " + classes.sorted().joined(separator: ", ")
  }

  /// The split and the expression that the folders of an image name; nil without a folder.
  private static func place(of path: String) -> (split: String?, expression: String)? {
    let parts = path.split(separator: "/")
    guard parts.count > 1 else { return nil }
    return (parts.count > 2 ? String(parts[0]) : nil, String(parts[parts.count - 2]))
  }

  /// Reads each folder's images in order of their names.
  package func read(
    _ sources: [URL], options: ImportOptions,
    into sink: (ImportedFrame) throws(DatasetError) -> Void
  ) throws(DatasetError) -> [ImportRemark] {
    var classes: [String: Int] = [:]
    var (loose, unnamed) = (0, 0)
    for source in sources {
      try SourceFiles.requireFolder(source)
      let files = try SourceFiles.files(in: source, extensions: SourceFiles.pictureExtensions)
      guard !files.isEmpty else {
        throw DatasetError(
          .wrongData,
          "cannot import \(source.relativePath): expected .jpg, .jpeg or .png files, found none")
      }
      for file in files {
        guard let place = Self.place(of: file) else {
          loose += 1
          continue
        }
        let url = source.appendingPathComponent(file)
        guard let size = try SourceFiles.pictureSize(of: url) else {
          throw DatasetError(
            .wrongData,
            "cannot import \(url.relativePath): expected a JPEG or PNG, found something else")
        }
        var face = FaceLabel(
          box: BoundingBox(
            x: 0, y: 0, width: Double(size.width), height: Double(size.height)))
        face.expression = place.expression
        classes[place.expression, default: 0] += 1
        var frame = ImportedFrame(name: file, picture: url, faces: [face])
        if let split = place.split {
          if DatasetLayout.isTableName(split) { frame.splits = [split] } else { unnamed += 1 }
        }
        try sink(frame)
      }
    }
    let list = classes.sorted { $0.key < $1.key }
    var remarks: [ImportRemark] = [
      .assumed("an image shows one face: its box is the whole image"),
      .assumed(
        "\(list.count) folders are expressions: "
          + list.prefix(20).map { "\($0.key.prefix(40)) (\($0.value))" }.joined(separator: ", ")
          + (list.count > 20 ? " and \(list.count - 20) more" : "")),
    ]
    if loose > 0 {
      remarks.append(.dropped("\(loose) images outside of the folders left out"))
    }
    if unnamed > 0 {
      remarks.append(
        .dropped("the folder above of \(unnamed) images left out: it is no name of a split"))
    }
    return remarks
  }
}
