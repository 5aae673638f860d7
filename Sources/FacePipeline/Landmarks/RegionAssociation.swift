package import FaceCore

/// Joins the regions that the last frame's landmarks led to with those of this frame's detector.
package enum RegionAssociation {
  /// The regions to look at, at most `numFaces`: tracked ones first, then what the detector found.
  ///
  /// Each region in turn removes all earlier ones that it overlaps by more than `overlap` (intersection over union of
  /// the unturned rectangles) and goes to the end. So the detector wins over tracking, and tracked regions that drift
  /// onto one face eliminate each other.
  package static func merge<Candidate>(
    tracked: [Candidate], detected: [Candidate], overlap: Double, limit numFaces: Int,
    region: (Candidate) -> NormalizedRect
  ) -> [Candidate] {
    let threshold = Float(overlap)
    var kept: [Candidate] = []
    for candidate in tracked + detected {
      let rect = region(candidate)
      kept.removeAll { rect.overlap(with: region($0)) > threshold }
      kept.append(candidate)
    }
    return Array(kept.prefix(max(0, numFaces)))
  }
}
