import FaceCore
import FacePipeline
import Foundation
import TestSupport
import Testing

/// Poses against MediaPipe's on golden sequences and on its own test case, and faces that have none.
@Suite(.enabled(if: Shared.isAvailable, "needs the shared golden files and models"))
struct FaceGeometryTests {
  private struct Video: Decodable {
    struct Frame: Decodable {
      var landmarks: [[[Float]]]
      var matrixes_rowmajor: [[[Float]]]
    }
    var crop: [Int]
    var frames: [Frame]
  }

  /// Both solve in single precision with another SVD. Entries reach 99, where a unit in the last
  /// place is 7.6e-6; the limit is about three times what was seen, 5.7e-5.
  @Test(arguments: [
    "video_1face_ts0", "video_1face_ts100", "video_2faces", "video_3faces", "video_5faces_tc09",
  ])
  func `golden landmarks of a sequence give its matrices within 2e-4 cm`(name: String) throws {
    let video = try JSONDecoder().decode(Video.self, from: Data(Shared.golden("\(name).json")))
    let geometry = FaceGeometry(try Shared.canonicalMesh())
    let size = ImageSize(width: video.crop[0], height: video.crop[1])
    var worst: Float = 0
    var count = 0
    for frame in video.frames {
      for (landmarks, matrix) in zip(frame.landmarks, frame.matrixes_rowmajor) {
        let pose = try #require(geometry.pose(of: landmarks.map(SIMD3.init), size: size))
        worst = max(worst, pose.difference(matrix.flatMap(\.self)))
        count += 1
      }
    }
    #expect(count > 0)
    #expect(worst <= 2e-4, "matrices differ by \(worst)")
  }

  private static let testCase = Shared.folder.appending(
    path: "data/mediapipe-testdata/tasks/testdata/vision")

  /// The numbers of a text proto's lines `name: number`, in order.
  private static func numbers(_ name: String, in file: String) throws -> [Float] {
    let text = try String(contentsOf: testCase.appending(path: file), encoding: .utf8)
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      return words.count == 2 && words[0] == "\(name):" ? Float(words[1]) : nil
    }
  }

  /// MediaPipe's face_geometry_from_landmarks_graph_test asks for equal messages, made by another build of it.
  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: testCase.path), "needs MediaPipe's test data"))
  func `the face of MediaPipe's own test has the expected pose within 2e-4 cm`() throws {
    let file = "face_blendshapes_in_landmarks.prototxt"
    let (x, y, z) = (
      try Self.numbers("x", in: file), try Self.numbers("y", in: file),
      try Self.numbers("z", in: file)
    )
    try #require(x.count == 478 && y.count == 478 && z.count == 478)
    let byColumns = try Self.numbers("packed_data", in: "face_geometry_expected_out.pbtxt")
    try #require(byColumns.count == 16)
    let byRows = (0..<16).map { byColumns[$0 % 4 * 4 + $0 / 4] }

    let pose = try #require(
      FaceGeometry(Shared.canonicalMesh()).pose(
        of: x.indices.map { SIMD3(x[$0], y[$0], z[$0]) },
        size: ImageSize(width: 820, height: 1024)))
    #expect(pose.difference(byRows) <= 2e-4, "matrix differs by \(pose.difference(byRows))")
  }

  /// The mesh itself, seen from the front, 1 cm to 1/100 of the image.
  private func frontal(_ mesh: CanonicalFaceMesh, scale: Float) -> [SIMD3<Float>] {
    mesh.vertices.map { SIMD3(0.5 + $0.x * scale, 0.5 - $0.y * scale, -$0.z * scale) }
  }

  @Test func `a frontal face in the middle is not turned and lies before the camera`() throws {
    let mesh = try Shared.canonicalMesh()
    let pose = try #require(
      FaceGeometry(mesh).pose(
        of: frontal(mesh, scale: 0.01), size: ImageSize(width: 500, height: 500)))
    let m = pose.matrix
    // Columns of equal length, near 1, on the axes; perspective bends what is drawn without any.
    #expect(abs(m[0] - m[5]) < 1e-3 && abs(m[5] - m[10]) < 1e-2 && abs(m[0] - 1) < 0.05)
    for entry in [1, 2, 4, 6, 8, 9] { #expect(abs(m[entry]) < 0.05) }
    #expect(abs(m[3]) < 0.5 && abs(m[7]) < 1.5)
    // 1 cm is 1/100 of 1.2256 cm on the plane 1 cm away, so the face is near 81.6 cm.
    #expect(abs(m[11] + 81.6) < 8)
    #expect((12..<16).map { m[$0] } == [0, 0, 0, 1])
  }

  @Test func `a mirrored face is turned, never reflected`() throws {
    let mesh = try Shared.canonicalMesh()
    let mirrored = frontal(mesh, scale: 0.01).map { SIMD3($0.x, $0.y, -$0.z) }
    let pose = try #require(
      FaceGeometry(mesh).pose(of: mirrored, size: ImageSize(width: 500, height: 500)))
    let m = pose.matrix
    let determinant =
      m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8])
      + m[2] * (m[4] * m[9] - m[5] * m[8])
    #expect(determinant > 0)
  }

  @Test func `faces that are too compact, too few or no numbers have no pose`() throws {
    let mesh = try Shared.canonicalMesh()
    let geometry = FaceGeometry(mesh)
    let size = ImageSize(width: 500, height: 500)
    func hasPose(_ landmarks: [SIMD3<Float>]) -> Bool {
      geometry.pose(of: landmarks, size: size) != nil
    }
    let face = frontal(mesh, scale: 0.01)
    #expect(hasPose(face))
    #expect(hasPose(face + [SIMD3(9, 9, 9)]))
    #expect(!hasPose(Array(face.dropLast())))
    #expect(!hasPose([]))
    #expect(!hasPose(face.map { _ in SIMD3(0.5, 0.5, 0) }))
    // The canonical face reaches 9.4 cm from its middle: a spread of 1e-3 lies between these.
    #expect(!hasPose(frontal(mesh, scale: 0.9e-4)))
    #expect(hasPose(frontal(mesh, scale: 1.3e-4)))
    #expect(!hasPose(face.map { SIMD3($0.x, .nan, $0.z) }))
    #expect(!hasPose(face.map { SIMD3($0.x * .infinity, $0.y, $0.z) }))
    #expect(!hasPose(face.map { SIMD3($0.x, 0.5, 0) }))
  }
}
