import Foundation
import HDF5
import Statistics
import TestSupport
import Testing

@Suite struct FuzzTests {
  /// Mutations of each oracle file; FACEGAUGE_FUZZ_MUTATIONS asks for a longer run than several thousand in all.
  static let mutations = number("FACEGAUGE_FUZZ_MUTATIONS") ?? 400
  /// FACEGAUGE_FUZZ_SEED asks for other mutations.
  static let seed = number("FACEGAUGE_FUZZ_SEED") ?? 0

  private static func number(_ variable: String) -> Int? {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
  }

  @Test(arguments: H5pyFileTests.names)
  func `a damaged file reads or throws in little memory`(name: String) async {
    await #expect(processExitsWith: .success) { [name = name as String] in
      try Self.mutate(try #require(OracleFile.all[name]).bytes)
    }
  }

  /// Groups, attributes, fields and shared messages by `Tests/Oracles/hdf5_structures.py`.
  @Test(
    .enabled(if: StructureTests.python != nil, Comment(rawValue: StructureTests.needsPython)),
    arguments: [
      "types, v200", "links 60, v200", "named, v114", "shared, tree", "shared, list",
    ])
  func `a damaged structure reads or throws in little memory`(name: String) async throws {
    await #expect(processExitsWith: .success) { [name = name as String] in
      let tests = try StructureTests()
      _ = try tests.make()
      try Self.mutate(try tests.folder.bytes("\(name).h5"))
    }
  }

  private static func mutate(_ original: [UInt8]) throws {
    let folder = try TemporaryFolder()
    _ = try Walk.read(folder.path(writing: original))
    let before = try Walk.peakVirtualBytes()
    var generator = SplitMix64(seed: UInt64(original.count + Self.seed))
    let checksums = MetadataChecksum.all(in: original)
    for mutation in 0..<Self.mutations {
      var bytes = Mutation.apply(to: original, &generator)
      // Half of them pass the checksums of newer files, as a hostile file would.
      if mutation.isMultiple(of: 2) { checksums.forEach { $0.repair(&bytes) } }
      let path = try folder.path(writing: bytes)
      // A file that hangs ends the process by a signal.
      alarm(30)
      do {
        _ = try Walk.read(path)
      } catch let error as HDF5Error {
        guard !error.description.contains("\n") else { exit(4) }
      }
    }
    guard try Walk.peakVirtualBytes() - before < 256 << 20 else { exit(5) }
  }
}

extension FuzzTests {
  @Test func `blocks of newer files are repaired`() throws {
    let original = try #require(OracleFile.all["types, version 1.10"]).bytes
    let checksums = MetadataChecksum.all(in: original)
    #expect(checksums.count > 20)
    var repaired = original
    checksums.forEach { $0.repair(&repaired) }
    #expect(repaired == original)
  }
}

/// Reads all there is to read in a file.
enum Walk {
  /// Counts the objects and attributes that could be read; errors of single objects do not end it.
  static func read(_ path: String) throws -> Int {
    let file = try HDF5File.open(path)
    defer { try? file.close() }
    return read("/", in: file, depth: 0)
  }

  private static func read(_ path: String, in file: HDF5File, depth: Int) -> Int {
    var count = 0
    for name in [
      "format", "names", "big", "counts", "labels", "means", "empty", "flag", "a3", "complex",
    ]
    where (try? file.hasAttribute(name, of: path)) == true {
      if (try? file.attribute(name, of: path, as: [String].self)) != nil { count += 1 }
      if (try? file.attribute(name, of: path, as: [Double].self)) != nil { count += 1 }
    }
    switch try? file.kind(of: path) {
    case .group:
      guard depth < 4 else { return count }
      for member in (try? file.members(of: path)) ?? [] {
        count += read(path + "/" + member, in: file, depth: depth + 1)
      }
    case .dataset:
      if readDataset(path, in: file) { count += 1 }
    case .other, nil: break
    }
    return count
  }

  private static func readDataset(_ path: String, in file: HDF5File) -> Bool {
    guard let dataset = try? file.dataset(path) else { return false }
    return read(dataset)
  }

  private static func read(_ dataset: HDF5Dataset) -> Bool {
    switch dataset.elementType {
    case .compound:
      return dataset.fields.allSatisfy { field in
        (try? dataset.field(field)).map { read($0) } ?? false
      }
    case .string: return (try? dataset.readAllStrings()) != nil
    case .u64: return (try? dataset.readAll(UInt64.self)) != nil
    case .i64: return (try? dataset.readAll(Int64.self)) != nil
    default: return (try? dataset.readAll(Double.self)) != nil
    }
  }

  /// Linux's VmPeak, which counts what was asked for, touched or not.
  static func peakVirtualBytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmPeak:") })
    return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 1024
  }
}

/// One to three changed positions, half of them where the file is not zero.
enum Mutation {
  static func apply(to original: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      var position = Int.random(in: bytes.indices, using: &generator)
      if Bool.random(using: &generator) {
        position = bytes[position...].firstIndex { $0 != 0 } ?? position
      }
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: bytes[position] = UInt8.random(in: 0...255, using: &generator)
      case 2: bytes[position] = Bool.random(using: &generator) ? 0xFF : 0
      default:
        for index in position..<min(position + 4, bytes.count) {
          bytes[index] = UInt8.random(in: 0...255, using: &generator)
        }
      }
    }
    return bytes
  }
}
