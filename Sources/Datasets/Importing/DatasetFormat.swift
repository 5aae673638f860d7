package import FaceCore
package import Foundation

/// A label format that can be read into a dataset.
package protocol DatasetFormat: Sendable {
  /// The word that names it on the command line.
  var name: String { get }
  /// One sentence for people: what it reads.
  var summary: String { get }
  /// Why the source looks like this format, or nil where it does not.
  func recognises(_ source: URL) -> String?
  /// Reads the sources in order and hands each frame to the sink; returns what it assumed or left out.
  func read(
    _ sources: [URL], options: ImportOptions,
    into sink: (ImportedFrame) throws(DatasetError) -> Void
  ) throws(DatasetError) -> [ImportRemark]
}

/// Every format that `import` knows, in the order in which they are tried.
package enum DatasetFormats {
  /// The formats.
  package static let all: [any DatasetFormat] = [
    ImglabXML(),
    PointsFolder(),
    LabelsJSON(),
    PictureFolder(),
  ]

  /// The format of that name, or nil.
  package static func named(_ name: String) -> (any DatasetFormat)? {
    all.first { $0.name == name }
  }
}

/// What the user may settle about an import.
package struct ImportOptions: Sendable {
  /// Number of the first pixel in `.pts` files: 0 or 1.
  package var indexBase: Int
  /// Folder that relative picture names start from; nil means the label file's own.
  package var pictureFolder: URL?

  /// Makes options.
  package init(indexBase: Int = 1, pictureFolder: URL? = nil) {
    self.indexBase = indexBase
    self.pictureFolder = pictureFolder
  }
}

/// One picture with its labels, on its way into a dataset.
package struct ImportedFrame: Sendable {
  /// Name for people, such as the picture's file name.
  package var name: String
  /// The JPEG or PNG file.
  package var picture: URL
  /// The labelled faces.
  package var faces: [FaceLabel]

  /// Makes a frame.
  package init(name: String, picture: URL, faces: [FaceLabel]) {
    self.name = name
    self.picture = picture
    self.faces = faces
  }
}

/// Something that an import assumed, dropped or repaired.
package struct ImportRemark: Sendable, Hashable {
  /// Whether anything was lost or changed; `--strict` refuses those.
  package var isLoss: Bool
  /// What happened, with its count.
  package var text: String

  /// A convention that was applied; nothing is lost.
  package static func assumed(_ text: String) -> ImportRemark {
    ImportRemark(isLoss: false, text: text)
  }

  /// Something that did not come along.
  package static func dropped(_ text: String) -> ImportRemark {
    ImportRemark(isLoss: true, text: text)
  }
}
