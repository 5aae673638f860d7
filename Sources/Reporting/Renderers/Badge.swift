internal import Platform
package import Records

/// One metric as an SVG for a README: its title, its value and its interval, in the colour of its gates' verdict.
package struct Badge: Sendable {
  private let title: String
  private let message: String
  private let colour: String

  /// A badge of that metric over all frames; nil where the record has none of that name.
  ///
  /// It is grey where no gate limits the metric, and says "suspect input" where a finding is open.
  package init?(of metric: String, in record: Record) {
    guard let one = record.measurement(metric) else { return nil }
    title = one.title
    let verdicts = record.gates.filter { $0.gate.metric == metric && $0.gate.slice == nil }
      .map(\.verdict)
    if record.findings?.objection != nil {
      (message, colour) = ("suspect input", Self.unknown)
    } else {
      message = one.valueText + (one.intervalText.map { " (\($0))" } ?? "")
      colour =
        verdicts.contains(.fail)
        ? "#b3261e"
        : verdicts.contains(.inconclusive) ? "#8a5a00" : verdicts.isEmpty ? Self.unknown : "#1f6f3d"
    }
  }

  private static let unknown = "#4a5560"

  /// The SVG, 20 pixels high.
  package var svg: String {
    // Text is set to the widths that are reserved for it, whichever font is there.
    func width(_ text: String) -> Int { Int((6.4 * Double(text.count)).rounded(.up)) }
    let (left, right) = (width(title) + 12, width(message) + 12)
    var xml = XMLWriter()
    xml.element(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "width": "\(left + right)", "height": "20",
        "role": "img", "aria-label": "\(title): \(message)",
      ]
    ) { xml in
      xml.element("title", text: "\(title): \(message)")
      xml.empty("rect", ["width": "\(left + right)", "height": "20", "rx": "3", "fill": "#2b2f33"])
      xml.empty(
        "path",
        [
          "fill": colour,
          "d": "M\(left) 0h\(right - 3)a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-\(right - 3)z",
        ])
      xml.element(
        "g", ["fill": "#fff", "font-family": "Verdana,DejaVu Sans,sans-serif", "font-size": "11"]
      ) { xml in
        for (text, x) in [(title, 6), (message, left + 6)] {
          xml.element(
            "text",
            ["x": "\(x)", "y": "14", "textLength": "\(width(text))"], text: text)
        }
      }
    }
    return xml.output + "\n"
  }
}
