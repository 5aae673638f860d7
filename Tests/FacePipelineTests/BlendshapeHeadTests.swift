import FaceCore
import FacePipeline
import Foundation
import Platform
import Statistics
import TestSupport
import Testing

private struct Expected: Decodable {
  var faces: [[Double]]
}

/// Heads from files, and what they give for landmarks.
struct BlendshapeHeadTests {
  private static let size = ImageSize(width: 640, height: 480)

  /// The face of a number, as in `blendshape_head.py`: 478 landmarks in pixels.
  private func face(_ number: Int, of head: BlendshapeHead) -> [SIMD3<Double>] {
    var stream = SplitMix64(seed: UInt64(9500 + number))
    var points = head.mesh.points.map { SIMD3<Double>($0) } + Array(repeating: SIMD3(), count: 10)
    for (place, index) in head.landmarks.enumerated() where index >= 468 {
      points[index] = SIMD3(
        Double(head.centre[3 * place]), Double(head.centre[3 * place + 1]),
        Double(head.centre[3 * place + 2]))
    }
    for index in points.indices {
      for axis in 0..<3 { points[index][axis] += stream.between(-1, 1) / 8 }
    }
    let yaw = stream.between(-1, 1) / 2
    let pitch = stream.between(-1, 1) / 2
    let roll = stream.between(-1, 1) / 2
    let scale = stream.between(4, 40)
    let (x, y) = (stream.between(100, 500), stream.between(100, 400))
    return points.map { point in
      let a = SIMD3(
        cos(yaw) * point.x + sin(yaw) * point.z, point.y, -sin(yaw) * point.x + cos(yaw) * point.z)
      let b = SIMD3(a.x, cos(pitch) * a.y - sin(pitch) * a.z, sin(pitch) * a.y + cos(pitch) * a.z)
      let c = SIMD3(cos(roll) * b.x - sin(roll) * b.y, sin(roll) * b.x + cos(roll) * b.y, b.z)
      return SIMD3(scale * c.x + x, y - scale * c.y, -scale * c.z)
    }
  }

  private func coefficients(
    of pixels: [SIMD3<Double>], by head: BlendshapeHead
  ) throws -> [Float] {
    let scale = SIMD3(Double(Self.size.width), Double(Self.size.height), Double(Self.size.width))
    let estimator = BlendshapeEstimator(
      .head(head, LoadedModel(name: "head", stage: .blendshapes, sha256: "", remark: "")))
    var values: [Float] = []
    estimator.blendshapes(of: pixels.map { SIMD3<Float>($0 / scale) }, in: Self.size, into: &values)
    return values
  }

  @Test func `a head gives the values that NumPy gives`() throws {
    let (head, _) = try BlendshapeHead.file(Oracles.folder.appending(path: "expected/head.json"))
    let expected = try Oracles.read("blendshape_head", as: Expected.self).faces
    #expect(expected.count == 6)
    for (number, expected) in expected.enumerated() {
      let found = try coefficients(of: face(number, of: head), by: head)
      for (channel, value) in zip(head.channels, expected) {
        let index = try #require(Blendshape(rawValue: channel.name)).index
        // Single precision leaves 1e-5 cm of each offset, and the weights of a coefficient sum to at most 180 per cm.
        #expect(abs(Double(found[index]) - value) < 5e-4, "face \(number), \(channel.name)")
      }
    }
  }

  @Test func `the head of the expected values is complete and says what it was fitted to`() throws {
    let (head, sha256) = try BlendshapeHead.file(
      Oracles.folder.appending(path: "expected/head.json"))
    #expect(try head.json().count < 300_000 && sha256.count == 64)
    #expect(Set(head.channels.map(\.name)) == Set(Blendshape.names))
    #expect(head.fitted.teachers.map(\.name) == ["face-blendshapes"])
    #expect(head.fitted.clusters > 100 && head.fitted.folds == 10)
    #expect(head.evidence.contains("CCC below 0.5: "))
    #expect(try BlendshapeHead(json: head.json(), source: "again") == head)
  }

  @Test func `a head says where it runs on landmarks of a model that it was not fitted to`() throws
  {
    var (head, _) = try BlendshapeHead.file(Oracles.folder.appending(path: "expected/head.json"))
    let source = BlendshapeHead.Source(name: "v2", sha256: "aa")
    let run = BlendshapeHead.Run(
      dataset: BlendshapeHead.Source(name: "faces", sha256: "dd"), landmarks: source, faces: 9)
    head.fitted.runs = [run]
    let same = LoadedModel(name: "v2", stage: .landmarks, sha256: "aa", remark: "")
    let other = LoadedModel(name: "attention", stage: .landmarks, sha256: "bb", remark: "")
    #expect(head.remark(on: same) == head.evidence)
    #expect(head.remark(on: other).hasPrefix("fitted to landmarks of v2, not of attention as here"))
    head.fitted.runs[0].landmarks = nil
    #expect(head.remark(on: other) == head.evidence)
  }

