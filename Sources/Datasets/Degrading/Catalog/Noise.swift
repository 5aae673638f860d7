internal import Imaging
internal import Statistics

extension Degradation {
  /// Independent Gaussian noise on every value of every pixel.
  static let noise = Degradation(
    "noise", quantity: "standard deviation in levels of 255", values: [8, 16, 32, 64, 128]
  ) { frame, deviation in
    var random = frame.noise
    frame.pixels.withMutableBytes { bytes in
      var spare: Double?
      for index in bytes.indices {
        let normal: Double
        if let second = spare {
          (normal, spare) = (second, nil)
        } else {
          let pair = random.normalPair()
          (normal, spare) = (pair.0, pair.1)
        }
        let value = (Double(bytes[index]) + deviation * normal).rounded()
        bytes[index] = UInt8(min(max(value, 0), 255))
      }
    }
  }
}
