package import FaceCore
package import Imaging
package import Profiling

/// MediaPipe's Face Landmarker on our own engine; one for each thread.
///
/// A frame goes through detector, landmark model, filters over time, blendshape model and the fit of the canonical
/// mesh, as far as models are there and options ask for it. In video mode faces of one frame give the regions of
/// the next, and the detector runs only while fewer than `numFaces` are tracked.
///
/// Results are in coordinates of the original image, also where a JPEG was decoded smaller.
package final class FaceLandmarker {
  /// The models.
  package let models: FaceLandmarkerModels
  /// The settings.
  package let options: FaceLandmarkerOptions
  /// What the next frame of a clip builds on; setting it goes on where another landmarker was.
  package var trackingState = TrackingState()

  /// The detector with its buffers.
  package let detector: FaceDetector
  private let landmarks: LandmarkEstimator?
  private let blendshapes: BlendshapeEstimator?
  private let geometry: FaceGeometry?
  /// Faces of results that were given back, for their storage.
  private var spares: [LandmarkedFace] = []
  private var regions: [FaceRegion] = []

  /// Prepares to run loaded models; throws an option that is out of its range.
  package convenience init(
    _ models: FaceLandmarkerModels, options: FaceLandmarkerOptions
  ) throws(FaceLandmarkerError) {
    try FaceLandmarker.check(options, of: models)
    self.init(models, validOptions: options)
  }

  /// Throws an option that is out of its range, and another running mode than image for a landmark model of the
  /// user's.
  static func check(
    _ options: FaceLandmarkerOptions, of models: FaceLandmarkerModels
  ) throws(FaceLandmarkerError) {
    try options.validate()
    if case .own(let card) = models.landmarks?.source, options.runningMode != .image {
      throw FaceLandmarkerError(
        .wrongMode, "make a face landmarker",
        expected: "running mode \(RunningMode.image.rawValue) for the model of \(card.card.path)",
        found: options.runningMode.rawValue)
    }
  }

  init(_ models: FaceLandmarkerModels, validOptions options: FaceLandmarkerOptions) {
    self.models = models
    self.options = options
    detector = FaceDetector(models.detector)
    landmarks = models.landmarks.map { LandmarkEstimator($0) }
    blendshapes =
      options.outputFaceBlendshapes ? models.blendshapes.map { BlendshapeEstimator($0) } : nil
    geometry =
      options.outputFacialTransformationMatrixes ? models.mesh.map { FaceGeometry($0) } : nil
  }

  /// The faces of an image, in image mode.
  ///
  /// - Parameters:
  ///   - rotationDegrees: a multiple of 90: how far the image has to be turned clockwise to be upright.
  ///   - timer: has the stages of `PipelineStage`; those that run are measured.
  ///
  /// Throws `FaceLandmarkerError` in another mode or for another angle, and `ImageError` for an empty image.
  package func detect(
    _ image: borrowing PixelBuffer, rotationDegrees: Int = 0, timer: inout StageTimer
  ) throws -> FaceLandmarkerResult {
    var result = FaceLandmarkerResult()
    try detect(image, rotationDegrees: rotationDegrees, into: &result, timer: &timer)
    return result
  }

  /// The faces of an image, in image mode, into an earlier result, whose storage serves again.
  ///
  /// What the result is after an error is not defined.
  package func detect(
    _ image: borrowing PixelBuffer, rotationDegrees: Int = 0,
    into result: inout FaceLandmarkerResult, timer: inout StageTimer
  ) throws {
    guard options.runningMode == .image else {
      throw FaceLandmarkerError.wrongMode(
        "detect faces in an image", needs: .image, found: options.runningMode)
    }
    let view = try NormalizedRect(
      detectorViewOf: image.originalSize, rotationDegrees: rotationDegrees)
    try analyse(image, at: nil, view: view, into: &result, timer: &timer)
  }

  /// The faces of the next frame of a clip, in video mode.
  ///
  /// Timestamps must increase from frame to frame; the first may be any. Throws as the form for images does.
  package func detect(
    _ image: borrowing PixelBuffer, timestampMicroseconds: Int64, rotationDegrees: Int = 0,
    timer: inout StageTimer
  ) throws -> FaceLandmarkerResult {
    var result = FaceLandmarkerResult()
    try detect(
      image, timestampMicroseconds: timestampMicroseconds, rotationDegrees: rotationDegrees,
      into: &result, timer: &timer)
    return result
  }

  /// The faces of the next frame of a clip, in video mode, into an earlier result, whose storage serves again.
  ///
  /// A frame that was tracked then allocates nothing, unless somebody else keeps the earlier result.
  package func detect(
    _ image: borrowing PixelBuffer, timestampMicroseconds: Int64, rotationDegrees: Int = 0,
    into result: inout FaceLandmarkerResult, timer: inout StageTimer
  ) throws {
    guard options.runningMode == .video else {
      throw FaceLandmarkerError.wrongMode(
        "detect faces in a frame", needs: .video, found: options.runningMode)
    }
    if let last = trackingState.lastTimestampMicroseconds, timestampMicroseconds <= last {
      throw FaceLandmarkerError.timestamp(timestampMicroseconds, after: last)
    }
    let view = try NormalizedRect(
      detectorViewOf: image.originalSize, rotationDegrees: rotationDegrees)
    try analyse(
      image, at: timestampMicroseconds, view: view, into: &result, timer: &timer)
  }

  /// Analyses a frame whose mode and time were checked.
  func analyse(
    _ image: borrowing PixelBuffer, at timestampMicroseconds: Int64?, view: NormalizedRect,
    into result: inout FaceLandmarkerResult, timer: inout StageTimer
  ) throws(ImageError) {
    let size = image.originalSize
    let flow = GraphDecisions(options, landmarks: models.landmarks?.source)
    if !options.tracks { trackingState.regions = [] }
    reclaim(&result)
    result.timestampMicroseconds = timestampMicroseconds
    result.size = size
    result.detectorRan = flow.needsDetector(besides: trackingState.regions)
    result.isSmoothed = options.smooths
    if result.detectorRan {
      let sight = try detectCandidates(in: image, view: view, timer: &timer)
      result.candidates = sight.candidates
      result.detections = timer.measure(.detectDecode) {
        flow.detections(from: sight, decoder: detector.decoder)
      }
    }
    flow.regions(
      tracked: trackingState.regions, detections: result.detections, size: size, into: &regions)
    for region in regions {
      var face = spares.popLast() ?? LandmarkedFace()
      guard try runLandmarks(on: region, of: image, into: &face, timer: &timer) else { continue }
      if flow.keeps(face) {
        result.faces.append(face)
      } else {
        face.blendshapes = nil
        result.rejected.append(face)
      }
    }
    trackingState.lastTimestampMicroseconds = timestampMicroseconds
    if options.tracks {
      flow.followingRegions(after: result.faces, size: size, into: &trackingState.regions)
    }
    smooth(&result, timer: &timer)
    for index in result.faces.indices {
      addBlendshapesAndPose(to: &result.faces[index], size: size, timer: &timer)
    }
  }

  /// Empties a result, and keeps the storage of its faces.
  private func reclaim(_ result: inout FaceLandmarkerResult) {
    spares.append(contentsOf: result.faces)
    spares.append(contentsOf: result.rejected)
    result.faces.removeAll(keepingCapacity: true)
    result.rejected.removeAll(keepingCapacity: true)
    result.detections.removeAll(keepingCapacity: true)
    result.candidates.removeAll(keepingCapacity: true)
    if spares.count > options.numFaces { spares.removeLast(spares.count - options.numFaces) }
  }
}

