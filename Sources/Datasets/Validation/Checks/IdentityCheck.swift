internal import FaceCore

/// Checks that nobody is in a frame of a video twice, which tools for tracking refuse.
struct IdentityCheck: DatasetCheck {
  private var once = Self.line(of: "frames of videos with two identities")
  var lines: [ChecklistLine] { [once] }

  /// The line, also of predictions.
  static func line(of objects: String) -> ChecklistLine {
    ChecklistLine(
      "identities-once", .warning, holds: "every identity of a frame is one face's",
      what: "frame with one identity for several faces", of: objects)
  }

  mutating func look(at checked: CheckedFrame) {
    guard checked.sequence?.kind == .video else { return }
    once.look(
      at: checked.position,
      identities: checked.faces.filter { !$0.isIgnored && !$0.isCrowd }.map {
        $0.category == 1 ? $0.identity : nil
      })
  }
}

extension ChecklistLine {
  /// Looks at the identities of a frame's faces, nil for one without.
  mutating func look(at position: @autoclosure () -> String, identities: [Int?]) {
    let known = identities.compactMap { $0 }
    guard known.count > 1 else { return }
    look()
    let counts = known.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
    let repeated = counts.filter { $0.value > 1 }.sorted { $0.key < $1.key }
    guard let (identity, count) = repeated.first else { return }
    note("\(position()): identity \(identity) for \(count) faces")
  }
}
