internal import Foundation

/// Checks the times of a video's frames in sequence and counts irregularities.
struct FrameTimes {
  private var times: [Int64] = []
  private var stopped = 0

  /// Microseconds of a time in seconds; nil if it is more than 142 years from 0.
  static func microseconds(ofSeconds seconds: Double) -> Int64? {
    guard abs(seconds) < Double(1 << 52) / 1_000_000 else { return nil }
    return Int64((seconds * 1_000_000).rounded())
  }

  /// Whether a frame's time in microseconds is above all before; otherwise the frame counts as left out.
  mutating func accepts(_ microseconds: Int64) -> Bool {
    if let last = times.last, microseconds <= last {
      stopped += 1
      return false
    }
    times.append(microseconds)
    return true
  }

  /// Frames per second of the usual step; 0 for fewer than two frames.
  var usualRate: Double {
    usualStep.map { LiveLinkTake.rate(ofStep: Double($0)) } ?? 0
  }

  /// Frames left out because their time does not rise, and steps unlike the usual one.
  func remarks(_ title: String) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    remarks.drop(stopped, "frames whose time does not rise", about: title)
    if let usual = usualStep {
      let irregular = steps.count { abs($0 - usual) > usual / 2 }
      remarks.assume(
        "\(title): irregular times: \(irregular) of \(steps.count) steps are not the usual",
        if: irregular > 0)
    }
    return remarks
  }

  private var steps: [Int64] { zip(times, times.dropFirst()).map { $1 - $0 } }

  private var usualStep: Int64? {
    let sorted = steps.sorted()
    return sorted.isEmpty ? nil : sorted[sorted.count / 2]
  }
}
