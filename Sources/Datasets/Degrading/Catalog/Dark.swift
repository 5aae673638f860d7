internal import Foundation
internal import Imaging
internal import Statistics

extension Degradation {
  /// Less light at the same exposure, with the noise of photons and of reading them out.
  ///
  /// White of the clean image is 10,000 electrons; reading out adds noise of 3 electrons.
  static let dark = Degradation(
    "dark", quantity: "lost light in stops (halvings)", values: [1.5, 3, 4.5, 6, 7.5]
  ) { frame, stops in
    var random = frame.noise
    let gain = pow(2, -stops)
    frame.pixels.mapLight { _, _, light in
      let electrons = SensorNoise.white * gain * light
      let variance = electrons + SensorNoise.readout * SensorNoise.readout
      return (electrons + variance.squareRoot() * random.normalPair().0) / SensorNoise.white
    }
  }
}

/// The camera of `dark`.
private enum SensorNoise {
  /// Electrons of white in the clean image.
  static let white = 10_000.0
  /// Standard deviation of reading out, in electrons.
  static let readout = 3.0
}
