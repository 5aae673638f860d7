#if PLANTED_SLOWDOWN
  internal import Platform

  /// Makes one stage slower than it is, to see that gates notice; in no build but those for that test.
  ///
  /// `FACEGAUGE_PLANTED_SLOWDOWN=landmark.infer:10` makes the stage take 10 % longer, by waiting busily.
  enum PlantedSlowdown {
    private static let planted: (stage: String, share: Double)? = {
      guard let text = ProgramArguments.variable("FACEGAUGE_PLANTED_SLOWDOWN") else { return nil }
      let words = text.split(separator: ":")
      guard words.count == 2, let percent = Double(words[1]), (0...1000).contains(percent) else {
        return nil
      }
      return (String(words[0]), percent / 100)
    }()

    /// Waits until a stage that began at a moment has taken so much longer.
    static func extend(_ stage: String, since begin: UInt64) {
      guard let planted, planted.stage == stage else { return }
      let now = MonotonicClock.nanoseconds()
      let end = now &+ UInt64(Double(now &- begin) * planted.share)
      while MonotonicClock.nanoseconds() < end {}
    }
  }
#endif
