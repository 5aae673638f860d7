import Scoring
import Testing

@Suite struct FrameSelectionTests {
  static let readable: [(String, [Int])] = [
    ("7", [7]), ("0", [0]), ("2:5", [2, 3, 4]), ("0:10:4", [0, 4, 8]), ("8:", [8, 9]),
    (":2", [0, 1]), ("::5", [0, 5]), ("1::4", [1, 5, 9]), (":", Array(0..<10)),
    ("3:100:3", [3, 6, 9]), ("12:", []), ("1:9223372036854775807:9223372036854775807", [1]),
  ]

  @Test(arguments: readable)
  func `a selection holds every so many frames of ten`(text: String, frames: [Int]) throws {
    let selection = try #require(FrameSelection(text))
    #expect((0..<10).filter(selection.contains) == frames)
    #expect(selection.count(of: 10) == frames.count)
  }

  @Test(arguments: [
    "", "a", "-1", "1:0", "5:5", "0:5:0", "0:5:-1", "1:2:3:4", "1.5", "0x1", " 1", "1,2", "٣",
    "9223372036854775807", "9223372036854775808", "1:99999999999999999999",
  ])
  func `what names no frame is refused`(text: String) {
    #expect(FrameSelection(text) == nil)
  }
}
