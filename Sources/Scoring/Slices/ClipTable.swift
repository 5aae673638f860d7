internal import FaceCore
internal import Metrics
internal import Platform
internal import Records
internal import Running

/// What went wrong in each clip, and the worst frames of all.
struct ClipTable {
  /// One video sequence of a labelled dataset.
  private struct Clip {
    var name: String
    var frames = 0
    var labelled = 0
    var missed = 0
    var wrong = 0
    /// Sum of the mean errors of frames with found faces, and how many there are.
    var error = 0.0
    var errorFrames = 0
    var worst: Sight?

    var meanError: Double? { errorFrames == 0 ? nil : error / Double(errorFrames) }
    var missedShare: Double { labelled == 0 ? 0 : Double(missed) / Double(labelled) }

    func text(_ column: ClipColumn) -> String {
      switch column {
      case .clip: name
      case .frames: "\(frames)"
      case .labelled: "\(labelled)"
      case .missed: "\(missed)"
      case .recall: labelled == 0 ? "–" : (1 - missedShare).text(decimals: 3)
      case .falseFaces: "\(wrong)"
      case .error: ClipTable.text(meanError)
      case .worst: worst?.name ?? "–"
      case .number: worst.map { "\($0.index)" } ?? "–"
      }
    }

    /// Whether more of its faces were missed, then more false ones given out, then its error is larger.
    func isWorse(than other: Clip) -> Bool {
      (missedShare, wrong, meanError ?? 0) > (other.missedShare, other.wrong, other.meanError ?? 0)
    }
  }

  /// One frame.
  private struct Sight {
    var index: Int
    var name: String
    var missed: Int
    var wrong: Int
    var error: Double?

    func text(_ column: WorstFrameColumn) -> String {
      switch column {
      case .frame: name
      case .number: "\(index)"
      case .missed: "\(missed)"
      case .falseFaces: "\(wrong)"
      case .error: ClipTable.text(error)
      }
    }

    /// Whether it has more errors, or as many and a larger error of the found faces, or is earlier.
    func isWorse(than other: Sight) -> Bool {
      (missed + wrong, error ?? 0, -index)
        > (other.missed + other.wrong, other.error ?? 0, -other.index)
    }
  }

  /// So many clips are in a record, the worst.
  private static let clipLimit = 1000
  /// So many frames are kept as the worst.
  private static let worstCount = 5

  private var clips: [Int: Clip] = [:]
  private var worst: [Sight] = []

  /// Takes in one analysed frame; `error` is the mean NME of its found faces, and `clip` the name of its video.
  mutating func add(_ frame: Frame, clip: String?, matching: FaceMatching, error: Double?) {
    let sight = Sight(
      index: frame.index, name: frame.name, missed: matching.missed.count,
      wrong: matching.unmatched.count, error: error)
    offer(sight)
    guard let clip else { return }
    var own = clips[frame.sequence] ?? Clip(name: clip)
    own.frames += 1
    own.labelled += matching.labelled
    own.missed += sight.missed
    own.wrong += sight.wrong
    if let error {
      own.error += error
      own.errorFrames += 1
    }
    if own.worst.map({ sight.isWorse(than: $0) }) ?? true { own.worst = sight }
    clips[frame.sequence] = own
  }

  /// Takes in the frames of a later stretch of the dataset; no video is in both.
  mutating func merge(_ later: ClipTable) {
    clips.merge(later.clips) { own, _ in own }
    for sight in later.worst { offer(sight) }
  }

  private static func text(_ error: Double?) -> String {
    error.map { $0.text(decimals: 4) } ?? "–"
  }

  private mutating func offer(_ sight: Sight) {
    guard sight.missed + sight.wrong > 0 || sight.error != nil else { return }
    if worst.count == Self.worstCount, let last = worst.last, !sight.isWorse(than: last) { return }
    worst.insert(sight, at: worst.firstIndex { sight.isWorse(than: $0) } ?? worst.count)
    if worst.count > Self.worstCount { worst.removeLast() }
  }

  /// The clips, worst first, where there are two or more; then the worst frames.
  var series: [Series] {
    let sorted = clips.sorted { $0.key < $1.key }.map(\.value)
      .enumerated().sorted {
        $0.element.isWorse(than: $1.element)
          || !$1.element.isWorse(than: $0.element) && $0.offset < $1.offset
      }.map(\.element)
    var series: [Series] = []
    if sorted.count > 1 {
      series.append(
        Series(
          name: SeriesName.clips,
          title: sorted.count > Self.clipLimit
            ? "The worst \(Self.clipLimit.groupedText) of \(sorted.count.groupedText) clips"
            : "Clips, worst first",
          columns: ClipColumn.allCases.map(\.rawValue),
          rows: sorted.prefix(Self.clipLimit).map { clip in
            ClipColumn.allCases.map { clip.text($0) }
          }))
    }
    if !worst.isEmpty {
      series.append(
        Series(
          name: SeriesName.worstFrames, title: "Worst frames",
          columns: WorstFrameColumn.allCases.map(\.rawValue),
          rows: worst.map { frame in
            WorstFrameColumn.allCases.map { frame.text($0) }
          }))
    }
    return series
  }
}
