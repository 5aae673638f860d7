internal import FaceCore

/// Checks that images can be read and have the size given in the table.
struct ImageCheck: DatasetCheck {
  private var broken = ChecklistLine(
    "images-readable", .error, holds: "images can be read", what: "broken image", of: "images")
  private var size = ChecklistLine(
    "images-size", .error, holds: "images have the size given in images/size",
    what: "image whose size differs from images/size", of: "images that can be read")
  private var missing = ChecklistLine(
    "images-there", .note, holds: "every frame has an image", what: "frame without an image",
    of: "frames")
  var lines: [ChecklistLine] { [broken, size, missing] }

  mutating func look(at checked: CheckedFrame) {
    missing.look()
    switch checked.image {
    case .none: missing.note(checked.position)
    case .broken(let reason): broken.note("\(checked.position): \(reason)")
    case .sound(let found, _, _):
      broken.look()
      size.look()
      let stored = checked.frame.size
      guard found != stored else { return }
      size.note(
        "\(checked.position): \(found.width)x\(found.height), not \(stored.width)x\(stored.height)")
    }
  }
}

/// Checks that the rows of frames and faces hold valid numbers.
struct TableRowCheck: DatasetCheck {
  private var rows = ChecklistLine(
    "rows-readable", .error,
    holds: "rows of frames and faces hold finite numbers, boxes no negative size",
    what: "frame whose rows cannot be read", of: "frames")
  var lines: [ChecklistLine] { [rows] }

  mutating func look(at checked: CheckedFrame) {
    rows.look()
    if let reason = checked.unreadable { rows.note("\(checked.position): \(reason)") }
  }
}
