package import FaceCore
package import Foundation

/// What a landmarker carries from one frame of a clip to the next.
///
/// A state that was saved between two frames lets another landmarker of the same models and options go on with
/// the same results.
package struct TrackingState: Sendable, Codable, Equatable {
  /// Where the faces of the last frame are expected, in their order.
  package var regions: [NormalizedRect] = []
  /// The filters over time.
  package var smoother = LandmarkSmoother()
  /// The last frame's time; nil before the first.
  package var lastTimestampMicroseconds: Int64?

  /// The state before the first frame.
  package init() {}

  /// Reads what `json()` wrote; nil for anything else.
  package init?(json bytes: some DataProtocol) {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let state = try? decoder.decode(TrackingState.self, from: Data(bytes)) else { return nil }
    self = state
  }

  /// The state as JSON; a model may have given infinities and what is no number, which are kept as texts.
  package func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return [UInt8](try encoder.encode(self))
  }
}
