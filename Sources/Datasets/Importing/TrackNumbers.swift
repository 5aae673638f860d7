internal import FaceCore

/// Gives tracks of later videos other numbers than those of earlier ones, since an identity is of the whole dataset.
struct TrackNumbers {
  /// The numbers in the dataset so far.
  private var taken: Set<Int> = []
  /// The numbers of the current video's tracks by those of its source.
  private var current: [Int: Int] = [:]
  private var next = 0
  private var changed = 0

  /// Renumbers the faces of the next frame.
  mutating func renumber(_ frame: inout ImportedFrame) {
    if frame.begins?.kind == .video { current = [:] }
    for index in frame.faces.indices {
      guard let own = frame.faces[index].identity else { continue }
      if current[own] == nil {
        current[own] = taken.insert(own).inserted ? own : free()
      }
      frame.faces[index].identity = current[own]
    }
  }

  private mutating func free() -> Int {
    changed += 1
    while !taken.insert(next).inserted { next += 1 }
    return next
  }

  /// What was assumed; nil where no number occurs twice.
  var remark: ImportRemark? {
    guard changed > 0 else { return nil }
    return .assumed(
      "tracks of different videos are different people: \(changed) got another number, as an earlier video "
        + "has theirs")
  }
}
