/// A stretch of a video in which a recording repeats its values to the last bit, as one does that lost the face.
///
/// It lasts more than 0.2 s and has more than three equal frames: a camera of a lower rate than the recording gives pairs
/// of equal frames, or a few more, and no tracker's noise gives any. One of lost faces comes after a head whose angles are
/// not 0: coefficients of a voice have none, and rest at 0.
package struct FrozenStretch: Sendable, Hashable {
  /// The time that equal values may span without being a loss, in microseconds.
  package static let longestHold: Int64 = 200_000
  /// So many equal frames are no stretch whatever their times.
  package static let mostEqualFrames = 3

  /// Its frames, without the first one that has the values, which was still measured where they are not all 0.
  package let frames: Range<Int>
  /// From the first frame with the values to the last, in microseconds.
  package let microseconds: Int64
}

/// Finds frozen stretches in the frames of a video, given in their order.
package struct FrozenStretches: Sendable {
  private struct Hold {
    let values: FaceFingerprint
    let frames: ClosedRange<Int>
    let start: Int64
    let end: Int64
    /// Whether the head of the frame before it had angles that are not 0.
    let isAfterTurned: Bool
  }

  /// The stretches that are over.
  package private(set) var all: [FrozenStretch] = []
  private var hold: Hold?

  /// Starts before the first frame.
  package init() {}

  /// Takes in the next frame, at a time in microseconds; nil values are those of a frame without a face.
  package mutating func add(_ frame: Int, time: Int64, values: FaceFingerprint?) {
    if let hold, hold.values == values, hold.frames.upperBound + 1 == frame {
      self.hold = Hold(
        values: hold.values, frames: hold.frames.lowerBound...frame, start: hold.start, end: time,
        isAfterTurned: hold.isAfterTurned)
      return
    }
    let isAfterTurned = hold?.values.isTurned == true
    endVideo()
    hold = values.map {
      Hold(
        values: $0, frames: frame...frame, start: time, end: time, isAfterTurned: isAfterTurned)
    }
  }

  /// Ends the video; the next frame belongs to another.
  package mutating func endVideo() {
    guard let hold else { return }
    self.hold = nil
    let isLost = hold.values.part == .lost
    guard !isLost || hold.isAfterTurned, hold.end - hold.start > FrozenStretch.longestHold,
      hold.frames.count > FrozenStretch.mostEqualFrames
    else { return }
    all.append(
      FrozenStretch(
        frames: hold.frames.lowerBound + (isLost ? 0 : 1)..<hold.frames.upperBound + 1,
        microseconds: hold.end - hold.start))
  }
}
