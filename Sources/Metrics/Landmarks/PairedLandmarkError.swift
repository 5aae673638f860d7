package import Records

/// NME of two runs over the labelled faces that both of them found, and so of the same faces.
///
/// A run that drops hard faces has a lower NME of found faces; over the common ones it has not.
package struct PairedLandmarkError: DefinedMetrics {
  /// The sums over the common faces of one cluster.
  private struct Sums: Sendable {
    var base = 0.0
    var candidate = 0.0
    var count = 0
  }

  /// The length that errors are divided by.
  private let normalizer: LandmarkNormalizer
  private var clusters: [Sums]
  /// Labelled faces that one run alone found.
  package private(set) var foundAlone = (base: 0, candidate: 0)
  /// The frames with a common face.
  package private(set) var frames = FrameRuns()

  /// Pairs the faces of two runs on the same labels, by the first normaliser that any common face has.
  ///
  /// Nil where the runs predict different schemes, and so have not the same points, unless both are compared with the
  /// same labelled points.
  package init?(
    base: LandmarkAccuracy, candidate: LandmarkAccuracy, clusters: FrameClusters,
    haveSameLabels: Bool = false
  ) {
    guard haveSameLabels || base.scheme == candidate.scheme else { return nil }
    let all = LandmarkNormalizer.allCases.lazy.map {
      Self(base, candidate, clusters, by: $0)
    }
    self = all.first { !$0.frames.isEmpty } ?? all[0]
  }

  private init(
    _ base: LandmarkAccuracy, _ candidate: LandmarkAccuracy, _ members: FrameClusters,
    by normalizer: LandmarkNormalizer
  ) {
    self.normalizer = normalizer
    clusters = [Sums](repeating: Sums(), count: members.count)
    let position = LandmarkNormalizer.allCases.firstIndex(of: normalizer) ?? 0
    for frame in base.frames.keys {
      guard let cluster = members.cluster(of: frame), let before = base.frames[frame],
        let after = candidate.frames[frame], before.count == after.count
      else { continue }
      var isCommon = false
      for (before, after) in zip(before, after) {
        guard let first = before.error(position), let second = after.error(position),
          first.isFinite, second.isFinite
        else {
          count(before.mean, after.mean)
          continue
        }
        clusters[cluster].base += first
        clusters[cluster].candidate += second
        clusters[cluster].count += 1
        isCommon = true
      }
      if isCommon { frames.append(frame) }
    }
  }

  private mutating func count(_ before: Double?, _ after: Double?) {
    if before != nil, after == nil { foundAlone.base += 1 }
    if before == nil, after != nil { foundAlone.candidate += 1 }
  }

  /// The mean error of either run over the common faces, undefined without any.
  package var measurements: (base: Measurement, candidate: Measurement) {
    let position = LandmarkNormalizer.allCases.firstIndex(of: normalizer) ?? 0
    let definition = Self.definitions[position]
    let count = clusters.reduce(0) { $0 + $1.count }
    func mean(_ sum: (Sums) -> Double) -> Measurement {
      definition.ratio(
        clusters.reduce(0) { $0 + sum($1) }, of: count,
        else: "no labelled face was found by both runs")
    }
    return (mean(\.base), mean(\.candidate))
  }

  /// Candidate minus base where each cluster is taken so many times; nil without a common face.
  package func difference(copies: [some BinaryInteger]) -> Double? {
    var (sum, count) = (0.0, 0)
    for (cluster, times) in zip(clusters, copies) {
      sum += (cluster.candidate - cluster.base) * Double(times)
      count += cluster.count * Int(times)
    }
    return count == 0 ? nil : sum / Double(count)
  }

  /// The same where the runs of some clusters are swapped.
  package func difference(swapped: [Bool]) -> Double? {
    var (sum, count) = (0.0, 0)
    for (cluster, isSwapped) in zip(clusters, swapped) {
      let own = cluster.candidate - cluster.base
      sum += isSwapped ? -own : own
      count += cluster.count
    }
    return count == 0 ? nil : sum / Double(count)
  }

  /// A definition for each normaliser.
  package static let definitions = LandmarkNormalizer.allCases.map { normalizer in
    MetricDefinition(
      "landmarks.nme.\(normalizer.rawValue).common",
      "NME of common faces by \(normalizer.rawValue)", .lower, in: .share,
      "as landmarks.nme.\(normalizer.rawValue).conditional, over the labelled faces that "
        + "both runs of a comparison found; undefined without such faces",
      source: "paired by labelled face; Sagonas et al. 2016")
  }

  package static let presentation = MetricPresentation(
    headlines: [.init(.pairedLandmarks, definitions.map(\.name))])
}
