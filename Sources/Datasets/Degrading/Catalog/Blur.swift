internal import Imaging

extension Degradation {
  /// A lens out of focus, as a Gaussian.
  static let blur = Degradation(
    "blur", quantity: "deviation in interocular distances", values: [0.02, 0.04, 0.08, 0.16, 0.32]
  ) { frame, deviation in
    frame.pixels = frame.pixels.gaussianBlurred(
      standardDeviation: deviation * frame.reference.interocular)
  }
}
