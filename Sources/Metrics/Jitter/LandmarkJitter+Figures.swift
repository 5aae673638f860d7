package import Records

extension LandmarkJitter {
  /// Jitter in pixels and relative to the face, the same without smoothing, and the lag.
  package static let definitions = [
    pixels, relative, unsmoothedPixels, unsmoothedRelative, second, unsmoothedSecond, spectrum,
    unsmoothedSpectrum, lag,
  ]

  /// The figures that need the points before smoothing.
  package static let ofUnsmoothed = [
    unsmoothedPixels, unsmoothedRelative, unsmoothedSecond, unsmoothedSpectrum, lag,
  ]

  private static let formula =
    "√ of the mean over a sequence's frames and points of ‖x(t) − x(t−1)‖²"
  private static let end =
    ", then the mean over sequences; white noise of σ per axis gives 2σ; jitter only for a still "
    + "subject; undefined where no face goes on for two frames"

  /// As given out, in pixels.
  package static let pixels = definition(
    "jitter.static", "Motion per frame (jitter if still)", "px", formula + end)
  /// As given out, over the interocular distance.
  package static let relative = definition(
    "jitter.static.interocular", "Motion per frame by interocular (jitter if still)", "‰",
    formula + " over the squared distance of the predicted outer eye corners, times 1000" + end)
  /// Before smoothing, in pixels.
  package static let unsmoothedPixels = definition(
    "jitter.static.unsmoothed", "Motion per frame before smoothing", "px",
    "as jitter.static, of the points before smoothing")
  /// Before smoothing, over the interocular distance.
  package static let unsmoothedRelative = definition(
    "jitter.static.unsmoothed.interocular", "Motion per frame before smoothing by interocular", "‰",
    "as jitter.static.interocular, of the points before smoothing")
  /// Change of the motion, as given out, in pixels.
  package static let second = definition(
    "jitter.second", "Change of motion per frame", "px",
    "√ of the mean over a sequence's frames and points of ‖x(t) − 2x(t−1) + x(t−2)‖², then the mean "
      + "over sequences; white noise of σ per axis gives √12·σ, even motion 0; undefined where no "
      + "face goes on for three frames")
  /// Change of the motion before smoothing, in pixels.
  package static let unsmoothedSecond = definition(
    "jitter.second.unsmoothed", "Change of motion per frame before smoothing", "px",
    "as jitter.second, of the points before smoothing")
  /// How far the points given out trail those before smoothing.
  package static let lag = definition(
    "lag.ms", "Lag of smoothing", "ms",
    "delay of the largest correlation between seven points before and after smoothing, parabolic "
      + "between frames, times the median frame interval; mean over faces followed for "
      + "\(LagLimits.frames) frames or more that move by \(LagLimits.motion) of interocular (RMS) or "
      + "more; negative where smoothing leads"
  ).within(.any)

  /// The figures in the order of `definitions`.
  package func summarize() -> [Measurement] {
    let sequences = continued()
    let further = sequences.map { $0.filter { $0.second != nil } }.filter { !$0.isEmpty }
    let tracks = self.tracks()
    let known = sequences.map { $0.filter { $0.interocular > 0 } }.filter { !$0.isEmpty }
    return [
      Self.mean(Self.pixels, of: sequences) { $0.smoothed },
      Self.mean(Self.relative, of: known, times: 1000) {
        $0.smoothed / ($0.interocular * $0.interocular)
      },
      Self.mean(Self.unsmoothedPixels, of: sequences) { $0.unsmoothed },
      Self.mean(Self.unsmoothedRelative, of: known, times: 1000) {
        $0.unsmoothed / ($0.interocular * $0.interocular)
      },
      Self.mean(Self.second, of: further, frames: 3) { $0.second?.smoothed ?? 0 },
      Self.mean(Self.unsmoothedSecond, of: further, frames: 3) { $0.second?.unsmoothed ?? 0 },
      spectrumFigure(Self.spectrum, \.smoothedAnchors, of: tracks),
      spectrumFigure(Self.unsmoothedSpectrum, \.unsmoothedAnchors, of: tracks),
      lagFigure(of: tracks),
    ]
  }

