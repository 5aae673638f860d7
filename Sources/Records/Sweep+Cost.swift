extension Sweep {
  /// How much was computed, beside what a full run of each setting would have been.
  public struct Cost: Sendable, Hashable, Codable {
    /// How many settings there were.
    public var settings: Int
    /// How many frames a run of one setting has.
    public var frames: Int
    /// How often the detector's net ran.
    public var detectorInferences: Int
    /// How often the landmark net ran.
    public var landmarkInferences: Int
    /// How often the blendshape net ran.
    public var blendshapeInferences: Int
    /// How often any net would have run in full runs of all settings.
    public var inferencesOfFullRuns: Int
    /// How many tracks were followed that differ in where they begin; nil where none were followed.
    @Nullable public var distinctTracks: Int?
    /// What joining tracks did; nil where the sweep was exact.
    @Nullable public var joining: Joining?

    /// Counts what ran.
    public init(
      settings: Int, frames: Int, detectorInferences: Int, landmarkInferences: Int,
      blendshapeInferences: Int, inferencesOfFullRuns: Int, distinctTracks: Int? = nil,
      joining: Joining? = nil
    ) {
      self.settings = settings
      self.frames = frames
      self.detectorInferences = detectorInferences
      self.landmarkInferences = landmarkInferences
      self.blendshapeInferences = blendshapeInferences
      self.inferencesOfFullRuns = inferencesOfFullRuns
      self.distinctTracks = distinctTracks
      self.joining = joining
    }

    /// How often any net ran.
    public var inferences: Int { detectorInferences + landmarkInferences + blendshapeInferences }
  }

  /// How tracks were taken for each other, and the error that this caused; all in shares of the ROI's width.
  public struct Joining: Sendable, Hashable, Codable {
    /// How far two ROIs may lie apart.
    public var tolerance: Double
    /// How many tracks went on as another.
    public var joins: Int
    /// In how many frames the error was measured.
    public var measuredFrames: Int
    /// The mean distance of a point from where the exact track has it; nil where none was measured.
    @Nullable public var meanError: Double?
    /// The largest such distance; nil where none was measured.
    @Nullable public var largestError: Double?

    /// Says what joining did.
    public init(
      tolerance: Double, joins: Int, measuredFrames: Int, meanError: Double?,
      largestError: Double?
    ) {
      self.tolerance = tolerance
      self.joins = joins
      self.measuredFrames = measuredFrames
      self.meanError = meanError
      self.largestError = largestError
    }
  }
}
