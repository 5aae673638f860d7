internal import Foundation
internal import Statistics

/// The first frames of a run that took longer than those after them, as where a model is compiled on its first use.
///
/// They are the frames at the start that are each slower than 99 % of the frames after them, up to the first lasting change of
/// the times. Where nothing changes over a run, its first frame is such a one in 1 % of runs, whatever the noise.
package struct SlowStart: Sendable, Hashable {
  /// How many frames.
  package let frames: Int
  /// When the steady state began: the answer before the first frame of it, in seconds after the first answer.
  package let seconds: Double
  /// Their median, in nanoseconds.
  package let before: Double
  /// Median of the frames after them.
  package let after: Double

  /// The least number of frames in which it is searched.
  private static let minFrames = 100
  private static let maxFrames = 1000

  /// Looks at the frames before the first of the changes; nil where they begin like they go on.
  package init?(answers: [UInt64], nanoseconds: [UInt64], _ shifts: [TimeShift]) {
    guard let first = answers.first else { return nil }
    func seconds(_ answer: UInt64) -> Double { Double(answer - first) / 1e9 }
    let end =
      shifts.first.flatMap { shift in answers.firstIndex { seconds($0) >= shift.seconds } }
      ?? answers.count
    guard end >= Self.minFrames else { return nil }
    let times = nanoseconds[..<end].map { Int64(clamping: $0) }
    // Grows while the next frame is slower than nearly all that follow it.
    var count = 0
    while count < min(end / 2, Self.maxFrames) {
      let rest = times[(count + 1)...]
      let slower = rest.count { $0 >= times[count] }
      guard slower * 100 < rest.count else { break }
      count += 1
    }
    guard count > 0 else { return nil }
    func median(_ times: ArraySlice<Int64>) -> Double {
      Double(NearestRank.percentile(50, ofSorted: times.sorted()) ?? 0)
    }
    frames = count
    self.seconds = seconds(answers[count - 1])
    before = median(times[..<count])
    after = median(times[count...])
    guard after > 0, before >= TimeShift.minRatio * after else { return nil }
  }

  /// What a reader is told of it, times in milliseconds.
  package var text: String {
    let one = frames == 1 ? "the first frame took" : "the first \(frames) frames took"
    return String(
      format:
        "%@ %.2f times as long as those after %@: median %.3f ms, then %.3f ms from %.1f s on",
      one, before / after, frames == 1 ? "it" : "them", before / 1e6, after / 1e6, seconds)
  }
}
