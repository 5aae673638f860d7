internal import FaceCore
internal import Foundation
internal import Platform

extension MappingDraft {
  private static let boxWords = [
    "bbox", "bboxes", "boxes", "box", "rect", "rects", "bb", "roi", "face_rect",
  ]

  /// Boxes of four numbers in an array, or in an array each.
  mutating func addBoxes() {
    addCenterAndScale()
    for index in ranked(by: Self.boxWords) {
      let array = arrays[index]
      guard array.isNumbers, isOfFaces(array), array.leaf.attribute == nil else { continue }
      let cell = cell(array)
      guard cell.last == 4, cell.count == 1 || cell.count == 2 && imageGuess?.isSingle ?? false,
        !array.words.contain("quat", "quaternion", "pose", "rotation", "param")
      else { continue }
      guard
        let guess = BoxGuess(
          rows(array, width: 4), named: array.words, width: imageGuess?.width,
          height: imageGuess?.height, points: pointRows, arePointsRelative: arePointsRelative)
      else { continue }
      guard !hasBox else {
        roles[index] = "boxes, not used"
        doubt(index, ["boxes too, left out"])
        continue
      }
      addBox(guess.form, .text(path(index)), isRelative: guess.isRelative)
      roles[index] = "boxes, \(guess.form)" + (guess.isRelative ? ", relative" : "")
      doubt(index, guess.doubts)
    }
    if !hasBox { addBoxOfColumns() }
  }

  private mutating func addBox(_ form: String, _ path: DraftValue, isRelative: Bool) {
    hasBox = true
    var entry: [DraftValue.Member] = [.init("form", .text(form)), .init("path", path)]
    if isRelative { entry.append(.init("space", "relative")) }
    faces.insert(.init("box", .object(entry)), at: 0)
  }

  /// Boxes whose four numbers stand in arrays of their own, such as x, y, w and h of a table.
  private mutating func addBoxOfColumns() {
    let columns = free.filter {
      arrays[$0].isNumbers && isOfFaces(arrays[$0]) && isScalar(arrays[$0])
    }
    func named(_ words: [String]) -> Int? {
      columns.first { index in
        let last = path(index).split { "/@:".contains($0) }.last ?? ""
        let name = last.lowercased().filter { $0.isLetter || $0.isNumber }
        return words.contains { ColumnWords.means(name, $0) }
      }
    }
    let sides = [ColumnWords.width, ColumnWords.height]
    let plans: [(form: String, words: [[String]])] =
      ColumnWords.corners.map { (form: "xyxy", words: $0) } + [
        ("xywh", [ColumnWords.left, ColumnWords.top] + sides),
        ("cxcywh", [ColumnWords.centerX, ColumnWords.centerY] + sides),
      ]
    for plan in plans {
      let found = plan.words.compactMap(named)
      guard found.count == 4, Set(found).count == 4 else { continue }
      let numbers = found.map { rows(arrays[$0], width: 1).compactMap(\.first) }
      guard let count = numbers.map(\.count).min(), count > 0 else { continue }
      let sample = (0..<count).map { row in numbers.map { $0[row] } }
      guard
        let guess = BoxGuess(
          sample, named: ArrayWords(plan.form), width: imageGuess?.width,
          height: imageGuess?.height, points: pointRows, arePointsRelative: arePointsRelative)
      else { continue }
      let paths = DraftValue.list(found.map { .text(path($0)) })
      addBox(plan.form, paths, isRelative: guess.isRelative)
      for index in found { roles[index] = "boxes, \(plan.form)" }
      doubt(found[0], ["\(plan.form) of four arrays, by their names"])
      return
    }
  }

  /// The box of each face where no array was taken for boxes: none where one may hold them that a mapping cannot name.
  mutating func addBoxOfNoArray() {
    guard !hasBox else { return }
    let mayHold = arrays.indices.filter(mayHoldBoxes)
    let unread = mayHold.map(path)
    let isPadded = mayHold.contains { arrays[$0].shape.count == 3 && isOfImages(arrays[$0]) }
    let form = pointRows.isEmpty ? "image" : "points"
    let taken =
      pointRows.isEmpty
      ? "each image is taken as the box of its face" : "the tight boxes of the points are taken"
    guard unread.isEmpty else {
      let names = unread.prefix(4).joined(separator: ", ")
      guard pointRows.isEmpty else {
        faces.insert(.init("box", ["form": .text(form)]), at: 0)
        remarks.append("\(names): not read as boxes, \(taken)")
        return
      }
      remarks.append(
        "no \"box\": \(names) may hold boxes that a mapping cannot name. Write an array with a row of four numbers for each "
          + "face, and one with the number of its image (\"image\"); where each image is one face, \"box\": {\"form\": \"image\"}"
          + (isPadded
            ? "; \"padded\": true with a \"box\" reads arrays [N, M, 4] of M places in each image"
            : "")
      )
      return
    }
    faces.insert(.init("box", ["form": .text(form)]), at: 0)
    remarks.append("no array holds boxes: \(taken)")
  }

  /// Whether an array that is not used may hold boxes, by its name or as several rows of four numbers for each image.
  private func mayHoldBoxes(_ index: Int) -> Bool {
    let array = arrays[index]
    let isUnused =
      roles[index].map { $0 == "attribute" || $0.hasSuffix("points, not used") } ?? true
    guard isUnused, !array.isTexts, array.pattern.variables == imageVariables,
      !array.words.contain(
        "num", "count", "score", "scores", "conf", "first", "last", "idx", "index", "id", "ids",
        "offsets", "quat", "quaternion", "pose", "rotation", "param")
    else { return false }
    let width = array.shape.last.flatMap { $0 } ?? 4
    if Self.boxWords.contains(where: { array.words.contain($0) }) {
      let isOfOne = imageGuess?.isSingle ?? false || array.leaf.attribute != nil
      return array.type.hasPrefix("variable-length")
        || (4...6).contains(width) && (array.shape.count > 1 || isOfOne)
    }
    return array.isNumbers && array.shape.count == 3 && width == 4 && isOfImages(array)
  }

  /// Squares around centers, as MPII has them.
  private mutating func addCenterAndScale() {
    let faces = free.filter { arrays[$0].isNumbers && isOfFaces(arrays[$0]) }
    guard
      let center = faces.first(where: {
        cell(arrays[$0]) == [2] && arrays[$0].words.contain("center")
      }),
      let scale = faces.first(where: { isScalar(arrays[$0]) && arrays[$0].words.contain("scale") })
    else { return }
    hasBox = true
    let box: DraftValue = [
      "form": "center-scale", "center": .text(path(center)), "scale": .text(path(scale)),
    ]
    self.faces.insert(.init("box", box), at: 0)
    roles[center] = "centers of boxes"
    roles[scale] = "scales of boxes"
    doubt(scale, ["boxes are squares of 200 pixels a unit, as MPII's"])
  }
}
