package import Records

extension FaceTracking {
  /// Shares, losses, times and what the detector did.
  package static let definitions = [
    trackedShare, losses, lossesPerMinute, reacquireMedian, reacquire95, longestGap, detectorRate,
    droppedFrames,
  ]

  /// Occasions on which the face was there.
  package static let trackedShare = definition(
    "tracked_share", "Tracked share", "1", .higher,
    "analysed frames with a face given out over analysed frames; in labelled sequences labelled "
      + "faces with a prediction of IoU .50 or more over labelled faces; in [0, 1]"
  ).within(.proportion)
  /// Losses in all sequences.
  package static let losses = definition(
    "losses", "Losses", "losses", .lower,
    "stretches of k analysed frames or more (default 3) without a face after having had one; in "
      + "labelled sequences of a labelled face without a prediction of IoU .50 or more; "
      + "undefined where no face was ever there")
  /// Losses over the time of the sequences.
  package static let lossesPerMinute = definition(
    "losses_per_minute", "Losses per minute", "1/min", .lower,
    "tracking.losses over the minutes from first to last frame of each sequence that has a face")
  /// Half of the losses are over sooner.
  package static let reacquireMedian = definition(
    "reacquire_ms.median", "Time to find a lost face again, median", "ms", .lower,
    "time from the first frame of a loss to the next frame with the face, of losses that end; "
      + "nearest rank, undefined under 2 of them")
  /// 95 % of the losses are over sooner.
  package static let reacquire95 = definition(
    "reacquire_ms.p95", "Time to find a lost face again, 95th percentile", "ms", .lower,
    "as tracking.reacquire_ms.median, 95th percentile, undefined under 20 of them")
  /// The longest stretch without the face, losses or not.
  package static let longestGap = definition(
    "longest_gap_ms", "Longest gap", "ms", .lower,
    "longest time from the first frame without the face to the next with it, or to the last frame "
      + "where it does not come back; shorter stretches than a loss count, 0 without any")
  /// How often tracking had to fall back to the detector.
  package static let detectorRate = definition(
    "detector_rate", "Detector rate", "1", .lower,
    "analysed frames in which the detector ran, over analysed frames; in [0, 1]"
  ).within(.proportion)
  /// Frames that live mode passed over.
  package static let droppedFrames = definition(
    "dropped_frames", "Dropped frames", "frames", .lower,
    "frames that a newer one replaced in the queue of live mode")

  /// The figures in the order of `definitions`; all are undefined without a video sequence.
  package func summarize() -> [Measurement] {
    let sequences = self.sequences()
    let frames = sequences.reduce(0) { $0 + $1.analysed + $1.dropped }
    let analysed = sequences.reduce(0) { $0 + $1.analysed }
    let occasions = sequences.reduce(0) { $0 + $1.occasions }
    let withFace = sequences.filter(\.hasFace)
    let gaps = withFace.flatMap(\.gaps).map(\.gap)
    let losses = gaps.filter { $0.frames >= framesOfLoss }
    let minutes = Double(withFace.reduce(0) { $0 + $1.microseconds }) / 60e6
    let nothing =
      frames == 0 ? "no frame of a video sequence" : "no frame of a video sequence was analysed"
    let noFace = analysed == 0 ? nothing : "no video sequence has a face"
    func share(_ definition: MetricDefinition, _ part: Int, of whole: Int, else reason: String)
      -> Measurement
    {
      whole == 0
        ? definition.undefined(reason, n: 0)
        : definition.measurement(Double(part) / Double(whole), n: whole)
    }
    func figure(_ definition: MetricDefinition, _ value: Double) -> Measurement {
      withFace.isEmpty
        ? definition.undefined(noFace, n: occasions) : definition.measurement(value, n: occasions)
    }
    let found = sequences.reduce(0) { $0 + $1.found }
    let times = losses.filter { $0.reacquired != nil }.map(\.microseconds).sorted()
    let detectorRuns = sequences.reduce(0) { $0 + $1.detectorRuns }
    return [
      share(Self.trackedShare, found, of: occasions, else: nothing),
      figure(Self.losses, Double(losses.count)),
      !withFace.isEmpty && minutes <= 0
        ? Self.lossesPerMinute.undefined("the timestamps span no time", n: occasions)
        : figure(Self.lossesPerMinute, Double(losses.count) / minutes),
      reacquire(Self.reacquireMedian, 50, of: times, else: noFace),
      reacquire(Self.reacquire95, 95, of: times, else: noFace),
      figure(Self.longestGap, Double(gaps.map(\.microseconds).max() ?? 0) / 1000),
      share(Self.detectorRate, detectorRuns, of: analysed, else: nothing),
      frames == 0
        ? Self.droppedFrames.undefined(nothing, n: 0)
        : Self.droppedFrames.measurement(Double(frames - analysed), n: frames),
    ]
  }

  /// The longest losses (`tracking.losses`) in the order of the frames; nil for none.
  ///
  /// - Parameters:
  ///   - names: Name of a sequence by its index; the index itself where it has none.
  ///   - limit: The most rows.
  package func lossTable(names: [Int: String], limit: Int = 100) -> Series? {
    let losses = sequences().flatMap { sequence in
      sequence.gaps.filter { $0.gap.frames >= framesOfLoss }.map { (sequence.index, $0) }
    }
    guard !losses.isEmpty, limit > 0 else { return nil }
    let longest = losses.indices.sorted {
      let (first, second) = (losses[$0].1.gap.microseconds, losses[$1].1.gap.microseconds)
      return first > second || (first == second && $0 < $1)
    }
    let rows = longest.prefix(limit).sorted().map { index -> [String] in
      let (sequence, loss) = losses[index]
      let face = loss.face.map { face in
        face.identity.map { "identity \($0)" } ?? "label \(face.position)"
      }
      return [
        names[sequence] ?? "\(sequence)", face ?? "any", "\(loss.gap.lost.frame)",
        loss.gap.reacquired.map { "\($0.frame)" } ?? "never",
        (Double(loss.gap.microseconds) / 1000).shortText(significantDigits: 6),
      ]
    }
    let kept = rows.count < losses.count ? ", the \(rows.count) longest of \(losses.count)" : ""
    return Series(
      name: "tracking.losses", title: "Losses" + kept,
      content: .table(
        Series.Table(
          columns: ["sequence", "face", "frame lost", "frame re-acquired", "gap (ms)"], rows: rows))
    )
  }

  private func reacquire(
    _ definition: MetricDefinition, _ percent: Int, of times: [Int64], else noFace: String
  ) -> Measurement {
    let needs = NearestRank.samplesNeeded(forPercentile: percent)
    guard times.count >= needs, let time = NearestRank.percentile(percent, ofSorted: times) else {
      let reason =
        times.isEmpty
        ? "no face was lost and found again"
        : "needs \(needs) losses that end, there are \(times.count)"
      return definition.undefined(reason, needs: needs, n: times.count)
    }
    return definition.measurement(Double(time) / 1000, n: times.count)
  }

  private static func definition(
    _ name: String, _ title: String, _ unit: String, _ direction: Direction, _ formula: String
  ) -> MetricDefinition {
    MetricDefinition(
      name: "tracking.\(name)", title: title, stage: "tracking", unit: unit, direction: direction,
      formula: formula + "; undefined without video sequences",
      source: "video sequences only; frames and their timestamps")
  }
}
