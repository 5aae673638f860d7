internal import FaceCore
internal import FacePipeline
internal import Metrics

/// Applies all settings to the stored faces of a tracker, without a model.
///
/// A setting keeps the faces whose score and presence reach its thresholds, and of those that overlap by more
/// than its suppression threshold the one with the highest score. Settings that keep the same faces share a branch.
final class StoredReplay: SettingsReplay {
  /// The suppression threshold that removes nothing: no two boxes overlap by more.
  static let noSuppression = 1.0
  /// The settings that have an effect on stored faces.
  static let settings = [
    PipelineSetting.detectionConfidence, PipelineSetting.presenceConfidence,
    PipelineSetting.suppressionThreshold,
  ]

  private let thresholds: [FaceLandmarkerOptions]
  /// Whether thresholds apply; the faces of our own pipeline are those that passed them.
  private let isForeign: Bool
  private let suppresses: Bool
  /// Frames that count as lost though they have a face, whose values are those of frames before.
  private let frozenFrames: Set<Int>
  let evaluate: SequenceTally.Evaluate
  /// No model runs.
  let times = BranchingReplay.Times()

  init(
    _ settings: [FaceLandmarkerOptions], isForeign: Bool, frozenFrames: Set<Int>,
    evaluate: SequenceTally.Evaluate
  ) {
    thresholds = settings
    self.isForeign = isForeign
    self.frozenFrames = frozenFrames
    suppresses = settings.contains { $0.minSuppressionThreshold.map { $0 < 1 } ?? false }
    self.evaluate = evaluate
  }

  /// All settings together: stored faces do not depend on earlier frames.
  func start(isTracked: Bool) -> [BranchingReplay.Branch] {
    [BranchingReplay.Branch(settings: Array(thresholds.indices))]
  }

  func advance(
    _ branches: inout [BranchingReplay.Branch], over step: BranchingReplay.Step,
    image: BranchingReplay.Image, watching watched: Int?, listener: SweepRun.Listener?
  ) throws -> BranchingReplay.Advanced? {
    guard case .known(let stored, _) = image else { return nil }
    var next: [BranchingReplay.Branch] = []
    var seen: FramePrediction?
    for branch in branches {
      for (kept, settings) in parts(of: branch.settings, stored) {
        var part = branch
        part.settings = settings
        let prediction = kept.map { Self.prediction(stored, keeping: $0) } ?? stored
        if let watched, settings.contains(watched) { seen = prediction }
        listener?(settings, prediction)
        try part.tally.add(
          step.frame, isVideo: step.isVideo, labels: step.labels, prediction: prediction,
          reads: 0, isFrozen: frozenFrames.contains(step.frame.index), by: evaluate)
        next.append(part)
      }
    }
    branches = next
    return stored.status == .broken
      ? nil : BranchingReplay.Advanced(cost: SweepCost(), watched: seen)
  }

  /// The settings by the faces that they keep, in the order of the settings; nil where all keep what is stored.
  private func parts(
    of settings: [Int], _ stored: FramePrediction
  ) -> [(kept: [Int]?, settings: [Int])] {
    guard isForeign, stored.status == .analysed else { return [(nil, settings)] }
    let faces = StoredFaces(stored, withOverlaps: suppresses)
    var parts: [(kept: [Int]?, settings: [Int])] = []
    var positions: [[Int]: Int] = [:]
    for setting in settings {
      let kept = faces.kept(by: thresholds[setting])
      if let position = positions[kept] {
        parts[position].settings.append(setting)
      } else {
        positions[kept] = parts.count
        parts.append((kept, [setting]))
      }
    }
    return parts
  }

  /// What a setting gives out, with the faces that it does not keep as rejected.
  private static func prediction(
    _ stored: FramePrediction, keeping kept: [Int]
  ) -> FramePrediction {
    var prediction = stored
    let all = stored.faces + stored.rejected
    let isKept = Set(kept)
    prediction.faces = kept.map { all[$0] }
    prediction.rejected = all.indices.filter { !isKept.contains($0) }.map { all[$0] }
    return prediction
  }
}

/// The faces of a frame, ordered by score, with their overlaps.
struct StoredFaces {
  private let scores, presences: [Float?]
  /// Positions of the faces, highest score first, then as they are stored.
  private let ranked: [Int]
  /// For each face the faces of a higher rank that overlap it.
  private let overlaps: [[(face: Int, iou: Double)]]

  /// Takes the faces of a frame; overlaps are only looked for if a setting asks for them.
  init(_ stored: FramePrediction, withOverlaps: Bool) {
    let faces = stored.faces + stored.rejected
    scores = faces.map(\.detectionScore)
    presences = faces.map(\.presence)
    let order = zip(scores, presences).map { $0 ?? $1 ?? .infinity }
    let ranked = faces.indices.sorted { (order[$1], $0) < (order[$0], $1) }
    self.ranked = ranked
    var overlaps: [[(face: Int, iou: Double)]] = Array(repeating: [], count: faces.count)
    if withOverlaps {
      let boxes = faces.map { $0.ownBox ?? $0.box }
      for (rank, face) in ranked.enumerated() {
        guard let box = boxes[face] else { continue }
        for other in ranked[..<rank] {
          let iou = boxes[other]?.iou(with: box) ?? 0
          if iou > 0 { overlaps[face].append((other, iou)) }
        }
      }
    }
    self.overlaps = overlaps
  }

  /// Positions of the faces that a setting keeps, ascending.
  ///
  /// A face without a score or presence passes that threshold; thresholds are compared as these are stored.
  func kept(by options: FaceLandmarkerOptions) -> [Int] {
    let limit = options.minSuppressionThreshold ?? StoredReplay.noSuppression
    let minScore = Float(options.minFaceDetectionConfidence)
    let minPresence = Float(options.minFacePresenceConfidence)
    var isKept = Array(repeating: false, count: scores.count)
    for face in ranked {
      isKept[face] =
        (scores[face].map { $0 >= minScore } ?? true)
        && (presences[face].map { $0 >= minPresence } ?? true)
        && !overlaps[face].contains { isKept[$0.face] && $0.iou > limit }
    }
    return isKept.indices.filter { isKept[$0] }
  }
}
