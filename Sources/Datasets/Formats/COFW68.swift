internal import FaceCore
package import Foundation

/// COFW's test faces labelled again with 68 points: a MAT-file each, and one of all boxes.
package struct COFW68: DatasetFormat {
  /// The word on the command line.
  package let name = "cofw68"
  /// What it reads.
  package let summary =
    "COFW68: a folder of N_points.mat: 68 points, occlusion; boxes beside it"

  /// Makes the format.
  package init() {}

  /// The options that have an effect.
  package let settings: Set<ImportSetting> = [.indexBase]

  private static let suffix = "_points.mat"

  /// A folder with a MAT-file whose name ends in `_points.mat`.
  package func recognises(_ source: URL) -> String? {
    guard SourceFiles.isFolder(source), let files = try? Self.files(in: source), !files.isEmpty
    else { return nil }
    return "a folder with \(files.count) *_points.mat files"
  }

  /// Reads each folder's files by number, with pictures only where `--pictures` names their folder.
  package func read(
    _ sources: [URL], options: ImportOptions,
    into sink: (ImportedFrame) throws(DatasetError) -> Void
  ) throws(DatasetError) -> [ImportRemark] {
    let base = Double(options.indexBase)
    var boxed = 0
    var tight = 0
    for source in sources {
      try SourceFiles.requireFolder(source)
      let files = try Self.files(in: source)
      guard !files.isEmpty else {
        throw DatasetError(
          .wrongData,
          "cannot import \(source.relativePath): expected *_points.mat files, found none")
      }
      let boxes = try Self.boxes(beside: source, count: files.count)
      for file in files {
        let labels = try MATFile(source.appendingPathComponent(file.path))
        let landmarks = try Self.landmarks(in: labels, base: base)
        var box = BoundingBox(around: landmarks.points)
        if let boxes {
          guard (1...boxes.rows).contains(file.number) else {
            throw labels.wrong("Points", expected: "a box for it", found: "\(boxes.rows) boxes")
          }
          let row = (0..<4).map { boxes[file.number - 1, $0] }
          box = BoundingBox(x: row[0] - base, y: row[1] - base, width: row[2], height: row[3])
          boxed += 1
        } else {
          tight += 1
        }
        guard let box, box.isWellFormed else {
          throw labels.wrong("bboxes", expected: "a box of non-negative size", found: "another")
        }
        let name = "\(file.number)"
        try sink(
          ImportedFrame(
            name: name, picture: try Self.picture(name, options.pictureFolder),
            faces: [FaceLabel(box: box, landmarks: [landmarks])]))
      }
    }
    var remarks: [ImportRemark] = [
      .assumed("coordinates taken as \(options.indexBase)-based (--index-base)")
    ]
    if boxed > 0 { remarks.append(.assumed("\(boxed) boxes are those of the *_bboxes.mat file")) }
    if tight > 0 { remarks.append(.assumed("\(tight) boxes are the tight boxes of the points")) }
    if options.pictureFolder == nil {
      remarks.append(.assumed("frames have labels and no pictures (--pictures names their folder)"))
    }
    return remarks
  }

  private static func files(
    in folder: URL
  ) throws(DatasetError) -> [(number: Int, path: String)] {
    try SourceFiles.files(in: folder, extensions: ["mat"]).compactMap { path in
      let name = (path as NSString).lastPathComponent
      guard name.hasSuffix(suffix), let number = Int(name.dropLast(suffix.count)) else {
        return nil
      }
      return (number, path)
    }.sorted { ($0.number, $0.path) < ($1.number, $1.path) }
  }

  /// The boxes of the only `*_bboxes.mat` file in the folder or the one above it.
  private static func boxes(beside folder: URL, count: Int) throws(DatasetError) -> MATArray? {
    for place in [folder, folder.deletingLastPathComponent()] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
      let found = names.filter { $0.hasSuffix("_bboxes.mat") }.sorted()
      guard let name = found.first else { continue }
      guard found.count == 1 else {
        throw DatasetError(
          .wrongData,
          "cannot import \(folder.relativePath): expected one *_bboxes.mat file, found "
            + found.joined(separator: " and "))
      }
      let file = try MATFile(place.appendingPathComponent(name))
      let boxes = try file.matrix("bboxes", columns: 4)
      guard boxes.rows == count else {
        throw file.wrong("bboxes", expected: "\(count) x 4 numbers", found: "\(boxes.rows) x 4")
      }
      return boxes
    }
    return nil
  }

  private static func landmarks(in file: MATFile, base: Double) throws(DatasetError) -> Landmarks {
    let points = try file.matrix("Points", rows: 68, columns: 2)
    let hidden = try file.matrix("Occ")
    guard hidden.values.count == 68, hidden.values.allSatisfy({ $0 == 0 || $0 == 1 }) else {
      throw file.wrong("Occ", expected: "68 zeros and ones", found: "others")
    }
    guard points.values.allSatisfy(\.isFinite),
      let landmarks = Landmarks(
        scheme: .ibug68,
        points: (0..<68).map { Point(x: points[$0, 0] - base, y: points[$0, 1] - base) },
        visibility: hidden.values.map { $0 == 1 ? .occluded : .visible })
    else { throw file.wrong("Points", expected: "finite numbers", found: "NaN or infinity") }
    return landmarks
  }

  private static func picture(
    _ name: String, _ folder: URL?
  ) throws(DatasetError) -> ImportedFrame.Picture {
    guard let folder else { return .none }
    for ending in SourceFiles.pictureExtensions.sorted() {
      let file = folder.appendingPathComponent("\(name).\(ending)")
      if FileManager.default.fileExists(atPath: file.path) { return .file(file) }
    }
    throw DatasetError(
      .notFound, "cannot read \(name).jpg or .png in \(folder.relativePath): no such file")
  }
}
