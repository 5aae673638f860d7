import Foundation
import TestSupport
import Testing

/// The trackers of the Python module, as real programs with their real libraries.
@Suite("Adapters of other trackers")
struct TrackerAdapterTests {
  private struct Found: Decodable {
    struct Refusal: Decodable {
      let status: Int
      let line: String
      let wrote: Bool
    }
    struct MediaPipe: Decodable {
      let faces: Int
      let same: Bool
      let largest: Double
    }
    let errors: [Double]
    let keptBoxes: Bool
    let said: [Refusal]
    let mediapipe: MediaPipe?
  }

  private static let python = LivePython.path

  private func run(_ more: [String]) throws -> Found {
    let folder = try TemporaryFolder()
    let script = Checkout.root.appending(path: "Tests/Oracles/live/tracker_adapters.py")
    let result = try ProcessResult(
      running: try #require(Self.python),
      [script.path, folder.url.path, "--facegauge", Workbench.program] + more)
    try #require(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Found.self, from: Data(result.output.utf8))
  }

  @Test(.enabled(if: python != nil, "needs FACEGAUGE_PYTHON"))
  func `a landmark model by its card finds squares where they are; a wrong card is one line`()
    throws
  {
    let found = try run([])
    // Crops are averaged by whole numbers, then sampled: under a tenth of a pixel. A shift by half a pixel were 0.5.
    #expect(found.errors.count == 3 && found.errors.allSatisfy { $0 < 0.2 }, "\(found.errors)")
    #expect(found.keptBoxes)
    #expect(found.said.allSatisfy { $0.status == 65 && !$0.wrote })
    #expect(
      found.said.map(\.line) == [
        "error: cannot use card.json, input.layout: expected one of nchw, nhwc, found nhcw",
        "error: cannot use card.json, output.unit: expected a value, found nothing",
        "error: cannot use card.json, crop: expected the keys scale, shift, found sise",
        "error: cannot use card.json, version: expected 1, found 2",
      ])
  }

  @Test(
    .enabled(
      if: LivePython.hasMediaPipe && Shared.isAvailable,
      "needs the shared data and FACEGAUGE_PYTHON with mediapipe"))
  func `MediaPipe as a tracker gives the faces of serve`() throws {
    let found = try run([
      "--bundle", Shared.bundle.path, "--images", Shared.data("helen68/testset").path,
    ])
    let faces = try #require(found.mediapipe)
    // The largest distance of one coordinate, in sizes of the face: 0.05 px of 300 (measured: 1.9e-4, 0.06 px).
    #expect(faces.faces == 80 && faces.same && faces.largest < 5e-4, "\(faces)")
  }
}
