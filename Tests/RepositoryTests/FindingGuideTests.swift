import Checking
import Foundation
import Testing

struct FindingGuideTests {
  @Test func `the guide has every finding, once, and no other`() throws {
    let text = try Repository.text("Sources/facegauge/Guides.docc/Findings.md")
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
    let names = rows.flatMap { row in
      row.split(separator: "|")[0].matches(of: /`([a-z.-]+)`/).map { String($0.1) }
    }.filter { $0.contains(".") }
    #expect(names.sorted() == Findings.names.sorted())
  }
}
