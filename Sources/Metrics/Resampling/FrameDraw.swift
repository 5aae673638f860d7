/// Frames taken from a dataset to stand for it: whole stretches, each as often as it was drawn.
package struct FrameDraw: Sendable, Hashable {
  /// Frames that stay together, and what is added to their keys so that every copy has its own.
  struct Stretch: Sendable, Hashable {
    var frames: Range<Int>
    var shift: Int
  }

  private(set) var stretches: [Stretch] = []
  private var nextKey = 0

  /// Takes nothing.
  package init() {}

  /// Takes the frames of a range, each once, as they are.
  package init(_ frames: Range<Int>) {
    stretches = [Stretch(frames: frames, shift: 0)]
    nextKey = frames.upperBound
  }

  /// Takes some frames, each once, as they are.
  package init(_ frames: FrameRuns) {
    stretches = frames.ranges.map { Stretch(frames: $0, shift: 0) }
    nextKey = (frames.last ?? -1) + 1
  }

  /// Takes the frames of a sequence once more; a key stays free between two stretches.
  package mutating func take(_ frames: Range<Int>) {
    stretches.append(Stretch(frames: frames, shift: nextKey - frames.lowerBound))
    nextKey += frames.count + 1
  }
}
