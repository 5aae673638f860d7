import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// Images whose labels were not found are no labelled dataset, and no dataset without labels by accident.
@Suite struct UnreadLabelsTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func images(in place: String, _ names: [String] = ["a", "b", "c"]) throws {
    for name in names { try folder.write(Sample.png(40, 20), to: "\(place)/\(name).png") }
  }

  private func refusal(_ source: String) throws -> String {
    let error = #expect(throws: FileError.self) { try ImportSources([folder.file(source)]) }
    #expect(error?.kind == .wrongData)
    return try #require(error?.line(from: folder))
  }

  @Test(arguments: ["labels.json", "boxes.txt", "deep/labels.npy", "a.xml"])
  func `files among images that may be labels are not left out unsaid`(name: String) throws {
    try images(in: "set")
    try folder.write(#"{"a.png": [1, 2, 3, 4]}"#, to: "set/\(name)")
    let line = try refusal("set")
    #expect(
      line.hasPrefix(
        "cannot import set: expected labels of a known format or none, found \(name) among the images"
      ))
    #expect(line.hasSuffix("'facegauge import images set' reads the images without labels)"))
    #expect(try ImportSources([folder.file("set")], as: ImageFolder()).format.name == "images")
  }

  static let layouts: [(images: String, labels: String, text: String)] = [
    ("set/images", "set/labels/a.txt", "0 0.5 0.5 0.2 0.2\n"),
    ("set/images/train", "set/labels/train/a.txt", "0 0.5 0.5 0.2 0.2\n"),
    ("set/train/images", "set/train/labels/a.txt", "0 0.5 0.5 0.2 0.2\n"),
    ("set/JPEGImages", "set/Annotations/b.xml", "<annotation/>"),
    ("set/images/default", "set/annotations/default.json", #"[{"path":"a.png"},"b.png","c.png"]"#),
    ("set/WIDER_val/images/0--Parade", "set/wider_face_split/gt.txt", "0--Parade/a.png\n"),
    ("set/images", "set/faces.csv", "file,left\na.png,1\nb.png,2\nc.png,3\n"),
    ("set/images", "set/faces.csv", "file;left\nx/a.png;1\nx/b.png;2\nx/c.png;3\n"),
  ]

  @Test(arguments: layouts.indices)
  func `labels next to the folder of their images are named`(index: Int) throws {
    let (place, labels, text) = Self.layouts[index]
    try images(in: place, index == 5 ? ["a"] : ["a", "b", "c"])
    try folder.write(text, to: labels)
    let line = try refusal(place)
    #expect(line.contains("found labels of its images in "), "\(line)")
    #expect(line.contains(labels), "\(line)")
    #expect(line.contains("'facegauge import images \(place)' reads the images without labels"))
  }

  @Test func `other files next to a folder of images say nothing about it`() throws {
    try images(in: "set/images")
    try folder.write("notes on a.png", to: "set/notes.txt")
    try folder.write("a.png 1 2 3 4\nz.png 1 2 3 4\n", to: "set/other/gt.txt")
    try folder.write("MIT", to: "set/images/LICENSE.txt")
    try images(in: "set/labelled")
    try folder.write("a.png\nb.png\nc.png\n", to: "set/labelled/list.txt")
    #expect(try ImportSources([folder.file("set/images")]).format.name == "images")
  }

  @Test func `yolo needs a label file for one of the images at least`() throws {
    try images(in: "set/pictures")
    let none = #expect(throws: FileError.self) { try readAll(YOLOText(), [folder.file("set")]) }
    #expect(
      none?.line(from: folder)
        == "cannot import set: expected text files with the names of its 3 images, next to them or in "
        + "labels instead of images, found none")
    try folder.write("0 0.5 0.5 0.2 0.2\n", to: "set/txt/a.txt")
    let others = #expect(throws: FileError.self) { try readAll(YOLOText(), [folder.file("set")]) }
    #expect(others?.description.hasSuffix("found 1 of other names") == true)
    var options = ImportOptions()
    options.isPredictions = true
    let lost = #expect(throws: FileError.self) {
      try readAll(YOLOText(), [folder.file("set")], options)
    }
    #expect(lost?.description.contains("found 1 of other names") == true)
    try FileManager.default.removeItem(at: folder.file("set/txt"))
    #expect(try readAll(YOLOText(), [folder.file("set")], options).frames.count == 3)
    try folder.write("", to: "set/pictures/b.txt")
    #expect(try readAll(YOLOText(), [folder.file("set")]).frames.map(\.faces.count) == [0, 0, 0])
  }

  private func importing(
    _ format: any DatasetFormat, _ source: String, statesNoFaces: Bool = false
  ) throws -> (dataset: DatasetReader, remarks: [String]) {
    var options = ImportOptions()
    options.statesNoFaces = statesNoFaces
    let url = folder.file("out.h5")
    let writer = try DatasetWriter(
      url, name: "out", isLabelled: format.isLabelled || statesNoFaces, replacing: true)
    let remarks = try DatasetImport(
      format: format, sources: [folder.file(source)], options: options, isStrict: false
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    return (try DatasetReader(url), remarks.map(\.text))
  }

  @Test func `labels without a face are refused unless the user says that there is none`() throws {
    try images(in: "set")
    for name in ["a", "b", "c"] { try folder.write("", to: "set/\(name).txt") }
    let error = #expect(throws: FileError.self) { try importing(YOLOText(), "set") }
    #expect(
      error?.line(from: folder)
        == "cannot import set: expected labelled faces, found none on 3 images (import images reads "
        + "images without labels; --no-faces says that they show no face)")
    #expect(try !folder.names.contains("out.h5"))
    let read = try importing(YOLOText(), "set", statesNoFaces: true)
    #expect(read.dataset.isLabelled && read.dataset.faceCount == 0 && read.dataset.frameCount == 3)
    let stated = try importing(ImageFolder(), "set", statesNoFaces: true)
    #expect(stated.dataset.isLabelled)
    #expect(stated.remarks.contains("no image shows a face (--no-faces)"))
    #expect(try !importing(ImageFolder(), "set").dataset.isLabelled)
    try folder.write("0 0.5 0.5 0.2 0.2\n", to: "set/a.txt")
    let other = #expect(throws: FileError.self) {
      try importing(YOLOText(), "set", statesNoFaces: true)
    }
    #expect(other?.description.hasSuffix("expected no face (--no-faces), found 1") == true)
  }
}
