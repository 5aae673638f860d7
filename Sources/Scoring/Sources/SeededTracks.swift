internal import FaceCore
internal import FacePipeline
internal import Imaging
internal import Metrics
internal import ObjectTracking

/// The faces that correlation trackers follow through one sequence, each from its first label on.
struct SeededTracks {
  private var tracks: [(identity: Int?, tracker: CorrelationTracker)] = []
  /// Whether faces without identity were begun with; only their first frame tells them apart.
  private var hasNameless = false
  /// Most faces that are followed.
  let limit: Int
  /// Least confidence of a face that is given out, in [0, 1].
  let floor: Double

  /// Whether a face is followed.
  var isEmpty: Bool { tracks.isEmpty }

  init(limit: Int, floor: Double) {
    self.limit = limit
    self.floor = floor
  }

  /// Looks for the faces in the next image, then begins with those that are labelled for the first time.
  ///
  /// Of a face that begins here the box is the label's and the confidence 1.
  mutating func follow(
    into image: PixelBuffer, labels: [FaceLabel]
  ) -> (given: [FacePrediction], rejected: [FacePrediction], seeds: Int) {
    var faces = tracks.indices.map { index in
      let sight = tracks[index].tracker.follow(into: image)
      return face(index, sight.box, confidence: sight.confidence)
    }
    let (known, followed) = (hasNameless, tracks.count)
    for label in labels where label.category == 1 && !label.isIgnored && !label.isCrowd {
      let isKnown = label.identity.map { own in tracks.contains { $0.identity == own } } ?? known
      let box = label.matchingBox(hasInner: false)
      guard !isKnown, tracks.count < limit,
        let tracker = CorrelationTracker(following: box, in: image)
      else { continue }
      if label.identity == nil { hasNameless = true }
      tracks.append((label.identity, tracker))
      faces.append(face(tracks.count - 1, box, confidence: 1))
    }
    let minPresence = floor
    let isGiven = { (face: FacePrediction) in Double(face.presence ?? 0) >= minPresence }
    return (faces.filter(isGiven), faces.filter { !isGiven($0) }, tracks.count - followed)
  }

  private func face(_ index: Int, _ box: BoundingBox, confidence: Double) -> FacePrediction {
    FacePrediction(
      region: nil, isTracked: true, detectionScore: nil, presence: Float(confidence), scheme: nil,
      points: [], ownBox: box, identity: index)
  }
}
