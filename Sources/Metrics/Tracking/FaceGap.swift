/// A stretch of frames in which a face that should be there is not given out.
struct FaceGap: Sendable, Hashable {
  /// A frame in which the face is given out or not.
  struct Sighting: Sendable, Hashable {
    var frame: Int
    /// Within the sequence, in microseconds.
    var time: Int64
    var isFound: Bool
  }

  /// The first frame without the face.
  let lost: Sighting
  /// The next frame with the face; nil where it does not come back.
  let reacquired: Sighting?
  /// How many frames are without the face.
  let frames: Int
  /// From the first frame without the face to the next with it, or else to the last without it.
  let microseconds: Int64

  /// The gaps among frames in their order; `afterFirst` leaves out one before the face was ever there.
  static func all(in sightings: [Sighting], afterFirst: Bool) -> [FaceGap] {
    var gaps: [FaceGap] = []
    var start: Int?
    var isOpen = !afterFirst
    for (index, sighting) in sightings.enumerated() {
      if sighting.isFound {
        if let first = start { gaps.append(FaceGap(sightings[first..<index], next: sighting)) }
        start = nil
        isOpen = true
      } else if isOpen, start == nil {
        start = index
      }
    }
    if let first = start { gaps.append(FaceGap(sightings[first...], next: nil)) }
    return gaps
  }

  private init(_ missing: ArraySlice<Sighting>, next: Sighting?) {
    lost = missing[missing.startIndex]
    reacquired = next
    frames = missing.count
    microseconds = (next ?? missing[missing.endIndex - 1]).time - lost.time
  }
}
