import CZlib
import Datasets
import FaceCore
import Foundation
import Imaging
import Platform
import TestSupport
import Testing

/// Public files, compared with `Tests/Oracles/matlab_files.py`, which reads them with scipy and h5py.
@Suite(.enabled(if: Shared.isAvailable, "FACEGAUGE_SHARED names no folder of data"))
struct MATLABSharedTests {
  struct Expected: Decodable {
    struct AFLW: Decodable {
      let faces: Int
      let points: UInt
      let angles: UInt
      let roi: [Double]
      let scale: Double
      let first: [Double]
    }

    struct COFW: Decodable {
      let faces: Int
      let points: UInt
      let boxes: UInt
      let occluded: Int
      let first: [Double]
    }

    struct Wider: Decodable {
      let images: Int
      let names: UInt
      let faces: Int
      let boxes: UInt
      let negative: Int
      let labels: [String: Double]
      let levels: [String: Double]
      let flags: [String: UInt]
    }

    struct Mapped: Decodable {
      let images: Int
      let pixels: UInt?
      let classes: [Int]?
      let faces: Int?
      let boxes: UInt?
      let torsoangle: Double?
      let person: Double?
    }

    let aflw2000: AFLW
    let cofw68: COFW
    let wider: Wider
    let hdf5: [String: Mapped]
  }

  let expected: Expected

  init() throws { expected = try Oracles.read("matlab_files") }

