internal import FaceCore
package import Records
internal import Statistics

/// By how much the predicted motion of a face trails the labelled one.
///
/// Over the video sequences of a labelled dataset, for any tracker. A labelled face is followed by its identity, or where
/// it is the only one of its frame; its prediction is the one that it is paired with, or the only face of a frame with
/// one label, or of one that is not labelled, where that face alone is followed. Compared are the edges of both boxes, else
/// the eight coefficients that vary the most, else the head's rotation: the first kind that both sides have and that moves.
package struct LabelledLag: FrameMetric {
  /// One labelled face in one frame.
  package struct Face: Sendable, Hashable {
    var person: Int
    var labelled: FaceMotion
    var given: FaceMotion?
  }

  /// One frame of a video.
  package struct Entry: Sendable, Hashable, SequenceEntry {
    package var sequence: Int
    var time: Int64
    var faces: [Face]
    /// The only face that was predicted of a frame whose faces are not labelled.
    var lone: FaceMotion? = nil
  }

  /// Fewest frames in which a face is labelled, and in which it is predicted; half of them have both at each delay.
  package let fewestFrames: Int
  package var frames = FrameTable<Entry>()
  package var videos = FrameTable<VideoSums<Sums>>()

  /// Starts without frames.
  package init(fewestFrames: Int = LabelledLag.usualFrames) { self.fewestFrames = fewestFrames }

  /// As many frames as a face has to be followed for.
  package static let usualFrames = 20
  /// Largest delay tried, in frames.
  private static let range = 30

  package static var table: String { "lag.labels.ms" }

  /// Each labelled face of a sequence over its frames; it is another one after a gap longer than delays are.
  private static func paths(_ keys: [Int], _ entries: [Entry]) -> [MotionPath] {
    var paths: [MotionPath] = []
    var open: [Int: (path: Int, next: Int)] = [:]
    var lone: [Int: FaceMotion] = [:]
    for (key, entry) in zip(keys, entries) {
      lone[key] = entry.lone
      for face in entry.faces {
        var path = paths.count
        if let known = open[face.person], key - known.next <= range {
          path = known.path
          for between in known.next..<key {
            paths[path].append(nil, open.count == 1 ? lone[between] : nil)
          }
        } else {
          paths.append(MotionPath())
        }
        paths[path].append(face.labelled, face.given)
        open[face.person] = (path, key + 1)
      }
    }
    return paths
  }

  /// The delay of a path in frames, its state of knowledge where there is none.
  private func delay(of path: MotionPath) -> (count: Count, frames: Double?) {
    let signals = path.signals(inAtLeast: fewestFrames)
    guard let moving = signals.first(where: \.isMoving) else {
      return (signals.isEmpty ? .labelled : .followed, nil)
    }
    let range = min(Self.range, path.labelled.count / 3)
    return (
      .moving,
      CrossCorrelation.sharpDelay(
        of: moving.given, after: moving.labelled, range: range, sharing: fewestFrames / 2)
    )
  }
}

extension LabelledLag {
  /// In frames, and in milliseconds.
  package static let definitions = [inFrames, inMilliseconds]

  private static let inFrames = definition(
    "frames", "Lag against the labels in frames", unit: "frames",
    "delay of the largest correlation between labelled and predicted motion (edges of the boxes, else "
      + "the eight coefficients that vary the most, else two columns of the head's rotation), up to "
      + "±\(range) frames, parabolic between frames; of peaks with up to 1.25 times the least 1 − r "
      + "the one nearest to 0; mean over labelled faces followed for \(usualFrames) frames or more "
      + "that move; undefined where none moves, where labels and predictions share fewer than "
      + "\(usualFrames / 2) frames at one of the delays, or where no peak has r of .5 and a standard error of half a "
      + "frame at most; negative where predictions lead")
  private static let inMilliseconds = definition(
    "ms", "Lag against the labels", unit: "ms",
    "lag.labels.frames of each face times the median frame interval of its video, mean over faces")

