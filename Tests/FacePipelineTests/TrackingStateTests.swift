import FaceCore
import FacePipeline
import Testing

@Suite struct TrackingStateTests {
  @Test func `a state comes back from its JSON, infinities and no numbers included`() throws {
    var state = TrackingState()
    state.lastTimestampMicroseconds = -7
    state.regions = [
      NormalizedRect(xCenter: 0.5, yCenter: 0.25, width: 0.1, height: 0.2, rotation: -3),
      NormalizedRect(
        xCenter: .infinity, yCenter: -.infinity, width: .greatestFiniteMagnitude, height: 0,
        rotation: .leastNonzeroMagnitude),
    ]
    _ = state.smoother.smoothed(
      [SIMD3(.infinity, 1, -.infinity)], size: ImageSize(width: 4, height: 4),
      timestampMicroseconds: 1)
    #expect(try #require(TrackingState(json: state.json())) == state)
    state.regions = [
      NormalizedRect(xCenter: .nan, yCenter: -.nan, width: 1, height: 1, rotation: 0)
    ]
    let again = try #require(TrackingState(json: state.json()))
    #expect(again.regions.map { [$0.xCenter.isNaN, $0.yCenter.isNaN] } == [[true, true]])
    #expect(again.regions.map(\.width) == [1])
  }

  @Test func `anything else is no state`() {
    for text in ["", "{}", "null", "[]", "{\"regions\": [1]}"] {
      #expect(TrackingState(json: Array(text.utf8)) == nil, "\(text)")
    }
  }
}