  static func checksum(_ values: [Float]) -> UInt {
    values.withUnsafeBytes { bytes in
      crc32(0, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count))
    }
  }

  private static func box(_ face: FaceLabel) -> [Float] {
    [face.box.x, face.box.y, face.box.width, face.box.height].map(Float.init)
  }

  @Test func `AFLW2000 has the points and angles that scipy reads`() throws {
    let source = Shared.data("aflw2000-prnet")
    #expect(try DatasetImport.detectFormat(of: [source]).format.name == "aflw2000")
    let faces = try readAll(AFLW2000(), [source]).frames.flatMap(\.faces)
    let wanted = expected.aflw2000
    #expect(faces.count == wanted.faces)
    let sets = faces.compactMap(\.landmarks.first)
    let points = sets.flatMap { set in
      zip(set.points, set.depths ?? []).flatMap { [Float($0.x), Float($0.y), Float($1)] }
    }
    #expect(Self.checksum(points) == wanted.points)
    let angles = faces.flatMap { face in
      ["pitch", "yaw", "roll"].map { Float(face.attributes[$0] ?? .nan) }
    }
    #expect(Self.checksum(angles) == wanted.angles)
    let roi = ["left", "top", "right", "bottom"].map { faces[0].attributes["roi_\($0)"] }
    #expect(roi == wanted.roi)
    #expect(faces[0].attributes["pose_scale"] == wanted.scale)
    let nose: [Double] = [sets[0].points[30].x, sets[0].points[30].y]
    #expect(nose == Array(wanted.first.prefix(2)))
  }

  @Test func `COFW68 has the points, boxes and occlusion that scipy reads`() throws {
    let source = Shared.data("cofw68/COFW68_Data")
    #expect(try DatasetImport.detectFormat(of: [source]).format.name == "cofw68")
    let read = try readAll(COFW68(), [source])
    #expect(read.frames.map(\.name) == (1...507).map(String.init))
    let faces = read.frames.flatMap(\.faces)
    let sets = faces.compactMap(\.landmarks.first)
    let wanted = expected.cofw68
    #expect(faces.count == wanted.faces)
    #expect(
      Self.checksum(sets.flatMap { $0.points.flatMap { [Float($0.x), Float($0.y)] } })
        == wanted.points)
    #expect(Self.checksum(faces.flatMap(Self.box)) == wanted.boxes)
    #expect(sets.flatMap(\.visibility).count { $0 == .occluded } == wanted.occluded)
    let first: [Double] = [sets[0].points[0].x, sets[0].points[0].y]
    #expect(first == wanted.first)
  }

  @Test func `WIDER's validation set has the faces, labels and levels that scipy reads`() throws {
    let sources = ["hard", "face", "easy", "medium"]
      .map { Shared.data("wider-eval-gt/wider_\($0)_val.mat") }
    #expect(try DatasetImport.detectFormat(of: sources).format.name == "wider-mat")
    let read = try readAll(WiderMAT(), sources)
    let wanted = expected.wider
    #expect(read.frames.count == wanted.images)
    let names = Array(read.frames.map(\.name).joined(separator: "\n").utf8)
    #expect(crc32(0, names, UInt32(names.count)) == wanted.names)
    let faces = read.frames.flatMap(\.faces)
    #expect(faces.count == wanted.faces)
    #expect(Self.checksum(faces.flatMap(Self.box)) == wanted.boxes)
    for (name, sum) in wanted.labels {
      #expect(faces.reduce(0) { $0 + ($1.attributes[name] ?? .nan) } == sum, "\(name)")
    }
    for (level, count) in wanted.levels {
      let flags = faces.map { $0.attributes["wider_\(level)"] ?? .nan }
      #expect(flags.reduce(0, +) == count, "\(level)")
      #expect(Self.checksum(flags.map(Float.init)) == wanted.flags[level], "\(level)")
    }
    #expect(
      read.remarks.last
        == "lost: \(wanted.negative) boxes of negative width or height have size 0 there and are ignored"
    )
    // Images whose only row is 0, 0, 0, 0: those that the list in text gives no face.
    let fillers = faces.count { $0.isIgnored && Self.box($0) == [0, 0, 0, 0] }
    #expect(fillers == 4)
    #expect(
      faces.count(where: \.isIgnored)
        == Int(wanted.labels["invalid"] ?? 0) + wanted.negative + fillers)
  }

  static let mapped: [(name: String, mapping: String, file: String)] = [
    ("signs", "nhwc-classes", "coursera-signs/test_signs.h5"),
    ("mpii", "mpii-parallel-arrays", "mpii-newell/valid.h5"),
    ("solver", "nchw-floats", "caffe/solver_data.h5"),
    ("sample", "nchw-channels", "caffe/sample_data.h5"),
  ]

  @Test(arguments: mapped.indices)
  func `a committed mapping reads from a public file what h5py reads, NHWC as NCHW`(
    index: Int
  ) throws {
    let (name, mapping, file) = Self.mapped[index]
    let wanted = try #require(expected.hdf5[name])
    let read = try readAll(
      HDF5Mapping(),
      [
        Checkout.root.appending(path: "Datasets/mappings/\(mapping).json"),
        Shared.data("hdf5-real/\(file)"),
      ], ImportOptions(isLabelsOnly: wanted.pixels == nil))
    #expect(read.frames.count == wanted.images)
    let faces = read.frames.flatMap(\.faces)
    #expect(faces.count == wanted.faces ?? wanted.images)
    if let pixels = wanted.pixels {
      var sum: UInt = 0
      for frame in read.frames {
        guard case .encoded(let bytes) = frame.image else { continue }
        var buffer = PixelBuffer()
        try buffer.decode(bytes[...])
        sum = crc32(sum, buffer.bytes, UInt32(buffer.bytes.count))
      }
      #expect(sum == pixels)
    }
    if let boxes = wanted.boxes { #expect(Self.checksum(faces.flatMap(Self.box)) == boxes) }
    if let classes = wanted.classes {
      let words = ["zero", "one", "two", "three", "four", "five"]
      #expect(words.map { word in faces.count { $0.expression == word } } == classes)
    }
    if let torsoangle = wanted.torsoangle {
      let values = faces.compactMap { $0.attributes["torsoangle"] }.filter { !$0.isNaN }
      // Sums of 2958 doubles in another order.
      #expect(abs(values.reduce(0, +) - torsoangle) < 1e-6)
      #expect(faces.reduce(0) { $0 + ($1.attributes["person"] ?? .nan) } == wanted.person)
      #expect(faces.allSatisfy { $0.category == 2 })
    }
  }

  @Test(arguments: ["history_fsanet_metric_3_16_2_21_5", "history_ssrnet_mt"])
  func `a history of training is no image and named as what it is`(name: String) throws {
    let source = Shared.data("hdf5-real/fsanet-keras/\(name).h5")
    let error = #expect(throws: FileError.self) { try readAll(HDF5Mapping(), [source]) }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains("--draft mapping.json") == true)
    let listing = try HDF5Contents(of: source).text
    #expect(listing.contains(/history\/block0_values +f64 +\[90, 2\]/))
  }
}
