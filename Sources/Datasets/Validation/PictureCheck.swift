internal import FaceCore

/// Whether pictures can be read and are as large as the table says.
struct PictureCheck: DatasetCheck {
  private var broken: ChecklistLine
  private var size: ChecklistLine
  private var missing = ChecklistLine(
    "pictures-there", .note, holds: "every frame has a picture", what: "frame without a picture",
    of: "frames")
  var lines: [ChecklistLine] { [broken, size, missing] }

  init() {
    broken = ChecklistLine(
      "pictures-readable", .error, holds: "pictures can be read", what: "broken picture",
      of: "pictures")
    size = ChecklistLine(
      "pictures-size", .error, holds: "pictures have the size that images/size says",
      what: "picture of another size than images/size says", of: "pictures that can be read")
  }

  mutating func look(at checked: CheckedFrame) {
    missing.look()
    switch checked.picture {
    case .none: missing.note(checked.place)
    case .broken(let reason): broken.note("\(checked.place): \(reason)")
    case .sound(let found, _, _):
      broken.look()
      size.look()
      let said = checked.frame.size
      guard found != said else { return }
      size.note(
        "\(checked.place): \(found.width)x\(found.height), not \(said.width)x\(said.height)")
    }
  }
}

/// Whether the rows of frames and faces hold numbers that can be used.
struct TableRowCheck: DatasetCheck {
  private var rows = ChecklistLine(
    "rows-readable", .error,
    holds: "rows of frames and faces hold finite numbers, boxes no negative size",
    what: "frame whose rows cannot be read", of: "frames")
  var lines: [ChecklistLine] { [rows] }

  mutating func look(at checked: CheckedFrame) {
    rows.look()
    if let reason = checked.unreadable { rows.note("\(checked.place): \(reason)") }
  }
}
