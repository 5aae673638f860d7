import Platform
import Testing

@Suite struct TextTableTests {
  @Test func `columns line up on their side, the last alignment serves the rest`() {
    let rows = [["name", "n", "share"], ["a", "10", "5.0 %"], ["longer", "7"]]
    #expect(
      TextTable([.left, .right], rows: rows).lines == [
        "name     n  share",
        "a       10  5.0 %",
        "longer   7",
      ])
    #expect(TextTable([.left, .right], rows: []).lines.isEmpty)
  }

  @Test func `nothing is added behind a left-aligned cell that ends its row`() {
    let rows = [["a", "b"], ["long", "c "], ["", ""], ["d"]]
    #expect(TextTable(rows: rows).lines == ["a     b", "long  c ", "      ", "d"])
  }
}
