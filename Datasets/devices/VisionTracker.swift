import Foundation
import ImageIO
import Vision

/// Apple's Vision as a tracker of `facegauge track`, with `TrackerClient.swift`: boxes with their confidence.
///
/// ```swift
/// try TrackerClient.run(address, as: VisionTracker.description, detect: VisionTracker.detect)
/// ```
enum VisionTracker {
  /// What the first line says.
  static let description = TrackerDescription(name: "Apple Vision face rectangles")

  /// The faces of an image, without its Exif rotation.
  static func detect(_ frame: TrackerFrame) throws -> [TrackedFace] {
    guard let file = frame.file, let source = CGImageSourceCreateWithData(file as CFData, nil),
      let image = CGImageSourceCreateImageAtIndex(source, 0, nil)
    else { throw CocoaError(.fileReadCorruptFile) }
    let request = VNDetectFaceRectanglesRequest()
    try VNImageRequestHandler(cgImage: image, options: [:]).perform([request])
    let (width, height) = (Double(frame.width), Double(frame.height))
    return (request.results ?? []).map { face in
      // Shares of the image from its lower left corner.
      let box = face.boundingBox
      return TrackedFace(
        box: [
          Double(box.minX) * width, (1 - Double(box.maxY)) * height, Double(box.width) * width,
          Double(box.height) * height,
        ], score: Double(face.confidence))
    }
  }
}
