package import Platform

extension Sweep {
  /// How much was computed, and how much full runs of all settings would compute.
  package struct Cost: Sendable, Hashable, Codable {
    /// How many settings there were.
    package var settings: Int
    /// How many frames a run of one setting has.
    package var frames: Int
    /// How often the detector's model ran.
    package var detectorInferences: Int
    /// How often the landmark model ran.
    package var landmarkInferences: Int
    /// How often the blendshape model ran.
    package var blendshapeInferences: Int
    /// How often any model would have run in full runs of all settings.
    package var inferencesOfFullRuns: Int
    /// How many tracks were followed that differ in where they begin; nil where none were followed.
    @Nullable package var distinctTracks: Int?

    /// Counts what ran.
    package init(
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

    /// How often any model ran.
    package var inferences: Int { detectorInferences + landmarkInferences + blendshapeInferences }
  }
}
