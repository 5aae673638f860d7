import Foundation
import Platform
import Testing

/// Text in files of other formats reads back as the same text.
@Suite struct EscapedTextTests {
  static let texts = [
    "", "plain", "a,b", "he said \"no\"", "two\nlines", "two\r\nlines", "tab\tand \\ and /",
    "<&>'", "ü 顔 🙂", "\u{1}", "\"\u{301},",
  ]

  @Test(arguments: texts)
  func `JSON gives the text back`(text: String) throws {
    let json =
      try JSONSerialization.jsonObject(
        with: Data("[\(text.quotedForJSON)]".utf8)) as? [String]
    #expect(json == [text])
  }

  @Test(arguments: texts)
  func `a field of CSV is in quotes where it needs them`(text: String) {
    let field = text.quotedForCSV
    guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else {
      #expect(field == text)
      return
    }
    let (quote, twice) = (Array("\"".utf8), Array("\"\"".utf8))
    let bytes = Array(field.utf8)
    #expect(bytes.first == quote[0] && bytes.last == quote[0])
    let inner = Array(bytes.dropFirst().dropLast())
    #expect(inner.replacing(twice, with: quote) == Array(text.utf8))
    #expect(!inner.replacing(twice, with: []).contains(quote[0]))
  }
}
