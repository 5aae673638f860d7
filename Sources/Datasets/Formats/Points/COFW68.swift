internal import FaceCore
package import Foundation
package import Platform

/// COFW's test faces labelled again with 68 points: one MAT-file per face, and one with all boxes.
package struct COFW68: DatasetFormat {
  package let name = "cofw68"
  package let summary = "COFW68: a folder of N_points.mat: 68 points, occlusion; *_bboxes.mat"
  package let settings = ImportSetting.ofPoints.union([.indexBase])

  package init() {}

  private static let suffix = "_points.mat"

  /// A folder with a MAT-file whose name ends in `_points.mat`.
  package func recognises(_ source: URL) -> String? {
    guard source.isFolder, let files = try? Self.files(in: source), !files.isEmpty
    else { return nil }
    return "a folder with \(files.count) *_points.mat files"
  }

  /// Reads each folder's files by number, with images only if `--images` names their folder.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    let base = Double(options.indexBase)
    var (boxed, tight) = (0, 0)
    for source in sources {
      try SourceFiles.requireFolder(source)
      let files = try Self.files(in: source)
      try SourceFiles.require(files, "*_points.mat files", in: source)
      let boxes = try Self.boxes(for: source, count: files.count)
      for file in files {
        let labels = try MATFile(source.appendingPathComponent(file.path))
        let landmarks = try Self.landmarks(in: labels, base: base)
        var box = BoundingBox(around: landmarks.labelled)
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
            name: name, image: try Self.image(name, options.imageFolder),
            faces: [FaceLabel(box: box, landmarks: [landmarks])]))
      }
    }
    var remarks: [ImportRemark] = [
      .assumed("coordinates taken as \(options.indexBase)-based (--index-base)")
    ]
    remarks.assume(boxed, "boxes are those of the *_bboxes.mat file")
    remarks.assume(tight, "boxes are the tight boxes of the points")
    remarks.assume(
      "frames have labels and no images (--images names their folder)",
      if: options.imageFolder == nil)
    return remarks
  }

  private static func files(
    in folder: URL
  ) throws(FileError) -> [(number: Int, path: String)] {
    try SourceFiles.files(in: folder, extensions: ["mat"]).compactMap { path in
      let name = PathText(path).name
      guard name.hasSuffix(suffix), let number = Int(name.dropLast(suffix.count)) else {
        return nil
      }
      return (number, path)
    }.sorted { ($0.number, $0.path) < ($1.number, $1.path) }
  }

  /// The boxes of the only `*_bboxes.mat` file in the folder or the one above it.
  private static func boxes(for folder: URL, count: Int) throws(FileError) -> MATArray? {
    for position in [folder, folder.deletingLastPathComponent()] {
      let names = (try? position.names()) ?? []
      let found = names.filter { $0.hasSuffix("_bboxes.mat") }.sorted()
      guard let name = found.first else { continue }
      guard found.count == 1 else {
        throw FileError.wrongData(
          "cannot import \(folder.relativePath): expected one *_bboxes.mat file, found "
            + found.joined(separator: " and "))
      }
      let file = try MATFile(position.appendingPathComponent(name))
      let boxes = try file.matrix("bboxes", columns: 4)
      guard boxes.rows == count else {
        throw file.wrong("bboxes", expected: "\(count) x 4 numbers", found: "\(boxes.rows) x 4")
      }
      return boxes
    }
    return nil
  }

  private static func landmarks(in file: MATFile, base: Double) throws(FileError) -> Landmarks {
    let points = try file.matrix("Points", rows: 68, columns: 2)
    let hidden = try file.matrix("Occ")
    guard hidden.values.count == 68, hidden.values.allSatisfy({ $0 == 0 || $0 == 1 }) else {
      throw file.wrong("Occ", expected: "68 zeros and ones", found: "others")
    }
    guard points.values.allSatisfy(\.isFinite),
      let landmarks = PointOrder(.ibug68).landmarks(
        (0..<68).map { Point.unlessMissing(x: points[$0, 0], y: points[$0, 1], base: base) },
        hidden.values.map { $0 == 1 ? .occluded : .visible })
    else { throw file.wrong("Points", expected: "finite numbers", found: "NaN or infinity") }
    return landmarks
  }

  private static func image(
    _ name: String, _ folder: URL?
  ) throws(FileError) -> ImportedFrame.Image {
    guard let folder else { return .none }
    for ending in SourceFiles.imageExtensions.sorted() {
      let file = folder.appendingPathComponent("\(name).\(ending)")
      if file.isThere { return .file(file) }
    }
    throw FileError(
      .notFound, "cannot read \(name).jpg or .png in \(folder.relativePath): no such file")
  }
}
