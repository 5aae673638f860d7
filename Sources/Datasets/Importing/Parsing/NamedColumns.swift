internal import FaceCore
internal import Foundation
internal import Platform

/// The columns of a text table by name; spaces around names are ignored.
struct NamedColumns {
  /// The names in the order of the columns.
  let names: [String]
  private let positions: [String: Int]

  /// Reads the header, of which columns without a name are left out; throws `.wrongData` if it is missing or has a
  /// name twice.
  init(_ file: inout DelimitedText) throws(FileError) {
    guard let fields = try file.header() else {
      throw FileError.wrongData("cannot read \(file.name): expected a header, found an empty file")
    }
    names = fields.map { $0.trimmingCharacters(in: .whitespaces) }
    var positions: [String: Int] = [:]
    for (position, name) in names.enumerated() {
      guard positions.updateValue(position, forKey: name) == nil else {
        throw file.wrong("every column once", found: name)
      }
    }
    self.positions = positions
  }

  /// Columns of those names, which differ, of a text without a header.
  init(names: [String]) {
    self.names = names
    positions = Dictionary(
      names.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
  }

  /// Whether the first line of a text has a column of each of the names.
  static func head(of source: URL, has wanted: Set<String>) -> Bool {
    wanted.isSubset(of: head(of: source))
  }

  /// The names in the first line of a text, without columns that have none.
  static func head(of source: URL) -> [String] {
    guard let head = SourceFiles.head(of: source) else { return [] }
    var file = DelimitedText(Array(head.utf8), name: "")
    return ((try? file.header()) ?? []).map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// Whether the table has a column of that name.
  func has(_ name: String) -> Bool { positions[name] != nil }

  /// The columns whose name has a prefix and then a number.
  func numbered(_ prefix: String) -> [String] {
    names.filter { name in
      name.hasPrefix(prefix) && name.count > prefix.count
        && name.dropFirst(prefix.count).allSatisfy(\.isWholeNumber)
    }
  }

  /// Throws if the header lacks one of the names.
  func require(_ wanted: [String], in file: DelimitedText) throws(FileError) {
    if let missing = wanted.first(where: { !has($0) }) {
      let others = [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")]
      if names.count == 1, let other = others.first(where: { names[0].contains($0.0) }) {
        throw file.wrong(
          "commas between columns, not \(other.1) (write the table with commas and decimal points)",
          found: names[0])
      }
      throw file.wrong("a column '\(missing)'", found: names.prefix(4).joined(separator: ","))
    }
  }

  /// The next row, which must have as many fields as the header; nil at the end.
  func next(_ file: inout DelimitedText) throws(FileError) -> [String]? {
    guard let fields = try file.next() else { return nil }
    guard fields.count == names.count else {
      throw file.wrong("\(names.count) fields", found: "\(fields.count)")
    }
    return fields.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The text of a column in a row; nil if the column is missing or the field empty.
  func text(_ name: String, in row: [String]) -> String? {
    guard let position = positions[name], !row[position].isEmpty else { return nil }
    return row[position]
  }

  /// The number of a column in a row; nil if the column is missing or the field is empty or stands for
  /// no number.
  func number(
    _ name: String, in row: [String], of file: DelimitedText
  ) throws(FileError) -> Double? {
    guard let text = text(name, in: row), !DelimitedText.isNoNumber(text) else { return nil }
    return try file.number(text, in: name)
  }

  /// A whole number of 0 to 2^31 - 1 in a row; nil if the column is missing or the field empty.
  func count(
    _ name: String, in row: [String], of file: DelimitedText
  ) throws(FileError) -> Int? {
    guard let value = try number(name, in: row, of: file) else { return nil }
    guard let whole = Int(exactly: value), (0...Int(Int32.max)).contains(whole) else {
      throw file.wrong("a whole number in \(name)", found: "\(value)")
    }
    return whole
  }

  /// Points from the columns `x_0`, `y_0` … of a prefix; nil if any is not a number.
  func points(
    _ scheme: LandmarkScheme, prefix: String = "", in row: [String], of file: DelimitedText
  ) throws(FileError) -> Landmarks? {
    var points: [Point] = []
    for index in 0..<scheme.count {
      guard let x = try number("\(prefix)x_\(index)", in: row, of: file),
        let y = try number("\(prefix)y_\(index)", in: row, of: file)
      else { return nil }
      points.append(Point(x: x, y: y))
    }
    return Landmarks(scheme: scheme, points: points)
  }
}
