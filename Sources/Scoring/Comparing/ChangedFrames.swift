internal import Datasets
internal import FaceCore
internal import Metrics
internal import Platform
internal import Records
internal import Running

/// The frames that two runs differ on most: first by errors, then by the NME of the found faces.
struct ChangedFrames {
  private struct Change {
    var frame: Int
    var errors: Int
    var nme: Double

    /// Whether it got worse by more than another.
    func isWorse(than other: Change) -> Bool {
      (errors, nme, -frame) > (other.errors, other.nme, -other.frame)
    }

    /// Whether it got better by more than another.
    func isBetter(than other: Change) -> Bool {
      (-errors, -nme, -frame) > (-other.errors, -other.nme, -other.frame)
    }
  }

  let base: Scoring
  let candidate: Scoring
  /// How many frames are shown of either kind.
  let limit: Int

  /// A smaller change of NME is none.
  private static let minChange = 1e-4

  /// The frames that got worse, then those that got better, drawn where there is a folder for images; `notes` name those
  /// whose images cannot be read.
  func shown(
    _ runs: [StoredRun.Opened], _ dataset: DatasetReader, _ folder: RunFolder?,
    notes: inout [String]
  ) throws -> [Comparison.ChangedFrame] {
    var changes: [Change] = []
    for frame in 0..<dataset.frameCount {
      let (before, after) = (base.errors(inFrame: frame), candidate.errors(inFrame: frame))
      let nme = (after.nme ?? 0) - (before.nme ?? 0)
      let change = Change(
        frame: frame, errors: after.count - before.count,
        nme: before.nme == nil || after.nme == nil || abs(nme) < Self.minChange ? 0 : nme)
      if change.errors != 0 || change.nme != 0 { changes.append(change) }
    }
    let worse = candidate.clusters.first(
      limit,
      of: changes.filter { $0.errors > 0 || $0.errors == 0 && $0.nme > 0 }
        .sorted { $0.isWorse(than: $1) }, inFrame: \.frame)
    let better = candidate.clusters.first(
      limit,
      of: changes.filter { $0.errors < 0 || $0.errors == 0 && $0.nme < 0 }
        .sorted { $0.isBetter(than: $1) }, inFrame: \.frame)
    return try worse.enumerated().map {
      try describe($1, .worse, "changed-worse-\($0 + 1)", runs, dataset, folder, &notes)
    }
      + better.enumerated().map {
        try describe($1, .better, "changed-better-\($0 + 1)", runs, dataset, folder, &notes)
      }
  }

  private func describe(
    _ change: Change, _ outcome: Comparison.Outcome, _ file: String, _ runs: [StoredRun.Opened],
    _ dataset: DatasetReader, _ folder: RunFolder?, _ notes: inout [String]
  ) throws -> Comparison.ChangedFrame {
    let range = change.frame..<change.frame + 1
    let frame = try dataset.frames(range)[0]
    let labels = try dataset.faces(range)[0]
    var (captions, images): ([String], [Record.Image]) = ([], [])
    for ((run, scoring), side) in zip(zip(runs, [base, candidate]), ["base", "candidate"]) {
      let prediction = run.tracker.counted(try run.predictions.predictions(range)[0])
      guard
        let entry = try scoring.review(
          frame, isVideo: dataset.kind(ofSequence: frame.sequence) == .video, labels: labels,
          prediction: prediction)
      else { continue }
      var caption = entry.caption
      if let nme = scoring.errors(inFrame: change.frame).nme {
        caption += ", NME \(nme.shortText(significantDigits: 3))"
      }
      captions.append(caption)
      if let folder, !frame.hasNoImage,
        var image = try Gallery.write(
          entry, as: "\(file)-\(side).jpg", of: dataset, into: folder, notes: &notes)
      {
        image.caption = "\(side): \(caption)"
        images.append(image)
      }
    }
    return Comparison.ChangedFrame(
      frame: frame.name, outcome: outcome, base: captions.first ?? "",
      candidate: captions.last ?? "",
      images: images)
  }
}

extension FrameClusters {
  /// The first of some items that lie in frames, at most two of a cluster: neighbours in a clip look alike.
  func first<Item>(_ limit: Int, of items: [Item], inFrame frame: KeyPath<Item, Int>) -> [Item] {
    var taken: [Int: Int] = [:]
    var chosen: [Item] = []
    for item in items where chosen.count < limit {
      let cluster = cluster(of: item[keyPath: frame]) ?? -1
      guard taken[cluster, default: 0] < 2 else { continue }
      taken[cluster, default: 0] += 1
      chosen.append(item)
    }
    return chosen
  }
}
