internal import FaceCore

/// Whether boxes have an area and lie in their pictures.
struct BoxCheck: DatasetCheck {
  private var empty: ChecklistLine
  private var outside: ChecklistLine
  private var partly: ChecklistLine
  var lines: [ChecklistLine] { [empty, outside, partly] }

  init() {
    let faces = "faces in frames with a picture"
    empty = ChecklistLine(
      "boxes-area", .warning, holds: "boxes have an area", what: "box without area", of: faces)
    outside = ChecklistLine(
      "boxes-inside", .error, holds: "boxes of faces that count are seen in their pictures",
      what: "box that is entirely outside its picture and not ignored",
      of: "faces that count in frames with a picture")
    partly = ChecklistLine(
      "boxes-whole", .note, holds: "boxes lie inside their pictures",
      what: "box that is partly outside its picture", of: faces)
  }

  mutating func look(at checked: CheckedFrame) {
    let size = checked.frame.size
    guard !checked.frame.hasNoPicture else { return }
    let (width, height) = (Double(size.width), Double(size.height))
    for (index, face) in checked.faces.enumerated() {
      let box = face.box
      empty.look()
      partly.look()
      if !face.isIgnored { outside.look() }
      if box.area == 0 { empty.note("\(checked.place), face \(index)") }
      if box.x >= width || box.y >= height || box.maxX <= 0 || box.maxY <= 0 {
        guard !face.isIgnored, box.area > 0 else { continue }
        outside.note(
          "\(checked.place), face \(index): \(Self.text(box)) of \(size.width)x\(size.height)")
      } else if box.x < -0.5 || box.y < -0.5 || box.maxX > width + 0.5 || box.maxY > height + 0.5 {
        partly.note(
          "\(checked.place), face \(index): \(Self.text(box)) of \(size.width)x\(size.height)")
      }
    }
  }

  private static func text(_ box: BoundingBox) -> String {
    "\(ExactText.of(box.x)),\(ExactText.of(box.y)) \(ExactText.of(box.width))x\(ExactText.of(box.height))"
  }
}
