internal import FaceCore
package import Foundation
package import Platform

/// WIDER FACE's official MAT-files: boxes and labels of all images, and which faces each level counts.
package struct WiderMAT: DatasetFormat {
  package let name = "wider-mat"
  package let summary = "WIDER FACE's wider_face_val.mat, then wider_easy_val.mat …"

  package init() {}

  /// A MAT-file with WIDER's lists.
  package func recognises(_ source: URL) -> String? {
    guard source.pathExtension.lowercased() == "mat", !source.isFolder,
      let file = try? MATFile(source), WiderLists.variables.allSatisfy(file.has)
    else { return nil }
    return "a MAT-file with event_list, file_list and face_bbx_list"
  }

  /// Reads the lists; files with `gt_list` only add which faces their level counts.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var levels: [(name: String, lists: WiderLists)] = []
    var sets: [(source: URL, lists: WiderLists)] = []
    for source in sources {
      let lists = try WiderLists(MATFile(source))
      guard lists.hasLevel else {
        sets.append((source, lists))
        continue
      }
      let known = ["easy", "medium", "hard"].filter { source.lastPathComponent.contains($0) }
      guard known.count == 1, !levels.contains(where: { $0.name == known[0] }) else {
        throw FileError.wrongData(
          "cannot import \(source.relativePath): expected one of easy, medium and hard in the "
            + "name of a file with gt_list, each once, found \(known.joined(separator: ", "))")
      }
      levels.append((known[0], lists))
    }
    if sets.isEmpty, let first = levels.first { sets = [(sources[0], first.lists)] }
    guard levels.isEmpty || sets.count == 1 else {
      throw FileError.wrongData(
        "cannot import levels: expected them with one list of faces, found \(sets.count)")
    }
    var (negative, empty) = (0, 0)
    for (source, lists) in sets {
      for level in levels where !level.lists.agrees(with: lists) {
        throw FileError.wrongData(
          "cannot import \(level.lists.file): expected the images and faces of \(lists.file), found "
            + "others")
      }
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      for index in lists.images.indices {
        let image = lists.images[index]
        var faces = try lists.faces(of: image, negative: &negative)
        let counts = try levels.map { level throws(FileError) in
          try level.lists.counted(in: level.lists.images[index])
        }
        if image.isFiller, counts.allSatisfy(\.isEmpty) {
          faces[0].isIgnored = true
          empty += 1
        }
        for (level, counted) in zip(levels, counts) {
          for face in faces.indices {
            faces[face].attributes["wider_\(level.name)"] = counted.contains(face) ? 1 : 0
          }
        }
        try sink(ImportedFrame(image.name, in: folder, faces: faces))
      }
    }
    var remarks: [ImportRemark] = [
      .assumed("boxes are taken as they are, 0-based"),
      .assumed("faces that WIDER marks as invalid are ignored"),
    ]
    if !levels.isEmpty {
      let names = levels.map { "wider_\($0.name)" }.joined(separator: ", ")
      remarks.assume("a level's attribute is 1 for the faces it counts, else 0: \(names)")
    }
    remarks.assume(empty, "images without faces; their row of zeros is ignored")
    remarks.drop(negative, "boxes of negative width or height have size 0 there and are ignored")
    return remarks
  }
}

/// The lists of one file, image by image.
private struct WiderLists {
  struct Image {
    let name: String
    let boxes: MATArray
    /// One array per label, with one number per face, in the order of `WiderLists.labels`.
    let labels: [MATArray]
    /// 1-based indices of the faces that the level counts; nil in a file without a level.
    let counted: MATArray?

    /// Whether its one row is all zeros, as in the lists of images without faces.
    var isFiller: Bool { boxes.rows == 1 && boxes.values.allSatisfy { $0 == 0 } }
  }

  static let variables = ["event_list", "file_list", "face_bbx_list"]
  static let labels = ["blur", "expression", "illumination", "invalid", "occlusion", "pose"]

  let file: String
  let hasLevel: Bool
  private(set) var images: [Image] = []

