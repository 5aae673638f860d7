import Foundation
import Platform
import Records
import Reporting
import TestSupport
import Testing

@Suite struct HTMLTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  private func page(_ record: Record, images: [String: [UInt8]] = [:]) -> String {
    Report(record: record).html { images[$0] }
  }

  @Test func `the page is well formed XML`() throws {
    let document = try ParsedXML(page(Sample.record))
    #expect(document.elements("section").map { $0["id"] } == Sample.sectionIDs)
    #expect(document.elements("h2").count == Sample.sectionIDs.count)
    #expect(document.elements("details").count > Sample.sectionIDs.count - 3)
    #expect(document.elements("h1").count == 1)
  }

  @Test func `a page of the whole pipeline is well formed`() throws {
    let document = try ParsedXML(page(Sample.pipeline))
    #expect(document.elements("section").map { $0["id"] } == Sample.pipelineSectionIDs)
    #expect(document.elements("svg").count == 4)
    let identifiers = document.all.compactMap { $0.attributes["id"] }
    #expect(Set(identifiers).count == identifiers.count)
    #expect(document.text.contains("landmarks.nme.<d>.conditional"))
  }

  @Test func `the page refers to nothing outside itself`() throws {
    let html = page(Sample.record, images: ["worst-01.png": Self.png])
    let namespace = "xmlns=\"http://www.w3.org/2000/svg\""
    let rest = html.replacing(namespace, with: "")
    #expect(!rest.contains("http:") && !rest.contains("https:"))
    let document = try ParsedXML(html)
    let identifiers = Set(document.all.compactMap { $0.attributes["id"] })
    for (name, attributes) in document.all {
      for key in ["src", "href", "xlink:href"] {
        guard let target = attributes[key] else { continue }
        let isInside = target.hasPrefix("#") && identifiers.contains(String(target.dropFirst()))
        #expect(isInside || target.hasPrefix("data:image/"), "\(name) \(target.prefix(80))")
      }
    }
    #expect(document.elements("script").allSatisfy { $0["src"] == nil })
    #expect(document.elements("link").isEmpty)
    #expect(!html.contains("@import") && !html.contains("url("))
    for word in ["fetch(", "XMLHttpRequest", "WebSocket", "import(", "eval(", "innerHTML"] {
      #expect(!html.contains(word), "\(word)")
    }
  }

  @Test func `the policy of the page admits its own script alone, which is small`() throws {
    let html = page(Sample.record)
    let start = try #require(html.range(of: "<script>", options: .backwards))
    let end = try #require(html.range(of: "</script>", range: start.upperBound..<html.endIndex))
    let script = Data(html[start.upperBound..<end.lowerBound].utf8)
    let policy = try #require(
      try ParsedXML(html).elements("meta").first {
        $0["http-equiv"] == "Content-Security-Policy"
      }?["content"])
    let digest = try SHA256.hexadecimal(of: [UInt8](script))
    let bytes = stride(from: 0, to: 64, by: 2).compactMap { place -> UInt8? in
      let first = digest.index(digest.startIndex, offsetBy: place)
      return UInt8(digest[first..<digest.index(first, offsetBy: 2)], radix: 16)
    }
    #expect(policy.contains("script-src 'sha256-\(Data(bytes).base64EncodedString())'"))
    #expect(policy.contains("default-src 'none'"))
    #expect(!policy.contains("script-src 'unsafe-inline'"))
    let source = try Data(
      contentsOf: Checkout.root.appending(path: "Sources/Reporting/Page/report.js"))
    #expect(source.count <= 40 * 1024 && script.count < source.count, "\(source.count) bytes")
    #expect(!String(decoding: script, as: UTF8.self).dropLast(5).contains("]]>"))
  }

  @Test func `identifiers are unique`() throws {
    let identifiers = try ParsedXML(page(Sample.record)).all.compactMap { $0.attributes["id"] }
    #expect(Set(identifiers).count == identifiers.count)
  }

  @Test func `a image is embedded with the text that stands for it`() throws {
    let html = page(
      Sample.record, images: ["worst-01.png": Self.png, "worst-02.png": Array("<svg/>".utf8)])
    let images = try ParsedXML(html).elements("img")
    #expect(images.count == 1)
    #expect(images[0]["src"] == "data:image/png;base64,iVBORw0KGgo=")
    #expect(images[0]["alt"] == "crossing/frame_037.jpg: 6 missed, 1 false positive")
    #expect(html.contains("image worst-02.png is not in the run"))
  }

  @Test func `names from outside stay text`() throws {
    let attack = "\"><script>alert('x')</script>&amp;\u{0}"
    var record = Sample.record
    record.dataset.name = attack
    record.notes = [attack]
    record.options = [attack: attack]
    record.host.cpu = attack
    record.models[0].name = attack
    record.gallery[0].frame = attack
    record.gallery[0].caption = attack
    record.measurements[0].name = attack
    record.measurements[0].unit = attack
    record.measurements[5].reason = attack
    record.gates[0].message = attack
    record.series.append(
      Series(
        name: attack, title: attack,
        content: .curve(
          Series.Curve(
            xLabel: attack, yLabel: attack,
            lines: [Series.Line(label: attack, x: [1, 2], y: [3, 4])],
            marks: [Series.Mark(label: attack, x: 1, y: 3)]))))
    let html = page(record, images: ["worst-01.png": Self.png])
    let own = try ParsedXML(page(Sample.record)).elements("script").count
    #expect(html.split(separator: "<script").count == own + 1)
    let document = try ParsedXML(html)
    #expect(document.elements("script").count == own)
    #expect(document.text.contains("\"><script>alert('x')</script>&amp;"))
  }

  @Test func `charts have a title a description and a role`() throws {
    let document = try ParsedXML(page(Sample.record))
    let charts = document.elements("svg")
    #expect(charts.count == 6)
    let identifiers = Set(document.all.compactMap { $0.attributes["id"] })
    for chart in charts {
      #expect(chart["role"] == "img")
      let labels = (chart["aria-labelledby"] ?? "").split(separator: " ").map(String.init)
      #expect(labels.count == 2 && identifiers.isSuperset(of: labels))
    }
    #expect(document.elements("desc").count == charts.count)
    let heads = document.elements("th")
    #expect(!heads.isEmpty && heads.allSatisfy { $0["scope"] == "col" })
    #expect(document.elements("caption").count == document.elements("table").count)
  }

  @Test func `an undefined metric is a dash with its reason`() throws {
    let html = page(Sample.record)
    #expect(html.contains("title=\"no labelled face is larger than 96² pixels\">–<sup>"))
    #expect(html.contains("-note-1\">no labelled face is larger than 96² pixels</li>"))
  }

  @Test func `the same record gives the same page`() {
    #expect(page(Sample.record) == page(Sample.record))
  }
}
