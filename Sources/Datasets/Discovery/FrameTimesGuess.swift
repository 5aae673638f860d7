/// The unit of times that rise by what frames of a video are apart.
struct FrameTimesGuess {
  /// `s`, `ms`, `us` or `ns`.
  let unit: String

  /// nil where an array has no times by its name, or they do not rise.
  init?(_ array: FoundArray) {
    guard array.words.contain("time", "times", "timestamp", "ts", "pts", "msec", "seconds"),
      array.isNumbers
    else { return nil }
    let isColumn = array.shape.count == 1 || array.shape.count == 2 && array.shape[1] == 1
    guard isColumn else { return nil }
    var steps: [Double] = []
    var falls = 0
    for part in array.sample.parts {
      for (before, after) in zip(part.values, part.values.dropFirst()) {
        let step = after - before
        if step > 0 { steps.append(step) } else { falls += 1 }
      }
    }
    // Times fall where another sequence begins.
    guard steps.count > 2 * falls else { return nil }
    steps.sort()
    let middle = steps[steps.count / 2]
    // From 1 to 1000 frames per second.
    let units: [(String, Double)] = [("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)]
    guard let unit = units.first(where: { middle >= 0.00101 * $0.1 && middle <= $0.1 }) else {
      return nil
    }
    self.unit = unit.0
  }
}
