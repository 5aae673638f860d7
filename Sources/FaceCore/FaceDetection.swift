/// One face that a detector found.
package struct FaceDetection: Sendable, Hashable {
  /// The found rectangle in pixels, not clipped to the image.
  package var box: BoundingBox
  /// The detector's confidence in [0, 1].
  package var score: Double
  /// The detector's points in pixels; for BlazeFace: right eye, left eye, nose tip, mouth centre,
  /// right and left ear tragion (the subject's right is the image's left).
  package var keypoints: [Point]

  /// Makes a detection.
  package init(box: BoundingBox, score: Double, keypoints: [Point] = []) {
    self.box = box
    self.score = score
    self.keypoints = keypoints
  }
}
