import Datasets
import Foundation
import FoundationXML
import Statistics
import TestSupport
import Testing

/// Our reader of XML against libxml2's, by way of Foundation.
@Suite("XML reader")
struct XMLReaderTests {
  /// What a reader told, texts that touch joined.
  private struct Told: Equatable {
    var events: [String] = []
    var isXML = true

    mutating func add(text: String) {
      guard !text.isEmpty else { return }
      if let last = events.last, last.hasPrefix("text ") {
        events[events.count - 1] = last + text
      } else {
        events.append("text " + text)
      }
    }

    mutating func add(start name: String, _ attributes: [String: String]) {
      events.append(
        "start \(name) " + attributes.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined())
    }
  }

  private final class Ours: XMLHandler {
    var told = Told()
    var isStopped: Bool { false }

    func start(_ element: String, _ attributes: [String: String], line: Int) {
      told.add(start: element, attributes)
    }
    func text(_ text: String) { told.add(text: text) }
    func end(_ element: String, line: Int) { told.events.append("end \(element)") }
    func syntaxError(line: Int) { told.isXML = false }
  }

  private final class Theirs: NSObject, XMLParserDelegate {
    var told = Told()

    func parser(
      _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
      qualifiedName qName: String?, attributes attributeDict: [String: String] = [:]
    ) {
      told.add(start: elementName, attributeDict)
    }
    func parser(_ parser: XMLParser, foundCharacters string: String) { told.add(text: string) }
    func parser(_ parser: XMLParser, foundCDATA CDATABlock: Data) {
      // libxml2 leaves line ends inside as they are; XML makes them one everywhere.
      told.add(
        text: String(decoding: CDATABlock, as: UTF8.self).replacing("\r\n", with: "\n")
          .replacing("\r", with: "\n"))
    }
    func parser(
      _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
      qualifiedName qName: String?
    ) {
      told.events.append("end \(elementName)")
    }
    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
      told.isXML = false
    }
  }

  private func ours(_ text: String) -> Told {
    let handler = Ours()
    XMLReader.read(Data(text.utf8), for: handler)
    return handler.told
  }

  private func theirs(_ text: String) -> Told {
    let handler = Theirs()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = handler
    if !parser.parse() { handler.told.isXML = false }
    return handler.told
  }

  private static let documents = [
    "<a><b x='1' y=\"2\"/>text &amp; more<c>&#65;&#x42;&lt;</c></a>",
    "<?yat i?><a k='v\tw\nx'>\r\n<![CDATA[<&>]]>\r</a>\n",
    "<dataset>\n<images>\n<image file='\u{E9}\u{1F600}.jpg'><box top='1'/></image></images></dataset>",
  ]

  private static let pieces = [
    "<a>", "</a>", "<b x='1'/>", "<c y=\"2\" z='3'>", "&amp;", "&lt", "&apos;", "&#65;", "&#x41;",
    "&#0;", "&#xD800;", "&nbsp;", "\"", "'", "<", "</", "/>", ">", "]]>", "<![CDATA[x]]>", " ",
    "\n", "\r\n", "=", "x", "9", "\u{1}", "\u{E9}", "<?p i?>", "-", ".", "<?xml version='1.0'?>",
  ]

  @Test(arguments: documents)
  func `documents are read as libxml2 reads them`(document: String) {
    let (found, expected) = (ours(document), theirs(document))
    #expect(found.isXML && expected.isXML)
    #expect(found == expected)
  }

  @Test func `what is cut, doubled and mixed is XML to both or to neither`() {
    var random = SplitMix64(seed: 21)
    var accepted = 0
    for _ in 0..<6000 {
      var text = Array(Self.documents[Int.random(in: 0..<3, using: &random)].unicodeScalars)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let position = Int.random(in: 0...text.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          let end = min(text.count, position + Int.random(in: 1...6, using: &random))
          text.removeSubrange(position..<end)
        case 1:
          let end = min(text.count, position + Int.random(in: 1...12, using: &random))
          text.insert(contentsOf: text[position..<end], at: position)
        default:
          let piece = Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &random)]
          text.insert(contentsOf: piece.unicodeScalars, at: position)
        }
      }
      var document = String(String.UnicodeScalarView(text))
      // A declaration at the start is taken off before.
      if document.hasPrefix("<?xml") { document.removeFirst(5) }
      // Foundation crashes on an instruction without content.
      if document.contains(/<\?\S*\?>/) { continue }
      let (found, expected) = (ours(document), theirs(document))
      #expect(found.isXML == expected.isXML, "\(document)")
      if expected.isXML {
        accepted += 1
        #expect(found.events == expected.events, "\(document)")
      }
    }
    #expect(accepted > 300)
  }

  @Test func `257 elements inside each other are too many, 256 are not`() {
    func nested(_ count: Int) -> String {
      String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
    }
    #expect(ours(nested(256)).isXML && !ours(nested(257)).isXML)
  }
}
