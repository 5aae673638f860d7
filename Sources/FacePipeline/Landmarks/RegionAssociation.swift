package import FaceCore

/// Joins the regions that the last frame's landmarks led to with those of this frame's detector.
package enum RegionAssociation {
  /// Selects at most `numFaces` regions to analyse, tracked ones first, then detected ones.
  ///
  /// One after the other, each region removes all earlier ones that it overlaps by more than
  /// `overlap` (intersection over union of the unturned rectangles) and goes to the end. So the
  /// detector wins over tracking, and tracked regions that drift onto one face eliminate each
  /// other.
  package static func merge<Candidate>(
    _ candidates: inout [Candidate], overlap: Double, limit numFaces: Int,
    region: (Candidate) -> NormalizedRect
  ) {
    let threshold = Float(overlap)
    var kept = 0
    for index in candidates.indices {
      let candidate = candidates[index]
      let rect = region(candidate)
      var left = 0
      for position in 0..<kept where !(rect.overlap(with: region(candidates[position])) > threshold)
      {
        candidates[left] = candidates[position]
        left += 1
      }
      candidates[left] = candidate
      kept = left + 1
    }
    candidates.removeLast(candidates.count - min(kept, max(0, numFaces)))
  }
}
