internal import Datasets
internal import FaceCore
internal import Metrics
package import Records

/// What has nothing to compare: no label, no prediction, frames that the tracker's output does not name, or points of
/// schemes that do not meet or that no predicted face has.
package enum EmptyCheck: FindingCheck {
  static let missing = "frames.missing"

  package static let names = ["empty.labels", "empty.predictions", "empty.points", missing]

  /// Faces on the other side that make it more than chance, at least.
  private static let leastFaces = 20

  package static func findings(in sample: JoinedSample) -> [Finding] {
    guard !sample.frames.isEmpty else { return [] }
    let rows = missing(sample) ?? skipped(sample)
    return [labels(sample), predictions(sample), rows, points(sample), lacking(sample)]
      .compactMap(\.self)
  }

  /// A dataset of images without faces has no label either: then few faces are predicted.
  private static func labels(_ sample: JoinedSample) -> Finding? {
    guard sample.isLabelled,
      sample.frames.allSatisfy({ $0.labels.isEmpty && $0.others.isEmpty })
    else { return nil }
    let ignored = sample.frames.reduce(0) { $0 + $1.ignored.count }
    guard ignored == 0 else {
      return Finding(
        "empty.labels", .note,
        "All \(ignored) labelled faces are to be ignored: none is counted as found or missed.",
        statistic: "share of labelled faces that count", before: 0, n: ignored,
        frames: sample.frames.filter { !$0.ignored.isEmpty }.map(\.named))
    }
    let found = sample.frames.filter { !$0.prediction.faces.isEmpty }
    let isMissing = found.count >= leastFaces && 2 * found.count >= sample.frames.count
    let areVideos = sample.frames.allSatisfy(\.isVideo)
    let command = areVideos ? "video' is for videos" : "images' is for images"
    return Finding(
      "empty.labels", isMissing ? .suspect : .note,
      "No frame has a labelled face, and \(found.count) of \(sample.frames.count) have a predicted "
        + "one: every prediction is a false positive.",
      statistic: "share of frames with a labelled face", before: 0, n: sample.frames.count,
      remedy: isMissing
        ? "Import the labels again, and read in its notes what became of them; 'facegauge import "
          + "\(command) that are not labelled." : nil,
      frames: found.map(\.named))
  }

  private static func predictions(_ sample: JoinedSample) -> Finding? {
    guard sample.frames.allSatisfy(\.prediction.faces.isEmpty) else { return nil }
    let labelled = sample.frames.filter { !$0.labels.isEmpty }
    let count = labelled.reduce(0) { $0 + $1.labels.count }
    guard count > 0 else { return nil }
    let detections = sample.frames.reduce(0) { $0 + $1.prediction.detections.count }
    guard detections == 0 else { return rejected(sample, detections, labelled) }
    let isMissing = sample.format != nil && count >= leastFaces
    let isImported = sample.format.map { DatasetFormats.named($0) != nil } ?? false
    return Finding(
      "empty.predictions", isMissing ? .suspect : .note,
      "No frame has a predicted face, and \(count) faces are labelled in \(labelled.count) of them.",
      statistic: "share of labelled frames with a predicted face", before: 0, n: labelled.count,
      remedy: !isMissing
        ? nil
        : isImported
          ? "Import the predictions again, and read in its notes what was left out: --category and "
            + "--join choose what is a face, and where it belongs."
          : "Look at what the tracker, or what wrote the predictions, has for one of these frames.",
      frames: labelled.map(\.named))
  }

  /// Detections of our own pipeline in none of which its landmark model sees a face.
  private static func rejected(
    _ sample: JoinedSample, _ detections: Int, _ labelled: [JoinedFrame]
  ) -> Finding? {
    guard sample.format == nil, sample.scheme != nil, detections >= leastFaces else { return nil }
    return Finding(
      "empty.predictions", .note,
      "No frame has a predicted face: the landmark model sees none in the \(detections) regions that the detector gives.",
      statistic: "share of labelled frames with a predicted face", before: 0, n: labelled.count,
      remedy:
        "Check box and anchors in the card of an own detector, and input and presence in that of an own landmark model.",
      frames: labelled.map(\.named))
  }

  /// So many times as long as the longest gap elsewhere a stretch is that the tracker did not look at: a face that it does
  /// not find is found again.
  private static let gaps = 3

  /// Stretches that the tracker's output does not name, in which faces are labelled.
  ///
  /// An output of found faces alone does not name frames without one either: those are here and there.
  private static func missing(_ sample: JoinedSample) -> Finding? {
    func isMissing(_ joined: JoinedFrame) -> Bool {
      sample.missing.contains { $0.contains(joined.frame.index) }
    }
    let labelled = sample.frames.filter { !$0.labels.isEmpty }
    let lost = labelled.filter(isMissing)
    var (named, gap, longest) = (0, 0, 0)
    for joined in labelled where !isMissing(joined) {
      named += joined.prediction.isInSource ? 1 : 0
      gap = joined.prediction.isInSource ? 0 : gap + 1
      longest = max(longest, gap)
    }
    guard lost.count >= leastFaces, lost.count > gaps * longest,
      2 * named > labelled.count - lost.count
    else { return nil }
    let count = sample.missing.reduce(0) { $0 + $1.count }
    let first = sample.missing[0]
    return Finding(
      missing, .suspect,
      "The output has no row for \(count) frames "
        + (sample.missing.count == 1 ? "" : "in \(sample.missing.count) stretches, the first ")
        + "from frame \(first.lowerBound) to \(first.upperBound - 1): all faces there count as "
        + "missed.", statistic: "share of labelled frames that the output names",
      before: Double(named) / Double(labelled.count), n: labelled.count,
      remedy: "Run the tracker on all frames. Or measure it on those that it saw: make a dataset "
        + "of them with 'facegauge subset' and \(selection(sample)), and track or import that.",
      frames: lost.map(\.named))
  }

  /// How far apart frames may be that a tracker looked at.
  private static let steps = 2...10
  /// Fewest rows of which all are as far apart by no chance.
  private static let leastRows = 10

  /// Frames between those that the output names, one of every so many of a video, in which faces are labelled.
  private static func skipped(_ sample: JoinedSample) -> Finding? {
    for step in steps {
      var (named, seen, between) = (0, 0, 0)
      var lost: [JoinedFrame] = []
      var firsts: Set<Int> = []
      for run in sample.runs where run.count >= leastFaces {
        var counts = [Int](repeating: 0, count: step)
        for position in run where sample.frames[position].prediction.isInSource {
          counts[(position - run.lowerBound) % step] += 1
        }
        let first = counts.indices.max { counts[$0] < counts[$1] } ?? 0
        if counts[first] > 0 {
          firsts.insert((sample.frames[run.lowerBound].frame.index + first) % step)
        }
        for position in run {
          let joined = sample.frames[position]
          let isNamed = joined.prediction.isInSource
          if (position - run.lowerBound) % step == first {
            // Labels may stand between such frames alone.
            let near = sample.frames[position..<min(position + step, run.upperBound)]
            guard near.contains(where: { !$0.labels.isEmpty }) else { continue }
            seen += 1
            named += isNamed ? 1 : 0
          } else if isNamed {
            between += 1
          } else if !joined.labels.isEmpty {
            lost.append(joined)
          }
        }
      }
      // Faces that are not found may be missing among the frames that it looked at.
      guard lost.count >= leastFaces, named >= leastRows, 3 * named > 2 * seen,
        50 * between <= lost.count
      else { continue }
      return skipped(lost, step: step, firsts: firsts, in: sample)
    }
    return nil
  }

  private static func skipped(
    _ lost: [JoinedFrame], step: Int, firsts: Set<Int>, in sample: JoinedSample
  ) -> Finding {
    let labelled = sample.frames.filter { !$0.labels.isEmpty }
    let named = labelled.count { $0.prediction.isInSource }
    let start = firsts.count == 1 ? firsts.first.map { "\($0)" } ?? "" : "FIRST"
    return Finding(
      missing, .suspect,
      "The output has rows for one of every \(step) frames alone: all faces in the \(lost.count) labelled frames "
        + "between count as missed.", statistic: "share of labelled frames that the output names",
      before: Double(named) / Double(labelled.count), n: labelled.count,
      remedy: named == 0
        ? "Run the tracker on all frames, or on those that are labelled. Where its frames are numbered from "
          + "another one on, --offset of the import moves them."
        : "Run the tracker on all frames. Or measure it on those that it saw: make a dataset "
          + "of them with 'facegauge subset' and --frames \(start)::\(step)"
          + (firsts.count == 1 ? "" : " for each video") + ", and track or import that.",
      frames: lost.map(\.named))
  }

  /// The options that take the frames that the output names.
  private static func selection(_ sample: JoinedSample) -> String {
    var kept = (first: "", end: "")
    for stretch in sample.missing {
      if sample.frames.first.map({ stretch.contains($0.frame.index) }) == true {
        kept.first = "\(stretch.upperBound)"
      } else if sample.frames.last.map({ stretch.contains($0.frame.index) }) == true {
        kept.end = "\(stretch.lowerBound)"
      } else {
        return "--where 'sequence!=NAME' for each video that it lacks"
      }
    }
    return "--frames \(kept.first):\(kept.end)"
  }

  private static func points(_ sample: JoinedSample) -> Finding? {
    guard let scheme = sample.scheme else { return nil }
    let given = sample.frames.reduce(0) { count, joined in
      count + joined.prediction.faces.count { !$0.points.isEmpty }
    }
    let labelled = sample.frames.filter { $0.labels.contains { !$0.landmarks.isEmpty } }
    let schemes = Set(labelled.flatMap { $0.labels.flatMap { $0.landmarks.map(\.scheme) } })
    guard given > 0, !schemes.isEmpty,
      !schemes.contains(where: { LandmarkCorrespondence.compares(scheme, with: $0) })
    else { return nil }
    let own = schemes.map(\.name).sorted().joined(separator: ", ")
    return Finding(
      "empty.points", .note,
      "Points are predicted in \(scheme.name) and labelled in \(own): none are compared.",
      statistic: "share of labelled points with a predicted one", before: 0,
      n: labelled.reduce(0) { $0 + $1.labels.count { !$0.landmarks.isEmpty } },
      remedy: "Import the side whose points are another scheme's again, with --scheme NAME or "
        + "--points MAPPING.json.",
      frames: labelled.map(\.named))
  }

  /// Labelled points that no predicted face has, as the jaw of a tracker of inner points: no face with them counts as found.
  private static func lacking(_ sample: JoinedSample) -> Finding? {
    guard let scheme = sample.scheme else { return nil }
    let faces = sample.frames.flatMap { $0.prediction.faces.filter { !$0.points.isEmpty } }
    var counts: [LandmarkCorrespondence: [Int]] = [:]
    for label in sample.frames.flatMap(\.labels) {
      guard let target = LandmarkCorrespondence.target(of: label, for: scheme) else { continue }
      var own =
        counts.removeValue(forKey: target.table)
        ?? Array(repeating: 0, count: target.table.target.count)
      for (index, state) in target.landmarks.visibility.enumerated() where state != .notLabelled {
        own[index] += 1
      }
      counts[target.table] = own
    }
    // Of schemes with as many points the first by name, in every run.
    let tables = counts.sorted { $0.key.target.name < $1.key.target.name }
    guard faces.count >= leastFaces,
      let (table, labelled) = tables.max(by: { $0.value.reduce(0, +) < $1.value.reduce(0, +) })
    else { return nil }
    var isGiven = table.indices.map(\.isEmpty)
    for face in faces {
      for (index, point) in table.points(of: face).enumerated() {
        if let point, point.x.isFinite, point.y.isFinite { isGiven[index] = true }
      }
    }
    let lost = isGiven.indices.filter { !isGiven[$0] && labelled[$0] >= leastFaces }
    guard !lost.isEmpty, lost.count < isGiven.count else { return nil }
    let stretches = lost.filter { !lost.contains($0 - 1) }.map { first in
      let last = lost.first { $0 >= first && !lost.contains($0 + 1) } ?? first
      return first == last ? "\(first)" : "\(first) to \(last)"
    }
    return Finding(
      "empty.points", .note,
      "No predicted face has the labelled points \(stretches.joined(separator: ", ")) of \(table.target.name): faces "
        + "with them count as not found in metrics of landmarks, which need all of a face's labelled points.",
      statistic: "share of labelled points with a predicted one",
      before: 1 - Double(lost.count) / Double(labelled.count { $0 > 0 }), n: faces.count,
      remedy:
        "To compare the points that both have, import the labels again with --points mapping.json, a table of "
        + "\(table.target.name) that leaves these points out.")
  }
}
