package import Foundation

/// The folder that `models pull` filled.
package enum PulledModels {
  /// What `FACEGAUGE_MODELS` names.
  package static let folder = URL(
    filePath: ProcessInfo.processInfo.environment["FACEGAUGE_MODELS"] ?? "/nowhere")

  /// The short-range detector.
  package static let shortRange = file("face_detection_short_range.tflite")
  /// The full-range detector.
  package static let fullRange = file("face_detection_full_range_sparse.tflite")
  /// The landmark model with attention.
  package static let attention = file("face_landmark_with_attention.tflite")

  /// Whether both detectors are there.
  package static let areAvailable = exists(shortRange) && exists(fullRange)
  /// Whether the landmark model with attention is there too.
  package static let haveAttention = areAvailable && exists(attention)
  /// Whether faces get landmarks, from either model.
  package static let giveLandmarks =
    haveAttention || areAvailable && exists(file("face_landmarker.task"))

  private static func file(_ name: String) -> URL { folder.appending(path: name) }

  private static func exists(_ file: URL) -> Bool {
    FileManager.default.fileExists(atPath: file.path)
  }
}
