import Foundation
import TFLite
import Tensor
import TestSupport
import Testing

@Suite struct SessionTests {
  static func block() throws -> OperatorTests.Case {
    try #require(OperatorTests.cases.first { $0.name.hasPrefix("a block: ") })
  }

  @Test func `sessions of one model run at the same time and agree`() async throws {
    let test = try SessionTests.block()
    let model = try Model(bytes: [UInt8](test.model)[...])
    let values = [UInt8](test.inputs[0]).littleEndianFloats
    let results = await withTaskGroup(of: [Float].self) { group in
      for _ in 0..<8 {
        group.addTask {
          let session = Session(model)
          for _ in 0..<50 {
            session.withInput { input in
              for position in input.indices { input[position] = values[position] }
            }
            session.run()
          }
          return session.output(0)
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count == 8)
    #expect(Set(results).count == 1)
  }

  @Test func `a block becomes two steps, a depthwise and a pointwise convolution`() throws {
    let model = try Model(bytes: [UInt8](SessionTests.block().model)[...])
    #expect(model.plan.map { $0.name.prefix { $0 != " " } } == ["DEPTHWISE_CONV_2D", "CONV_2D"])
    #expect(model.multiplyAccumulates == 6 * 5 * (20 * 9 + 20 * 29))
    // Input, both outputs, and nothing else, each rounded up to 64 bytes.
    #expect(model.arenaBytes == 4 * (608 + 608 + 880))
  }

  /// The words before the kernel's name.
  private func names(_ prefix: String) throws -> [String] {
    let test = try #require(OperatorTests.cases.first { $0.name.hasPrefix(prefix) })
    return try Model(bytes: [UInt8](test.model)[...]).plan.map {
      String($0.name.prefix { $0 != " " })
    }
  }

  @Test func `slopes and additions go into the convolutions before them`() throws {
    #expect(
      try names("a landmark block (4, 4)") == ["CONV_2D", "DEPTHWISE_CONV_2D", "CONV_2D"])
    #expect(
      try names("a convolution (1, 1)/1 (4, 4) 16>32 and a channel-padded addition and slopes")
        == ["CONV_2D"])
    #expect(
      try names("a convolution (1, 1)/1 (3, 4) 8>16 and slopes twice") == ["CONV_2D", "PRELU"])
    #expect(
      try names("a convolution (1, 1)/1 (3, 4) 8>16 and slopes, itself read too")
        == ["CONV_2D", "PRELU"])
    #expect(
      try names("a convolution (1, 1)/1 (3, 4) 8>16 and slopes of every place")
        == ["CONV_2D", "PRELU"])
  }

  @Test
  func `transpositions around pointwise convolutions vanish, unless something else reads them`()
    throws
  {
    #expect(try names("a mixing of 7 rows to [20, 7], 16 columns") == ["ROW_MIXING", "ROW_MIXING"])
    #expect(try names("a mixing of 9 rows to [9], 40 columns") == ["ROW_MIXING"])
    #expect(
      try names("a mixing of 13 rows to [30, 5], 23 columns") == [
        "ROW_MIXING", "ROW_MIXING", "NEG",
      ]
    )
    let apart = ["TRANSPOSE", "CONV_2D", "CONV_2D", "TRANSPOSE", "NEG"]
    #expect(try names("a mixing of 4 rows to [6, 4], 5 columns") == apart.dropLast() + ["ADD"])
    #expect(
      try names("a mixing of 5 rows to [6, 5], 16 columns, tensor 2").prefix(3) == apart.prefix(3))
    #expect(
      try names("a mixing of 5 rows to [6, 5], 16 columns, tensor 5").prefix(3) == apart.prefix(3))
  }

  @Test(
    arguments: [
      "a landmark block (6, 5)", "a landmark block (3, 5)", "a block: ",
      "a block that halves (10, 14) 8>12", "a block that halves (10, 14) 8>24",
      "a block that halves (12, 8)",
    ],
    Kernels.available.map(\.level))
  func `bands of rows give the floats of separate steps`(
    _ prefix: String, _ level: Kernels.Level
  ) throws {
    let test = try #require(OperatorTests.cases.first { $0.name.hasPrefix(prefix) })
    let values = [UInt8](test.inputs[0]).littleEndianFloats
    func run(_ bands: RowBands) throws -> (output: [Float], steps: Int) {
      let model = try Model(
        bytes: [UInt8](test.model)[...], kernels: .direct(level), bands: bands)
      let session = Session(model)
      session.withInput { input in for index in input.indices { input[index] = values[index] } }
      session.run()
      return (session.output(0), model.plan.count)
    }
    var bands = RowBands()
    bands.leastBytes = .max
    let apart = try run(bands)
    bands.leastBytes = 0
    for bytes in [0, 1500, 3000, 1_000_000] {
      bands.cacheBytes = bytes
      let joined = try run(bands)
      #expect(joined.output == apart.output, "in \(bytes) bytes")
      #expect(joined.steps < apart.steps)
    }
  }

  /// The outputs of a second run, which finds the rows of the first in the scratch memory.
  private static func run(
    _ test: OperatorTests.Case, _ level: Kernels.Level, _ planes: PlaneChains
  ) throws -> (outputs: [[Float]], model: Model) {
    var bands = RowBands()
    bands.leastBytes = .max
    let values = [UInt8](test.inputs[0]).littleEndianFloats
    let model = try Model(
      bytes: [UInt8](test.model)[...], kernels: .direct(level), bands: bands, planes: planes)
    let session = Session(model)
    for _ in 0..<2 {
      session.withInput { input in for index in input.indices { input[index] = values[index] } }
      session.run()
    }
    return (test.outputs.indices.map(session.output), model)
  }

  @Test(
    arguments: ["a stage (6, 16) 3 12>4 after 5x5", "a stage (3, 48) 1 9>4 after 5x5"],
    Kernels.available.map(\.level))
  func `a convolution of five kernel rows takes 7 products of rows in place of 10`(
    _ name: String, _ level: Kernels.Level
  ) throws {
    let test = try #require(OperatorTests.cases.first { $0.name == name })
    var planes = PlaneChains()
    planes.leastCount = .max
    let apart = try SessionTests.run(test, level, planes).model
    planes.leastCount = 0
    planes.leastEmptyShare = 0
    let (outputs, joined) = try SessionTests.run(test, level, planes)
    let expected = [UInt8](test.outputs[0]).littleEndianFloats
    for (index, tolerance) in test.tolerances(for: expected).enumerated() {
      #expect(abs(outputs[0][index] - expected[index]) <= tolerance, "[\(index)]")
    }
    let head = try #require(apart.plan.first { $0.name.hasPrefix("CONV_2D 5x5") })
    #expect(
      apart.multiplyAccumulates - joined.multiplyAccumulates == head.multiplyAccumulates * 3 / 10)
  }

  @Test(
    arguments: [
      ("a stage (7, 16) 3 16>8", 7, 1), ("a stage (3, 48) 3 8>4, its first", 7, 2),
      ("a stage (4, 16) without an image 32>8", 8, 1),
      ("a stage (3, 16) without an image 24>5", 8, 1),
    ],
    Kernels.available.map(\.level))
  func `planes give the floats of separate steps`(
    _ expected: (prefix: String, apart: Int, joined: Int), _ level: Kernels.Level
  ) throws {
    let test = try #require(
      OperatorTests.cases.first { $0.name.hasPrefix(expected.prefix) })
    func run(_ planes: PlaneChains) throws -> (outputs: [[Float]], steps: [String]) {
      let (outputs, model) = try SessionTests.run(test, level, planes)
      return (outputs, model.plan.map(\.name))
    }
    var planes = PlaneChains()
    planes.leastCount = .max
    let apart = try run(planes)
    #expect(apart.steps.count == expected.apart)
    planes.leastCount = 0
    planes.leastEmptyShare = 0
    let joined = try run(planes)
    #expect(joined.outputs == apart.outputs)
    #expect(joined.steps.count == expected.joined, "\(joined.steps)")
    #expect(joined.steps.allSatisfy { $0.contains("in planes") }, "\(joined.steps)")
    // Weights of 0 left out, in rows and in whole images.
    planes.leastZeroShare = 0
    planes.leastOmittedShare = 0
    for row in [0, .max] {
      planes.leastRow = row
      #expect(try run(planes).outputs == apart.outputs)
    }
  }

  @Test(
    .enabled(if: PulledModels.areAvailable), arguments: Kernels.available.map(\.level))
  func `a model of sparse weights gives the same floats where zeros are left out`(
    _ level: Kernels.Level
  ) throws {
    func run(_ planes: PlaneChains) throws -> (outputs: [[Float]], multiplyAdds: Int) {
      let bytes = [UInt8](try Data(contentsOf: PulledModels.fullRange))
      let model = try Model(bytes: bytes[...], kernels: .direct(level), planes: planes)
      let session = Session(model)
      session.withInput { input in
        for index in input.indices { input[index] = Float(index * 7919 % 256) / 128 - 1 }
      }
      session.run()
      return (model.outputs.indices.map(session.output), model.multiplyAccumulates)
    }
    var apart = PlaneChains()
    apart.leastZeroShare = 2
    let (joined, whole) = (try run(PlaneChains()), try run(apart))
    #expect(joined.outputs == whole.outputs)
    #expect(joined.multiplyAdds < whole.multiplyAdds * 6 / 10)
  }

  @Test func `a layer normalisation is one step, unless something else reads its parts`() throws {
    #expect(try names("a normalization (1, 3, 19)") == ["layer"])
    for extra in [2, 5, 10, 12] {
      #expect(try names("a normalization (2, 9), tensor \(extra) read too").count == 10)
    }
  }

  @Test(
    .enabled(if: Shared.isAvailable),
    arguments: [("face_landmarks_detector.tflite", 75), ("face_blendshapes.tflite", 41)])
  func `the landmarker's models are mostly convolutions`(_ member: String, _ steps: Int) throws {
    let model = try Model.load(
      path: Shared.bundle.path, member: member)
    // Planes join five steps of the landmark model, and four after its first pool.
    let joined = model.plan.count { $0.name.contains("in planes") }
    #expect(joined == (member == "face_landmarks_detector.tflite" ? 2 : 0))
    #expect(model.plan.count == steps - (joined == 2 ? 7 : 0))
    #expect(!model.plan.contains { $0.name.hasPrefix("PRELU") || $0.name.hasPrefix("PAD") })
    #expect(model.arenaBytes <= 4_000_000)
  }

  @Test func `timed runs add to every step's time and give the same outputs`() throws {
    let model = try Model(bytes: [UInt8](SessionTests.block().model)[...])
    let session = Session(model)
    session.withInput { input in for position in input.indices { input[position] = 1 } }
    session.run()
    let plain = session.output(0)
    session.withInput { input in for position in input.indices { input[position] = 1 } }
    var durations = [Duration](repeating: .zero, count: model.plan.count)
    session.run(addingTimesTo: &durations)
    #expect(session.output(0) == plain)
    #expect(durations.allSatisfy { $0 > .zero })
  }

  /// In the detector the largest maps are [64, 64, 28]; a layout without reuse would need some 7 MB.
  @Test(.enabled(if: Shared.isAvailable))
  func `the detector's working memory is shared between its steps`() throws {
    let model = try Model.load(
      path: Shared.bundle.path, member: "face_detector.tflite")
    // Where a vector is longer than 24 channels need, planes join three steps.
    #expect(model.plan.count == (model.plan.contains { $0.name.contains("in planes") } ? 32 : 34))
    #expect(model.arenaBytes <= 2_000_000)
  }
}
