// Compares a sweep of a video with full runs of some of its settings, and counts the inferences of both.
//
//   sweep-check DATASET.h5 [--faces N] [--runs N]
//
// 10 detection confidences by 20 presence confidences and the defaults; full runs of random settings, seed 1.
import Datasets
import FaceCore
import FacePipeline
import Foundation
import Imaging
import Profiling
import Running
import Scoring
import Synchronization
import Tuning

let arguments = Array(CommandLine.arguments.dropFirst())
func option(_ name: String) -> Double? {
  arguments.firstIndex(of: name).flatMap { position in
    arguments.indices.contains(position + 1) ? Double(arguments[position + 1]) : nil
  }
}
guard let path = arguments.first else {
  print("usage: sweep-check DATASET.h5 [--faces N] [--runs N]")
  exit(64)
}
let url = URL(fileURLWithPath: path)
let dataset = try DatasetReader(url)
var evaluation = EvaluationPlan(dataset: url, run: url.deletingPathExtension())
evaluation.settings.runningMode = .video
evaluation.settings.numFaces = Int(option("--faces") ?? 1)
evaluation.settings.outputFaceBlendshapes = true
evaluation.settings.outputFacialTransformationMatrixes = true
evaluation.models = ProcessInfo.processInfo.environment["FACEGAUGE_MODELS"].map {
  URL(fileURLWithPath: $0)
}
let plan = SweepPlan(
  evaluation,
  values: [
    SweptValues("min-face-detection-confidence", (0..<10).map { 0.25 + 0.07 * Double($0) }),
    SweptValues("min-face-presence-confidence", (0..<20).map { 0.03 + 0.05 * Double($0) }),
  ])

var chosen: [Int] = []
var state: UInt64 = 1
while chosen.count < Int(option("--runs") ?? 20) {
  state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
  let setting = Int((state >> 33) % 200)
  if !chosen.contains(setting) { chosen.append(setting) }
}
let wanted = chosen

/// What a setting gives out, without the candidates and times that settings share.
struct Output: Equatable {
  var detectorRan: Bool
  var detections: [FaceDetection]
  var faces: [FacePrediction]
  var rejected: [FacePrediction]

  init(_ prediction: FramePrediction) {
    detectorRan = prediction.detectorRan
    detections = prediction.detections
    faces = prediction.faces
    rejected = prediction.rejected
  }
}

let swept = Mutex<[Int: [Output]]>([:])
let clock = ContinuousClock()
let start = clock.now
let (settings, cost) = try SweepRun.replay(plan) { settings, prediction in
  for setting in wanted where settings.contains(setting) {
    swept.withLock { $0[setting, default: []].append(Output(prediction)) }
  }
}
let sweepTime = clock.now - start
let models = try FaceLandmarkerModels(detector: .shortRange, from: evaluation.models)
var equal = 0
var largest = 0.0
var fullTime = Duration.zero
for setting in wanted {
  let begin = clock.now
  let landmarker = try FaceLandmarker(models, options: settings[setting])
  var timer = StageTimer(stages: PipelineStage.names)
  var sequence = -1
  var outputs: [Output] = []
  for frame in try dataset.frames(0..<dataset.frameCount) {
    if frame.sequence != sequence { landmarker.trackingState = TrackingState() }
    sequence = frame.sequence
    let pixels = try dataset.image(frame.index).decoded()
    let result = try landmarker.detect(
      pixels, timestampMicroseconds: frame.timestampMicroseconds, timer: &timer)
    outputs.append(Output(result.prediction(frame: frame.index, stageNanoseconds: [])))
  }
  fullTime += clock.now - begin
  let mine = swept.withLock { $0[setting] ?? [] }
  let isEqual = mine == outputs
  equal += isEqual ? 1 : 0
  var (faces, lost) = (0, 0)
  var distance = 0.0
  for (own, full) in zip(mine, outputs) {
    faces += full.faces.count
    lost += own.faces.count == full.faces.count ? 0 : 1
    for (a, b) in zip(own.faces, full.faces) {
      for (p, q) in zip(a.points, b.points) {
        distance = max(distance, Double(((p - q) * (p - q)).sum().squareRoot()))
      }
    }
  }
  largest = max(largest, distance)
  let options = settings[setting]
  print(
    "detection \(options.minFaceDetectionConfidence) presence "
      + "\(options.minFacePresenceConfidence): \(isEqual ? "equal" : "differs"), \(faces) faces, "
      + "\(lost) frames with another count, largest point distance \(distance) px")
}
let inferences =
  cost.detectorInferences + cost.landmarkInferences + cost.blendshapeInferences
print(
  """
  \(dataset.frameCount) frames, \(settings.count) settings, \(wanted.count) full runs: \(equal) equal
  inferences: \(inferences) (\(cost.detectorInferences) detector, \(cost.landmarkInferences) landmarks, \
  \(cost.blendshapeInferences) blendshapes)
  full runs of all settings: \(cost.inferencesOfFullRuns), \
  \(Double(cost.inferencesOfFullRuns) / Double(max(1, inferences))) times as many; a run on average \
  \(Double(inferences) / (Double(cost.inferencesOfFullRuns) / Double(settings.count))) times
  tracks \(cost.tracks)
  time: sweep \(sweepTime), \(wanted.count) full runs \(fullTime)
  """)

extension SweptValues {
  /// Some values of the setting of a name.
  init(_ name: String, _ values: [Double]) {
    // swift-format-ignore: NeverForceUnwrap
    self.init(PipelineSetting.named(name)!, values)
  }
}
