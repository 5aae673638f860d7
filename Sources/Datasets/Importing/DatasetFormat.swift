package import FaceCore
package import Foundation
package import Platform

/// A label format that can be read into a dataset.
package protocol DatasetFormat: Sendable {
  /// Its name on the command line.
  var name: String { get }
  /// One-line summary of what it reads.
  var summary: String { get }
  /// Whether an image without a labelled face is known to show none.
  var isLabelled: Bool { get }
  /// How frames of a tracker's output are matched to the dataset.
  var joins: FrameKey { get }
  /// The options that have an effect on this format.
  var settings: Set<ImportSetting> { get }
  /// Whether it decides itself what its points are, rather than stating a scheme.
  var decidesPoints: Bool { get }
  /// Whether relative image names are looked up in the folder that the user gives.
  var usesImageFolder: Bool { get }
  /// Whether head poses are made of angles, whose unit a repair can change.
  var hasPosesOfAngles: Bool { get }
  /// Whether a tracker's file says in which frames the face was lost, or has no face there.
  ///
  /// Of others a stretch in which the values stay the same to the last bit counts as a loss.
  var marksLosses: Bool { get }
  /// Whether a frame of a video that its labels do not list is known to show no face.
  var labelsEveryFrame: Bool { get }
  /// Whether labels are of another category than a face only where the source says so for all of them.
  var statesCategory: Bool { get }
  /// Whether identities are numbers of tracks, which each video counts anew.
  var numbersTracks: Bool { get }
  /// Files that a source names and that are read besides it, except images.
  func files(namedIn source: URL) -> [URL]
  /// The reason to detect this format in a source, or nil if it does not match.
  func recognises(_ source: URL) -> String?
  /// Reads the sources in order and passes each frame to the sink; returns assumptions and losses.
  func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark]
}

extension DatasetFormat {
  package var isLabelled: Bool { true }
  package var joins: FrameKey { .name }
  package var settings: Set<ImportSetting> { [] }
  package var decidesPoints: Bool { false }
  package var usesImageFolder: Bool { true }
  package var hasPosesOfAngles: Bool { false }
  package var marksLosses: Bool { true }
  package var labelsEveryFrame: Bool { false }
  package var statesCategory: Bool { false }
  package var numbersTracks: Bool { false }
  package func files(namedIn source: URL) -> [URL] { [] }
}

/// An option of `import` that only some formats use; raw values are those of the command line.
package enum ImportSetting: String, Sendable, CaseIterable {
  /// Number of the first pixel.
  case indexBase = "index-base"
  /// Frames per second.
  case framesPerSecond = "fps"
  /// The categories that are faces.
  case category
  /// The scheme of points.
  case scheme
  /// The table of points.
  case points
  /// The columns of a table.
  case columns

  /// Those of a format that has points.
  static let ofPoints: Set<ImportSetting> = [.scheme, .points]
}

/// The property by which a source's frames are matched to those of a dataset.
package enum FrameKey: String, Sendable, CaseIterable {
  /// The image's name.
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
    CVATXML(),
    PascalVOC(),
    PointsFolder(),
    LabelsJSON(),
    MediaPipeResults(),
    ARKitSession(),
    VisionObservations(),
    COCOJSON(),
    LabelStudioJSON(),
    LabelMeJSON(),
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
    CSVColumns(),
    Video(),
    ClassFolders(),
    ImageFolder(),
  ]

  /// The format of that name, or nil.
  package static func named(_ name: String) -> (any DatasetFormat)? {
    all.first { $0.name == name }
  }
}

