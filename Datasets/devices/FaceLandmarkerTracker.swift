import Foundation
import MediaPipeTasksVision
import UIKit

/// MediaPipe's Face Landmarker in an app as a tracker of `facegauge track`, with `TrackerClient.swift`.
///
/// ```swift
/// let tracker = FaceLandmarkerTracker(model: path, delegate: .GPU)
/// try TrackerClient.run(address, as: tracker.description, restart: tracker.restart, detect: tracker.detect)
/// ```
final class FaceLandmarkerTracker {
  private let options = FaceLandmarkerOptions()
  private let delegate: Delegate
  private var landmarker: FaceLandmarker?

  /// `model` is the path of a `face_landmarker.task`.
  init(model: String, delegate: Delegate, numFaces: Int = 1) {
    self.delegate = delegate
    options.baseOptions.modelAssetPath = model
    options.baseOptions.delegate = delegate
    options.numFaces = numFaces
    options.outputFaceBlendshapes = true
    options.outputFacialTransformationMatrixes = true
  }

  /// What the first line says; the model of the phone is for the app to add.
  var description: TrackerDescription {
    TrackerDescription(
      name: "MediaPipe Face Landmarker", scheme: "mediapipe478",
      device: [
        "delegate": delegate == .GPU ? "gpu" : "cpu", "model": UIDevice.current.model,
        "system": "\(UIDevice.current.systemName) \(UIDevice.current.systemVersion)",
      ])
  }

  /// Loads the model anew, as for a new connection.
  func restart() { landmarker = nil }

  /// The faces of a frame; loading the model is part of the time of the first frame of all images and of each video.
  func detect(_ frame: TrackerFrame) throws -> [TrackedFace] {
    guard let file = frame.file, let image = UIImage(data: file) else {
      throw CocoaError(.fileReadCorruptFile)
    }
    let mode: RunningMode = frame.isVideo ? .video : .image
    if landmarker == nil || options.runningMode != mode || frame.isVideo && frame.isFirst {
      options.runningMode = mode
      landmarker = try FaceLandmarker(options: options)
    }
    guard let landmarker else { return [] }
    let picture = try MPImage(uiImage: image)
    let result =
      frame.isVideo
      ? try landmarker.detect(
        videoFrame: picture, timestampInMilliseconds: Int(frame.milliseconds.rounded()))
      : try landmarker.detect(image: picture)
    return Self.faces(of: result, width: Float(frame.width), height: Float(frame.height))
  }

  /// The faces of a result in pixels; the depth of a point has the scale of x.
  static func faces(
    of result: FaceLandmarkerResult, width: Float, height: Float
  ) -> [TrackedFace] {
    result.faceLandmarks.enumerated().map { index, points in
      var face = TrackedFace(
        points: points.flatMap { [$0.x * width, $0.y * height, $0.z * width] })
      if index < result.faceBlendshapes.count {
        face.blendshapes = Dictionary(
          result.faceBlendshapes[index].categories.map { ($0.categoryName ?? "", $0.score) },
          uniquingKeysWith: { $1 })
      }
      if index < result.facialTransformationMatrixes.count {
        face.transform = rows(of: result.facialTransformationMatrixes[index])
      }
      return face
    }
  }

  /// The matrix by rows. On iOS its numbers are by columns, and `value(atRow:column:)` gives the transposed one.
  private static func rows(of matrix: TransformMatrix) -> [Float] {
    let numbers = (0..<16).map { matrix.data[$0] }
    guard [3, 7, 11].allSatisfy({ numbers[$0] == 0 }) else { return numbers }
    return (0..<16).map { numbers[4 * ($0 % 4) + $0 / 4] }
  }
}
