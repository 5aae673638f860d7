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

    /// Counts what ran.
    public init(
      settings: Int, frames: Int, detectorInferences: Int, landmarkInferences: Int,
      blendshapeInferences: Int, inferencesOfFullRuns: Int, distinctTracks: Int? = nil
    ) {
      self.settings = settings
      self.frames = frames
      self.detectorInferences = detectorInferences
      self.landmarkInferences = landmarkInferences
      self.blendshapeInferences = blendshapeInferences
      self.inferencesOfFullRuns = inferencesOfFullRuns
      self.distinctTracks = distinctTracks
    }

    /// How often any net ran.
    public var inferences: Int { detectorInferences + landmarkInferences + blendshapeInferences }
  }
}
