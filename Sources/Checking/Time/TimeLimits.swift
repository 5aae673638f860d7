/// When an alternative is so much better that it is told.
enum TimeLimits {
  /// Whether predictions that are so many frames late, or early if negative, are of other frames; `estimate` has a fraction.
  ///
  /// A lag of one frame is what smoothing costs; from two on, frames are exchanged more often than smoothed. No tracker
  /// answers before the frame is there, but labels that are smoothed are late by a part of a frame.
  static func isShift(_ frames: Int, estimate: Double? = nil) -> Bool {
    frames >= 2 || frames <= -2 || frames == -1 && (estimate ?? -1) <= -0.9
  }
  /// From how many frames on rows are numbered anew.
  static let shift = 2
  /// Microseconds that smoothing may cost, a little more than a frame of film.
  static let ownLag = 45_000.0
  /// Fewest microseconds between frames: closer ones count something else.
  static let shortestInterval = 1000.0
  /// So many videos with the same shift tell it of all.
  static let common = 3
  /// The root mean square error falls to this share at most, a quarter of its square.
  static let shareOfShift = 0.5
  /// The same at the whole frames of the shift, which leave the tracker's own lag.
  static let shareOfWhole = 2.0 / 3
  /// The same for explanations with more freedom: a ninth of its square.
  static let share = 1.0 / 3
  /// A minimum of the error within this factor of the least is as good: one period of the motion away.
  static let unlike = 1.5
  /// An explanation with more freedom has to halve the error of a simpler one.
  static let alternative = 0.5
  /// With an explanation the error is at most this share of the labelled motion on the same frames, half of its square: what
  /// stands still there agrees with every explanation.
  static let shareOfMotion = 0.7
  /// Predictions move there by at least this share of the labelled motion.
  static let leastMotion = 0.3
  /// How often a shift is estimated again with faces that are followed by it.
  static let rounds = 3
  /// How far before and after a known shift its rest is looked for.
  static let rest = 3
  /// Below this share of the error as things are nothing is left to explain.
  static let exact = 0.05
  /// What comes and goes from frame to frame is no error in time: less of it than this has to be in the error.
  static let rough = 0.5
  /// Frames by which clocks have to come apart.
  static let drift = 4.0
  /// The whole frames of a shift that is known to a tenth of a frame: the rest is a tracker's own lag, which is late.
  static func whole(_ shift: Double) -> Int { Int((shift + 0.1).rounded(.down)) }
  /// Ratios of usual frame rates.
  static let rates: [Double] = {
    let ratios = usualRates.flatMap { one in usualRates.map { one / $0 } }
    return ratios.enumerated().filter { index, rate in
      rate != 1 && (0.2...5).contains(rate)
        && !ratios[..<index].contains { abs($0 / rate - 1) < 2e-5 }
    }.map(\.element)
  }()
  /// Usual frame rates; those of film and television come last, because a hypothesis has to beat the ones before it.
  static let usualRates = [30.0, 25, 24, 60, 50, 15, 120, 29.97, 59.94, 23.976]
}