  /// n is the number of faces followed from one frame to the next.
  private static func mean(
    _ definition: MetricDefinition, of sequences: [[Face]], times scale: Double = 1,
    frames: Int = 2, _ square: (Face) -> Double
  ) -> Measurement {
    guard !sequences.isEmpty else {
      return definition.undefined(
        frames == 2
          ? "no face of a video sequence goes on from one analysed frame to the next"
          : "no face of a video sequence goes on for \(frames) analysed frames", n: 0)
    }
    let values = sequences.map { root($0, times: scale, square) }
    return definition.measurement(
      values.reduce(0, +) / Double(values.count), n: sequences.reduce(0) { $0 + $1.count })
  }

  /// Root of the mean over faces.
  static func root(_ faces: [Face], times scale: Double = 1, _ square: (Face) -> Double) -> Double {
    scale * (faces.reduce(0) { $0 + square($1) } / Double(faces.count)).squareRoot()
  }

  /// The lag of each face that is followed long enough and moves, in milliseconds; nil where none moves.
  func lags(of tracks: [[(time: Int64, face: Face)]]) -> [Double]? {
    let moving = tracks.filter {
      $0.count >= LagLimits.frames && Self.motion(of: $0) >= LagLimits.motion
    }
    return moving.isEmpty ? nil : moving.compactMap { Self.milliseconds(of: $0) }
  }

  /// n is the number of faces followed long enough, with motion.
  private func lagFigure(of tracks: [[(time: Int64, face: Face)]]) -> Measurement {
    guard tracks.contains(where: { $0.count >= LagLimits.frames }) else {
      return Self.lag.undefined(
        "no face of a video sequence is followed for \(LagLimits.frames) frames", n: 0)
    }
    guard let lags = lags(of: tracks) else {
      return Self.lag.undefined(
        "no face moves by \(LagLimits.motion) of interocular or more: lag needs motion", n: 0)
    }
    guard !lags.isEmpty else {
      return Self.lag.undefined("no correlation has its peak within the delays tried", n: 0)
    }
    return Self.lag.measurement(lags.reduce(0, +) / Double(lags.count), n: lags.count)
  }

  /// RMS distance of the anchors from their mean positions, over the mean interocular distance.
  private static func motion(of track: [(time: Int64, face: Face)]) -> Double {
    let signals = Self.signals(track, \.unsmoothedAnchors)
    let square = signals.reduce(0.0) { sum, signal in
      let mean = signal.reduce(0, +) / Double(signal.count)
      return sum + signal.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(signal.count)
    }
    let interocular = track.reduce(0) { $0 + $1.face.interocular } / Double(track.count)
    return (square / Double(LagLimits.anchors)).squareRoot() / interocular
  }

  private static func milliseconds(of track: [(time: Int64, face: Face)]) -> Double? {
    let intervals = zip(track.dropFirst(), track).map { $0.time - $1.time }.sorted()
    let delay = CrossCorrelation.delay(
      of: signals(track, \.smoothedAnchors), behind: signals(track, \.unsmoothedAnchors),
      range: min(LagLimits.range, track.count / 3))
    guard case .samples(let samples) = delay else { return nil }
    return samples * Double(intervals[(intervals.count - 1) / 2]) / 1000
  }

  static func signals(
    _ track: [(time: Int64, face: Face)], _ anchors: KeyPath<Face, SIMD16<Float>>
  ) -> [[Double]] {
    (0..<(2 * LagLimits.anchors)).map { lane in
      track.map { Double($0.face[keyPath: anchors][lane]) }
    }
  }

  private static func definition(
    _ name: String, _ title: String, _ unit: String, _ formula: String
  ) -> MetricDefinition {
    MetricDefinition(
      name: name, title: title, stage: "tracking", unit: unit, direction: .lower, formula: formula,
      source: "displacement between frames of video sequences; x and y in pixels")
  }
}

enum LagLimits {
  static let anchors = 7
  /// Fewest frames of a face.
  static let frames = 30
  /// Largest delay tried, in frames.
  static let range = 15
  /// Least RMS distance from the mean position, in interocular distances.
  static let motion = 0.02
}
