internal import FaceCore
internal import Foundation
internal import Platform

/// What the label files of a YOLO folder have in common: the classes in use, and what follows box and points.
///
/// The columns after the points are a confidence, the identity of a track, or both. Which one is told by all rows of
/// the folder, not by each: identities are whole numbers of which some are beyond 1, or of which images have several, none
/// twice. An identity of -1 is no track.
struct YOLOColumns {
  /// The meaning of a column after the points.
  enum Extra {
    case score
    case identity
  }

  /// The classes that rows have.
  private(set) var classes: Set<Int> = []
  /// Whether a flag of a point is larger than any confidence.
  private(set) var hasFlags = false
  /// How many numbers of points rows may have.
  let form: YOLOPoints
  /// How many corners rows have that fit no number of points.
  private var corners: Set<Int> = []
  /// Whether such rows are turned boxes, as far as is known.
  private var areTurnedBoxes = true
  private var single = Column()
  private var pair = (Column(), Column())

  /// The range of a column's numbers.
  private struct Column {
    private var isWhole = true
    private var isRepeated = false
    private var ofFile: Set<Double> = []
    private var files = 0
    private var hasSeveral = false
    private var smallest = Double.infinity
    private var largest = -Double.infinity

    mutating func add(_ value: Double) {
      isWhole = isWhole && value == value.rounded()
      if ofFile.isEmpty { files += 1 }
      if !ofFile.insert(value).inserted, value >= 0 { isRepeated = true }
      if ofFile.count > 1 { hasSeveral = true }
      smallest = min(smallest, value)
      largest = max(largest, value)
    }

    mutating func beginFile() { ofFile = [] }

    var isIdentity: Bool {
      let isOfSeveral = smallest < 1 && !isRepeated && hasSeveral && files > 1
      return isWhole && smallest >= -1 && (largest > 1 || smallest == -1 || isOfSeveral)
    }
  }

  /// Reads all label files of a folder; rows that are wrong are left to the reader of rows.
  init(_ folder: YOLOFolder, _ form: YOLOPoints) throws(FileError) {
    self.form = form
    for labels in folder.pairs.compactMap(\.labels) {
      var file = try DelimitedText(labels, limit: 64 << 20, separator: " ")
      single.beginFile()
      pair.0.beginFile()
      pair.1.beginFile()
      while let words = try file.nextWords() { add(words) }
    }
  }

  private mutating func add(_ words: [String]) {
    guard let number = DelimitedText.wholeNumber(words[0]) else { return }
    if YOLORow.classes.contains(number) { classes.insert(number) }
    guard let layout = form.layout(ofColumns: words.count) else {
      // With a number of points from data.yaml or the user, another one is a mistake.
      guard !form.isStated, let outline = YOLORow.outline(words) else { return }
      corners.insert(outline.corners.count)
      areTurnedBoxes = areTurnedBoxes && outline.isTurnedBox
      return
    }
    let numbers = words.map { Double($0) ?? .nan }
    if layout.step == 3 {
      let flags = stride(from: 7, to: 5 + layout.numbers, by: 3)
      if flags.contains(where: { numbers[$0] > 1 }) { hasFlags = true }
    }
    let extras = Array(numbers.suffix(layout.extras))
    guard extras.allSatisfy(\.isFinite) else { return }
    if extras.count == 1 { single.add(extras[0]) }
    if extras.count == 2 {
      pair.0.add(extras[0])
      pair.1.add(extras[1])
    }
  }

  /// Whether rows with more than a box and a score are outlines: segments, of different numbers of corners, or turned boxes.
  ///
  /// Points of a pose are the same number in all rows.
  var hasOutlines: Bool { corners.count > 1 || corners == [4] && areTurnedBoxes }

  /// The meanings of that many columns after the points, in their order.
  func extras(_ count: Int) -> [Extra] {
    switch count {
    case 0: []
    case 1: single.isIdentity ? [.identity] : [.score]
    default: pair.0.isIdentity && !pair.1.isIdentity ? [.identity, .score] : [.score, .identity]
    }
  }
}
