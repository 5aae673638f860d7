internal import FaceCore
internal import Foundation
internal import Platform

/// The first rows of a table by column, to guess from.
struct ColumnSample {
  /// How many rows are looked at.
  static let limit = 2000

  /// Names of the columns, or their numbers.
  let names: [String]
  /// Whether the first row has names.
  let hasHeader: Bool
  private let texts: [String: [String]]

  init(_ source: URL) throws(FileError) {
    let head = ColumnTable.head(of: source)
    hasHeader = !head.contains { Double($0) != nil }
    var table = try ColumnTable(source, hasHeader: hasHeader)
    names = table.columns.names
    var texts: [String: [String]] = [:]
    for _ in 0..<Self.limit {
      guard let row = try table.next() else { break }
      for (name, text) in zip(names, row) where !text.isEmpty {
        texts[name, default: []].append(text)
      }
    }
    self.texts = texts
  }

  /// The texts of a column that are not empty.
  func values(of column: String) -> [String] { texts[column] ?? [] }

  func numbers(of column: String) -> [Double] {
    values(of: column).compactMap { Double($0).flatMap { $0.isFinite ? $0 : nil } }
  }

  /// The part of a column's texts with a property; 0 for none.
  func share(of column: String, where holds: (String) -> Bool) -> Double {
    let all = values(of: column)
    return all.isEmpty ? 0 : Double(all.count(where: holds)) / Double(all.count)
  }

  /// The column of the names of coefficients, where a face has a row for each; nil for none.
  var namesOfCoefficients: String? {
    names.first { share(of: $0) { Blendshape(spelled: $0) != nil } > 0.8 }
  }

  /// The column of times by its name, of numbers or not; nil for none.
  var time: String? {
    names.first { name in ColumnWords.time.contains { ColumnWords.means(name, $0) } }
  }

  /// Whether a column has numbers, and nothing else but what stands for none.
  func isNumeric(_ column: String) -> Bool {
    let all = values(of: column)
    return all.contains { Double($0)?.isFinite == true }
      && all.allSatisfy { Double($0) != nil || DelimitedText.isNoNumber($0) }
  }

  /// Whether a column has numbers with a decimal comma, which no format reads.
  func hasDecimalCommas(_ column: String) -> Bool {
    values(of: column).contains { DelimitedText.hasDecimalComma($0) }
  }

  /// Whether no text of a column comes twice.
  func isUnique(_ column: String) -> Bool {
    let all = values(of: column)
    return all.count > 1 && Set(all).count == all.count
  }

  /// Whether a column counts its rows.
  func isCount(_ column: String) -> Bool {
    let all = numbers(of: column)
    return all.count > 2 && zip(all, all.dropFirst()).allSatisfy { $1 == $0 + 1 }
  }

  /// Whether four columns of two numbered points have a third next to them, as a series of points has.
  func hasSeries(_ columns: [String]) -> Bool {
    guard let last = columns.last, let digit = last.lastIndex(where: \.isNumber),
      let number = Int(String(last[digit]))
    else { return false }
    return [number + 1, number - 2].contains {
      names.contains(last[..<digit] + "\($0)" + last[last.index(after: digit)...])
    }
  }

  /// The unit of times whose usual step is one of 1 to 1000 frames per second.
  func timeUnit(of column: String) -> String {
    let all = Set(numbers(of: column)).sorted()
    let steps = zip(all, all.dropFirst()).map { $1 - $0 }.sorted()
    guard !steps.isEmpty else { return "s" }
    let step = steps[steps.count / 2]
    return step <= 1 ? "s" : step <= 1000 ? "ms" : step <= 1_000_000 ? "us" : "ns"
  }

  /// Whether a text is four numbers, such as `[1, 2, 3, 4]`.
  static func isFour(_ text: String) -> Bool { numbers(text).count == 4 }

  /// The numbers in a text.
  static func numbers(_ text: String) -> [Double] {
    text.split { !($0.isASCII && ($0.isNumber || "+-.eE".contains($0))) }
      .compactMap { Double($0) }
  }

  /// The last whole number in the name of a file, -1 for none.
  static func lastNumber(_ name: String) -> Double {
    let stem = PathText(name).stem
    let digits = stem.reversed().drop { !$0.isNumber }.prefix { $0.isNumber }.reversed()
    return Double(String(digits)) ?? -1
  }
}

/// Columns of points, whose names differ in an x and a y: `x_0`, `y_0` …, or `left_eye_x`, `left_eye_y` ….
struct PointSeries {
  private let before: String
  private let after: String
  private let isUpper: Bool
  /// How many points there are.
  let count: Int

  /// The series that most columns belong to; nil where that are fewer than three points.
  init?(_ names: [String]) {
    struct Pattern: Hashable {
      var before: String
      var after: String
      var isUpper: Bool
    }
    let known = Set(names)
    var words: [Pattern: [String]] = [:]
    for name in names.prefix(8192) where name.utf8.count < 100 {
      for index in name.indices where name[index] == "x" || name[index] == "X" {
        let isUpper = name[index] == "X"
        let (start, end) = (String(name[..<index]), String(name[name.index(after: index)...]))
        guard known.contains(start + (isUpper ? "Y" : "y") + end) else { continue }
        if !end.isEmpty {
          words[Pattern(before: start, after: ColumnMapping.blank, isUpper: isUpper), default: []]
            .append(end)
        }
        if !start.isEmpty {
          words[Pattern(before: ColumnMapping.blank, after: end, isUpper: isUpper), default: []]
            .append(start)
        }
      }
    }
    func rank(_ entry: (key: Pattern, value: [String])) -> (Int, String) {
      (entry.value.count, entry.key.before + entry.key.after)
    }
    guard let best = words.max(by: { rank($0) < rank($1) }), best.value.count >= 3 else {
      return nil
    }
    let stem = Self.stem(of: best.value)
    let hole = stem.before + ColumnMapping.blank + stem.after
    before = best.key.before.replacing(ColumnMapping.blank, with: hole)
    after = best.key.after.replacing(ColumnMapping.blank, with: hole)
    isUpper = best.key.isUpper
    count = best.value.count
  }

  /// What all words begin and end with, except numbers, where only numbers are left; marks alone otherwise.
  private static func stem(of words: [String]) -> (before: String, after: String) {
    guard let first = words.first else { return ("", "") }
    let before = words.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    let start = String(before.reversed().drop { $0.isNumber }.reversed())
    let rest = words.map { String($0.dropFirst(start.count)) }
    let end = String((rest.first ?? "").reversed().prefix { !$0.isNumber }.reversed())
    let isNumbered = rest.allSatisfy {
      $0.hasSuffix(end) && Int($0.dropLast(end.count)) != nil
    }
    if isNumbered { return (start, end) }
    func marks(_ text: some Sequence<Character>) -> String {
      String(text.prefix { !$0.isLetter && !$0.isNumber })
    }
    let (head, tail) = (marks(first), String(marks(first.reversed()).reversed()))
    return (
      words.allSatisfy { $0.hasPrefix(head) && $0.count > head.count } ? head : "",
      words.allSatisfy { $0.hasSuffix(tail) && $0.count > tail.count } ? tail : ""
    )
  }

  /// The pattern of columns with another word in place of the x.
  func pattern(_ letter: String) -> String {
    before + (isUpper ? letter.uppercased() : letter) + after
  }
}
