import Foundation
import TestSupport
import Testing

@Suite struct RecorderGuideTests {
  @Test(arguments: [
    ("ARKitFormat", "arkit/FaceSessionRecorder"), ("VisionFormat", "vision/FaceObservations"),
  ])
  func `the Swift of a guide is the committed file`(guide: String, file: String) throws {
    let page = try String(
      contentsOf: Checkout.root.appending(path: "Sources/Datasets/Datasets.docc/\(guide).md"),
      encoding: .utf8)
    let code = try String(
      contentsOf: Checkout.root.appending(path: "Datasets/\(file).swift"), encoding: .utf8)
    #expect(page.contains("```swift\n\(code)```"))
  }
}
