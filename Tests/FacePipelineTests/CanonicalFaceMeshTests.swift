import FacePipeline
import Foundation
import Platform
import Statistics
import TestSupport
import Testing

/// The reader of the canonical face: its own small files, and broken ones.
struct CanonicalFaceMeshTests {
  /// A message that the tests take apart: 468 vertices on a grid, two triangles, two weights.
  private struct Message {
    var floats = (0..<468 * 5).map { Float($0) / 8 }
    var indices: [UInt64] = [0, 1, 2, 465, 466, 467]
    var weights: [[UInt8]] = [Self.weight(4, 0.5), Self.weight(300, 0.25)]
    var isPacked = false
    var source: [UInt8] = [3 << 3, 1]

    static func varint(_ value: UInt64) -> [UInt8] {
      value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + varint(value >> 7)
    }
    static func fixed(_ value: Float) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
    }
    static func part(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
      [number << 3 | 2] + varint(UInt64(bytes.count)) + bytes
    }
    static func weight(_ landmark: UInt64, _ weight: Float) -> [UInt8] {
      [1 << 3] + varint(landmark) + [2 << 3 | 5] + fixed(weight)
    }

    var mesh: [UInt8] {
      let head: [UInt8] = [1 << 3, 0, 2 << 3, 0]
      guard isPacked else {
        let points: [UInt8] = floats.flatMap { [3 << 3 | 5] + Self.fixed($0) }
        let corners: [UInt8] = indices.flatMap { [4 << 3] + Self.varint($0) }
        return head + points + corners
      }
      return head + Self.part(3, floats.flatMap(Self.fixed))
        + Self.part(4, indices.flatMap(Self.varint))
    }