  @Test func `position, size and direction of a face do not count`() throws {
    let (head, _) = try BlendshapeHead.file(Oracles.folder.appending(path: "expected/head.json"))
    let plain = face(0, of: head)
    let other = plain.map { point in
      SIMD3(
        0.5 * (0.6 * point.x - 0.8 * point.y) + 90, 0.5 * (0.8 * point.x + 0.6 * point.y) + 20,
        0.5 * point.z)
    }
    let (first, second) = (
      try coefficients(of: plain, by: head), try coefficients(of: other, by: head)
    )
    for (one, two) in zip(first, second) { #expect(abs(one - two) < 5e-4) }
  }

  @Test func `coefficients that a head does not have are not given`() throws {
    var (head, _) = try BlendshapeHead.file(Oracles.folder.appending(path: "expected/head.json"))
    head.channels = head.channels.filter { $0.name == "jawOpen" }
    let values = try coefficients(of: face(1, of: head), by: head)
    for shape in Blendshape.allCases {
      #expect(values[shape.index].isFinite == (shape == .jawOpen))
    }
    let point = Array(repeating: SIMD3<Double>(5, 5, 0), count: 478)
    #expect(try coefficients(of: point, by: head).allSatisfy(\.isNaN))
  }

  private func read(_ change: (inout [String: Any]) -> Void) throws -> String? {
    let (head, _) = try BlendshapeHead.file(Oracles.folder.appending(path: "expected/head.json"))
    var object = try #require(
      JSONSerialization.jsonObject(with: Data(head.json())) as? [String: Any])
    change(&object)
    let bytes = try JSONSerialization.data(withJSONObject: object)
    let error = #expect(throws: FileError.self) {
      try BlendshapeHead(json: Array(bytes), source: "own.json")
    }
    #expect(error?.kind == .wrongData)
    return error?.description
  }

  @Test func `broken heads are refused with what is wrong and where`() throws {
    func channel(_ key: String, _ value: Any) -> (inout [String: Any]) -> Void {
      { object in
        var channels = object["channels"] as? [[String: Any]] ?? []
        channels[1][key] = value
        object["channels"] = channels
      }
    }
    let cases: [((inout [String: Any]) -> Void, String)] = [
      (
        { $0["schema"] = "x" },
        "'schema' in own.json: expected \"facegauge.blendshape-head\", found \"x\""
      ),
      ({ $0["version"] = 2 }, "'version' in own.json: expected 1, found 2"),
      (
        { $0["scheme"] = "ibug68" }, "'scheme' in own.json: expected mediapipe478, found \"ibug68\""
      ),
      ({ $0["landmarks"] = [0, 478] }, "'landmarks' in own.json: expected each index of 0 to 477"),
      ({ $0["centre"] = [1] }, "'centre' in own.json: expected 438 numbers, found 1"),
      ({ $0["channels"] = [Any]() }, "'channels' in own.json: expected one or more, found none"),
      ({ $0["mesh"] = nil }, "expected the key \"mesh\", found none"),
      (
        channel("name", "smirk"),
        "'channels[1].name' in own.json: expected each of the 52 coefficients at most once, found \"smirk\""
      ),
      (
        channel("weights", [1]),
        "'channels[1].weights' in own.json: expected 438 numbers or none, found 1"
      ),
      (channel("constant", 1e7), "expected numbers within 1000000"),
      (
        channel("constant", "a"),
        "'channels[1].constant' in own.json: expected a number, found \"a\""
      ),
    ]
    for (change, words) in cases {
      let found = try read(change)
      #expect(found?.hasPrefix("cannot read ") == true, "\(found ?? "")")
      #expect(found?.contains(words) == true, "\(found ?? "") lacks \(words)")
    }
    let error = #expect(throws: FileError.self) {
      try BlendshapeHead(json: Array("{".utf8), source: "own.json")
    }
    #expect(error?.kind == .wrongData)
  }
}

/// Mean faces of landmarks.
struct MeanFaceMeshTests {
  /// Faces of one shape at many places: x to the right, y down, z away from the camera.
  private func faces(_ count: Int, yaw: Double = 0) throws -> [[SIMD3<Float>]] {
    let (head, _) = try BlendshapeHead.file(Oracles.folder.appending(path: "expected/head.json"))
    let pupils: [SIMD3<Float>] = (0..<10).map { SIMD3($0 < 5 ? -3.15 : 3.15, 2.6, 3.5) }
    let shape = head.mesh.points + pupils
    return (0..<count).map { number in
      let angle = yaw + Double(number % 5 - 2) / 50
      return shape.map { point in
        let (x, z) = (Double(point.x), Double(point.z))
        let turned = SIMD3(
          cos(angle) * x + sin(angle) * z, Double(point.y), cos(angle) * z - sin(angle) * x)
        let scale = 10 + Double(number)
        return SIMD3<Float>(
          SIMD3(300 + scale * turned.x, 200 - scale * turned.y, -scale * turned.z))
      }
    }
  }

  @Test func `the mean of moved, scaled and turned copies is the shape itself`() throws {
    let (head, _) = try BlendshapeHead.file(Oracles.folder.appending(path: "expected/head.json"))
    let mesh = try #require(try BlendshapeHead.Mesh(meanOf: faces(25)))
    #expect(mesh.faces == 25)
    // The copies have 6.3 cm between their pupils, and the axes and the nose of the mesh.
    for (one, other) in zip(mesh.vertices, head.mesh.vertices) {
      #expect(abs(one - other) < 5e-3)
    }
    #expect(mesh.weights.allSatisfy { $0 > 0 && $0 <= 1 })
  }

  @Test func `turned faces are left out while enough are frontal`() throws {
    let mesh = try #require(
      try BlendshapeHead.Mesh(meanOf: faces(25) + faces(10, yaw: 1)))
    #expect(mesh.faces == 25)
  }

  @Test func `fewer than 20 faces have no mean`() throws {
    #expect(try BlendshapeHead.Mesh(meanOf: faces(19)) == nil)
    #expect(BlendshapeHead.Mesh(meanOf: []) == nil)
  }
}
