package import Foundation

/// A folder of pictures without labels.
package struct PictureFolder: DatasetFormat {
  /// The word on the command line.
  package let name = "pictures"
  /// What it reads.
  package let summary = "a folder of JPEG and PNG pictures, folders inside included; no labels"

  /// Pictures alone say nothing of faces.
  package let isLabelled = false

  /// Makes the format.
  package init() {}

  /// A folder with a picture somewhere in it.
  package func recognises(_ source: URL) -> String? {
    guard SourceFiles.isFolder(source),
      let files = try? SourceFiles.files(in: source, extensions: SourceFiles.pictureExtensions),
      !files.isEmpty
    else { return nil }
    return "a folder with pictures and no labels"
  }

  /// Reads each folder's pictures in order of their names.
  package func read(
    _ sources: [URL], options: ImportOptions,
    into sink: (ImportedFrame) throws(DatasetError) -> Void
  ) throws(DatasetError) -> [ImportRemark] {
    for source in sources {
      try SourceFiles.requireFolder(source)
      let files = try SourceFiles.files(in: source, extensions: SourceFiles.pictureExtensions)
      guard !files.isEmpty else {
        throw DatasetError(
          .wrongData,
          "cannot import \(source.relativePath): expected .jpg, .jpeg or .png files, found none")
      }
      for file in files {
        try sink(
          ImportedFrame(name: file, picture: source.appendingPathComponent(file), faces: []))
      }
    }
    return [.assumed("no labels: only what needs none is measured")]
  }
}