    var bytes: [UInt8] {
      Self.part(1, mesh) + weights.flatMap { Self.part(2, $0) } + source
    }
  }

  @Test(arguments: [false, true])
  func `packed and unpacked numbers read the same`(isPacked: Bool) throws {
    var message = Message()
    message.isPacked = isPacked
    let mesh = try CanonicalFaceMesh(protobuf: message.bytes)
    #expect(mesh.vertices.count == 468)
    #expect(mesh.vertices[1] == SIMD3<Float>(0.625, 0.75, 0.875))
    #expect(mesh.triangles == [SIMD3(0, 1, 2), SIMD3(465, 466, 467)])
    #expect(mesh.weights.indices.filter { mesh.weights[$0] != 0 } == [4, 300])
    #expect(mesh.weights[4] == 0.5 && mesh.weights[300] == 0.25)
  }

  @Test func `unknown fields are passed over`() throws {
    let message = Message()
    let unknown: [UInt8] = [15 << 3, 7, 9 << 3 | 1, 0, 1, 2, 3, 4, 5, 6, 7, 8 << 3 | 2, 1, 255]
    #expect(
      try CanonicalFaceMesh(protobuf: unknown + message.bytes)
        == CanonicalFaceMesh(protobuf: message.bytes))
  }

  private func error(_ change: (inout Message) -> Void, append: [UInt8] = []) -> String {
    var message = Message()
    change(&message)
    do {
      _ = try CanonicalFaceMesh(protobuf: message.bytes + append)
      return "none"
    } catch {
      #expect(error.kind == .wrongData)
      #expect(!error.description.contains("\n"))
      return error.description
    }
  }

  @Test func `what is wrong is reported with what was expected`() {
    func expect(_ found: String, _ part: String) { #expect(found.contains(part), "\(found)") }
    expect(error { $0.floats.removeLast() }, "expected 2340 vertex values, found 2339")
    expect(error { $0.floats.append(0) }, "expected 2340 vertex values, found 2341")
    expect(error { $0.floats[7] = .nan }, "expected finite vertex values")
    expect(error { $0.indices = [] }, "expected three indices a triangle, found 0 indices")
    expect(error { $0.indices.append(1) }, "expected three indices a triangle, found 7 indices")
    expect(error { $0.indices[5] = 468 }, "expected indices below 468, found 468")
    expect(error { $0.indices[5] = .max }, "expected indices below 468")
    expect(error { $0.weights = [] }, "expected landmark weights above 0, found none")
    expect(error { $0.weights[1] = Message.weight(4, 1) }, "one weight for landmark 4, found two")
    expect(error { $0.weights[1] = Message.weight(468, 1) }, "a landmark below 468, found 468")
    expect(error { $0.weights[1] = Message.weight(5, -1) }, "a finite weight from 0, found -1")
    expect(error { $0.weights[1] = Message.weight(5, .infinity) }, "found inf")
    expect(error { $0.weights[1] = [1 << 3, 5] }, "expected a weight for landmark 5, found none")
    expect(error { $0.weights[1] += [1 << 3, 6] }, "expected one landmark and one weight")
    expect(error { $0.source = [3 << 3, 2] }, "expected input source 0 or 1, found 2")
    expect(error({ _ in }, append: Message.part(1, [])), "expected one canonical mesh, found two")
    expect(error({ _ in }, append: [1 << 3, 0]), "another wire type")
    expect(error({ _ in }, append: [3]), "expected a field number from 1")
    expect(error({ _ in }, append: [7 << 3 | 3]), "expected wire type 0, 1, 2 or 5, found 3")
    expect(
      error({ _ in }, append: [7 << 3] + [UInt8](repeating: 255, count: 10)),
      "expected a number of 64 bits")
    expect(
      error({ _ in }, append: Message.part(7, []).dropLast() + [255, 255, 255, 255, 15]),
      "more bytes, found 0")
    do {
      _ = try CanonicalFaceMesh(protobuf: [])
      Issue.record("an empty file was read")
    } catch {
      expect(error.description, "expected a canonical mesh, found none")
    }
  }

  @Test func `a file cut at any byte is refused, or lacks only its end`() throws {
    let whole = Message().bytes
    let mesh = try CanonicalFaceMesh(protobuf: whole)
    for count in whole.indices {
      if let read = try? CanonicalFaceMesh(protobuf: Array(whole.prefix(count))) {
        #expect(read.vertices == mesh.vertices && read.triangles == mesh.triangles)
      }
    }
  }

  @Test(.timeLimit(.minutes(60)), arguments: [false, true])
  func `10,000 mutated files give a checked mesh or an error`(isPacked: Bool) {
    var message = Message()
    message.isPacked = isPacked
    let whole = message.bytes
    var random = SplitMix64(seed: isPacked ? 1 : 2)
    // Bytes that decide about lengths and types come first and last; aim at them half the time.
    let aims = Array(whole.indices.prefix(32)) + Array(whole.indices.suffix(64))
    var refused = 0
    for _ in 0..<10_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let position =
          Bool.random(using: &random)
          ? aims.randomElement(using: &random) ?? 0
          : Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          bytes[min(position, bytes.count - 1)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[min(position, bytes.count - 1)] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes.remove(at: min(position, bytes.count - 1))
        default:
          bytes.insert(UInt8.random(in: 0...255, using: &random), at: min(position, bytes.count))
        }
      }
      do {
        let mesh = try CanonicalFaceMesh(protobuf: bytes)
        #expect(mesh.vertices.count == 468 && mesh.weights.count == 468)
        #expect(mesh.triangles.allSatisfy { $0.min() >= 0 && $0.max() < 468 })
        #expect(mesh.weights.allSatisfy { $0 >= 0 && $0.isFinite })
      } catch {
        refused += 1
        #expect(error.kind == .wrongData)
      }
    }
    #expect(refused > 1000)
  }

  @Test(.enabled(if: Shared.isAvailable, "needs the shared golden files and models"))
  func `the bundle's face has 898 triangles and 33 weights`() throws {
    let mesh = try Shared.canonicalMesh()
    #expect(mesh.triangles.count == 898)
    #expect(mesh.weights.count { $0 > 0 } == 33)
    #expect(abs(mesh.weights.reduce(0, +) - 1.055) < 1e-3)
    #expect(mesh.vertices[4] == SIMD3(0, -0.463170, 7.586580))
  }
}
