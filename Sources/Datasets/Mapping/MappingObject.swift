internal import Foundation
internal import Platform

/// One object of a mapping's JSON; unknown keys are errors.
struct MappingObject {
  /// Its key path, such as `faces.box`; empty for the root.
  let position: String
  /// Name of the file, for messages.
  let file: String
  private let values: [String: Value]

  /// Reads the root object of a JSON file.
  init(_ bytes: [UInt8], file: String) throws(FileError) {
    guard let json = try? JSONDecoder().decode(Value.self, from: Data(bytes)) else {
      throw FileError(.wrongData, "cannot read \(file): expected JSON, found a syntax error")
    }
    guard case .object(let values) = json else {
      throw FileError(
        .wrongData, "cannot read \(file): expected a JSON object, found another value")
    }
    self.init(values, position: "", file: file)
  }

  private init(_ values: [String: Value], position: String, file: String) {
    self.values = values
    self.position = position
    self.file = file
  }

  /// The keys that are present, in order.
  var keys: [String] { values.keys.sorted() }

  /// Whether a key is present.
  func has(_ key: String) -> Bool { values[key] != nil }

  /// Throws for a key that is not in the list, and suggests the nearest one that is.
  func allowOnly(_ known: [String]) throws(FileError) {
    for key in keys where !known.contains(key) {
      let nearest = known.min { Self.distance($0, key) < Self.distance($1, key) }
      let hint = nearest.map { ", did you mean '\($0)'?" } ?? ""
      throw FileError(
        .wrongData,
        "cannot read \(file): unknown key '\(path(String(key.prefix(60))))'\(hint)")
    }
  }

  /// A nested object.
  func object(_ key: String) throws(FileError) -> MappingObject? {
    guard let value = values[key] else { return nil }
    guard case .object(let object) = value else { throw wrong(key, "an object") }
    return MappingObject(object, position: path(key), file: file)
  }

  /// The objects of a nested array; empty if the key is missing.
  func objects(_ key: String) throws(FileError) -> [MappingObject] {
    guard let value = values[key] else { return [] }
    guard case .list(let array) = value else { throw wrong(key, "an array of objects") }
    var objects: [MappingObject] = []
    for (index, element) in array.enumerated() {
      guard case .object(let object) = element else { throw wrong(key, "an array of objects") }
      objects.append(MappingObject(object, position: "\(path(key))[\(index)]", file: file))
    }
    return objects
  }

  /// A text that is not empty.
  func text(_ key: String) throws(FileError) -> String? {
    guard let value = values[key] else { return nil }
    guard case .text(let text) = value, !text.isEmpty else { throw wrong(key, "a text") }
    return text
  }

  /// Texts in an array.
  func texts(_ key: String) throws(FileError) -> [String]? {
    guard let value = values[key] else { return nil }
    guard case .list(let list) = value, !list.isEmpty else { throw wrong(key, "an array of texts") }
    var texts: [String] = []
    for element in list {
      guard case .text(let text) = element else { throw wrong(key, "an array of texts") }
      texts.append(text)
    }
    return texts
  }

  /// One of the words of an enumeration.
  func word<Word: RawRepresentable & CaseIterable>(
    _ key: String, _: Word.Type
  ) throws(FileError) -> Word? where Word.RawValue == String {
    guard let text = try text(key) else { return nil }
    guard let word = Word(rawValue: text) else {
      let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong(key, "one of \(known)", found: text)
    }
    return word
  }

  /// A number.
  func number(_ key: String) throws(FileError) -> Double? {
    guard let value = values[key] else { return nil }
    guard case .number(let number) = value, number.isFinite else { throw wrong(key, "a number") }
    return number
  }

  /// Numbers in an array of that length.
  func numbers(_ key: String, count: Int) throws(FileError) -> [Double]? {
    guard let value = values[key] else { return nil }
    guard case .list(let list) = value, list.count == count else {
      throw wrong(key, "\(count) numbers")
    }
    var numbers: [Double] = []
    for element in list {
      guard case .number(let number) = element, number.isFinite else {
        throw wrong(key, "\(count) numbers")
      }
      numbers.append(number)
    }
    return numbers
  }

  /// A Boolean.
  func flag(_ key: String) throws(FileError) -> Bool {
    guard let value = values[key] else { return false }
    guard case .flag(let flag) = value else { throw wrong(key, "true or false") }
    return flag
  }

  /// A text, or nil if the key holds another type.
  func plainText(_ key: String) -> String? {
    guard case .text(let text)? = values[key] else { return nil }
    return text
  }

  /// A number, or nil if the key holds another type.
  func plainNumber(_ key: String) -> Double? {
    guard case .number(let number)? = values[key] else { return nil }
    return number
  }

  /// The error of a key that must be there.
  func missing(_ key: String) -> FileError {
    FileError(.wrongData, "cannot read \(file): expected '\(path(key))', found none")
  }

  /// The error of a key's value.
  func wrong(_ key: String, _ expected: String, found: String? = nil) -> FileError {
    FileError(
      .wrongData,
      "cannot read \(file): expected \(expected) in '\(path(key))', found "
        + (found.map { "'\($0.prefix(60))'" } ?? "something else"))
  }

  private func path(_ key: String) -> String { position.isEmpty ? key : "\(position).\(key)" }

  /// Edit distance: letters to insert, delete or change.
  private static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right.lowercased().prefix(60))
    var row = Array(0...right.count)
    for (index, letter) in left.lowercased().enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let above = row[column + 1]
        row[column + 1] = min(
          above + 1, row[column] + 1, diagonal + (letter == right[column] ? 0 : 1))
        diagonal = above
      }
    }
    return row[right.count]
  }
}

/// Any JSON value.
private enum Value: Decodable {
  case flag(Bool)
  case number(Double)
  case text(String)
  case list([Value])
  case object([String: Value])
  case null

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([Value].self) {
      self = .list(list)
    } else if container.decodeNil() {
      self = .null
    } else {
      self = .object(try container.decode([String: Value].self))
    }
  }
}
