internal import Records

extension LandmarkJitter {
  /// Share of fast motion as given out.
  static let spectrum = spectral(
    "spectrum", "Share of displacement above 4 Hz",
    "power above 4 Hz over power above 0 Hz of the displacement between frames of seven points (x "
      + "and y), by Welch's method (scipy's defaults: Hann, 256 samples, half overlap); positions go "
      + "linearly onto even times, a median frame interval apart; mean over faces followed for "
      + "\(LagLimits.frames) frames or more; undefined where none moves, below 8 frames a second "
      + "and where frames are over twice as far apart in the mean as in the median; in [0, 1]")
  /// Share of fast motion before smoothing.
  static let unsmoothedSpectrum = spectral(
    "spectrum.unsmoothed", "Share of displacement above 4 Hz before smoothing",
    "as jitter.spectrum, of the points before smoothing")

  /// The share of fast motion of a face; nil where it does not move or is not sampled often and evenly enough.
  static func share(
    of track: [(time: Int64, face: Face)], _ anchors: (Face) -> SIMD16<Float>
  ) -> Double? {
    guard let (displacements, interval) = displacements(of: track, anchors) else { return nil }
    let power = WelchSpectrum(displacements)
      .power(above: SpectrumLimits.hertz * interval / 1e6)
    return power.whole > SpectrumLimits.power ? power.above / power.whole : nil
  }

  /// The steps of the anchors' x and y on even times, and the time between these in microseconds; nil for a face that is
  /// not sampled often and evenly enough.
  static func displacements(
    of track: [(time: Int64, face: Face)], _ anchors: (Face) -> SIMD16<Float>
  ) -> (signals: [[Double]], interval: Double)? {
    let times = track.map { Double($0.time) - Double(track[0].time) }
    let intervals = zip(times.dropFirst(), times).map { $0 - $1 }.sorted()
    let interval = intervals[(intervals.count - 1) / 2]
    guard let first = intervals.first, first > 0, let span = times.last,
      span <= 2 * interval * Double(track.count), 1e6 / interval > 2 * SpectrumLimits.hertz
    else { return nil }
    let steps = signals(track, anchors).map { signal in
      let even = resampled(signal, at: times, every: interval)
      return zip(even.dropFirst(), even).map { $0 - $1 }
    }
    return (steps, interval)
  }

  /// Values at 0, `interval`, 2 · `interval` … up to the last time, linear between rising times.
  private static func resampled(_ values: [Double], at times: [Double], every interval: Double)
    -> [Double]
  {
    var left = 0
    return (0...Int(times[times.count - 1] / interval)).map { step in
      let time = Double(step) * interval
      while left + 2 < times.count, times[left + 1] <= time { left += 1 }
      let slope = (values[left + 1] - values[left]) / (times[left + 1] - times[left])
      return values[left] + slope * (time - times[left])
    }
  }

  private static let spectral = DefinitionGroup(
    prefix: "jitter.", stage: "tracking", range: .unit,
    source: "Welch 1967; video sequences and their timestamps")
}

enum SpectrumLimits {
  static let hertz = 4.0
  /// Less than this in square pixels is no motion.
  static let power = 1e-12
}
