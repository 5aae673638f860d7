package import FaceCore
package import Foundation

/// A label format that can be read into a dataset.
package protocol DatasetFormat: Sendable {
  /// The word that names it on the command line.
  var name: String { get }
  /// One sentence for people: what it reads.
  var summary: String { get }
  /// Whether a picture without a face in it is known to have none.
  var isLabelled: Bool { get }
  /// How a frame is found again in a dataset, where the source is what a tracker said of that dataset.
  var joins: FrameKey { get }
  /// The options that have an effect on this format.
  var settings: Set<ImportSetting> { get }
  /// Why the source looks like this format, or nil where it does not.
  func recognises(_ source: URL) -> String?
  /// Reads the sources in order and hands each frame to the sink; returns what it assumed or left out.
  func read(
    _ sources: [URL], options: ImportOptions,
    into sink: (ImportedFrame) throws(DatasetError) -> Void
  ) throws(DatasetError) -> [ImportRemark]
}

extension DatasetFormat {
  package var isLabelled: Bool { true }
  package var joins: FrameKey { .name }
  package var settings: Set<ImportSetting> { [] }
}

/// An option of `import` that only some formats leave open; raw values are those of the command line.
package enum ImportSetting: String, Sendable, CaseIterable {
  /// Number of the first pixel.
  case indexBase = "index-base"
  /// Frames per second.
  case framesPerSecond = "fps"
  /// The category that is a face.
  case category
}

/// What tells a source's frames apart, and so which frame of a dataset each of them is.
package enum FrameKey: String, Sendable, CaseIterable {
  /// The picture's name.
  case name
  /// The frame's number within its sequence.
  case number
  /// The time within its sequence.
  case time
}

/// Every format that `import` knows, in the order in which they are tried.
package enum DatasetFormats {
  /// The formats.
  package static let all: [any DatasetFormat] = [
    ImglabXML(),
    PascalVOC(),
    PointsFolder(),
    LabelsJSON(),
    MediaPipeResults(),
    ARKitSession(),
    VisionObservations(),
    COCOJSON(),
    WFLWList(),
    WIDERList(),
    WIDERDetections(),
    RetinaFaceList(),
    FDDBEllipses(),
    CelebALists(),
    FERPlusVotes(),
    FER2013(),
    HRNetCSV(),
    AFLW2000(),
    COFW68(),
    COFW68Results(),
    WiderMAT(),
    COFW(),
    HDF5Mapping(),
    LiveLinkCSV(),
    LiveLinkPackets(),
    OpenFaceCSV(),
    PyFeatCSV(),
    OTBSequence(),
    MOTChallenge(),
    YOLOText(),
    Video(),
    ClassFolders(),
    PictureFolder(),
  ]

  /// The format of that name, or nil.
  package static func named(_ name: String) -> (any DatasetFormat)? {
    all.first { $0.name == name }
  }
}

/// What the user may settle about an import.
package struct ImportOptions: Sendable {
  /// Number of the first pixel in `.pts` files and HRNet's CSV: 0 or 1.
  package var indexBase: Int
  /// Name or number of the category that is a face; nil means the only one, or the one named face.
  package var category: String?
  /// Folder that relative picture names start from; nil means the label file's own.
  package var pictureFolder: URL?
  /// Frames a second of sources that number their frames and give no times; nil means 30, which is remarked.
  package var framesPerSecond: Double?
  /// Whether only labels come along, so that no picture has to be there.
  package var isLabelsOnly: Bool
  /// How many unreadable images may be left out, with their labels, before it is an error.
  package var maxBadImages = 0
  /// Whether to stop while another program keeps it waiting.
  package var isInterrupted: @Sendable () -> Bool

  /// Makes options.
  package init(
    indexBase: Int = 1, category: String? = nil, pictureFolder: URL? = nil,
    framesPerSecond: Double? = nil, isLabelsOnly: Bool = false,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) {
    self.category = category
    self.framesPerSecond = framesPerSecond
    self.isLabelsOnly = isLabelsOnly
    self.indexBase = indexBase
    self.pictureFolder = pictureFolder
    self.isInterrupted = isInterrupted
  }
}

/// One picture with its labels, on its way into a dataset.
package struct ImportedFrame: Sendable {
  /// Where the picture is.
  package enum Picture: Sendable {
    /// A JPEG or PNG file, kept byte by byte.
    case file(URL)
    /// The bytes of a JPEG or PNG file.
    case encoded([UInt8])
    /// There is none: only the labels are known.
    case none

    /// The file; nil for bytes and for none.
    package var file: URL? {
      guard case .file(let url) = self else { return nil }
      return url
    }
  }

  /// Name for people, such as the picture's file name.
  package var name: String
  /// The picture.
  package var picture: Picture
  /// The labelled faces.
  package var faces: [FaceLabel]
  /// Time within the sequence in microseconds; 0 for stills.
  package var timestampMicroseconds: Int64
  /// The sequence that starts with this frame; nil goes on with the last, or makes a still.
  package var begins: SequenceDescription?
  /// Names of the splits that the frame is in.
  package var splits: [String] = []
  /// The source's own count of the frame, from 0 within its sequence; nil where it does not count.
  package var number: Int?
  /// What is known of the camera and the light.
  package var context = FrameContext()
  /// Distances from the camera; nil where the frame has none.
  package var depth: DepthMap?
  /// Nanoseconds that the tracker needed for the frame; nil where the source does not say.
  package var nanoseconds: UInt64?

  /// Makes a frame.
  package init(
    name: String, picture: Picture, faces: [FaceLabel], timestampMicroseconds: Int64 = 0,
    begins: SequenceDescription? = nil
  ) {
    self.name = name
    self.picture = picture
    self.faces = faces
    self.timestampMicroseconds = timestampMicroseconds
    self.begins = begins
  }

  /// Makes a still from a picture file.
  package init(name: String, picture: URL, faces: [FaceLabel]) {
    self.init(name: name, picture: .file(picture), faces: faces)
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
