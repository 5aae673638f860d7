internal import Imaging
internal import Statistics

extension Degradation {
  /// A steady motion of the camera during the exposure, in a random direction.
  static let motionBlur = Degradation(
    "motion-blur", quantity: "length in interocular distances", values: [0.1, 0.2, 0.4, 0.8, 1.6]
  ) { frame, length in
    var choices = frame.choices
    frame.pixels = frame.pixels.motionBlurred(
      length: length * frame.reference.interocular, radians: .pi * choices.uniform())
  }
}
