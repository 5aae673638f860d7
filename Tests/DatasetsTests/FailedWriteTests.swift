import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct FailedWriteTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [0, 16, 256, 2048, 3900])
  func `a disk that is full ends the import with one line and nothing written`(
    blocks: Int
  ) throws {
    // 40 images of 50 kB; the limit stands for a disk of that many blocks of 512 bytes.
    for index in 0..<40 { try folder.write(Self.noise(130, 128 + index), to: "set/\(index).png") }
    try folder.write("", to: "out/kept.txt")
    let result = try ProcessResult(
      running: "/bin/sh",
      [
        "-c", #"trap '' XFSZ; ulimit -f \#(blocks); exec "$0" import images "$1" -o "$2""#,
        ProcessResult.path(ofBuilt: "facegauge"), folder.file("set").path,
        folder.file("out/a.h5").path,
      ])
    #expect(!result.isSignal)
    #expect(result.status == 73)
    // Standard error is a file here, which takes nothing either at 0.
    if blocks > 0 {
      let lines = result.errors.split(separator: "\n")
      #expect(lines.count == 1, "\(result.errors)")
      #expect(result.errors.hasPrefix("error: cannot write "), "\(result.errors)")
    }
    #expect(result.output.isEmpty)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("out").path) == ["kept.txt"])
  }

  private static func noise(_ width: Int, _ height: Int) -> [UInt8] {
    var state = UInt64(height)
    let bytes = (0..<width * height * 3).map { _ -> UInt8 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    return Sample.png(width, height, bytes)
  }

  @Test func `an existing file stays unless it may be replaced`() throws {
    let url = try folder.write("precious", to: "a.h5")
    let error = #expect(throws: FileError.self) {
      try DatasetWriter(url, name: "a", replacing: false)
    }
    #expect(
      error?.description
        == "cannot write \(url.relativePath): it exists already (--force replaces it)")
    #expect(error?.kind == .cannotWrite)
    #expect(try String(contentsOf: url, encoding: .utf8) == "precious")
    do {
      let writer = try DatasetWriter(url, name: "a", replacing: true)
      try writer.add(
        name: "p", image: Sample.png(12, 8), size: .init(width: 12, height: 8), faces: [])
      #expect(try String(contentsOf: url, encoding: .utf8) == "precious")
    }
    #expect(try folder.names == ["a.h5"])
    #expect(try String(contentsOf: url, encoding: .utf8) == "precious")
    let writer = try DatasetWriter(url, name: "a", replacing: true)
    try writer.finish()
    #expect(try DatasetReader(url).frameCount == 0)
    #expect(try folder.names == ["a.h5"])
  }

  @Test func `a folder in the way, or none to write to, is an error`() throws {
    try folder.write("x", to: "taken.h5/x")
    let taken = #expect(throws: FileError.self) {
      try DatasetWriter(folder.file("taken.h5"), name: "a", replacing: true)
    }
    #expect(taken?.description.hasSuffix("taken.h5: expected a file, found a folder") == true)
    let missing = #expect(throws: FileError.self) {
      try DatasetWriter(folder.file("no/such/a.h5"), name: "a", replacing: false)
    }
    #expect(missing?.description.hasSuffix(": no folder \(folder.file("no/such").path)") == true)
    #expect(missing?.kind == .cannotWrite)
    #expect(try folder.names == ["taken.h5"])
  }

  /// Not even root may make files in `/proc`.
  @Test func `a folder that takes no files is an error`() throws {
    let error = #expect(throws: FileError.self) {
      try DatasetWriter(URL(filePath: "/proc/a.h5"), name: "a", replacing: false)
    }
    #expect(error?.kind == .cannotWrite)
    #expect(error?.description.hasPrefix("cannot write /proc/a.h5: ") == true)
    #expect(error?.description.contains("\n") == false)
  }
}
