internal import Foundation
internal import Platform

/// A value of a model's card, with its position for error messages.
struct CardValue {
  /// Any JSON.
  enum Content: Decodable {
    case object([String: Content])
    case list([Content])
    case text(String)
    case number(Double)
    case flag(Bool)
    case null

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else if let text = try? container.decode(String.self) {
        self = .text(text)
      } else if let list = try? container.decode([Content].self) {
        self = .list(list)
      } else {
        self = .object(try container.decode([String: Content].self))
      }
    }

    fileprivate var words: String {
      switch self {
      case .object(let members): "an object of \(members.count) keys"
      case .list(let items): "a list of \(items.count)"
      case .text(let text): "\"\(text.prefix(60))\""
      case .number(let number): number.plainText
      case .flag(let flag): "\(flag)"
      case .null: "null"
      }
    }
  }

  /// The card's path as the user gave it.
  let card: String
  /// Keys and indices that lead to the value, such as `input.size`.
  let position: String
  /// Nil where the key is not there.
  let content: Content?

  /// The root of a card; throws for bytes that are no JSON.
  init(json: [UInt8], card: String) throws(ModelStoreError) {
    self.card = card
    position = "card"
    do {
      content = try JSONDecoder().decode(Content.self, from: Data(json))
    } catch {
      throw ModelStoreError(
        .wrongData,
        "cannot use \(card), card: expected JSON, found \(json.count) bytes of another kind")
    }
  }

  private init(_ content: Content?, at position: String, of card: String) {
    (self.content, self.position, self.card) = (content, position, card)
  }

  /// The error for another value than the expected one.
  func wrong(_ expected: String, found: String? = nil) -> ModelStoreError {
    ModelStoreError(
      .wrongData,
      "cannot use \(card), \(position): expected \(expected), found "
        + (found ?? content?.words ?? "nothing"))
  }

  /// The members of an object that has no other keys than these; nothing counts as an object without keys.
  func members(_ keys: [String]) throws(ModelStoreError) -> (String) -> CardValue {
    var given: [String: Content] = [:]
    if content != nil {
      guard case .object(let members) = content else { throw wrong("an object") }
      given = members
    }
    if let other = given.keys.sorted().first(where: { !keys.contains($0) }) {
      throw wrong("the keys \(keys.joined(separator: ", "))", found: "\"\(other.prefix(60))\"")
    }
    let (prefix, card) = (position == "card" ? "" : "\(position).", card)
    return { CardValue(given[$0], at: prefix + $0, of: card) }
  }

  /// The items of a list whose length is in a range.
  func items(_ range: ClosedRange<Int>) throws(ModelStoreError) -> [CardValue] {
    guard case .list(let items) = content, range ~= items.count else {
      let count =
        range.lowerBound == range.upperBound
        ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
      throw wrong("a list of \(count)")
    }
    return items.indices.map { CardValue(items[$0], at: "\(position)[\($0)]", of: card) }
  }

  /// A text that is not empty.
  func text() throws(ModelStoreError) -> String {
    guard case .text(let text) = content, !text.isEmpty else { throw wrong("a text") }
    return text
  }

  /// A finite number in a range.
  func number(_ range: ClosedRange<Double>) throws(ModelStoreError) -> Double {
    guard case .number(let number) = content, range ~= number else {
      throw wrong("a number from \(range.lowerBound.plainText) to \(range.upperBound.plainText)")
    }
    return number
  }

  /// A whole number in a range.
  func integer(_ range: ClosedRange<Int>) throws(ModelStoreError) -> Int {
    guard case .number(let number) = content, let integer = Int(exactly: number),
      range ~= integer
    else { throw wrong("a whole number from \(range.lowerBound) to \(range.upperBound)") }
    return integer
  }

  /// One of the values of an enumeration; a default, if there is one, where the key is not there.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ type: Choice.Type, default value: Choice? = nil
  ) throws(ModelStoreError) -> Choice where Choice.RawValue == String {
    if content == nil, let value { return value }
    guard case .text(let text) = content, let choice = Choice(rawValue: text) else {
      throw wrong("one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return choice
  }

  /// One number, or one for each channel.
  func numbers(
    channels: Int, _ range: ClosedRange<Double>, default value: Double
  ) throws(ModelStoreError) -> [Float] {
    guard let content else { return Array(repeating: Float(value), count: channels) }
    guard case .list = content else {
      return Array(repeating: Float(try number(range)), count: channels)
    }
    var numbers: [Float] = []
    for item in try items(channels...channels) { numbers.append(Float(try item.number(range))) }
    return numbers
  }

  /// Whether the key is there.
  var isGiven: Bool { content != nil }
}
