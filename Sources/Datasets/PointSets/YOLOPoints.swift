internal import FaceCore
internal import Foundation
internal import Platform

/// How many points the rows of a YOLO folder have, and their names, as `data.yaml` or the user tells.
struct YOLOPoints {
  /// Names of the points; nil for none.
  private(set) var names: [String]?
  private var count: Int?
  private var dimensions: Int?

  /// Reads `kpt_shape` and `kpt_names`.
  init(_ root: URL, _ options: ImportOptions) throws(FileError) {
    for position in [root, root.appendingPathComponent("labels"), root.deletingLastPathComponent()]
    {
      for file in ["data.yaml", "dataset.yaml"] where names == nil && count == nil {
        let url = position.appendingPathComponent(file)
        guard url.isThere else { continue }
        let text = ByteOrderMark.text(try SourceFiles.bytes(of: url, limit: 1 << 20))
        if let shape = Self.lists("kpt_shape", in: text).first?.compactMap({ Int($0) }),
          let points = shape.first, (1...1000).contains(points)
        {
          count = points
          dimensions = shape.count > 1 && (2...3).contains(shape[1]) ? shape[1] : nil
        }
        names = Self.lists("kpt_names", in: text).first {
          !$0.isEmpty && (count ?? $0.count) == $0.count
        }
        count = count ?? names?.count
      }
    }
    if count == nil { count = options.pointOrder?.places.count }
  }

  /// The lists in the value of a key, in brackets or as lines with dashes.
  private static func lists(_ key: String, in text: String) -> [[String]] {
    let rows = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard let start = rows.firstIndex(where: { $0.hasPrefix("\(key):") }) else { return [] }
    var value = String(rows[start].dropFirst(key.count + 1))
    for row in rows[(start + 1)...] {
      if let first = row.first, !first.isWhitespace, !"-#]}".contains(first) { break }
      value += "\n" + row
    }
    func bare(_ word: some StringProtocol) -> String {
      word.trimmingCharacters(in: CharacterSet(charactersIn: " \t\r\n'\""))
    }
    guard value.contains("[") else {
      var lists: [[String]] = [[]]
      for row in value.split(whereSeparator: \.isNewline) {
        let item = row.trimmingCharacters(in: .whitespaces)
        if item.hasPrefix("- ") {
          lists[lists.count - 1].append(bare(item.dropFirst(2)))
        } else if item.hasSuffix(":"), lists.last?.isEmpty == false {
          lists.append([])
        }
      }
      return lists
    }
    return value.split(separator: "[").dropFirst().map { part in
      part.prefix { $0 != "]" }.split(separator: ",").map { bare($0) }.filter { !$0.isEmpty }
    }
  }

  /// Whether data.yaml or the user tells how many points rows have.
  var isStated: Bool { count != nil }

  /// Valid counts of numbers after a row's box, before a score.
  var numbers: [Int] {
    guard let count else { return [0, 10, 15, 136, 204] }
    return [0] + (dimensions.map { [$0] } ?? [2, 3]).map { $0 * count }
  }

  /// The numbers of a row's points, those of each, and the columns after them.
  struct Layout {
    var numbers: Int
    var step: Int
    var extras: Int
  }

  /// The layout of a number of columns: class, box, points, then a score, a track, both or none; nil for none.
  func layout(ofColumns columns: Int) -> Layout? {
    let fitting = numbers.filter { (0...2).contains(columns - 5 - $0) }
    return fitting.max().map {
      Layout(numbers: $0, step: $0 == 0 ? 0 : step(ofNumbers: $0), extras: columns - 5 - $0)
    }
  }

  /// What a row should have.
  var expected: String {
    let ranges = numbers.map { "\(5 + $0) to \(7 + $0)" }
    let list = ranges.dropLast().joined(separator: ", ")
    let points = count.map { "\($0)" } ?? "5 or 68"
    return "class, x, y, width, height, then \(points) points or none, then a score, a track, both "
      + "or none (\(list) or \(ranges.last ?? "") columns)"
  }

  /// How many numbers a point has, of the numbers of all.
  func step(ofNumbers number: Int) -> Int {
    if let count { return number / count }
    return [10, 136].contains(number) ? 2 : 3
  }
}
