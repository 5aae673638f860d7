import Foundation
import TFLite
import TestSupport
import Testing

/// Options of custom operators, as the FlatBuffers package writes them (Tests/Oracles/tflite_custom_operators.py).
@Suite struct FlexBufferTests {
  struct Blob: Decodable, CustomTestStringConvertible {
    var name: String
    var bytes: Data
    var small, large: Int
    var half: Float
    var list, none: [Int]
    var testDescription: String { name }
  }

  struct File: Decodable {
    var options: [Blob]
    var refused: [UnsupportedModelTests.Case]
  }

  static let file = try? Oracles.read("tflite_custom_operators", as: File.self)
  static let blobs = file?.options ?? []
  static let refused = file?.refused ?? []

  /// What is read of the options of a blob; nil for each part that is refused.
  struct Reading: Equatable {
    var small, large: Int?
    var half: Float?
    var list, none: [Int]?
  }

  /// Reads everything; every error must be one line that names the owner.
  static func read(_ bytes: ArraySlice<UInt8>) -> Reading? {
    func attempt<T>(_ body: () throws(ModelError) -> T) -> T? {
      do {
        return try body()
      } catch {
        #expect(error.message.hasPrefix("node 3 X: "))
        #expect(!error.description.contains("\n"))
        #expect(error.description.utf8.count < 300)
        return nil
      }
    }
    guard let map = attempt({ () throws(ModelError) in try FlexMap(bytes, of: "node 3 X") })
    else { return nil }
    let all = Int.min...Int.max
    return Reading(
      small: attempt { () throws(ModelError) in try map.integer("small", in: all) },
      large: attempt { () throws(ModelError) in try map.integer("large", in: all) },
      half: attempt { () throws(ModelError) in try map.float("half") },
      list: attempt { () throws(ModelError) in
        try map.integers("list", in: all, maximumCount: 8)
      },
      none: attempt { () throws(ModelError) in
        try map.integers("none", in: all, maximumCount: 8)
      })
  }

  @Test func `there are options of all four widths, and refused models`() {
    #expect(FlexBufferTests.blobs.count == 4)
    #expect(FlexBufferTests.refused.count >= 15)
  }

  @Test(arguments: blobs)
  func `options of every width read back, wherever they lie`(_ blob: Blob) {
    let expected = Reading(
      small: blob.small, large: blob.large, half: blob.half, list: blob.list, none: blob.none)
    for shift in 0..<9 {
      let bytes = [UInt8](repeating: 0xff, count: shift) + [UInt8](blob.bytes) + [0xff]
      #expect(FlexBufferTests.read(bytes[shift..<bytes.count - 1]) == expected)
    }
  }

  @Test(arguments: refused)
  func `a custom operator asking for more is refused with node and value`(
    _ test: UnsupportedModelTests.Case
  ) throws {
    let error = #expect(throws: ModelError.self) { try Model(bytes: [UInt8](test.model)[...]) }
    #expect(error?.message.contains(test.message) == true, "\(String(describing: error))")
    #expect(error?.kind == (test.kind == "unsupported" ? .unsupported : .corrupt))
  }

  /// The last byte names the root's width and the one before its type, so a cut moves both.
  @Test(arguments: blobs)
  func `options cut off at any byte read as nothing of what they held`(_ blob: Blob) {
    let bytes = [UInt8](blob.bytes)
    for length in 0..<bytes.count {
      let reading = FlexBufferTests.read(bytes[..<length])
      #expect(reading?.list != blob.list, "cut to \(length)")
    }
    for first in 1...bytes.count { _ = FlexBufferTests.read(bytes[first...]) }
  }

  @Test(arguments: blobs)
  func `options with other bytes are read or refused, and lists stay short`(_ blob: Blob) {
    let bytes = [UInt8](blob.bytes)
    var random = HostileModelTests.Generator(state: UInt64(bytes.count))
    var refused = 0
    for _ in 0..<20_000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        damaged[Int.random(in: 0..<bytes.count, using: &random)] =
          [0, 1, 0x7f, 0x80, 0xff, UInt8.random(in: 0...255, using: &random)]
          .randomElement(using: &random) ?? 0
      }
      guard let reading = FlexBufferTests.read(damaged[...]) else {
        refused += 1
        continue
      }
      #expect(reading.list.map { $0.count <= 8 } != false)
      #expect(reading.half?.isFinite != false)
    }
    #expect(refused > 100)
  }

  @Test(arguments: blobs)
  func `every single byte may have every value`(_ blob: Blob) {
    var bytes = [UInt8](blob.bytes)
    var refused = 0
    for position in bytes.indices {
      let kept = bytes[position]
      for value in UInt8.min...UInt8.max {
        bytes[position] = value
        if FlexBufferTests.read(bytes[...]) == nil { refused += 1 }
      }
      bytes[position] = kept
    }
    #expect(refused > 0)
  }

  @Test func `a number beyond an Int and numbers outside a range are refused`() throws {
    let blob = try #require(FlexBufferTests.blobs.last)
    let map = try FlexMap([UInt8](blob.bytes)[...], of: "node 3 X")
    for range in [0...10, -6...(-1), -100...(-8)] {
      #expect(throws: ModelError.self) { try map.integer("small", in: range) }
    }
    #expect(throws: ModelError.self) { try map.integers("list", in: -2...299, maximumCount: 8) }
    #expect(throws: ModelError.self) { try map.integers("list", in: -2...300, maximumCount: 2) }
    #expect(try map.integers("list", in: -2...300, maximumCount: 3) == blob.list)
    // One map {"a": UINT 2^64 - 1} of width 8: key, keys vector, map, types, root.
    let one: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]
    func bytes(_ value: UInt8) -> [UInt8] { [value, 0, 0, 0, 0, 0, 0, 0] }
    let parts: [[UInt8]] = [
      bytes(0x61), one, bytes(16), bytes(8), bytes(8), one, [UInt8](repeating: 0xff, count: 8),
      [0x0b, 9, 0x27, 1],
    ]
    let huge = parts.flatMap { $0 }
    let found = try FlexMap(huge[...], of: "node 3 X")
    let error = #expect(throws: ModelError.self) {
      try found.integer("a", in: Int.min...Int.max)
    }
    #expect(error?.message.contains("option 'a' is 18446744073709551615") == true)
  }
}
