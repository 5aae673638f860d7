import CZlib
import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// Public recordings, compared with `Tests/Oracles/live_link.py`.
@Suite(.enabled(if: Shared.isAvailable, "FACEGAUGE_SHARED names no folder of data"))
struct LiveLinkSharedTests {
  struct Expected: Decodable {
    let rows: Int
    let frames: Int
    let times: UInt
    let coefficients: UInt
    let others: UInt
    let attributes: Int
    let below: Int
    let above: Int
    let dead: Int
    let last: Int64
  }

  static let expected = (try? Oracles.read("live_link", as: [String: Expected].self)) ?? [:]

  @Test func `there are 5 CSV files and 63 recordings of packets`() {
    #expect(Self.expected.keys.count { $0.hasSuffix(".csv") } == 5)
    #expect(Self.expected.keys.count { $0.hasSuffix(".gesichter") } == 63)
  }

  @Test(arguments: expected.keys.sorted())
  func `a public recording has the numbers that an independent reader finds`(
    path: String
  ) throws {
    let expected = try #require(Self.expected[path])
    let folder = try TemporaryFolder()
    let source = Shared.data(path)
    let format = try DatasetImport.detectFormat(of: [source]).format
    #expect(format.name == (path.hasSuffix(".csv") ? "livelink" : "livelink-packets"))
    let writer = try DatasetWriter(folder.file("a.h5"), name: "a", replacing: false)
    let remarks = try DatasetImport(
      format: format, sources: [source], options: ImportOptions(), isStrict: true
    ).run(into: writer, advance: { _ in }, isInterrupted: { false }).map(\.text)
    let dataset = try DatasetReader(folder.file("a.h5"))
    #expect(dataset.frameCount == expected.frames && expected.rows == expected.frames)
    #expect(dataset.faceCount == expected.frames)
    let frames = try dataset.frames(0..<dataset.frameCount)
    #expect(frames.last?.timestampMicroseconds == expected.last)
    #expect(Self.checksum(frames.map(\.timestampMicroseconds)) == expected.times)
    let faces = try dataset.labels(0..<dataset.frameCount).flatMap { $0 }
    let shapes = Blendshape.allCases.dropFirst().sorted { $0.rawValue < $1.rawValue }
    #expect(
      Self.checksum(
        faces.flatMap { face in shapes.map { face.blendshapes?[$0.index] ?? .nan } })
        == expected.coefficients)
    let names = Set(faces.flatMap(\.attributes.keys)).sorted()
    #expect(names.count == expected.attributes)
    #expect(
      Self.checksum(faces.flatMap { face in names.map { face.attributes[$0] ?? .nan } })
        == expected.others)
    let outside = remarks.first { $0.contains("outside") }
    #expect(
      outside?.hasSuffix(": \(expected.below) below 0, \(expected.above) above 1")
        ?? (expected.below + expected.above == 0))
    let dead = remarks.first { $0.contains("dead") }
    #expect(dead?.contains(" \(expected.dead) dead channels, ") ?? (expected.dead == 0))
    #expect(try DatasetValidation(of: dataset).hasErrors == false)
  }

  @Test func `the range of motion is 30 fps inside a 60-fps timecode with dead head columns`()
    throws
  {
    let read = try readAll(
      LiveLinkCSV(), [Shared.data("livelink-alexdjulin/anim/alex_rom_4.csv")])
    #expect(read.frames.count == 3809)
    #expect(
      read.remarks == [
        "frames have labels and no images",
        "alex_rom_4: times are the timecode's, taken as 60 frames per second, with about 30 "
          + "frames of data per second",
        "alex_rom_4: irregular timecode: 2 of 3808 steps are not the usual",
        "alex_rom_4: coefficients outside 0 to 1 are kept: 0 below 0, 91 above 1",
        "alex_rom_4: 3 dead channels, the same in all 3809 frames: HeadYaw, HeadPitch, HeadRoll",
      ])
  }

  private static func checksum<Number>(_ values: [Number]) -> UInt {
    values.withUnsafeBytes { bytes in
      crc32(0, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count))
    }
  }
}
