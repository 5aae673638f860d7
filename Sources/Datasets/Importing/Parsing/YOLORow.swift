internal import FaceCore
internal import Platform

/// A row of a YOLO file: class, box, points, score and track.
struct YOLORow {
  /// The face, its category one more than the class.
  var face: FaceLabel
  /// Points in the order of the file; nil for one that is not labelled.
  private(set) var points: [Point?] = []
  /// Their states.
  private(set) var states: [PointVisibility] = []
  /// Whether points have flags.
  private(set) var hasFlags = false
  /// The numbers after the class, as they are in the file; none of an outline.
  let numbers: [Double]
  /// Whether the box is the tight one around an outline.
  private(set) var isOutline = false

  /// Valid numbers of classes.
  static let classes = 0..<100_000

  /// The largest fraction of a box: boxes may reach beyond the image, numbers of pixels are larger.
  private static let largest = 2.0

  /// Three corners or more, and the score after them.
  struct Outline {
    let corners: [Point]
    let score: Double?

    /// Whether they are those of a box that may be turned, in fractions of an image of any shape.
    var isTurnedBox: Bool {
      guard corners.count == 4 else { return false }
      let (x, y) = (corners.map(\.x), corners.map(\.y))
      return abs(x[0] + x[2] - x[1] - x[3]) < 0.01 && abs(y[0] + y[2] - y[1] - y[3]) < 0.01
    }
  }

  /// The outline of a row, in fractions; nil for another row.
  static func outline(_ words: [String]) -> Outline? {
    var numbers = words.dropFirst().map { Double($0) ?? .nan }
    guard numbers.count > 5, numbers.allSatisfy({ abs($0) <= largest }) else { return nil }
    let score = numbers.count.isMultiple(of: 2) ? nil : numbers.popLast()
    let corners = stride(from: 0, to: numbers.count, by: 2).map {
      Point(x: numbers[$0], y: numbers[$0 + 1])
    }
    return Outline(corners: corners, score: score)
  }

  /// Reads a row; throws `.wrongData` for another number of columns, pixels, or a box of negative size.
  init(
    _ words: [String], in file: DelimitedText, scale size: ImageSize, _ columns: YOLOColumns,
    isResult: Bool
  ) throws(FileError) {
    if columns.hasOutlines, let outline = Self.outline(words),
      let tight = BoundingBox(around: outline.corners),
      let category = DelimitedText.wholeNumber(words[0]), Self.classes.contains(category)
    {
      let (width, height) = (Double(size.width), Double(size.height))
      face = FaceLabel(
        box: BoundingBox(
          x: tight.x * width, y: tight.y * height, width: tight.width * width,
          height: tight.height * height), category: category + 1)
      face.score = outline.score
      (isOutline, numbers) = (true, [])
      return
    }
    guard let layout = columns.form.layout(ofColumns: words.count) else {
      throw file.wrong(columns.form.expected, found: "\(words.count) columns")
    }
    guard let category = DelimitedText.wholeNumber(words[0]), Self.classes.contains(category)
    else {
      throw file.wrong("a class of 0 or more", found: words[0])
    }
    let numbers = try file.numbers(words.dropFirst(), from: 2)
    guard numbers.prefix(4).allSatisfy({ abs($0) <= Self.largest }) else {
      throw file.wrong(
        "x, y, width and height in fractions of the image",
        found: words[1...4].joined(separator: " "))
    }
    let (width, height) = (Double(size.width), Double(size.height))
    let box = BoundingBox(
      x: (numbers[0] - numbers[2] / 2) * width, y: (numbers[1] - numbers[3] / 2) * height,
      width: numbers[2] * width, height: numbers[3] * height)
    guard box.isWellFormed else {
      throw file.wrong(
        "a width and height of 0 or more", found: words[3...4].joined(separator: " "))
    }
    self.numbers = numbers
    face = FaceLabel(box: box, category: category + 1)
    var rest = Array(numbers.dropFirst(4))
    for extra in columns.extras(layout.extras).reversed() {
      let value = rest.removeLast()
      switch extra {
      case .score: face.score = value
      case .identity:
        guard let identity = Int(exactly: value), (-1...Int(Int32.max)).contains(identity) else {
          throw file.wrong("a whole number of a track", found: "\(value)")
        }
        face.identity = identity < 0 ? nil : identity
      }
    }
    guard !rest.isEmpty else { return }
    let step = layout.step
    // Results have confidences instead of flags.
    let hasConfidences = step == 3 && !columns.hasFlags && (isResult || face.score != nil)
    hasFlags = step == 3 && !hasConfidences
    for index in 0..<rest.count / step {
      let (x, y) = (rest[index * step], rest[index * step + 1])
      let flag = step == 3 ? rest[index * step + 2] : x < 0 && y < 0 ? 0 : 2
      let state: PointVisibility =
        hasConfidences
        ? .visible : flag <= 0 ? .notLabelled : flag == 1 ? .occluded : .visible
      states.append(state)
      points.append(
        state == .notLabelled
          ? nil
          : Point.unlessMissing(x: x, y: y).map { Point(x: $0.x * width, y: $0.y * height) })
    }
  }
}