/// User options of an import.
package struct ImportOptions: Sendable {
  /// Number of the first pixel in `.pts` files and HRNet's CSV: 0 or 1.
  package var indexBase: Int
  /// Names or numbers of the categories that are faces, or `all`; none selects the only one, or those named face.
  package var categories: [String]
  /// The order that points are stated to be in; nil for that of the source.
  package var pointOrder: PointOrder?
  /// The places of points; nil for those of the source.
  package var points: PointMapping?
  /// The columns of a table; nil for those that the format names.
  package var columns: ColumnMapping?
  /// Folder of relative image names; nil means that of the label file.
  package var imageFolder: URL?
  /// Frame rate of sources with frame numbers but no times; nil means 30, with a remark.
  package var framesPerSecond: Double?
  /// Size of the frames that the labels are put on; nil for images of the labels' own.
  var frameSizeOfVideo: ImageSize?
  /// Frames per second that the videos have which the labels are put on; nil where these are none, or of several rates.
  var frameRateOfVideo: Double?
  /// Whether only labels are imported; images may then be missing.
  package var isLabelsOnly: Bool
  /// Whether the faces are a tracker's, of a dataset, rather than labels.
  package var isPredictions = false
  /// Whether times stay on the source's own clock, because frames are joined by them.
  package var keepsClock = false
  /// Maximum number of unreadable images that are left out with their labels; more are an error.
  package var maxBadImages = 0
  /// Changes of convention that are applied to every face, in this order.
  package var repairs: [FaceRepair] = []
  /// Whether the labels are of the upright image that Exif describes, rather than of the pixels as stored.
  package var isUpright = false
  /// Whether images are stored upright, as Exif describes them.
  package var turnsImages = false
  /// The files of labels that are splits and are read one at a time; empty where the sources are read together.
  var filesOfSplits: [URL] = []
  /// Whether the user says that the images show no face.
  package var statesNoFaces = false
  /// Whether to stop; asked while waiting for another program.
  package var isInterrupted: @Sendable () -> Bool

  /// Makes options.
  package init(
    indexBase: Int = 1, categories: [String] = [], imageFolder: URL? = nil,
    framesPerSecond: Double? = nil, isLabelsOnly: Bool = false,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) {
    self.categories = categories
    self.framesPerSecond = framesPerSecond
    self.isLabelsOnly = isLabelsOnly
    self.indexBase = indexBase
    self.imageFolder = imageFolder
    self.isInterrupted = isInterrupted
  }

  /// The number of the first pixel of a face with these coordinates: fractions of the image's sides count from 0, and a face of
  /// pixels is larger.
  func indexBase(of coordinates: [Double]) -> Double {
    let areFractions =
      coordinates.allSatisfy { abs($0) <= 1.5 } && coordinates.contains { $0 != $0.rounded() }
    return areFractions ? 0 : Double(indexBase)
  }

  /// The files whose labels together tell which of them are faces: those of all splits, else the sources.
  func filesOfLabels(_ sources: [URL]) -> [URL] { filesOfSplits.isEmpty ? sources : filesOfSplits }

  /// The factor of angles that a repair gives another unit.
  var angleFactor: Double { repairs.reduce(1) { $0 * $1.angleFactor } }
}

/// Takes the frames of a source, one after the other.
package typealias FrameSink = (ImportedFrame) throws(FileError) -> Void

/// One imported image with its labels.
package struct ImportedFrame: Sendable {
  /// Location of the image.
  package enum Image: Sendable {
    /// A JPEG or PNG file, copied byte by byte.
    case file(URL)
    /// The same by its path in a folder, whose address is made where the image is read.
    case member(String, of: URL)
    /// The bytes of a JPEG or PNG file.
    case encoded([UInt8])
    /// No image: only the labels are known.
    case none

    /// The file; nil for bytes and for none.
    package var file: URL? {
      switch self {
      case .file(let url): url
      case .member(let path, let folder): folder.appendingPathComponent(path)
      case .encoded, .none: nil
      }
    }
  }

  /// Display name, such as the image's file name.
  package var name: String
  /// The image.
  package var image: Image
  /// The labelled faces.
  package var faces: [FaceLabel]
  /// Size of the image that the labels are of, in pixels as the source states it; nil if it does not.
  package var statedSize: ImageSize?
  /// Whether the stated size was read from the image itself, and tells nothing of the labels.
  package var isSizeOfImage = false
  /// Whether the stated size is that of a file which labels and a tracker's output share.
  package var isSizeOfLabels = false
  /// How the source's frames are joined with those of a dataset; nil for the way of the format.
  package var joins: FrameKey?
  /// Whether coordinates are fractions of the image's sides, whose size the image or the dataset has.
  package var isRelative = false
  /// Time within the sequence in microseconds; 0 for stills.
  package var timestampMicroseconds: Int64
  /// The sequence that starts with this frame; nil continues the last one, or makes a still.
  package var begins: SequenceDescription?
  /// Names of the splits that the frame is in.
  package var splits: [String] = []
  /// The source's own count of the frame, from 0 within its sequence; nil if it does not count.
  package var number: Int?
  /// Whether `number` takes 1 for the source's first frame, because none is numbered 0 and nothing says what the first is.
  package var isFirstUnknown = false
  /// Camera and attributes of the frame.
  package var context = FrameContext()
  /// Distances from the camera; nil if the frame has none.
  package var depth: DepthMap?
  /// Nanoseconds that the tracker needed for the frame; nil if the source does not report it.
  package var nanoseconds: UInt64?

  /// Makes a frame.
  package init(
    name: String, image: Image, faces: [FaceLabel], timestampMicroseconds: Int64 = 0,
    begins: SequenceDescription? = nil
  ) {
    self.name = name
    self.image = image
    self.faces = faces
    self.timestampMicroseconds = timestampMicroseconds
    self.begins = begins
  }

  /// Makes a still from an image file.
  package init(name: String, image: URL, faces: [FaceLabel]) {
    self.init(name: name, image: .file(image), faces: faces)
  }

  /// Makes a still whose name is the path of its image in a folder.
  init(_ name: String, in folder: URL, faces: [FaceLabel]) {
    self.init(name: name, image: folder.appendingPathComponent(name), faces: faces)
  }
}

