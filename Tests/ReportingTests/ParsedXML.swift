import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The elements of a document that Foundation's parser found to be well-formed.
final class ParsedXML: NSObject, XMLParserDelegate {
  private(set) var all: [(name: String, attributes: [String: String])] = []
  private(set) var text = ""

  init(_ document: String) throws {
    super.init()
    let parser = XMLParser(data: Data(document.utf8))
    parser.delegate = self
    let isWellFormed = parser.parse()
    try #require(
      isWellFormed,
      "line \(parser.lineNumber), column \(parser.columnNumber): \(String(describing: parser.parserError))"
    )
  }

  /// The attributes of each element of that name, in the order of the document.
  func elements(_ name: String) -> [[String: String]] {
    all.filter { $0.name == name }.map(\.attributes)
  }

  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
    qualifiedName qName: String?, attributes attributeDict: [String: String]
  ) {
    all.append((elementName, attributeDict))
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    text += string
  }
}
