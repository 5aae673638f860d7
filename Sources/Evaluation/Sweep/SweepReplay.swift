internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Imaging
internal import Profiling

/// Runs all settings over the frames of a video, or over a still, side by side.
///
/// Settings that did the same so far are one branch. A branch divides where they decide differently:
/// about the detections, the regions that follow from them, and the faces that are kept. Every question to a
/// net is asked once a frame, whatever branch asks it first, so that each branch does exactly what a full run
/// of its settings does, to the last bit.
final class SweepReplay {
  private let models: SweepModels
  private let shared: FaceLandmarkerOptions
  private var loaded: FaceLandmarker?
  private let decoder: DetectionDecoder
  private let flows: (stills: [FaceFlow], clips: [FaceFlow])
  private let judge: SequenceTally.Judge
  private let rotationDegrees: Int
  private var timer = StageTimer(stages: PipelineStage.names)
  /// How long questions took that went to a net, the first of them.
  private(set) var times = Times()

  /// Nanoseconds of detector runs and of regions read.
  struct Times: Sendable, Codable {
    var detector: [UInt64] = []
    var region: [UInt64] = []
  }

  private static let timesKept = 4096

  /// One branch's settings with what they did.
  struct Branch {
    var settings: [Int]
    var regions: [NormalizedRect] = []
    var smoother = LandmarkSmoother()
    var tally = SequenceTally()
  }

  /// Prepares to try settings; all share `numFaces`, mode and compatibility.
  init(
    _ models: SweepModels, detector: DetectorVariant, settings: [FaceLandmarkerOptions],
    rotationDegrees: Int, isLabelled: Bool
  ) {
    var shared = settings.first ?? FaceLandmarkerOptions()
    shared.runningMode = .image
    shared.candidateFloor = settings.map(\.minFaceDetectionConfidence).min() ?? 0
    shared.minFaceDetectionConfidence = shared.candidateFloor
    self.models = models
    self.shared = shared
    decoder = DetectionDecoder(geometry: detector.geometry)
    let variant = models.variant
    flows = (
      settings.map { options in
        var still = options
        still.runningMode = .image
        return FaceFlow(still, variant: variant)
      }, settings.map { FaceFlow($0, variant: variant) }
    )
    judge = SequenceTally.Judge(
      scheme: .mediapipe478, isLabelled: isLabelled, isDetectorOnly: models.variant == nil)
    self.rotationDegrees = rotationDegrees
  }

  /// What frames are asked about; the landmarker is made when a model must run.
  private var reader: FrameReader {
    FrameReader(
      decoder: decoder, variant: models.variant, options: shared, rotationDegrees: rotationDegrees
    ) { [self] in
      if let loaded { return loaded }
      let landmarker = try FaceLandmarker(try models.nets(), options: shared)
      loaded = landmarker
      return landmarker
    }
  }

  /// The branches before the first frame: settings that smooth differently are apart from the start.
  func start(isTracked: Bool) -> [Branch] {
    let flows = isTracked ? flows.clips : flows.stills
    var branches: [Branch] = []
    var places: [SmoothingParameters?: Int] = [:]
    for (setting, flow) in flows.enumerated() {
      let key = flow.options.smooths ? flow.options.smoothing : nil
      if let place = places[key] {
        branches[place].settings.append(setting)
      } else {
        places[key] = branches.count
        branches.append(Branch(settings: [setting]))
      }
    }
    return branches
  }

  /// What one more frame needs to be judged.
  struct Step {
    var frame: Frame
    var isTracked: Bool
    var isVideo: Bool
    var labels: [FaceLabel]
  }

  /// A frame's picture, and what an earlier run said of it.
  enum Picture {
    /// Nothing is known of it.
    case new(StoredPicture)
    /// What a run in image mode said; the picture is read only where that is not enough.
    case known(FramePrediction, () throws -> StoredPicture)
  }

  /// What one frame took, and what a setting made of it.
  struct Advanced {
    var cost: SweepCost
    var watched: FramePrediction?
  }

  /// Takes the branches over one frame; nil where the picture is broken.
  func advance(
    _ branches: inout [Branch], over step: Step, picture: Picture, watching watched: Int? = nil,
    listener: SweepRun.Listener? = nil
  ) throws -> Advanced? {
    var readings: FrameReadings
    do {
      switch picture {
      case .new(let stored):
        let pixels = try stored.decoded()
        readings = FrameReadings(reader, size: pixels.size)
        readings.pixels = pixels
      case .known(let prediction, let read):
        guard let size = prediction.size else { return try skip(&branches, step, listener) }
        readings = FrameReadings(reader, size: size)
        readings.know(prediction, orRead: read)
      }
    } catch is PictureError {
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

  /// Notes a broken picture.
  private func skip(
    _ branches: inout [Branch], _ step: Step, _ listener: SweepRun.Listener?
  ) throws -> Advanced? {
    let broken = FramePrediction(frame: step.frame.index, notAnalysed: .broken)
    for index in branches.indices {
      try branches[index].tally.add(
        step.frame, isVideo: step.isVideo, labels: step.labels, prediction: broken, reads: 0,
        by: judge)
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
    of branches: [Branch], _ flows: [FaceFlow], _ readings: inout FrameReadings
  ) throws -> [Sight] {
    let size = readings.size
    var sights: [Sight] = []
    for branch in branches {
      let tracked = branch.regions
      guard let any = branch.settings.first else { continue }
      let runs = flows[any].needsDetector(besides: tracked)
      var places: [SightKey: Int] = [:]
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
        if let place = places[key] {
          sights[place].branch.settings.append(setting)
        } else {
          places[key] = sights.count
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
    _ sight: Sight, _ flows: [FaceFlow], _ step: Step, _ readings: inout FrameReadings,
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
        flows[any].followingRegions(
          after: result.faces, size: readings.size, into: &branch.regions)
      }
      if options.smooths {
        smooth(&result, by: &branch.smoother, options.smoothing)
      }
      for index in result.faces.indices {
        try readings.express(&result.faces[index], timer: &timer)
      }
      readings.countFullRuns(of: settings.count, expressed: result.faces)
      let prediction = result.prediction(frame: step.frame.index, stageNanoseconds: [])
      listener(settings, prediction)
      try branch.tally.add(
        step.frame, isVideo: step.isVideo, labels: step.labels, prediction: prediction,
        reads: sight.regions.count, by: judge)
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

  /// Times a question that went to a net; answers that were known already do not count.
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
