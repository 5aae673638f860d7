internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Imaging
internal import Profiling
internal import Running

/// How much work a sweep was.
package struct SweepCost: Sendable, Hashable, Codable {
  /// Runs of the detector's model.
  package var detectorInferences = 0
  /// Runs of the landmark model.
  package var landmarkInferences = 0
  /// Runs of the blendshape model.
  package var blendshapeInferences = 0
  /// Runs of all three models that full runs of all settings would have needed.
  package var inferencesOfFullRuns = 0
  /// Distinct pairs of a frame and a region that the detector gave.
  package var tracks = 0

  /// Adds the work on other frames.
  mutating func add(_ other: SweepCost) {
    for (_, field) in Self.names { self[keyPath: field] += other[keyPath: field] }
  }

  private static let names:
    [(name: String, field: any WritableKeyPath<SweepCost, Int> & Sendable)] = [
      ("detector", \.detectorInferences), ("landmarks", \.landmarkInferences),
      ("blendshapes", \.blendshapeInferences), ("full_runs", \.inferencesOfFullRuns),
      ("tracks", \.tracks),
    ]

  /// The work by name, as parts of a sweep hold it.
  var byName: [String: Int] {
    Dictionary(uniqueKeysWithValues: Self.names.map { ($0.name, self[keyPath: $0.field]) })
  }

  /// Reads the same; what is missing is 0.
  init(byName numbers: [String: Int]) {
    for (name, field) in Self.names { self[keyPath: field] = numbers[name] ?? 0 }
  }

  init() {}
}

/// What frames are asked about: the landmarker, loaded when a model must run, and what is known without it.
final class FrameReader {
  /// Decodes the detector's output.
  let decoder: DetectionDecoder
  /// The landmark model whose regions are read; nil for none.
  let variant: LandmarkVariant?
  /// Whether there is a blendshape model.
  let hasBlendshapes: Bool
  /// What faces get in addition to landmarks.
  let options: FaceLandmarkerOptions
  /// How far images have to be turned clockwise to be upright, in degrees.
  let rotationDegrees: Int
  /// The pixels that the longer side of a JPEG keeps at least when it is decoded; nil decodes it whole.
  let minDecodedSide: Int?
  private let models: SweepModels
  private var loaded: FaceLandmarker?

  /// Asks the models with options that all settings share, about images as a plan has them.
  init(_ models: SweepModels, _ plan: RunPlan, options: FaceLandmarkerOptions) {
    decoder = DetectionDecoder(geometry: plan.detector.geometry)
    variant = models.variant
    hasBlendshapes = models.records.serving(.blendshapes) != nil
    self.options = options
    rotationDegrees = plan.rotationDegrees
    minDecodedSide = plan.minDecodedSide
    self.models = models
  }

  func landmarker() throws -> FaceLandmarker {
    if let loaded { return loaded }
    let landmarker = try FaceLandmarker(try models.load(), options: options)
    loaded = landmarker
    return landmarker
  }
}

/// All that any setting asks the models about one frame, each question answered once.
struct InferenceCache {
  private let reader: FrameReader
  /// The size of the original image.
  let size: ImageSize
  /// The image; nil as long as it was not read.
  var pixels: PixelBuffer?
  private var read: () throws -> StoredImage = { throw ImageUnread() }
  private var sight: DetectorOutput?
  private var detections: [DetectionKey: [NormalizedDetection]] = [:]
  private var faces: [NormalizedRect: LandmarkedFace?] = [:]
  private var coefficients: [[SIMD3<Float>]: LandmarkedFace] = [:]
  private(set) var cost = SweepCost()

  private struct DetectionKey: Hashable {
    var accepted: Int
    var overlap: Double
  }

  private struct ImageUnread: Error {}

  init(_ reader: FrameReader, size: ImageSize) {
    self.reader = reader
    self.size = size
  }

  /// Uses the stored output of a run in image mode; the image is read only if that is not enough.
  mutating func know(
    _ prediction: FramePrediction, orRead read: @escaping () throws -> StoredImage
  ) {
    self.read = read
    if let view = try? view {
      sight = DetectorOutput(
        candidates: prediction.candidates, projection: reader.decoder.projection(of: view, in: size)
      )
    }
    for face in prediction.faces + prediction.rejected {
      guard let region = face.region, var known = LandmarkedFace(face, in: size) else { continue }
      if reader.options.outputFaceBlendshapes, known.blendshapes != nil {
        coefficients[known.landmarks] = known
      }
      (known.blendshapes, known.pose) = (nil, nil)
      faces[region] = .some(known)
    }
  }

