import Foundation
import Platform
import Testing

@Suite struct JSONFormattingTests {
  private static let value = ["b": "x/y", "a": "1"]

  @Test func `a document is indented, with sorted keys and plain slashes`() throws {
    let text = """
      {
        "a" : "1",
        "b" : "x/y"
      }

      """
    #expect(try JSONEncoder.document.text(of: Self.value) == text)
    #expect(try JSONEncoder.document.bytes(of: Self.value) == Array(text.utf8))
  }

  @Test func `a line has sorted keys and plain slashes`() throws {
    #expect(try JSONEncoder.line.text(of: Self.value) == #"{"a":"1","b":"x/y"}"# + "\n")
  }
}
