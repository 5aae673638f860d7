import FaceCore
import FacePipeline
import Foundation
import TestSupport
import Testing

/// MediaPipe's own test pair: 478 landmarks of a portrait of 820 by 1024 pixels, and their blendshapes.
@Suite(.enabled(if: MediaPipeTestdata.isAvailable, "needs MediaPipe's test data"))
struct MediaPipeTestdataTests {
  /// MediaPipe's own test asks for 0.1. Numbers are written with six digits or more and come from another
  /// build of the model's runtime; from equal landmarks engines were seen to differ by 5e-6, so 1e-4 is ample.
  @Test func `the landmarks have the blendshapes of MediaPipe's test within 1e-4`() throws {
    let landmarks = try MediaPipeTestdata.numbers(
      in: "face_blendshapes_in_landmarks.prototxt", fields: ["x", "y", "z"])
    let scores = try MediaPipeTestdata.numbers(
      in: "face_blendshapes_out.prototxt", fields: ["score"])
    try #require(landmarks.count == 3 * 478 && scores.count == 52)
    let points = (0..<478).map {
      SIMD3(landmarks[3 * $0], landmarks[3 * $0 + 1], landmarks[3 * $0 + 2])
    }
    let model = BlendshapeEstimator(.model(try BlendshapeModel(from: Shared.bundle)))
    var found: [Float] = []
    model.blendshapes(of: points, in: ImageSize(width: 820, height: 1024), into: &found)
    let worst = FaceDeviation.worst(found, scores)
    #expect(worst <= 1e-4, "\(worst)")
  }
}

/// Files of MediaPipe's `tasks/testdata/vision`.
enum MediaPipeTestdata {
  static let folder = Shared.folder.appending(
    path: "data/mediapipe-testdata/tasks/testdata/vision")

  static let isAvailable =
    Shared.isAvailable && FileManager.default.fileExists(atPath: folder.path)

  /// The values of some fields of a text proto, in the order of the file.
  static func numbers(in file: String, fields: Set<String>) throws -> [Float] {
    let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    return text.split(whereSeparator: \.isNewline).compactMap { line in
      let parts = line.split(separator: ":").map { $0.trimmingCharacters(in: .whitespaces) }
      return parts.count == 2 && fields.contains(parts[0]) ? Float(parts[1]) : nil
    }
  }
}
