internal import FaceCore

/// The coefficients of a clip's only labelled face over its frames, from which delays follow.
package struct ResponseSignals: Sendable {
  /// A clip is cut into stretches of so many frames.
  package static let maxFrames = 3000
  /// Fewest frames with a prediction.
  private static let minFrames = 20
  /// A label with a smaller variance tells no delay: a standard deviation of .02.
  private static let minVariance = 4e-4
  /// Largest delay tried, in frames.
  private static let range = 30

  private var labelled: [[Float]] = []
  private var predicted: [[Float]?] = []
  private var frames: [Int] = []
  private var times: [Int64] = []

  /// Starts without frames.
  package init() {}

  /// How many frames there are.
  package var count: Int { times.count }

  /// Adds a later frame with a label; `predicted` is nil where the face was missed.
  package mutating func add(
    _ frame: Int, labelled: [Float], predicted: [Float]?, microseconds: Int64
  ) {
    frames.append(frame)
    self.labelled.append(labelled)
    self.predicted.append(predicted)
    times.append(microseconds)
  }

  /// By how much each channel trails its label, in the order of `ResponseSums.channels`; nil where no sharp peak tells it.
  ///
  /// Delays are tried in the usual steps between labelled frames, and longer ones are gaps.
  package var delays: [ResponseDelay?] {
    let range = min(Self.range, count / 3)
    guard predicted.count(where: { $0 != nil }) >= Self.minFrames else {
      return ResponseSums.channels.map { _ in nil }
    }
    let steps = zip(frames.dropFirst(), frames).map { Int64($0 - $1) }
    let step = CrossCorrelation.median(ofIntervals: steps) ?? 1
    let places = steps.reduce(into: [0]) { places, frames in
      let distance = Int((Double(frames) / step).rounded())
      // No delay reaches over a longer gap.
      places.append(places[places.count - 1] + min(max(distance, 1), Self.range + 1))
    }
    func placed(_ values: [Double]) -> [Double] {
      var signal = [Double](repeating: .nan, count: places[places.count - 1] + 1)
      for (place, value) in zip(places, values) { signal[place] = value }
      return signal
    }
    let interval = CrossCorrelation.median(
      ofIntervals: zip(times.dropFirst(), times).map { $0 - $1 })
    return ResponseSums.channels.map { channel in
      let label = placed(labelled.map { $0.given(channel) ?? .nan })
      guard MotionPath.variance(label, inAtLeast: Self.minFrames) >= Self.minVariance else {
        return nil
      }
      let given = placed(predicted.map { $0?.given(channel) ?? .nan })
      return CrossCorrelation.sharpDelay(of: [given], after: [label], range: range).map {
        let samples = $0
        return ResponseDelay(
          frames: samples * step, milliseconds: interval.map { samples * $0 / 1000 })
      }
    }
  }
}
