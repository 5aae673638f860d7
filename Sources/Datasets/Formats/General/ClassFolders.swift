internal import FaceCore
package import Foundation
internal import Imaging
package import Platform

/// Folders named by expressions, as RAF-DB, AffectNet and FER2013 are distributed for training.
package struct ClassFolders: DatasetFormat {
  package let name = "class-folders"
  package let summary = "class folders: EXPRESSION/image, SPLIT/EXPRESSION/image; whole images"
  package let usesImageFolder = false

  package init() {}

  /// Folder names that are recognised as expressions, in lower case.
  private static let words: Set<String> = [
    "afraid", "anger", "angry", "calm", "contempt", "disgust", "disgusted", "disgusting", "fear",
    "fearful", "happiness", "happy", "joy", "neutral", "sad", "sadness", "scared", "surprise",
    "surprised",
  ]

  /// A folder whose images all lie in folders named by at least two expressions.
  package func recognises(_ source: URL) -> String? {
    let files = SourceFiles.filesIfFolder(source, extensions: SourceFiles.imageExtensions)
    let classes = Set(files.map { Self.position(of: $0)?.expression.lowercased() ?? "" })
    guard classes.count > 1, classes.isSubset(of: Self.words) else { return nil }
    return "a folder of images in folders named " + classes.sorted().joined(separator: ", ")
  }

  /// Whether a folder has the name of an expression.
  static func isExpression(folder: String) -> Bool {
    words.contains(PathText(folder).name.lowercased())
  }

  /// The split and the expression that the folders of an image name; nil without a folder.
  private static func position(of path: String) -> (split: String?, expression: String)? {
    let parts = path.split(separator: "/")
    guard parts.count > 1 else { return nil }
    return (parts.count > 2 ? String(parts[0]) : nil, String(parts[parts.count - 2]))
  }

  /// Reads each folder's images in order of their names.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var classes: [String: Int] = [:]
    var (loose, unnamed) = (0, 0)
    for source in sources {
      try SourceFiles.requireFolder(source)
      let files = try SourceFiles.files(in: source, extensions: SourceFiles.imageExtensions)
      try SourceFiles.require(files, ".jpg, .jpeg or .png files", in: source)
      for file in files {
        guard let position = Self.position(of: file) else {
          loose += 1
          continue
        }
        let url = source.appendingPathComponent(file)
        guard let size = try SourceFiles.imageSize(of: url, isUpright: options.isUpright) else {
          throw FileError.wrongData(
            "cannot import \(url.relativePath): expected a JPEG or PNG, found something else")
        }
        var face = FaceLabel(
          box: BoundingBox(
            x: 0, y: 0, width: Double(size.width), height: Double(size.height)))
        face.expression = position.expression
        classes[position.expression, default: 0] += 1
        var frame = ImportedFrame(name: file, image: url, faces: [face])
        if let split = position.split {
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
          + list.map { "\($0.key.prefix(40)) (\($0.value))" }.listed(atMost: 20)),
    ]
    remarks.drop(loose, "images outside of the folders left out")
    remarks.drop(
      "upper folder of \(unnamed) images left out: its name cannot name a split", if: unnamed > 0)
    return remarks
  }
}