  init(_ file: MATFile) throws(FileError) {
    self.file = file.name
    hasLevel = file.has("gt_list")
    let labelled = Self.labels.map { "\($0)_label_list" }
    let names = Self.variables + labelled + (hasLevel ? ["gt_list"] : [])
    let values = try file.read(names)
    func cells(_ value: MATValue?, _ position: String, count: Int?) throws(FileError) -> [MATValue]
    {
      guard case .cells(let cells)? = value, count ?? cells.count == cells.count else {
        throw file.wrong(
          position, expected: count.map { "\($0) cells" } ?? "cells", found: "something else")
      }
      return cells
    }
    let events = try cells(values["event_list"], "event_list", count: nil)
    var lists: [String: [MATValue]] = [:]
    for name in names.dropFirst() {
      lists[name] = try cells(values[name], name, count: events.count)
    }
    for (index, event) in events.enumerated() {
      let position = "{\(index + 1)}"
      guard case .text(let folder) = event else {
        throw file.wrong("event_list\(position)", expected: "text", found: "something else")
      }
      let files = try cells(lists["file_list"]?[index], "file_list\(position)", count: nil)
      var inner: [String: [MATValue]] = [:]
      for name in names.dropFirst(2) {
        inner[name] = try cells(lists[name]?[index], name + position, count: files.count)
      }
      for (row, entry) in files.enumerated() {
        let inside = "\(position){\(row + 1)}"
        guard case .text(let image) = entry else {
          throw file.wrong("file_list\(inside)", expected: "text", found: "something else")
        }
        func array(_ name: String) throws(FileError) -> MATArray {
          guard case .numbers(let array)? = inner[name]?[row] else {
            throw file.wrong(name + inside, expected: "numbers", found: "something else")
          }
          return array
        }
        let boxes = try array("face_bbx_list")
        try file.require(boxes, "face_bbx_list\(inside)", rows: nil, columns: 4)
        var numbers: [MATArray] = []
        for name in labelled {
          let column = try array(name)
          try file.require(column, name + inside, rows: boxes.rows, columns: 1)
          numbers.append(column)
        }
        images.append(
          Image(
            name: "\(folder)/\(image).jpg", boxes: boxes, labels: numbers,
            counted: hasLevel ? try array("gt_list") : nil))
      }
    }
  }

  func agrees(with other: WiderLists) -> Bool {
    images.count == other.images.count
      && zip(images, other.images).allSatisfy {
        $0.name == $1.name && $0.boxes.values == $1.boxes.values
      }
  }

  func faces(of image: Image, negative: inout Int) throws(FileError) -> [FaceLabel] {
    var faces: [FaceLabel] = []
    for row in 0..<image.boxes.rows {
      var box = BoundingBox(
        x: image.boxes[row, 0], y: image.boxes[row, 1], width: image.boxes[row, 2],
        height: image.boxes[row, 3])
      let isNegative = box.width < 0 || box.height < 0
      if isNegative { negative += 1 }
      (box.width, box.height) = (max(box.width, 0), max(box.height, 0))
      guard box.isWellFormed else { throw wrong(image, "boxes of finite numbers") }
      var face = FaceLabel(box: box)
      for (name, column) in zip(Self.labels, image.labels) {
        face.attributes[name] = column.values[row]
      }
      face.isIgnored = isNegative || face.attributes["invalid"] == 1
      faces.append(face)
    }
    return faces
  }

  /// The faces that the level counts, from 0.
  func counted(in image: Image) throws(FileError) -> Set<Int> {
    var counted: Set<Int> = []
    for number in image.counted?.values ?? [] {
      guard let face = Int(exactly: number), (1...max(image.boxes.rows, 1)).contains(face),
        face <= image.boxes.rows, counted.insert(face - 1).inserted
      else { throw wrong(image, "each face of 1 to \(image.boxes.rows) once in gt_list") }
    }
    return counted
  }

  private func wrong(_ image: Image, _ expected: String) -> FileError {
    FileError.wrongData("cannot read \(file), '\(image.name)': expected \(expected), found others")
  }
}
