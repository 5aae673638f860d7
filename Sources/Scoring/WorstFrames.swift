internal import Datasets
internal import FaceCore

/// The frames with most errors, up to a bound and a few of each video.
struct WorstFrames {
  /// The most frames of one video: neighbours in a clip look alike, stills do not.
  private static let perVideo = 2

  /// What is needed to draw a frame.
  struct Entry {
    let frame: Frame
    let isVideo: Bool
    let labels: [FaceLabel]
    let detections: [FaceDetection]
    let faces: [FacePrediction]
    /// Positions of the labels that were not found.
    let missed: Set<Int>
    /// Positions of the detections that match no label.
    let falseDetections: Set<Int>
    /// Positions of the faces that match no label.
    let falseFaces: Set<Int>
    /// Errors, and how bad the rest is among frames with as many.
    let badness: (errors: Int, severity: Double)
    let caption: String

    func isWorse(than other: Entry) -> Bool {
      if badness == other.badness { return frame.index < other.frame.index }
      return badness > other.badness
    }
  }

  /// How many are kept.
  let limit: Int
  /// Worst first.
  private(set) var entries: [Entry] = []

  /// Takes in the frames of another stretch of the dataset.
  mutating func merge(_ other: WorstFrames) {
    for entry in other.entries { offer(entry) }
  }

  mutating func offer(_ entry: Entry) {
    guard limit > 0 else { return }
    let siblings = entries.indices.filter {
      entry.isVideo && entries[$0].frame.sequence == entry.frame.sequence
    }
    if siblings.count == Self.perVideo, let mildest = siblings.last {
      guard entry.isWorse(than: entries[mildest]) else { return }
      entries.remove(at: mildest)
    }
    if entries.count == limit, let last = entries.last, !entry.isWorse(than: last) { return }
    let position = entries.firstIndex { entry.isWorse(than: $0) } ?? entries.count
    entries.insert(entry, at: position)
    if entries.count > limit { entries.removeLast() }
  }
}
