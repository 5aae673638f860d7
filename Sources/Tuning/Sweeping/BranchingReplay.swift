internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Imaging
internal import Metrics
internal import Profiling
internal import Running

/// Runs all settings together over the frames of a video, or over a still.
///
/// Settings with the same results so far share a branch. A branch divides when its settings decide differently
/// about detections, the regions that follow from them, or the faces that are kept. Each inference runs once per
/// frame and is shared by all branches. Each branch gives exactly the results of a full run, to the last bit.
final class BranchingReplay {
  private let reader: FrameReader
  private let flows: (stills: [GraphDecisions], clips: [GraphDecisions])
  let evaluate: SequenceTally.Evaluate
  private var timer = StageTimer(stages: PipelineStage.names)
  /// How long questions took that went to a model, the first of them.
  private(set) var times = Times()

  /// Nanoseconds of detector runs and of regions read.
  struct Times: Sendable, Codable {
    var detector: [UInt64] = []
    var region: [UInt64] = []

    mutating func add(_ other: Times) {
      detector += other.detector
      region += other.region
    }
  }

  private static let timesKept = 4096

  /// One branch's settings with what they did.
  struct Branch {
    var settings: [Int]
    var regions: [NormalizedRect] = []
    var smoother = LandmarkSmoother()
    var tally = SequenceTally()
  }

  /// Prepares to try settings on images that come in as a plan has it; all share `numFaces`, mode and compatibility.
  init(
    _ models: SweepModels, _ plan: RunPlan, settings: [FaceLandmarkerOptions],
    pairing: FacePairing, isLabelled: Bool, expressions: SweptExpressions?,
    layout: SweepCounts.Layout, isLabelledClip: Bool
  ) {
    var shared = settings.first ?? FaceLandmarkerOptions()
    shared.runningMode = .image
    shared.candidateFloor = settings.map(\.minFaceDetectionConfidence).min() ?? 0
    shared.minFaceDetectionConfidence = shared.candidateFloor
    reader = FrameReader(models, plan, options: shared)
    let landmarks = models.variant.map { LandmarkSource.mediaPipe($0) }
    flows = (
      settings.map { options in
        var still = options
        still.runningMode = .image
        return GraphDecisions(still, landmarks: landmarks)
      }, settings.map { GraphDecisions($0, landmarks: landmarks) }
    )
    evaluate = SequenceTally.Evaluate(
      scheme: .mediapipe478, isLabelled: isLabelled, isDetectorOnly: models.variant == nil,
      pairing: pairing, expressions: expressions, layout: layout, isLabelledClip: isLabelledClip)
  }

  /// The branches before the first frame: settings that smooth differently are apart from the start.
  func start(isTracked: Bool) -> [Branch] {
    let flows = isTracked ? flows.clips : flows.stills
    var branches: [Branch] = []
    var positions: [SmoothingParameters?: Int] = [:]
    for (setting, flow) in flows.enumerated() {
      let key = flow.options.smooths ? flow.options.smoothing : nil
      if let position = positions[key] {
        branches[position].settings.append(setting)
      } else {
        positions[key] = branches.count
        branches.append(Branch(settings: [setting]))
      }
    }
    return branches
  }

  /// What one more frame needs to be evaluated.
  struct Step {
    var frame: Frame
    var isTracked: Bool
    var isVideo: Bool
    var labels: [FaceLabel]
  }

  /// A frame's image and the stored output of an earlier run.
  enum Image {
    /// Nothing is known of it.
    case new(StoredImage)
    /// The stored output of a run in image mode; the image is read only if that is not enough.
    case known(FramePrediction, () throws -> StoredImage)
  }

  /// What one frame took, and what a setting made of it.
  struct Advanced {
    var cost: SweepCost
    var watched: FramePrediction?
  }

  /// Takes the branches over one frame; nil where the image is broken.
  func advance(
    _ branches: inout [Branch], over step: Step, image: Image, watching watched: Int?,
    listener: SweepRun.Listener?
  ) throws -> Advanced? {
    var readings: InferenceCache
    do {
      switch image {
      case .new(let stored):
        let pixels = try stored.decoded(minSide: reader.minDecodedSide)
        readings = InferenceCache(reader, size: pixels.originalSize)
        readings.pixels = pixels
      case .known(let prediction, let read):
        guard let size = prediction.size else { return try skip(&branches, step, listener) }
        readings = InferenceCache(reader, size: size)
        readings.know(prediction, orRead: read)
      }
    } catch is ImageError {
      return try skip(&branches, step, listener)
    }
    let flows = step.isTracked ? flows.clips : flows.stills
    var sights = try sights(of: branches, flows, &readings)
    var next: [Branch] = []
    var seen: FramePrediction?
    while let sight = sights.popLast() {
      next += try divide(sight, flows, step, &readings) { settings, prediction in
        if let watched, settings.contains(watched) { seen = prediction }
        listener?(settings, prediction)
      }
    }
    branches = next
    return Advanced(cost: readings.cost, watched: seen)
  }

