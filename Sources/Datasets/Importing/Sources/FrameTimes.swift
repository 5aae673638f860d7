internal import FaceCore
internal import Foundation
internal import Platform

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
  ///
  /// Of times in milliseconds it is the mean of steps that rounding makes unlike, as 33 and 34 at 30 frames per second.
  var usualRate: Double {
    guard let usual = usualStep else { return 0 }
    let near = steps.filter { abs($0 - usual) <= min(1000, usual / 4) }
    return LiveLinkTake.rate(ofStep: Double(near.reduce(0, +)) / Double(near.count))
  }

  /// Throws where times that should be seconds are milliseconds: usual steps take 500 frames of the stated rate or more,
  /// or without one 8 seconds, the milliseconds of a frame at 125 frames per second.
  func requireSeconds(atStated rate: Double?, in file: String) throws(FileError) {
    guard times.count >= 30, let step = usualStep else { return }
    let seconds = Double(step) / 1_000_000
    let stated = rate ?? 0
    guard stated > 0 ? seconds * stated >= 500 : seconds >= 8 else { return }
    throw FileError.wrongData(
      "cannot read \(file): expected timestamps in seconds, found frames that are "
        + "\(seconds.shortText()) s apart, as in milliseconds (a recording that is so slow states "
        + "its fps)")
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

  private var usualStep: Int64? { steps.upperMedian }
}

extension FrameTimes {
  /// How many frames are not there by the times of a video, whose longer steps are some usual ones, and the frames per second
  /// with them; nil where none is missing.
  static func missing(among times: [Int64]) -> (count: Int, rate: Double)? {
    let steps = zip(times, times.dropFirst()).map { $1 &- $0 }
    guard let usual = steps.upperMedian, usual > 0 else { return nil }
    let count = steps.reduce(0) { count, step in
      count + Int(max(1, min(Double(step) / Double(usual), 1e9)).rounded()) - 1
    }
    guard count > 0, let first = times.first, let last = times.last else { return nil }
    let rate = Double(steps.count + count) * 1_000_000 / Double(last &- first)
    return (count, (rate * 100).rounded() / 100)
  }

  /// Whether times are as far apart from each other as those that are made of numbers and a rate.
  static func areEven(_ times: [Int64]) -> Bool {
    let steps = zip(times, times.dropFirst()).map { $1 &- $0 }
    guard let least = steps.min(), let most = steps.max(), least > 0 else { return false }
    // Milliseconds are rounded either way.
    return most - least <= max(2_000, least / 50)
  }
}

extension DatasetReader {
  /// The first video that lacks frames by its times and not by its names, with their number and the frames per second with
  /// them.
  func clipThatLacksFrames() throws(FileError) -> (name: String, missing: Int, rate: Double)? {
    let frames = try collectFrames { $0 }
    for clip in sequences where clip.kind == .video {
      let own = frames[clip.first..<clip.first + clip.count]
      if let (count, rate) = FrameTimes.missing(among: own.map(\.timestampMicroseconds)),
        NumberedClip(own, of: self) == nil
      {
        return (clip.name, count, rate)
      }
    }
    return nil
  }
}

extension Array where Element: Comparable {
  /// The element in the middle of their order, of an even number the upper one; nil of none.
  var upperMedian: Element? { isEmpty ? nil : sorted()[count / 2] }
}
