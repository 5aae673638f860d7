internal import FaceCore

/// Counts faces whose identity another face of their frame has.
struct RepeatedIdentities {
  private var (faces, frames) = (0, 0)
  private var first: String?

  /// Counts the faces of a frame; ignored faces, crowds and other objects are left alone.
  mutating func add(_ labels: [FaceLabel], of frame: String) {
    var seen: Set<Int> = []
    var repeated = 0
    for label in labels
    where label.category == FaceCategories.face && !label.isIgnored && !label.isCrowd {
      if let identity = label.identity, !seen.insert(identity).inserted { repeated += 1 }
    }
    guard repeated > 0 else { return }
    if first == nil { first = frame }
    faces += repeated
    frames += 1
  }

  /// The loss, as no metric of tracks is defined for an identity that is in two places; nil without any.
  var remark: ImportRemark? {
    guard let first else { return nil }
    return .dropped(
      "\(faces) faces have an identity that another face of their frame has, in \(frames) frames, the "
        + "first is '\(first)': metrics of tracks need each once")
  }
}
