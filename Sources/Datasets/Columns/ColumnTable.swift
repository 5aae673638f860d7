internal import Foundation
internal import Platform

/// A table of text whose columns have names, or numbers from 1 where the first row is no header.
struct ColumnTable {
  /// The names of the columns.
  let columns: NamedColumns
  private(set) var file: DelimitedText

  private static let limit = 256 << 20
  private static let separators: [Character] = ["\t", ";", ","]

  /// Opens a file; the separator is that which a first line of its own states, or its first line has most of, else the
  /// spaces between three words or more.
  ///
  /// Throws `.wrongData` for text that is not UTF-8.
  init(_ source: URL, hasHeader: Bool) throws(FileError) {
    let bytes = try SourceFiles.bytes(of: source, limit: Self.limit)
    try TextEncoding.requireUTF8(bytes, name: source.relativePath)
    let line = bytes[ByteOrderMark.byteCount(in: bytes)...].prefix { $0 != 0x0A && $0 != 0x0D }
    let text = String(decoding: line, as: UTF8.self)
    let stated = Self.statedSeparator(text)
    file = DelimitedText(
      bytes, name: source.relativePath, separator: stated ?? Self.separator(in: text))
    if stated != nil { _ = try file.next() }
    guard !hasHeader else {
      columns = try NamedColumns(&file)
      return
    }
    var first = file
    let count = try first.next()?.count ?? 0
    columns = NamedColumns(names: (1..<count + 1).map { "\($0)" })
  }

  /// The separator that a first line such as `sep=;` states, as Excel reads and writes it; nil for another line.
  private static func statedSeparator(_ line: some StringProtocol) -> Character? {
    guard line.count == 5, line.lowercased().hasPrefix("sep="), let mark = line.last, mark.isASCII
    else { return nil }
    return mark
  }

  /// The character that separates the fields of a line.
  static func separator(in line: some StringProtocol) -> Character {
    var isQuoted = false
    var counts = [Int](repeating: 0, count: separators.count)
    for character in line {
      if character == "\"" { isQuoted.toggle() }
      if !isQuoted, let index = separators.firstIndex(of: character) { counts[index] += 1 }
    }
    let most = counts.max() ?? 0
    guard most == 0 else { return separators[counts.firstIndex(of: most) ?? 2] }
    return line.split(separator: " ").count > 2 ? " " : ","
  }

  /// The fields of the first line of a file; empty where it is no text.
  static func head(of source: URL) -> [String] {
    guard let head = SourceFiles.head(of: source), !head.utf8.contains(0) else { return [] }
    var line = head.prefix { !$0.isNewline }
    let stated = statedSeparator(line)
    if stated != nil { line = head[line.endIndex...].dropFirst().prefix { !$0.isNewline } }
    var file = DelimitedText(Array(line.utf8), name: "", separator: stated ?? separator(in: line))
    return ((try? file.next()) ?? []).map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The next row; nil at the end.
  mutating func next() throws(FileError) -> [String]? { try columns.next(&file) }

  /// The text of a field; nil for none, for what stands for none, and without a column.
  func text(_ column: String?, in row: [String]) -> String? {
    column.flatMap { columns.text($0, in: row) }
  }

  /// The number of a field; nil for none, for what stands for none, and without a column.
  func number(_ column: String?, in row: [String]) throws(FileError) -> Double? {
    guard let column else { return nil }
    return try columns.number(column, in: row, of: file)
  }

  /// The number of a field that tells a state, where true is 1 and false 0; nil for none and without a column.
  func state(_ column: String?, in row: [String]) throws(FileError) -> Double? {
    switch text(column, in: row)?.lowercased() {
    case "true", "yes": 1
    case "false", "no": 0
    default: try number(column, in: row)
    }
  }

  /// An error about the row that was read last.
  func wrong(_ expected: String, found: some StringProtocol) -> FileError {
    file.wrong(expected, found: found)
  }
}
