internal import FaceCore
internal import Metrics

/// The frames with most misses and false positives, up to a bound and a few of each video.
struct WorstFrames {
  /// The most frames of one video: neighbours in a clip look alike, stills do not.
  private static let perVideo = 2

  /// What is needed to draw a frame.
  struct Entry {
    let frame: Frame
    let isVideo: Bool
    let labels: [FaceLabel]
    let detections: [FaceDetection]
    let outcome: DetectionOutcome

    /// Misses and false positives together; less overlap counts as worse among equals.
    var badness: (Int, Double) {
      let overlap = outcome.matches.map(\.iou).min() ?? 1
      return (outcome.missed.count + outcome.falsePositives.count, 1 - overlap)
    }

    func isWorse(than other: Entry) -> Bool {
      if badness == other.badness { return frame.index < other.frame.index }
      return badness > other.badness
    }
  }

  private let limit: Int
  /// Worst first.
  private(set) var entries: [Entry] = []

  init(limit: Int) {
    self.limit = limit
  }

  mutating func offer(_ entry: Entry) {
    guard limit > 0, entry.badness.0 > 0 else { return }
    let siblings = entries.indices.filter {
      entry.isVideo && entries[$0].frame.sequence == entry.frame.sequence
    }
    if siblings.count == Self.perVideo, let mildest = siblings.last {
      guard entry.isWorse(than: entries[mildest]) else { return }
      entries.remove(at: mildest)
    }
    if entries.count == limit, let last = entries.last, !entry.isWorse(than: last) { return }
    let place = entries.firstIndex { entry.isWorse(than: $0) } ?? entries.count
    entries.insert(entry, at: place)
    if entries.count > limit { entries.removeLast() }
  }
}
