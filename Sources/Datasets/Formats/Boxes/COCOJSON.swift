internal import FaceCore
package import Foundation
package import Platform

/// COCO's JSON: annotations with boxes and face keypoints, and results together with their annotations.
package struct COCOJSON: DatasetFormat {
  package let name = "coco"
  package let summary = "COCO JSON: boxes, face keypoints, WholeBody; or results, then their labels"
  package let settings = ImportSetting.ofPoints.union([.category])
  /// Points have names, or a number.
  package let decidesPoints = true

  package init() {}

  /// A JSON file that begins with COCO sections or rows.
  package func recognises(_ source: URL) -> String? {
    guard let head = SourceFiles.head(of: source, type: "json") else { return nil }
    var json = JSONText(Array(head.utf8), name: "")
    // The head may end anywhere; only the keys before its end count.
    var keys: Set<String> = []
    if (try? json.kind()) == .array {
      try? json.elements { (json) throws(FileError) in
        try json.members { (json, key) throws(FileError) in
          keys.insert(key)
          try json.skip()
        }
      }
      guard keys.contains("image_id") || keys.isSuperset(of: ["category_id", "bbox"]) else {
        return keys == ["keypoints"] || keys == ["segmentation"]
          ? "a JSON array whose rows begin with \(keys.joined())" : nil
      }
      return "a JSON array of rows with image_id"
    }
    try? json.members { (json, key) throws(FileError) in
      keys.insert(key)
      try json.skip()
    }
    let sections = keys.intersection(["annotations", "categories", "images", "info", "licenses"])
    let words = ["file_name", "image_id", "category_id", "segmentation", "supercategory"]
    guard keys.isDisjoint(with: ["format", "schema"]), !sections.isEmpty,
      sections.isSuperset(of: ["info", "licenses"])
        || (sections != ["info"] && words.contains { head.contains("\"\($0)\"") })
    else { return nil }
    return "a JSON file that begins with COCO's \(sections.sorted().joined(separator: ", "))"
  }

  /// Reads each annotation file, or each result file with the annotation file that follows it.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    var remaining = sources[...]
    while let source = remaining.popFirst() {
      let file = try Self.file(source)
      var annotations = file
      if file.isResults {
        guard let next = remaining.popFirst() else { throw Self.unnamed(file) }
        annotations = try Self.file(next)
        guard !annotations.isResults else { throw Self.unnamed(file) }
      }
      var faces = COCOFaces(annotations: annotations, options)
      let images = try faces.images(of: file)
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      for image in images {
        var frame = ImportedFrame(
          name: image.name,
          image: file.isResults ? .none : .member(image.name, of: folder),
          faces: image.faces)
        frame.statedSize = image.size
        frame.isSizeOfLabels = file.isResults
        try sink(frame)
      }
      let isNamed = sources.count > (file.isResults ? 2 : 1)
      remarks += faces.remarks.map { isNamed ? $0.about(source.lastPathComponent) : $0 }
      remarks.assume(
        "results are taken as labels: with --of DATASET they are predictions of it",
        if: file.isResults && !options.isPredictions)
    }
    return remarks
  }

  private static func file(_ source: URL) throws(FileError) -> COCOFile {
    try COCOFile(
      try SourceFiles.bytes(of: source, limit: 4 << 30), name: source.relativePath)
  }

  private static func unnamed(_ file: COCOFile) -> FileError {
    FileError.wrongData(
      "cannot read \(file.name): expected a result file to be followed by its annotation file, "
        + "which names the images, found none (import coco \(file.name) ANNOTATIONS.json)")
  }
}
