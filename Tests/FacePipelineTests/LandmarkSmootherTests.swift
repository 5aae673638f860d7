import FaceCore
import FacePipeline
import Foundation
import TestSupport
import Testing

/// Smoothing against MediaPipe's own calculator (landmark_smoothing.py), compared with `==`, and its stored state.
struct LandmarkSmootherTests {
  struct Sequence: Decodable, Sendable, CustomTestStringConvertible {
    struct Frame: Decodable, Sendable {
      var microseconds: Int64
      var landmarks: [[Float]]?
      var smoothed: [[Float]]?
    }
    var name: String
    var size: [Int]
    var frames: [Frame]

    var testDescription: String { name }
    var imageSize: ImageSize { ImageSize(width: size[0], height: size[1]) }
  }

  private struct Sequences: Decodable {
    var sequences: [Sequence]
  }

  private static func sequences() throws -> [Sequence] {
    try Oracles.read("landmark_smoothing", as: Sequences.self).sequences
  }

  @Test func `every sequence comes out as MediaPipe smooths it`() throws {
    let sequences = try Self.sequences()
    try #require(sequences.count == 9)
    for sequence in sequences {
      var smoother = LandmarkSmoother()
      for frame in sequence.frames {
        guard let landmarks = frame.landmarks, let expected = frame.smoothed else {
          smoother.reset()
          continue
        }
        let smoothed = smoother.smoothed(
          landmarks.map(SIMD3.init), size: sequence.imageSize,
          timestampMicroseconds: frame.microseconds)
        let deviation = smoothed.difference(expected.map(SIMD3.init))
        #expect(deviation == 0, "\(sequence.name) at \(frame.microseconds): off by \(deviation)")
      }
    }
  }

  @Test func `a run that goes on from stored state is the same run bit for bit`() throws {
    for sequence in try Self.sequences() {
      var straight = LandmarkSmoother()
      var resumed = LandmarkSmoother()
      for frame in sequence.frames {
        resumed = try JSONDecoder().decode(
          LandmarkSmoother.self, from: JSONEncoder().encode(resumed))
        #expect(resumed == straight)
        guard let landmarks = frame.landmarks?.map(SIMD3.init) else {
          straight.reset()
          resumed.reset()
          continue
        }
        let (size, at) = (sequence.imageSize, frame.microseconds)
        let expected = straight.smoothed(landmarks, size: size, timestampMicroseconds: at)
        #expect(
          resumed.smoothed(landmarks, size: size, timestampMicroseconds: at) == expected)
      }
    }
  }

  private static let size = ImageSize(width: 64, height: 64)
  private static let first = [SIMD3<Float>(0.25, 0.25, 0), SIMD3(0.75, 0.75, 0.5)]
  private static let second = [SIMD3<Float>(0.5, 0.25, 0), SIMD3(0.75, 0.5, 0.25)]

  @Test(arguments: [Int64(1000), 999, -5])
  func `a timestamp that does not grow leaves landmarks and filters alone`(again: Int64) {
    var smoother = LandmarkSmoother()
    _ = smoother.smoothed(Self.first, size: Self.size, timestampMicroseconds: 1000)
    let before = smoother
    let same = smoother.smoothed(Self.second, size: Self.size, timestampMicroseconds: again)
    #expect(same == Self.second)
    #expect(smoother == before)
    let later = smoother.smoothed(Self.second, size: Self.size, timestampMicroseconds: 2000)
    #expect(later != Self.second)
  }

  @Test func `a reset, or another number of landmarks, starts anew`() {
    var smoother = LandmarkSmoother()
    _ = smoother.smoothed(Self.first, size: Self.size, timestampMicroseconds: 1000)
    let one = [SIMD3<Float>(0.5, 0.5, 0), SIMD3(0, 0, 0), SIMD3(1, 1, 1)]
    #expect(smoother.smoothed(one, size: Self.size, timestampMicroseconds: 2000) == one)
    smoother.reset()
    #expect(smoother == LandmarkSmoother())
  }

  @Test func `extreme timestamps and values that are no numbers go through`() {
    var smoother = LandmarkSmoother()
    for at in [Int64.min, -1, 0, 1, .max - 1, .max, .min] {
      let out = smoother.smoothed(Self.first, size: Self.size, timestampMicroseconds: at)
      #expect(out.count == 2)
    }
    let broken = [SIMD3<Float>(.nan, .infinity, 0)]
    #expect(smoother.smoothed(broken, size: Self.size, timestampMicroseconds: 0).count == 1)
    #expect(smoother.smoothed([], size: Self.size, timestampMicroseconds: 0).isEmpty)
  }

  @Test func `stored state that is cut short is refused`() throws {
    let text = #"{"frequency": 0, "lastNanoseconds": 5, "axes": [1, 2, 3, 4]}"#
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(LandmarkSmoother.self, from: Data(text.utf8))
    }
  }
}
