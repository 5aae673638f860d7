internal import FaceCore
internal import Platform

/// Builds XML markup with matching tags and escaped text.
struct XMLWriter {
  /// What was written so far.
  private(set) var output = ""
  private let isIndented: Bool
  private var depth = 0

  /// A writer that puts each element on a line of its own, or one that adds no white space.
  init(isIndented: Bool = false) {
    self.isIndented = isIndented
  }

  /// Writes a start tag, what `content` writes, and the end tag; nil attributes are left out.
  mutating func element(
    _ name: String, _ attributes: KeyValuePairs<String, String?> = [:],
    _ content: (inout XMLWriter) -> Void = { _ in }
  ) {
    indent()
    startTag(name, attributes)
    output += ">"
    let before = output.utf8.count
    let linesBefore = lines
    depth += 1
    content(&self)
    depth -= 1
    if lines > linesBefore, output.utf8.count > before { indent() }
    output += "</\(name)>"
  }

  /// Writes an element that holds only text.
  mutating func element(
    _ name: String, _ attributes: KeyValuePairs<String, String?> = [:], text: String
  ) {
    element(name, attributes) { $0.text(text) }
  }

  /// Writes an element that never has content, such as `<br/>`.
  mutating func empty(_ name: String, _ attributes: KeyValuePairs<String, String?> = [:]) {
    indent()
    startTag(name, attributes)
    output += "/>"
  }

  /// Writes text with its markup characters escaped.
  mutating func text(_ text: String) {
    output += text.escapedForXML(isAttribute: false)
  }

  /// Writes markup unescaped; never for text from a record.
  mutating func markup(_ text: String) {
    output += text
  }

  private var lines = 0

  private mutating func indent() {
    guard isIndented, !output.isEmpty else { return }
    lines += 1
    if output.last != "\n" { output += "\n" }
    output += String(repeating: "  ", count: depth)
  }

  private mutating func startTag(_ name: String, _ attributes: KeyValuePairs<String, String?>) {
    output += "<\(name)"
    for case (let key, let value?) in attributes {
      output += " \(key)=\"\(value.escapedForXML(isAttribute: true))\""
    }
  }
}

extension String {
  /// The text with XML's special characters as entities, and control characters as `\u{1b}`.
  func escapedForXML(isAttribute: Bool) -> String {
    var escaped = ""
    escaped.reserveCapacity(utf8.count)
    for scalar in unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\n" where isAttribute: escaped += "&#10;"
      case "\r": escaped += "&#13;"
      case "\t" where isAttribute: escaped += "&#9;"
      case "\n", "\t", " "..."~": escaped.unicodeScalars.append(scalar)
      case "\u{FFFE}", "\u{FFFF}": continue
      case _ where scalar.isControl: escaped += scalar.escaped
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
