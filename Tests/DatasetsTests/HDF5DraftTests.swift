import CZlib
import Datasets
import FaceCore
import Foundation
import HDF5
import Imaging
import Platform
import TestSupport
import Testing

/// Files without a mapping, which `Tests/Oracles/hdf5_drafts.py` made with h5py.
@Suite struct HDF5DraftTests {
  struct Frame: Decodable {
    let pixels: UInt
    let box: [Double]?
    let points: [[Double]]?
    let subject: String?
    let sequence: String?
    let splits: [String]?
  }

  struct File: Decodable {
    let layout: String
    let stored: MATLABCellsTests.File<[Frame]>

    enum CodingKeys: CodingKey { case layout }

    init(from decoder: any Decoder) throws {
      layout = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .layout)
      stored = try MATLABCellsTests.File(from: decoder)
    }
  }

  struct Expected: Decodable {
    let files: [File]
  }

  static let layouts = [
    "patches_in_bgr", "tight_boxes", "corners_and_others", "one_group_an_image",
    "one_group_a_subject", "linked_groups", "one_group_a_split", "keys", "identities", "table",
    "files_and_times",
    "fractions", "faces_by_number", "matlab",
  ].flatMap { ["\($0), earliest", "\($0), latest"] }

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func files() throws -> [File] {
    let expected: Expected = try Oracles.read("hdf5_drafts")
    return expected.files
  }

  @Test func `every file of the oracle is tested`() throws {
    #expect(try files().map(\.layout) == Self.layouts)
  }

  @Test(arguments: layouts)
  func `a draft that nobody edits imports what h5py wrote`(layout: String) throws {
    let file = try #require(try files().first { $0.layout == layout })
    let contents = try HDF5Contents(of: folder.write(file.stored.unpacked(), to: "a.h5"))
    let place = folder.file("mapping.json")
    let mapping = try folder.write(try contents.mapping(at: place), to: "mapping.json")
    #expect(try Schema.problems(ofFile: folder.bytes("mapping.json")) == [])
    let frames = try readAll(HDF5Mapping(), [mapping]).frames
    try #require(frames.count == file.stored.seen.count)
    var sequence: SequenceDescription?
    for (frame, seen) in zip(frames, file.stored.seen) {
      guard case .encoded(let bytes) = frame.image else {
        Issue.record("no image")
        continue
      }
      var buffer = PixelBuffer()
      try buffer.decode(bytes[...])
      #expect(crc32(0, buffer.bytes, UInt32(buffer.bytes.count)) == seen.pixels)
      #expect(frame.splits == seen.splits ?? [])
      sequence = frame.begins ?? sequence
      #expect(sequence?.subject ?? "" == seen.subject ?? "")
      if let name = seen.sequence { #expect(sequence?.name.hasSuffix(name) == true) }
      #expect((sequence?.kind == .video) == (seen.sequence != nil))
      try #require(frame.faces.count == (seen.box == nil ? 0 : 1))
      guard let face = frame.faces.first, let box = seen.box else { continue }
      let found: [Double] = [face.box.x, face.box.y, face.box.width, face.box.height]
      // Fractions of the image's size are stored as 64-bit floats and multiplied.
      #expect(zip(found, box).allSatisfy { abs($0 - $1) < 1e-4 })
      let points = face.landmarks.first?.points.map { [$0.x, $0.y] }
      #expect(points?.count == seen.points?.count)
      for (point, wanted) in zip(points ?? [], seen.points ?? []) {
        #expect(zip(point, wanted).allSatisfy { abs($0 - $1) < 1e-4 })
      }
    }
  }

  private func contents(of layout: String) throws -> HDF5Contents {
    let file = try #require(try files().first { $0.layout == layout })
    return try HDF5Contents(of: folder.write(file.stored.unpacked(), to: "a.h5"))
  }

  @Test(arguments: [
    (
      "patches_in_bgr, latest",
      "face_patch: taken as BGR: with blue first the middle is redder in 6 of 6 images that were looked at"
    ),
    ("tight_boxes, latest", "no array holds boxes: the tight boxes of the points are taken"),
    (
      "tight_boxes, latest",
      "facial_landmarks: base 0 or 1 is not known: the first pixel is taken as 0"
    ),
    (
      "tight_boxes, latest", "facial_landmarks: five of five and dlib5, by the places of the points"
    ),
    ("corners_and_others, latest", "extra2: boxes too, left out"),
    (
      "corners_and_others, latest",
      "metadata/video_names: the images of each value are taken as a video"
    ),
    ("identities, latest", "no array holds boxes: each image is taken as the box of its face"),
    ("files_and_times, latest", "timestamps: in ms, by how far the images are apart"),
    ("fractions, latest", "test: the images of a split, from 0"),
    ("faces_by_number, latest", "face_image: the number of each face's image, from 1"),
  ])
  func `what a draft is unsure of is said`(layout: String, doubt: String) throws {
    #expect(try contents(of: layout).doubts.contains(doubt))
  }

  @Test func `many similar groups are one line`() throws {
    let lines = try contents(of: "one_group_an_image, earliest").text.split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines.contains { $0.hasPrefix("{image}/boxes  × 6 ") && $0.contains("[1, 4]") })
    #expect(lines.contains { $0.hasPrefix("{image}@subject  × 6 ") && $0.hasSuffix("subjects") })
    #expect(lines.contains { $0.hasPrefix("{image}/image  × 6 ") && $0.contains("[*]") })
  }

  /// A file whose second array has a filter that nobody knows.
  private func fileWithUnknownFilter() throws -> URL {
    let url = folder.file("b.h5")
    let file = try HDF5File.create(url.path)
    let plain = try file.createDataset("plain", of: Float.self, shape: [2, 4])
    try plain.write([1, 2, 3, 4, 5, 6, 7, 8] as [Float], atRow: 0)
    let packed = try file.createDataset("x", of: UInt8.self, shape: [2, 9, 9, 3], gzipLevel: 1)
    try packed.write([UInt8](repeating: 7, count: 486), atRow: 0)
    try file.close()
    var bytes = try [UInt8](Data(contentsOf: url))
    // A list of one filter: version 1, six reserved bytes, gzip with a name of 8 bytes.
    let list: [UInt8] = [1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 8, 0]
    let start = try #require(bytes.firstRange(of: list)?.lowerBound)
    (bytes[start + 8], bytes[start + 9]) = (0x01, 0x7D)
    return try folder.write(bytes, to: "b.h5")
  }

  @Test func `an array that cannot be read is listed with the reason and what to do`() throws {
    let contents = try HDF5Contents(of: fileWithUnknownFilter())
    let line = try #require(contents.text.split(separator: "\n").first { $0.hasPrefix("x ") })
    #expect(
      line.contains("[2, 9, 9, 3]") && line.contains("Blosc") && line.hasSuffix("cannot be read"))
    #expect(
      contents.text.contains("cannot read x: it is compressed by Blosc (filter 32001)"))
    let json = try JSONEncoder.document.text(of: contents)
    #expect(json.contains("\"problem\" : \"it is compressed by Blosc"))
  }

  @Test func `groups of several paths, and those that contain themselves, are listed once`()
    throws
  {
    let own = try contents(of: "linked_groups, latest").text
    let plain = try contents(of: "one_group_a_subject, latest").text
    #expect(
      own == plain
        + "\ngroups of more than one path are listed once: subject00/all is /, and 2 more\n")
  }

  @Test func `a file without arrays has no draft`() throws {
    let file = try HDF5File.create(folder.file("c.h5").path)
    for name in ["a1", "a2", "a3"] { try file.createGroup("\(name)/\(name)/x") }
    try file.close()
    let contents = try HDF5Contents(of: folder.file("c.h5"))
    #expect(contents.text == "no arrays\n")
    #expect(throws: FileError.self) { try contents.mapping(at: folder.file("m.json")) }
  }

  @Test func `our own files are not foreign, and what is not HDF5 is neither`() throws {
    try folder.write("{}", to: "a.json")
    #expect(!HDF5Contents.areForeign(folder.file("a.json")))
    let file = try HDF5File.create(folder.file("d.h5").path)
    try file.setAttribute("format", of: "/", to: "facegauge.dataset")
    try file.close()
    #expect(!HDF5Contents.areForeign(folder.file("d.h5")))
    #expect(try HDF5Contents.areForeign(fileWithUnknownFilter()))
  }
}
