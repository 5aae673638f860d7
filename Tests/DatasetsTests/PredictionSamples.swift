import Datasets
import FaceCore
import Statistics
import TestSupport

extension SplitMix64 {
  mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }

  /// A Float of any exponent and both signs, finite.
  mutating func float() -> Float {
    while true {
      let value = Float(bitPattern: UInt32(truncatingIfNeeded: next()))
      if value.isFinite { return value }
    }
  }
}

extension PredictionsHeader {
  static func sample(stages: [String] = ["decode", "detect.infer", "total"]) -> PredictionsHeader {
    PredictionsHeader(
      datasetName: "d ✓", datasetSHA256: "00ff", datasetPath: "/some where/d.h5", mode: "live",
      models: [
        Model(name: "short_range", stage: "detection", sha256: "aa"),
        Model(name: "landmarks", stage: "landmarks", sha256: "bb"),
      ],
      candidateFloor: 0.01, stages: stages, options: ["num-faces": "2", "note": "a=b=c"])
  }
}

/// What the frames of a file hold.
struct PredictionMix {
  var hasDetector = true
  var hasLandmarks = true
  /// First frame whose points are smoothed, or none.
  var smoothsFrom: Int?
  var scheme = LandmarkScheme.mediapipe478
  var skips = true
  /// Whether faces are as other trackers give them: boxes, identities, words and numbers; some without points.
  var isForeign = false

  func frames(_ count: Int, stages: Int = 3, seed: UInt64) -> [FramePrediction] {
    var numbers = SplitMix64(seed: seed)
    return (0..<count).map { frame in
      if skips, numbers.chance(0.2) {
        return FramePrediction(frame: frame, notAnalysed: numbers.chance(0.5) ? .broken : .dropped)
      }
      let detectorRan = hasDetector && numbers.chance(0.7)
      return FramePrediction(
        frame: frame,
        size: ImageSize(
          width: .random(in: 1...9000, using: &numbers),
          height: .random(in: 1...9000, using: &numbers)),
        stageNanoseconds: (0..<stages).map { _ in
          numbers.chance(0.3) ? nil : .random(in: 0..<UInt64.max, using: &numbers)
        },
        detectorRan: detectorRan,
        detections: detectorRan ? many(&numbers, detection) : [],
        candidates: detectorRan ? many(&numbers, candidate) : [],
        faces: hasLandmarks ? many(&numbers) { face(&$0, frame: frame) } : [],
        rejected: hasLandmarks ? many(&numbers) { face(&$0, frame: frame) } : [])
    }
  }

  private func many<T>(
    _ numbers: inout SplitMix64, _ make: (inout SplitMix64) -> T
  ) -> [T] {
    (0..<Int.random(in: 0...3, using: &numbers)).map { _ in make(&numbers) }
  }

  private func detection(_ numbers: inout SplitMix64) -> FaceDetection {
    FaceDetection(
      box: BoundingBox(
        x: Double(numbers.float()), y: Double(numbers.float()), width: Double(numbers.float()),
        height: Double(numbers.float())),
      score: Double(Float.random(in: 0...1, using: &numbers)),
      keypoints: numbers.chance(0.3)
        ? []
        : (0..<6).map { _ in Point(x: Double(numbers.float()), y: Double(numbers.float())) })
  }

  private func candidate(_ numbers: inout SplitMix64) -> DetectorCandidate {
    var regressors = SIMD16<Float>()
    for lane in 0..<16 { regressors[lane] = numbers.float() }
    return DetectorCandidate(
      anchor: .random(in: 0..<2304, using: &numbers), score: .random(in: 0...1, using: &numbers),
      regressors: regressors)
  }

  func face(_ numbers: inout SplitMix64, frame: Int) -> FacePrediction {
    let isTracked = numbers.chance(0.5)
    var pose = SIMD16<Float>()
    for lane in 0..<12 { pose[lane] = numbers.float() }
    pose[15] = 1
    if isForeign { return foreign(&numbers, pose: pose) }
    func points() -> [SIMD3<Float>] {
      (0..<scheme.count).map { _ in SIMD3(numbers.float(), numbers.float(), numbers.float()) }
    }
    return FacePrediction(
      region: NormalizedRect(
        xCenter: numbers.float(), yCenter: numbers.float(), width: numbers.float(),
        height: numbers.float(), rotation: numbers.float()),
      isTracked: isTracked, detectionScore: isTracked ? nil : .random(in: 0...1, using: &numbers),
      presence: .random(in: 0...1, using: &numbers),
      tongueOut: numbers.chance(0.5) ? nil : .random(in: 0...1, using: &numbers), scheme: scheme,
      points: points(),
      unsmoothedPoints: smoothsFrom.map { $0 <= frame } == true && numbers.chance(0.8)
        ? points() : nil,
      blendshapes: numbers.chance(0.4)
        ? nil : (0..<52).map { _ in .random(in: 0...1, using: &numbers) },
      pose: numbers.chance(0.4) ? nil : HeadPose(matrix: pose))
  }

  private func foreign(
    _ numbers: inout SplitMix64, pose: SIMD16<Float>
  ) -> FacePrediction {
    let hasPoints = numbers.chance(0.5)
    var face = FacePrediction(
      region: nil, isTracked: false,
      detectionScore: numbers.chance(0.5) ? nil : .random(in: -9...9, using: &numbers),
      presence: numbers.chance(0.5) ? nil : .random(in: 0...1, using: &numbers),
      scheme: hasPoints ? scheme : nil,
      points: hasPoints
        ? (0..<scheme.count).map { _ in SIMD3(numbers.float(), numbers.float(), 1) } : [],
      ownBox: hasPoints && (scheme != .five || numbers.chance(0.5))
        ? nil : BoundingBox(x: -4, y: 7, width: .random(in: 0...99, using: &numbers), height: 8),
      identity: numbers.chance(0.5) ? nil : .random(in: 0...9, using: &numbers),
      pose: numbers.chance(0.4) ? nil : HeadPose(matrix: pose))
    if let box = face.ownBox { face.ownBox?.width = Double(Float(box.width)) }
    face.expression = numbers.chance(0.5) ? nil : "happy ✓"
    if numbers.chance(0.5) { face.attributes = ["AU01_r": 1.25, "yaw": -0.5] }
    return face
  }
}
