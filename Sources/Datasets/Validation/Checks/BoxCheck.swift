internal import FaceCore

/// Checks that boxes have an area, lie in their images and stand in them once.
struct BoxCheck: DatasetCheck {
  private static let faces = "faces in frames with an image"

  private var empty = ChecklistLine(
    "boxes-area", .warning, holds: "boxes have an area", what: "box of less than a pixel",
    of: Self.faces)
  private var outside = ChecklistLine(
    "boxes-inside", .error, holds: "boxes of faces that count overlap their images",
    what: "box that is entirely outside its image and not ignored",
    of: "faces that count in frames with an image")
  private var partly = ChecklistLine(
    "boxes-whole", .note, holds: "boxes lie inside their images",
    what: "box that is partly outside its image", of: Self.faces)
  private var repeated = ChecklistLine(
    "boxes-once", .warning, holds: "faces of a frame that count have boxes of their own",
    what: "box that another face of its frame has too, number by number", of: "faces that count")
  var lines: [ChecklistLine] { [empty, outside, partly, repeated] }

  mutating func look(at checked: CheckedFrame) {
    lookForRepeats(checked)
    let size = checked.frame.size
    guard !checked.frame.hasNoImage else { return }
    let (width, height) = (Double(size.width), Double(size.height))
    for (index, face) in checked.faces.enumerated() {
      let box = face.box
      empty.look()
      partly.look()
      if !face.isIgnored { outside.look() }
      // Fractions of the image's sides are taken as such boxes.
      if box.area < 1 { empty.note("\(checked.position), face \(index)") }
      if box.x >= width || box.y >= height || box.maxX <= 0 || box.maxY <= 0 {
        guard !face.isIgnored, box.area > 0 else { continue }
        outside.note(
          "\(checked.position), face \(index): \(Self.text(box)) of \(size.width)x\(size.height)")
      } else if !face.isCrowd,
        box.x < -0.5 || box.y < -0.5 || box.maxX > width + 0.5 || box.maxY > height + 0.5
      {
        partly.note(
          "\(checked.position), face \(index): \(Self.text(box)) of \(size.width)x\(size.height)")
      }
    }
  }

  /// A file that was read twice has each face twice.
  private mutating func lookForRepeats(_ checked: CheckedFrame) {
    var seen: [Int: Set<BoundingBox>] = [:]
    for (index, face) in checked.faces.enumerated()
    where !face.isIgnored && !face.isCrowd && face.box.area > 0 {
      repeated.look()
      guard !seen[face.category, default: []].insert(face.box).inserted else { continue }
      repeated.note("\(checked.position), face \(index): \(Self.text(face.box))")
    }
  }

  private static func text(_ box: BoundingBox) -> String {
    "\(ExactText.of(box.x)),\(ExactText.of(box.y)) \(ExactText.of(box.width))x\(ExactText.of(box.height))"
  }
}
