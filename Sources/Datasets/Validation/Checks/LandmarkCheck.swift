internal import FaceCore

/// Checks that labelled points lie near their face's box.
struct LandmarkCheck: DatasetCheck {
  private var far = ChecklistLine(
    "landmarks-near", .warning, holds: "landmarks lie within a diagonal of their box",
    what: "face with a landmark more than a diagonal of its box outside it, or with none in it",
    of: "landmarks of faces with a box and an image")
  var lines: [ChecklistLine] { [far] }

  mutating func look(at checked: CheckedFrame) {
    guard !checked.frame.hasNoImage else { return }
    for (index, face) in checked.faces.enumerated() where face.box.area > 0 {
      let box = face.box
      let limit = box.width * box.width + box.height * box.height
      for set in face.landmarks {
        far.look()
        let stray = set.points.indices.first { point in
          guard set.visibility[point] != .notLabelled else { return false }
          let position = set.points[point]
          let x = max(box.x - position.x, position.x - box.maxX, 0)
          let y = max(box.y - position.y, position.y - box.maxY, 0)
          return x * x + y * y > limit
        }
        guard let stray else {
          let labelled = set.labelled
          guard labelled.count > 1, !labelled.contains(where: { face.box.holds($0) }) else {
            continue
          }
          far.note(
            "\(checked.position), face \(index): none of \(labelled.count) points of \(set.scheme.name)"
          )
          break
        }
        far.note(
          "\(checked.position), face \(index): point \(stray) of \(set.scheme.name) at "
            + "\(ExactText.of(set.points[stray].x)),\(ExactText.of(set.points[stray].y))")
        break
      }
    }
  }
}
