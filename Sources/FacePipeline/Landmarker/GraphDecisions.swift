package import FaceCore

/// The detector's output for an image before any threshold.
package struct DetectorOutput: Sendable {
  /// The candidates, in anchor order.
  package var candidates: [DetectorCandidate]
  /// Row-major 4 by 4, from the model's input to the image.
  package var projection: SIMD16<Float>

  /// Joins candidates with the way back to the image.
  package init(candidates: [DetectorCandidate], projection: SIMD16<Float>) {
    self.candidates = candidates
    self.projection = projection
  }
}

/// A region for the landmark model, and the score of the detection that it came from, nil where it was tracked.
package struct FaceRegion: Sendable, Hashable {
  /// Where to look.
  package var region: NormalizedRect
  /// The detection's score; nil for a tracked region.
  package var detectionScore: Float?
  /// The detection's box, for a landmark model of the user's; nil otherwise.
  package var box: NormalizedRect?

  /// A region of an image.
  package init(region: NormalizedRect, detectionScore: Float?, box: NormalizedRect? = nil) {
    self.region = region
    self.detectionScore = detectionScore
    self.box = box
  }
}

/// The decisions of MediaPipe's graph on the outputs of the models, without running a model.
package struct GraphDecisions: Sendable {
  /// The settings.
  package let options: FaceLandmarkerOptions
  private let landmarks: LandmarkSource?
  private let overlap: Double

  /// Decides by options; without a landmark model no region follows from a detection.
  package init(_ options: FaceLandmarkerOptions, landmarks: LandmarkSource?) {
    self.options = options
    self.landmarks = landmarks
    overlap = options.suppressionThreshold(with: landmarks?.variant)
  }

  /// Whether the detector looks at a frame that these regions were tracked into.
  package func needsDetector(besides tracked: [NormalizedRect]) -> Bool {
    tracked.count < options.numFaces
  }

  /// The detections that count, at most `numFaces`, by descending score.
  package func detections(
    from sight: DetectorOutput, decoder: DetectionDecoder
  ) -> [NormalizedDetection] {
    Array(
      decoder.normalizedDetections(
        from: sight.candidates, projection: sight.projection,
        threshold: options.minFaceDetectionConfidence, overlap: overlap
      ).prefix(options.numFaces))
  }

  /// The regions that the landmark model looks at, in its order, into `regions`, which keep their storage.
  package func regions(
    tracked: [NormalizedRect], detections: [NormalizedDetection], size: ImageSize,
    into regions: inout [FaceRegion]
  ) {
    regions.removeAll(keepingCapacity: true)
    guard let landmarks else { return }
    if options.tracks {
      for region in tracked { regions.append(FaceRegion(region: region, detectionScore: nil)) }
    }
    for detection in detections { regions.append(landmarks.region(of: detection, in: size)) }
    guard options.tracks else { return }
    RegionAssociation.merge(
      &regions, overlap: options.minTrackingConfidence, limit: options.numFaces
    ) { $0.region }
  }

  /// Whether a face is given out.
  package func keeps(_ face: LandmarkedFace) -> Bool {
    guard landmarks?.givesPresence != false else { return true }
    return Double(face.presence) > options.minFacePresenceConfidence
  }

  /// Where the faces of a frame are expected in the next one, into `regions`, which keep their storage.
  package func followingRegions(
    after faces: [LandmarkedFace], size: ImageSize, into regions: inout [NormalizedRect]
  ) {
    regions.removeAll(keepingCapacity: true)
    for face in faces {
      regions.append(NormalizedRect(landmarks: face.unsmoothedLandmarks, size: size))
    }
  }
}

extension NormalizedRect {
  /// Whether the landmark model looks at it at all.
  package var canBeRead: Bool {
    width > 0 && height > 0 && xCenter.isFinite && yCenter.isFinite && width.isFinite
      && height.isFinite && rotation.isFinite
  }
}
