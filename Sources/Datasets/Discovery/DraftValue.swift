internal import Platform

/// A value of JSON whose keys stay in order.
indirect enum DraftValue: Sendable, Equatable {
  case text(String)
  case number(Double)
  case flag(Bool)
  case list([DraftValue])
  case object([Member])

  /// A key with its value.
  struct Member: Sendable, Equatable {
    let key: String
    var value: DraftValue

    init(_ key: String, _ value: DraftValue) { (self.key, self.value) = (key, value) }
  }

  /// The value on one line.
  var line: String {
    switch self {
    case .text(let text): Self.quoted(text)
    case .number(let number): number.plainText
    case .flag(let flag): "\(flag)"
    case .list(let items): "[" + items.map(\.line).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { "\(Self.quoted($0.key)): \($0.value.line)" }.joined(separator: ", ") + "}"
    }
  }

  /// The value in lines of at most about 100 characters.
  func text(indent: Int = 0) -> String {
    let line = line
    guard line.count > 96 - indent || indent < 4, case .object(let members) = self,
      !members.isEmpty
    else { return line }
    let space = String(repeating: " ", count: indent + 2)
    let lines = members.map {
      "\(space)\(Self.quoted($0.key)): \($0.value.text(indent: indent + 2))"
    }
    return "{\n" + lines.joined(separator: ",\n") + "\n" + String(repeating: " ", count: indent)
      + "}"
  }

  /// A file that people open has no characters that steer a terminal.
  private static func quoted(_ text: String) -> String {
    text.quotedForJSON.unicodeScalars.reduce(into: "") { quoted, scalar in
      if (0x7F...0x9F).contains(scalar.value) {
        quoted += "\\u" + scalar.value.padded(to: 4, radix: 16)
      } else {
        quoted.unicodeScalars.append(scalar)
      }
    }
  }
}

extension DraftValue: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
  init(stringLiteral text: String) { self = .text(text) }

  init(dictionaryLiteral members: (String, DraftValue)...) {
    self = .object(members.map { Member($0.0, $0.1) })
  }
}
