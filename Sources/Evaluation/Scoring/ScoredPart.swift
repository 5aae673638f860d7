internal import Metrics

/// All of a dataset, or one slice, before its accumulators are made, so that not all slices have theirs at once.
struct ScoredPart: Sendable {
  /// The name of the slice; nil for the whole dataset.
  let slice: String?
  /// Those of the whole dataset, or of the slice's labelled faces.
  private let scores: FamilyScores
  /// The frames of a slice of frames.
  private var frames: FrameRuns?
  /// What is kept in place of those that are of whole videos.
  private var condensed: FamilyScores?
  /// What stands for the run, where the slice reports it too.
  private var headlines: Set<String>?

  /// The whole dataset.
  init(_ scores: FamilyScores) {
    slice = nil
    self.scores = scores
  }

  /// A slice of labelled faces.
  init(ofFaces slice: String, _ scores: FamilyScores) {
    self.slice = slice
    self.scores = scores
  }

  /// A slice of the frames of the whole.
  init(
    of frames: FrameRuns, _ slice: String, of whole: FamilyScores, condensed: FamilyScores?,
    headlines: Set<String>?
  ) {
    self.slice = slice
    scores = whole
    self.frames = frames
    self.condensed = condensed
    self.headlines = headlines
  }

  /// Makes the accumulators.
  func made() throws -> SliceScores {
    guard let slice else { return SliceScores(scores) }
    guard let frames else { return SliceScores(scores, slice: slice, isOfFaces: true) }
    return SliceScores(
      try scores.slice(of: frames, withHeadlines: headlines != nil, condensed: condensed),
      slice: slice, isOfFaces: false, others: headlines ?? [])
  }
}