extension FaceLandmarker {
  /// The detector's output for an image down to `minCandidateScore`, independent of thresholds.
  package func detectCandidates(
    in image: borrowing PixelBuffer, view: NormalizedRect, timer: inout StageTimer
  ) throws(ImageError) -> DetectorOutput {
    let projection = try timer.measure(.detectPreprocess) { () throws(ImageError) in
      try detector.prepare(image, region: view)
    }
    timer.measure(.detectInfer) { detector.infer() }
    let candidates = timer.measure(.detectDecode) {
      detector.candidates(floor: Float(options.minCandidateScore))
    }
    return DetectorOutput(candidates: candidates, projection: projection)
  }

  /// The landmark model's output for a region; nil for a region without a size, which MediaPipe also skips.
  package func runLandmarks(
    on candidate: FaceRegion, of image: borrowing PixelBuffer, timer: inout StageTimer
  ) throws(ImageError) -> LandmarkedFace? {
    var face = LandmarkedFace()
    guard try runLandmarks(on: candidate, of: image, into: &face, timer: &timer) else { return nil }
    return face
  }

  /// Reads a region into a face that is no longer needed, whose storage serves again; whether there was one to read.
  private func runLandmarks(
    on candidate: FaceRegion, of image: borrowing PixelBuffer, into face: inout LandmarkedFace,
    timer: inout StageTimer
  ) throws(ImageError) -> Bool {
    let region = candidate.region
    guard let landmarks, region.canBeRead else { return false }
    try timer.measure(.landmarkCrop) { () throws(ImageError) in
      try landmarks.prepare(image, region: region)
    }
    timer.measure(.landmarkInfer) { landmarks.infer() }
    let size = image.originalSize
    // Without filters both lists share their storage, which has to be free of one to be filled.
    if !options.smooths { face.landmarks = [] }
    let reading = timer.measure(.landmarkDecode) {
      landmarks.reading(of: region, in: size, landmarks: &face.unsmoothedLandmarks)
    }
    face.region = region
    face.box = candidate.box
    face.scheme = models.landmarks?.scheme ?? .mediapipe478
    face.isTracked = candidate.detectionScore == nil
    face.detectionScore = candidate.detectionScore
    face.presence = LandmarkDecoding.presence(logit: reading.presenceLogit)
    face.presenceLogit = reading.presenceLogit
    face.tongueOut = reading.tongueOut
    if options.smooths {
      face.landmarks.removeAll(keepingCapacity: true)
      face.landmarks.append(contentsOf: face.unsmoothedLandmarks)
    } else {
      face.landmarks = face.unsmoothedLandmarks
    }
    face.pose = nil
    return true
  }

  private func smooth(_ result: inout FaceLandmarkerResult, timer: inout StageTimer) {
    guard options.smooths, let time = result.timestampMicroseconds else { return }
    guard !result.faces.isEmpty else {
      trackingState.smoother.reset()
      return
    }
    timer.measure(.smoothing) {
      trackingState.smoother.smooth(
        &result.faces[0].landmarks, size: result.size, timestampMicroseconds: time,
        parameters: options.smoothing)
    }
  }

  /// Adds coefficients and pose to a face, as far as options ask for them.
  package func addBlendshapesAndPose(
    to face: inout LandmarkedFace, size: ImageSize, timer: inout StageTimer
  ) {
    if let blendshapes {
      timer.measure(.blendshapesInfer) {
        var coefficients = face.blendshapes.take() ?? []
        blendshapes.blendshapes(of: face.landmarks, in: size, into: &coefficients)
        face.blendshapes = coefficients
      }
    }
    if let geometry {
      face.pose = timer.measure(.geometry) { geometry.pose(of: face.landmarks, size: size) }
    }
  }
}