  /// Notes a broken image.
  private func skip(
    _ branches: inout [Branch], _ step: Step, _ listener: SweepRun.Listener?
  ) throws -> Advanced? {
    let broken = FramePrediction(frame: step.frame.index, notAnalysed: .broken)
    for index in branches.indices {
      try branches[index].tally.add(
        step.frame, isVideo: step.isVideo, labels: step.labels, prediction: broken, reads: 0,
        by: evaluate)
      listener?(branches[index].settings, broken)
    }
    return nil
  }

  /// A branch with the regions that it looks at.
  private struct Sight {
    var branch: Branch
    var detectorRan: Bool
    var detections: [NormalizedDetection] = []
    var regions: [FaceRegion]
  }

  private struct SightKey: Hashable {
    var detections: [NormalizedDetection]
    var regions: [FaceRegion]
  }

  /// Branches divided by the regions that their settings look at.
  private func sights(
    of branches: [Branch], _ flows: [GraphDecisions], _ readings: inout InferenceCache
  ) throws -> [Sight] {
    let size = readings.size
    var sights: [Sight] = []
    for branch in branches {
      let tracked = branch.regions
      guard let any = branch.settings.first else { continue }
      let runs = flows[any].needsDetector(besides: tracked)
      var positions: [SightKey: Int] = [:]
      for setting in branch.settings {
        let flow = flows[setting]
        let detections =
          runs
          ? try timed(\.detector) {
            try readings.detections(by: flow, timer: &timer)
          } : []
        var regions: [FaceRegion] = []
        flow.regions(tracked: tracked, detections: detections, size: size, into: &regions)
        let key = SightKey(detections: detections, regions: regions)
        if let position = positions[key] {
          sights[position].branch.settings.append(setting)
        } else {
          positions[key] = sights.count
          var own = branch
          own.settings = [setting]
          sights.append(
            Sight(branch: own, detectorRan: runs, detections: detections, regions: regions))
        }
      }
    }
    return sights
  }

  /// Divides a branch by the faces that its settings keep, and takes each part over the frame.
  private func divide(
    _ sight: Sight, _ flows: [GraphDecisions], _ step: Step, _ readings: inout InferenceCache,
    listener: (_ settings: [Int], FramePrediction) -> Void
  ) throws -> [Branch] {
    let faces = try sight.regions.compactMap { region in
      try timed(\.region) { try readings.face(in: region, timer: &timer) }
    }
    readings.countFullRuns(
      of: sight.branch.settings.count, detectorRuns: sight.detectorRan ? 1 : 0,
      regions: sight.regions.count(where: \.region.canBeRead))
    var parts: [[Bool]: [Int]] = [:]
    for setting in sight.branch.settings {
      parts[faces.map { flows[setting].keeps($0) }, default: []].append(setting)
    }
    return try parts.sorted { ($0.value.first ?? 0) < ($1.value.first ?? 0) }.map {
      kept, settings in
      var branch = sight.branch
      branch.settings = settings
      guard let any = settings.first else { return branch }
      let options = flows[any].options
      var result = FaceLandmarkerResult(
        timestampMicroseconds: step.isTracked ? step.frame.timestampMicroseconds : nil,
        size: readings.size, detectorRan: sight.detectorRan, detections: sight.detections,
        isSmoothed: options.smooths)
      for (face, isKept) in zip(faces, kept) {
        if isKept { result.faces.append(face) } else { result.rejected.append(face) }
      }
      if options.tracks {
        flows[any].followingRegions(after: result.faces, size: readings.size, into: &branch.regions)
      }
      if options.smooths {
        smooth(&result, by: &branch.smoother, options.smoothing)
      }
      for index in result.faces.indices {
        try readings.addBlendshapesAndPose(to: &result.faces[index], timer: &timer)
      }
      readings.countFullRuns(of: settings.count, expressed: result.faces)
      let prediction = result.prediction(frame: step.frame.index, stageNanoseconds: [])
      listener(settings, prediction)
      try branch.tally.add(
        step.frame, isVideo: step.isVideo, labels: step.labels, prediction: prediction,
        reads: sight.regions.count, by: evaluate)
      return branch
    }
  }

  private func smooth(
    _ result: inout FaceLandmarkerResult, by smoother: inout LandmarkSmoother,
    _ parameters: SmoothingParameters
  ) {
    guard !result.faces.isEmpty, let time = result.timestampMicroseconds else {
      smoother.reset()
      return
    }
    smoother.smooth(
      &result.faces[0].landmarks, size: result.size, timestampMicroseconds: time,
      parameters: parameters)
  }

  /// Times a question that went to a model; answers that were known already do not count.
  private func timed<Result>(
    _ kind: WritableKeyPath<Times, [UInt64]>,
    _ work: () throws -> Result
  ) rethrows -> Result {
    timer.beginFrame()
    let result = try work()
    let elapsed = timer.nanoseconds.compactMap { $0 }.reduce(0, &+)
    if elapsed > 0, times[keyPath: kind].count < Self.timesKept {
      times[keyPath: kind].append(elapsed)
    }
    return result
  }
}
