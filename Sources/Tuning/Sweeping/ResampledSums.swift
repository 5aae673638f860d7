internal import Calibration
internal import Metrics

/// The sums of every setting over all frames, over each resample of clusters, and over each fold.
///
/// Its size depends on settings, resamples and folds, not on the dataset.
struct ResampledSums: Sendable {
  private let folds: ClusterFolds?
  /// How often each draw takes each cluster.
  private let copies: [[UInt8]]
  let settingCount: Int
  private let layout: SweepCounts.Layout
  /// How many sums a setting has, and how many of them the draws keep.
  private let count, fieldCount: Int
  /// All sums of everything and of the folds; of the draws only those without bins.
  private var whole: [Double]
  private var parts: [Double]
  private var draws: [Double]

  init(
    settings: Int, clusters: Int, bootstrap: ClusterBootstrap, folds: ClusterFolds?,
    layout: SweepCounts.Layout
  ) {
    settingCount = settings
    self.layout = layout
    count = layout.count
    fieldCount = layout.drawnCount
    self.folds = folds
    copies = (0..<bootstrap.resamples).map { draw in
      clusters == 0
        ? [] : bootstrap.copies(ofDraw: draw, clusters: clusters).map { UInt8(clamping: $0) }
    }
    whole = Array(repeating: 0, count: settings * count)
    parts = Array(repeating: 0, count: (folds?.count ?? 0) * settings * count)
    draws = Array(repeating: 0, count: copies.count * settings * fieldCount)
  }

  var drawCount: Int { copies.count }
  var foldCount: Int { folds?.count ?? 0 }

  /// Adds what some settings did over frames of a cluster.
  mutating func add(_ tally: SweepCounts, of settings: [Int], cluster: Int) {
    let used = tally.sums.indices.filter { tally.sums[$0] != 0 }
    guard !used.isEmpty else { return }
    let fold = folds?.fold(of: cluster)
    for setting in settings {
      for position in used {
        whole[setting * count + position] += tally.sums[position]
      }
      if let fold {
        let start = (fold * settingCount + setting) * count
        for position in used { parts[start + position] += tally.sums[position] }
      }
    }
    let fields = used.filter { $0 < fieldCount }
    draws.withUnsafeMutableBufferPointer { draws in
      for (draw, copies) in copies.enumerated() where copies[cluster] > 0 {
        let times = Double(copies[cluster])
        for setting in settings {
          let start = (draw * settingCount + setting) * fieldCount
          for position in fields { draws[start + position] += times * tally.sums[position] }
        }
      }
    }
  }

  /// The sums as they are, to go on from later.
  struct State: Codable {
    var whole, parts, draws: [Double]
  }

  /// The sums as they are.
  var state: State { State(whole: whole, parts: parts, draws: draws) }

  /// Goes on from sums; false for those of other settings, folds or draws.
  mutating func goOn(from state: State) -> Bool {
    guard state.whole.count == whole.count, state.parts.count == parts.count,
      state.draws.count == draws.count
    else { return false }
    (whole, parts, draws) = (state.whole, state.parts, state.draws)
    return true
  }

  /// A setting's sums over everything.
  func whole(_ setting: Int) -> SweepCounts {
    SweepCounts(whole[setting * count..<(setting + 1) * count], layout)
  }

  /// A setting's sums in a draw.
  func draw(_ draw: Int, _ setting: Int) -> SweepCounts {
    let start = (draw * settingCount + setting) * fieldCount
    return SweepCounts(draws[start..<start + fieldCount], layout)
  }

  /// A setting's sums in a fold.
  func fold(_ fold: Int, _ setting: Int) -> SweepCounts {
    let start = (fold * settingCount + setting) * count
    return SweepCounts(parts[start..<start + count], layout)
  }

  /// A setting's sums outside a fold.
  func rest(_ fold: Int, _ setting: Int) -> SweepCounts {
    whole(setting).less(self.fold(fold, setting))
  }
}
