import Foundation
import TFLite
import TestSupport
import Testing

@Suite struct ModelBundleTests {
  /// A ZIP of stored members, as a writer of bundles makes it; `method` and `gap` vary it.
  static func zip(
    _ members: [(String, [UInt8])], method: UInt16 = 0, shiftOfOffsets: Int = 0,
    extra: [UInt8] = [], comment: [UInt8] = []
  ) -> [UInt8] {
    var file: [UInt8] = []
    var directory: [UInt8] = []
    func short(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }
    func long(_ value: Int) -> [UInt8] { short(value & 65535) + short(value >> 16 & 65535) }
    for (name, data) in members {
      let sizes = long(0) + long(data.count) + long(data.count)
      let names = short(name.utf8.count)
      let common = short(10) + short(0) + short(Int(method)) + short(0) + short(0) + sizes + names
      directory += long(0x0201_4b50) + short(10) + common + short(0) + short(0) + short(0)
      directory += short(0) + long(0) + long(file.count + shiftOfOffsets) + Array(name.utf8)
      file += long(0x0403_4b50) + common + short(extra.count) + Array(name.utf8) + extra + data
    }
    let start = file.count
    file += directory + long(0x0605_4b50) + short(0) + short(0)
    file += short(members.count) + short(members.count) + long(directory.count) + long(start)
    return file + short(comment.count) + comment
  }

  static let emptyEnd: [UInt8] = [0x50, 0x4b, 5, 6] + [UInt8](repeating: 0, count: 18)
  static let members: [(String, [UInt8])] = [
    ("a.tflite", [1, 2, 3] + emptyEnd), ("b.bin", []), ("c", [9]),
  ]

  func expectMembers(_ bytes: [UInt8]) throws {
    let bundle = try ModelBundle(bytes: bytes, name: "x.task")
    #expect(bundle.memberNames == ["a.tflite", "b.bin", "c"])
    for (name, data) in ModelBundleTests.members { #expect(try Array(bundle.member(name)) == data) }
  }

  func expectRefusal(_ bytes: [UInt8], _ kind: ModelError.Kind) {
    let error = #expect(throws: ModelError.self) { try ModelBundle(bytes: bytes, name: "x.task") }
    #expect(error?.kind == kind)
  }

  @Test func `members are read in position, past end records of their own`() throws {
    try expectMembers(ModelBundleTests.zip(ModelBundleTests.members))
    try expectMembers(ModelBundleTests.zip(ModelBundleTests.members, extra: [0, 0, 0]))
    try expectMembers(ModelBundleTests.zip(ModelBundleTests.members, comment: [1, 2, 3]))
  }

  @Test func `junk in front of the archive is tolerated`() throws {
    let junk = (0..<174_813).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try expectMembers(junk + ModelBundleTests.zip(ModelBundleTests.members))
  }

  @Test func `a missing member names those that are there`() throws {
    let bundle = try ModelBundle(
      bytes: ModelBundleTests.zip(ModelBundleTests.members), name: "x.task")
    let error = #expect(throws: ModelError.self) { try bundle.member("face.tflite") }
    #expect(error?.kind == .notFound)
    #expect(
      error?.description
        == "no file 'face.tflite' in model bundle 'x.task'; its files are: a.tflite, b.bin, c")
  }

  @Test func `a compressed member is refused`() {
    expectRefusal(ModelBundleTests.zip(ModelBundleTests.members, method: 8), .unsupported)
  }

  @Test func `every truncation is refused`() {
    let bytes = ModelBundleTests.zip(ModelBundleTests.members)
    for length in 0..<bytes.count { expectRefusal(Array(bytes[..<length]), .corrupt) }
  }

  @Test func `members that overlap or lie elsewhere are refused`() throws {
    let bytes = ModelBundleTests.zip(ModelBundleTests.members)
    expectRefusal(ModelBundleTests.zip(ModelBundleTests.members, shiftOfOffsets: 1), .corrupt)
    let directory = try #require(
      bytes.indices.first { bytes[$0...].starts(with: [0x50, 0x4b, 1, 2]) })
    var overlapping = bytes
    // The third entry's header offset becomes the first's, whose sizes then contradict the entry's.
    let third = directory + (46 + 8) + (46 + 5)
    overlapping[third + 42] = 0
    overlapping[third + 43] = 0
    expectRefusal(overlapping, .corrupt)
  }

  @Test func `damage to any byte of the directory never crashes`() {
    let bytes = ModelBundleTests.zip(ModelBundleTests.members)
    for position in bytes.indices {
      for value: UInt8 in [0, 1, 0x7f, 0xff] {
        var damaged = bytes
        damaged[position] = value
        guard let bundle = try? ModelBundle(bytes: damaged, name: "x.task") else { continue }
        for name in bundle.memberNames { #expect((try? bundle.member(name)) != nil) }
      }
    }
  }

  @Test func `a file that is not there is named`() {
    let error = #expect(throws: ModelError.self) { try ModelBundle(path: "/nowhere/x.task") }
    #expect(error?.kind == .notFound)
    #expect(error?.description.contains("/nowhere/x.task") == true)
  }

  @Test(.enabled(if: Shared.isAvailable))
  func `the shared bundle has its four members, also after junk`() throws {
    let names = [
      "face_detector.tflite", "face_landmarks_detector.tflite", "face_blendshapes.tflite",
      "geometry_pipeline_metadata_landmarks.binarypb",
    ]
    let bundle = try ModelBundle(path: Shared.bundle.path)
    #expect(Set(bundle.memberNames) == Set(names))
    #expect(!bundle.isSingleModel)
    #expect(try bundle.member("face_detector.tflite").count == 229_746)
    let junk = [UInt8](repeating: 0x50, count: 174_813)
    let shifted = try ModelBundle(bytes: junk + bundle.bytes, name: "shifted")
    for name in names { #expect(try shifted.member(name) == bundle.member(name)) }
    // Members now sit at odd addresses.
    _ = try Model(bytes: shifted.member("face_detector.tflite"))
  }
}