  private static let definition = DefinitionGroup(
    prefix: "lag.labels.", stage: "tracking", direction: .closest, range: .any, target: 0,
    source: "labelled video sequences and their timestamps")

  /// Sums over faces, from which the metrics follow.
  package typealias Sums = NamedSums<Count, Mean, LandmarkJitter.Total>

  /// Labelled faces of videos: all, those that are followed long enough on both sides, and those of them that move.
  package enum Count: Int, SumName {
    case labelled, followed, moving
  }

  /// Means over faces.
  package enum Mean: Int, SumName {
    case frames, milliseconds
  }

  package func sums() -> Sums {
    frames.sequences.reduce(into: Sums()) { sums, sequence in
      let interval = Self.interval(sequence.keys, sequence.entries)
      for path in Self.paths(sequence.keys, sequence.entries) {
        let (count, delay) = delay(of: path)
        for reached in Count.allCases where reached.rawValue <= count.rawValue {
          sums[reached] += 1
        }
        guard let delay else { continue }
        sums[.frames].add(delay)
        if let interval { sums[.milliseconds].add(delay * interval / 1000) }
      }
    }
  }

  /// The median interval of successive frames in microseconds; nil where it is not above 0.
  private static func interval(_ keys: [Int], _ entries: [Entry]) -> Double? {
    let times = zip(keys, entries).map { ($0, $1.time) }
    return CrossCorrelation.median(
      ofIntervals: zip(times.dropFirst(), times).compactMap { next, before in
        next.0 == before.0 + 1 ? next.1 - before.1 : nil
      })
  }

  /// The metrics in the order of `definitions`; n is the number of faces with a lag.
  package func measurements(of sums: Sums) -> [Measurement] {
    [
      measurement(Self.inFrames, sums, .frames),
      measurement(Self.inMilliseconds, sums, .milliseconds),
    ]
  }

  private func measurement(
    _ definition: MetricDefinition, _ sums: Sums, _ mean: Mean
  ) -> Measurement {
    let reason =
      if sums[.labelled] == 0 {
        "no face of a video sequence is labelled"
      } else if sums[.followed] == 0 {
        "no labelled face of a video sequence is found in \(fewestFrames) frames"
      } else if sums[.moving] == 0 {
        "no labelled face moves: lag needs motion"
      } else if sums[.frames].count == 0 {
        "no correlation of labelled and predicted motion has a sharp peak within the delays tried, or too few frames "
          + "have both at one of them"
      } else {
        "the frames have no times that rise"
      }
    return definition.mean(of: sums[mean], else: reason)
  }
}

extension CrossCorrelation {
  /// Delay of the largest correlation of signals with gaps (NaN); nil where no peak tells it to half a frame.
  ///
  /// The correlation is as in `correlation(of:after:by:)`, over the samples that both have. A peak has a correlation of at
  /// least .5 and neighbours that are known and lower. Of several whose 1 − r is at most 1.25 times the least, the one nearest to
  /// 0 is taken, so that periodic motion has the smallest delay that explains it. Nil too where fewer than `fewest`
  /// samples are shared at one of the delays: a few correlate by chance.
  static func sharpDelay(
    of later: [[Double]], after earlier: [[Double]], range: Int, sharing fewest: Int = 0
  ) -> Double? {
    guard range > 0 else { return nil }
    let (later, earlier) = (later.map(centered), earlier.map(centered))
    let curve = (-range...range).map { gapped(of: later, after: earlier, by: $0) }
    guard curve.allSatisfy({ $0.samples >= fewest }) else { return nil }
    let peaks = (1..<2 * range).filter { index in
      let at = curve[index].correlation
      let beside = [curve[index - 1], curve[index + 1]]
      return at >= 0.5 && beside.allSatisfy { $0.samples > 0 && at >= $0.correlation }
    }
    guard let best = peaks.map({ curve[$0].correlation }).max(),
      best >= max(curve[0].correlation, curve[2 * range].correlation),
      let peak = peaks.filter({ 1 - curve[$0].correlation <= 1.25 * (1 - best) + 1e-12 })
        .min(by: { (abs($0 - range), $1) < (abs($1 - range), $0) })
    else { return nil }
    let around = (-1...1).map { curve[peak + $0].correlation }
    let curvature = 2 * around[1] - around[0] - around[2]
    let unexplained = max(0, 1 - around[1] * around[1])
    guard curvature > 1e-9, unexplained <= 0.25 * curvature * Double(curve[peak].samples) else {
      return nil
    }
    return Double(peak - range) + vertex(around[0], around[1], around[2])
  }

