internal import Foundation

/// One object of a mapping's JSON, which refuses keys that nobody asked for.
struct MappingObject {
  /// Where it is, as `faces.box`; empty for the whole.
  let place: String
  /// Name of the file, for messages.
  let file: String
  private let values: [String: Value]

  /// The whole of a JSON file.
  init(_ bytes: [UInt8], file: String) throws(DatasetError) {
    guard let json = try? JSONDecoder().decode(Value.self, from: Data(bytes)) else {
      throw DatasetError(.wrongData, "cannot read \(file): expected JSON, found a syntax error")
    }
    guard case .object(let values) = json else {
      throw DatasetError(
        .wrongData, "cannot read \(file): expected an object of JSON, found another value")
    }
    self.init(values, place: "", file: file)
  }

  private init(_ values: [String: Value], place: String, file: String) {
    self.values = values
    self.place = place
    self.file = file
  }

  /// The keys that are there, in order.
  var keys: [String] { values.keys.sorted() }

  /// Whether a key is there.
  func has(_ key: String) -> Bool { values[key] != nil }

  /// Throws for a key that is not of the list, with the nearest that is.
  func allowOnly(_ known: [String]) throws(DatasetError) {
    for key in keys where !known.contains(key) {
      let nearest = known.min { Self.distance($0, key) < Self.distance($1, key) }
      let hint = nearest.map { ", did you mean '\($0)'?" } ?? ""
      throw DatasetError(
        .wrongData,
        "cannot read \(file): unknown key '\(path(String(key.prefix(60))))'\(hint)")
    }
  }

  /// An object below.
  func object(_ key: String) throws(DatasetError) -> MappingObject? {
    guard let value = values[key] else { return nil }
    guard case .object(let object) = value else { throw wrong(key, "an object") }
    return MappingObject(object, place: path(key), file: file)
  }

  /// The objects of an array below; none where the key is missing.
  func objects(_ key: String) throws(DatasetError) -> [MappingObject] {
    guard let value = values[key] else { return [] }
    guard case .list(let array) = value else { throw wrong(key, "an array of objects") }
    var objects: [MappingObject] = []
    for (index, element) in array.enumerated() {
      guard case .object(let object) = element else { throw wrong(key, "an array of objects") }
      objects.append(MappingObject(object, place: "\(path(key))[\(index)]", file: file))
    }
    return objects
  }

  /// A text that is not empty.
  func text(_ key: String) throws(DatasetError) -> String? {
    guard let value = values[key] else { return nil }
    guard case .text(let text) = value, !text.isEmpty else { throw wrong(key, "a text") }
    return text
  }

  /// Texts in an array.
  func texts(_ key: String) throws(DatasetError) -> [String]? {
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
  ) throws(DatasetError) -> Word? where Word.RawValue == String {
    guard let text = try text(key) else { return nil }
    guard let word = Word(rawValue: text) else {
      let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong(key, "one of \(known)", found: text)
    }
    return word
  }

  /// A number.
  func number(_ key: String) throws(DatasetError) -> Double? {
    guard let value = values[key] else { return nil }
    guard case .number(let number) = value, number.isFinite else { throw wrong(key, "a number") }
    return number
  }

  /// Numbers in an array of that length.
  func numbers(_ key: String, count: Int) throws(DatasetError) -> [Double]? {
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

  /// Yes or no.
  func flag(_ key: String) throws(DatasetError) -> Bool {
    guard let value = values[key] else { return false }
    guard case .flag(let flag) = value else { throw wrong(key, "true or false") }
    return flag
  }

  /// A text below, or nil where the key holds something else.
  func plainText(_ key: String) -> String? {
    guard case .text(let text)? = values[key] else { return nil }
    return text
  }

  /// A number below, or nil where the key holds something else.
  func plainNumber(_ key: String) -> Double? {
    guard case .number(let number)? = values[key] else { return nil }
    return number
  }

  /// The error of a key that must be there.
  func missing(_ key: String) -> DatasetError {
    DatasetError(.wrongData, "cannot read \(file): expected '\(path(key))', found none")
  }

  /// The error of a key's value.
  func wrong(_ key: String, _ expected: String, found: String? = nil) -> DatasetError {
    DatasetError(
      .wrongData,
      "cannot read \(file): expected \(expected) in '\(path(key))', found "
        + (found.map { "'\($0.prefix(60))'" } ?? "something else"))
  }

  private func path(_ key: String) -> String { place.isEmpty ? key : "\(place).\(key)" }

  /// How many letters must be put in, taken out or changed.
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

/// Any value of JSON.
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