extension FaceLabel {
  /// Whether it says nothing of a face: its box has no size, and it has neither points at different places nor anything else
  /// that is measured.
  var isNothing: Bool {
    guard box.width == 0 || box.height == 0, !isIgnored, blendshapes == nil,
      landmarks.allSatisfy({ Set($0.labelled).count == 1 && $0.labelled.count > 1 }), pose == nil,
      expression == nil, arkitMesh == nil
    else { return false }
    // Attributes of a face without a place have no box at all.
    return !box.isNone || attributes.isEmpty
  }
}

/// Something that an import assumed, dropped or repaired.
package struct ImportRemark: Sendable, Hashable {
  /// Whether anything was lost or changed; `--strict` refuses those.
  package var isLoss: Bool
  /// The message, with its count; on one line, whatever names it has from a file.
  package let text: String

  private init(isLoss: Bool, _ text: String) {
    self.isLoss = isLoss
    self.text = text.withControlCharactersEscaped
  }

  /// A convention that was applied; nothing is lost.
  package static func assumed(_ text: String) -> ImportRemark {
    ImportRemark(isLoss: false, text)
  }

  /// Data that was lost.
  package static func dropped(_ text: String) -> ImportRemark {
    ImportRemark(isLoss: true, text)
  }

  /// The same, after the name of what it is about.
  package func about(_ name: String) -> ImportRemark {
    ImportRemark(isLoss: isLoss, "\(name): \(text)")
  }
}

extension [ImportRemark] {
  /// Adds what was assumed, where `holds`.
  mutating func assume(_ text: String, if holds: Bool = true) {
    if holds { append(.assumed(text)) }
  }

  /// Adds what was dropped, where `holds`.
  mutating func drop(_ text: String, if holds: Bool = true) {
    if holds { append(.dropped(text)) }
  }

  /// Adds what was assumed of `count` things, as "`count` `text`"; nothing where there are none.
  mutating func assume(_ count: Int, _ text: String, about title: String? = nil) {
    assume((title.map { "\($0): " } ?? "") + "\(count) \(text)", if: count > 0)
  }

  /// Adds that `count` things were dropped, as "`count` `text`"; nothing where there are none.
  mutating func drop(_ count: Int, _ text: String, about title: String? = nil) {
    drop((title.map { "\($0): " } ?? "") + "\(count) \(text)", if: count > 0)
  }

  /// Adds that so many faces say nothing (see `FaceLabel.isNothing`).
  mutating func dropNothing(_ count: Int) {
    drop(count, "boxes without a size left out: they are no faces")
  }

  /// The same, where more than three that are alike but for the name before them are told as one.
  package var grouped: [ImportRemark] {
    func parts(_ remark: ImportRemark) -> (name: Substring, rest: Substring)? {
      remark.text.firstRange(of: ": ").map {
        (remark.text[..<$0.lowerBound], remark.text[$0.upperBound...])
      }
    }
    var names: [ImportRemark: [Substring]] = [:]
    let keys = map { remark -> ImportRemark? in
      guard let (name, rest) = parts(remark) else { return nil }
      let key = remark.isLoss ? ImportRemark.dropped(String(rest)) : .assumed(String(rest))
      names[key, default: []].append(name)
      return key
    }
    var told: Set<ImportRemark> = []
    return zip(self, keys).compactMap { remark, key in
      guard let key, let own = names[key], own.count > 3 else { return remark }
      guard told.insert(key).inserted else { return nil }
      return key.about("\(own[0]), \(own[1]) and \((own.count - 2).groupedText) more")
    }
  }
}

extension [String: Int] {
  /// The twelve most frequent words with their counts, as `word (3), other (1)`.
  var mostFrequent: String {
    sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(12)
      .map { "\($0.key.prefix(40)) (\($0.value))" }.joined(separator: ", ")
  }
}