  /// Less the mean of what is there, so that sums of squares keep their digits.
  private static func centered(_ signal: [Double]) -> [Double] {
    let mean = signal.filter { !$0.isNaN }.mean ?? 0
    return signal.map { $0 - mean }
  }

  /// The correlation at a delay, 0 where a set does not vary, and the most samples of a signal.
  private static func gapped(
    of later: [[Double]], after earlier: [[Double]], by delay: Int
  ) -> (correlation: Double, samples: Int) {
    var (product, earlierPower, laterPower, samples) = (0.0, 0.0, 0.0, 0)
    for (first, second) in zip(earlier, later) {
      var (n, x, y, xx, yy, xy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
      for index in max(0, -delay)..<max(max(0, -delay), min(first.count, second.count - delay)) {
        let (a, b) = (first[index], second[index + delay])
        guard !a.isNaN, !b.isNaN else { continue }
        n += 1
        x += a
        y += b
        xx += a * a
        yy += b * b
        xy += a * b
      }
      guard n > 1 else { continue }
      product += xy - x * y / n
      earlierPower += xx - x * x / n
      laterPower += yy - y * y / n
      samples = max(samples, Int(n))
    }
    let scale = (max(0, earlierPower) * max(0, laterPower)).squareRoot()
    return (scale > 0 ? product / scale : 0, samples)
  }
}

extension LabelledLag: AdditiveFamily {
  package static let requirements: MetricRequirements = [.labels, .faces]
  package static let presentation = MetricPresentation(
    sliced: Set(definitions.map(\.name)),
    headlines: [.init(.lag, choice: 1, [inMilliseconds.name])])

  package init(_ context: MetricContext) { self.init() }

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    guard frame.isVideo else { return }
    let (people, hasInner) = (frame.pairs.labelledFaces, frame.faces.haveInnerPoints)
    var entry = Entry(
      sequence: frame.frame.sequence, time: frame.frame.timestampMicroseconds, faces: [],
      lone: frame.isUnlabelled && frame.faces.count == 1 ? FaceMotion(frame.faces[0]) : nil)
    for (label, match) in people {
      guard let person = frame.labels[label].identity ?? (people.count == 1 ? Int.min : nil),
        !entry.faces.contains(where: { $0.person == person })
      else { continue }
      let face = match ?? (frame.labels.count == 1 && frame.faces.count == 1 ? 0 : nil)
      entry.faces.append(
        Face(
          person: person, labelled: FaceMotion(frame.labels[label], hasInner: hasInner),
          given: face.map { FaceMotion(frame.faces[$0]) }))
    }
    try add(entry, for: frame.frame.index)
  }

  package var isPresent: Bool { total[.labelled] > 0 }
  package var countedFrames: FrameRuns { frames.keys { !$0.faces.isEmpty } }
}

extension LabelledLag.Face: Packable {
  package func pack(into row: inout RowWriter) { row.write(person, labelled, given) }
  package init(from row: inout RowReader) {
    self.init(person: row.read(), labelled: row.read(), given: row.read())
  }
}

extension LabelledLag.Entry: Packable {
  package func pack(into row: inout RowWriter) { row.write(sequence, time, faces, lone) }
  package init(from row: inout RowReader) {
    self.init(sequence: row.read(), time: row.read(), faces: row.read(), lone: row.read())
  }
}
