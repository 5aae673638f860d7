import CZlib
import Datasets
import FaceCore
import Foundation
import HDF5
import Imaging
import Platform
import Statistics
import TestSupport
import Testing

/// Files with MATLAB's cells, which `Tests/Oracles/matlab_cells.py` made with h5py.
@Suite struct MATLABCellsTests {
  struct File<Seen: Decodable>: Decodable {
    let bytes: Int
    let zlib: String
    let seen: Seen

    func unpacked() throws -> [UInt8] {
      let packed = Array(try #require(Data(base64Encoded: zlib)))
      var length = uLongf(bytes)
      var content = [UInt8](repeating: 0, count: bytes)
      try #require(uncompress(&content, &length, packed, uLong(packed.count)) == Z_OK)
      return content
    }
  }

  struct Images: Decodable {
    let pixels: [UInt]
    let sizes: [[Int]]
    let boxes: [[Double]]
    let points: [[[Double]]]
    let occluded: [[Int]]
  }

  struct Expected: Decodable {
    let cofw: File<Images>
    let sequences: File<[[UInt8]]>
  }

  let folder: TemporaryFolder
  let expected: Expected

  init() throws {
    folder = try TemporaryFolder()
    expected = try Oracles.read("matlab_cells")
  }

  private func check(_ frames: [ImportedFrame]) throws {
    let seen = expected.cofw.seen
    #expect(frames.count == seen.pixels.count)
    for (index, frame) in frames.enumerated() {
      guard case .encoded(let bytes) = frame.image else {
        Issue.record("no image")
        continue
      }
      var buffer = PixelBuffer()
      try buffer.decode(bytes[...])
      #expect([buffer.width, buffer.height] == seen.sizes[index])
      #expect(crc32(0, buffer.bytes, UInt32(buffer.bytes.count)) == seen.pixels[index])
      let face = try #require(frame.faces.first)
      let box: [Double] = [face.box.x, face.box.y, face.box.width, face.box.height]
      #expect(box == seen.boxes[index])
      let set = try #require(face.landmarks.first)
      #expect(set.scheme == .cofw29)
      let points: [[Double]] = set.points.map { [$0.x, $0.y] }
      #expect(points == seen.points[index])
      let hidden: [Int] = set.visibility.map { $0 == .occluded ? 1 : 0 }
      #expect(hidden == seen.occluded[index])
    }
  }

  @Test func `COFW's transposed MATLAB 7.3 images are upright, grey or colored`() throws {
    let source = try folder.write(expected.cofw.unpacked(), to: "COFW_test_color.mat")
    #expect(try DatasetImport.detectFormat(of: [source]).format.name == "cofw")
    let read = try readAll(COFW(), [source])
    try check(read.frames)
    #expect(read.frames.first?.name == "COFW_test_color/1")
    #expect(read.remarks.last == "3 images are grey")
  }

  @Test func `the committed mapping reads the same from MATLAB's transposed cells`() throws {
    let source = try folder.write(expected.cofw.unpacked(), to: "COFW_test_color.mat")
    let mapping = Checkout.root.appending(path: "Datasets/mappings/matlab-cells.json")
    try check(try readAll(HDF5Mapping(), [mapping, source]).frames)
  }

  @Test func `a damaged file of cells is refused or read, and never worse`() throws {
    let whole = try expected.cofw.unpacked()
    var random = SplitMix64(seed: 29)
    var refused = 0
    for _ in 0..<300 {
      var bytes = whole
      for _ in 0..<4 {
        bytes[Int.random(in: 512..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      let source = try folder.write(bytes, to: "a.mat")
      do {
        _ = try readAll(COFW(), [source])
      } catch {
        #expect(error is FileError)
        refused += 1
      }
    }
    #expect(refused > 20)
  }

  @Test func `references and bytes of variable length are read, and others refused`() throws {
    let source = try folder.write(expected.sequences.unpacked(), to: "a.h5")
    let dataset = try HDF5File.open(source.path).dataset("bytes")
    #expect(try dataset.readByteSequences(rows: 0..<3) == expected.sequences.seen)
    let error = #expect(throws: HDF5Error.self) { try dataset.readReferences() }
    #expect(
      error?.description.hasSuffix("expected object references, found variable-length u8") == true)
  }
}