  private var view: NormalizedRect {
    get throws { try NormalizedRect(detectorViewOf: size, rotationDegrees: reader.rotationDegrees) }
  }

  /// The image, read now where it was not.
  private mutating func image() throws -> PixelBuffer {
    if let pixels { return pixels }
    let fresh = try read().decoded(minSide: reader.minDecodedSide)
    pixels = fresh
    return fresh
  }

  /// What the detector gives at a setting.
  mutating func detections(
    by flow: GraphDecisions, timer: inout StageTimer
  ) throws -> [NormalizedDetection] {
    let sight = try look(timer: &timer)
    let threshold = Float(flow.options.minFaceDetectionConfidence)
    let key = DetectionKey(
      accepted: sight.candidates.count { $0.score >= threshold },
      overlap: flow.options.suppressionThreshold(with: reader.variant))
    if let known = detections[key] { return known }
    let found = flow.detections(from: sight, decoder: reader.decoder)
    detections[key] = found
    return found
  }

  private mutating func look(timer: inout StageTimer) throws -> DetectorOutput {
    if let sight { return sight }
    let seen = try reader.landmarker().detectCandidates(
      in: try image(), view: try view, timer: &timer)
    cost.detectorInferences += 1
    sight = seen
    return seen
  }

  /// The landmark model's output for a region; nil for a skipped one.
  mutating func face(
    in candidate: FaceRegion, timer: inout StageTimer
  ) throws -> LandmarkedFace? {
    if let known = faces[candidate.region] { return known?.coming(from: candidate) }
    if candidate.detectionScore != nil { cost.tracks += 1 }
    guard reader.variant != nil, candidate.region.canBeRead else {
      faces[candidate.region] = .some(nil)
      return nil
    }
    let face = try reader.landmarker().runLandmarks(on: candidate, of: try image(), timer: &timer)
    cost.landmarkInferences += 1
    faces[candidate.region] = .some(face)
    return face
  }

  /// The face with coefficients and pose, as far as they are asked for.
  mutating func addBlendshapesAndPose(to face: inout LandmarkedFace, timer: inout StageTimer) throws
  {
    let options = reader.options
    guard
      options.outputFaceBlendshapes && reader.hasBlendshapes
        || options.outputFacialTransformationMatrixes
    else {
      return
    }
    if let known = coefficients[face.landmarks] {
      face.blendshapes = known.blendshapes
      face.pose = known.pose
      return
    }
    try reader.landmarker().addBlendshapesAndPose(to: &face, size: size, timer: &timer)
    if face.blendshapes != nil { cost.blendshapeInferences += 1 }
    coefficients[face.landmarks] = face
  }

  /// Counts what each of some settings alone would have needed.
  mutating func countFullRuns(of settings: Int, detectorRuns: Int, regions: Int) {
    cost.inferencesOfFullRuns += (detectorRuns + regions) * settings
  }

  /// Counts the coefficients of faces that each of some settings alone would have needed.
  mutating func countFullRuns(of settings: Int, expressed faces: [LandmarkedFace]) {
    cost.inferencesOfFullRuns += faces.count { $0.blendshapes != nil } * settings
  }
}

extension LandmarkedFace {
  /// A face of a predictions file, in fractions of the image again; nil without region, presence or points.
  fileprivate init?(_ face: FacePrediction, in size: ImageSize) {
    guard let region = face.region, let presence = face.presence, !face.points.isEmpty else {
      return nil
    }
    let scale = SIMD3(Float(size.width), Float(size.height), Float(size.width))
    let landmarks = face.unsmoothedPoints.map { $0 / scale }
    self.init(
      region: region, isTracked: face.isTracked, detectionScore: face.detectionScore,
      presence: presence, presenceLogit: 0, tongueOut: face.tongueOut, landmarks: landmarks,
      unsmoothedLandmarks: landmarks, blendshapes: face.blendshapes, pose: face.pose)
  }

  /// The same face with the origin that a region has.
  fileprivate func coming(from candidate: FaceRegion) -> LandmarkedFace {
    var face = self
    face.region = candidate.region
    face.isTracked = candidate.detectionScore == nil
    face.detectionScore = candidate.detectionScore
    return face
  }
}
