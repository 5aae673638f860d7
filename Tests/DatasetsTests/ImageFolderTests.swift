import Datasets
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct ImageFolderTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `images at any depth come in order of their names`() throws {
    for name in ["b.JPG", "a.png", "deep/er/c.JpEg", "deep/d.PNG", ".hidden.jpg"] {
      try folder.write(Sample.jpeg(9, 9), to: "set/\(name)")
    }
    for name in ["notes.txt", "e.gif", "jpg", "f.jpg.txt"] {
      try folder.write("no image", to: "set/\(name)")
    }
    try folder.write(Sample.jpeg(9, 9), to: "set/folder.jpg/inside.jpg")
    let read = try readAll(ImageFolder(), [folder.file("set")])
    #expect(
      read.frames.map(\.name) == [
        ".hidden.jpg", "a.png", "b.JPG", "deep/d.PNG", "deep/er/c.JpEg", "folder.jpg/inside.jpg",
      ])
    #expect(read.frames.allSatisfy { $0.faces.isEmpty })
    #expect(read.remarks.first == "no labels: only metrics that need none are computed")
    #expect(read.remarks.contains("lost: images of unread formats left out: 1 .gif"))
    #expect(read.remarks.last?.hasPrefix("lost: 3 files other than JPEG or PNG left out") == true)
  }

  @Test(.timeLimit(.minutes(60))) func `a folder that links to itself ends`() throws {
    try folder.write(Sample.jpeg(9, 9), to: "set/a.jpg")
    try FileManager.default.createSymbolicLink(
      at: folder.file("set/loop"), withDestinationURL: folder.file("set"))
    let read = try readAll(ImageFolder(), [folder.file("set")])
    #expect(read.frames.map(\.name) == ["a.jpg"])
  }

  @Test func `several folders follow each other`() throws {
    try folder.write(Sample.jpeg(9, 9), to: "z/1.jpg")
    try folder.write(Sample.jpeg(9, 9), to: "a/2.jpg")
    let read = try readAll(ImageFolder(), [folder.file("z"), folder.file("a")])
    #expect(read.frames.map(\.name) == ["1.jpg", "2.jpg"])
  }

  @Test func `what macOS writes next to images is none`() throws {
    try folder.write(Sample.jpeg(9, 9), to: "set/1.jpg")
    try folder.write("Mac OS X", to: "set/._1.jpg")
    let read = try readAll(ImageFolder(), [folder.file("set")])
    #expect(read.frames.map(\.name) == ["1.jpg"])
  }

  @Test func `a folder without images and a file are errors`() throws {
    try folder.write("x", to: "set/notes.txt")
    let empty = #expect(throws: FileError.self) {
      try readAll(ImageFolder(), [folder.file("set")])
    }
    #expect(
      empty?.description
        == "cannot import \(folder.file("set").relativePath): "
        + "expected .jpg, .jpeg or .png files, found none")
    let file = #expect(throws: FileError.self) {
      try readAll(ImageFolder(), [folder.file("set/notes.txt")])
    }
    #expect(file?.description.hasSuffix(": expected a folder, found a file") == true)
    let missing = #expect(throws: FileError.self) {
      try readAll(ImageFolder(), [folder.file("none")])
    }
    #expect(missing?.kind == .notFound)
  }
}
