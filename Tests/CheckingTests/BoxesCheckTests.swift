import Checking
import FaceCore
import Records
import Testing

struct BoxesCheckTests {
  private func part(_ box: BoundingBox, _ width: Double, _ height: Double) -> BoundingBox {
    BoundingBox(
      x: box.x + (1 - width) / 2 * box.width, y: box.y + (1 - height) * box.height,
      width: width * box.width, height: height * box.height)
  }

  @Test func `boxes around less of the head are a note with the median ratios`() throws {
    let sample = PlacedFaces { part($0, 0.7, 0.6) }.sample()
    let finding = try #require(BoxesCheck.findings(in: sample).first)
    #expect(BoxesCheck.names == [finding.name])
    #expect(finding.severity == .note)
    #expect(
      finding.summary
        == "Predicted boxes are 0.70 times as wide and 0.60 times as high as the labelled ones (medians)."
    )
    #expect(try #require(finding.before) < 0.5)
    #expect(try #require(finding.after) > 0.9)
    #expect(finding.remedy == nil)
  }

  @Test func `boxes around more of the head are a note too`() throws {
    let sample = PlacedFaces { part($0, 1.4, 1.4) }.sample()
    #expect(BoxesCheck.findings(in: sample).map(\.severity) == [.note])
  }

  @Test func `like extents, few faces and other conventions are none`() {
    #expect(BoxesCheck.findings(in: PlacedFaces { part($0, 0.9, 0.9) }.sample()).isEmpty)
    #expect(BoxesCheck.findings(in: PlacedFaces(count: 9) { part($0, 0.6, 0.6) }.sample()).isEmpty)
    #expect(
      BoxesCheck.findings(
        in: PlacedFaces {
          BoundingBox(
            x: $0.x / 2, y: $0.y / 2, width: $0.width / 2, height: $0.height / 2)
        }.sample()
      ).isEmpty)
  }
}
