internal import Platform
package import Records

/// Clusters taken from a dataset to stand for it, each as often as it was drawn.
package struct ClusterDraw: Sendable {
  /// How often each cluster is taken, of all that there are.
  package let copies: [Int32]
  private let clusters: FrameClusters

  /// Takes each cluster as often as `copies` states, one number per cluster.
  package init(_ copies: [Int32], of clusters: FrameClusters) {
    self.copies = copies
    self.clusters = clusters
  }

  /// Takes one cluster alone, once.
  package init(only cluster: Int, of clusters: FrameClusters) {
    var copies = [Int32](repeating: 0, count: clusters.count)
    copies[cluster] = 1
    self.init(copies, of: clusters)
  }

  /// Their frames.
  package var frames: FrameDraw { clusters.draw(copies) }
}

/// The metrics of one family for any choice of clusters.
package protocol FamilyResampler: Sendable {
  /// The metrics over the clusters of a draw, in the order of the family's own.
  func measurements(of draw: ClusterDraw) -> [Measurement]

  /// What computes the same for several draws in their order, one or a few at a time: in any order, side by side.
  func batches(of draws: [ClusterDraw]) -> [@Sendable () -> [[Measurement]]]

  /// The metrics over each of some clusters alone.
  func measurements(ofEach chosen: [Int], of clusters: FrameClusters) -> [[Measurement]]
}

extension FamilyResampler {
  package func batches(of draws: [ClusterDraw]) -> [@Sendable () -> [[Measurement]]] {
    draws.map { draw in { [measurements(of: draw)] } }
  }

  /// The metrics of several draws, computed side by side.
  package func measurements(of draws: [ClusterDraw]) -> [[Measurement]] {
    batches(of: draws).concurrentMap { $0() }.flatMap { $0 }
  }

  package func measurements(ofEach chosen: [Int], of clusters: FrameClusters) -> [[Measurement]] {
    chosen.concurrentMap { measurements(of: ClusterDraw(only: $0, of: clusters)) }
  }
}

/// Measures a draw by copying its frames, which any family can do.
package struct FrameResampler<Family: MetricFamily>: FamilyResampler {
  let family: Family
  let isSlice: Bool

  package func measurements(of draw: ClusterDraw) -> [Measurement] {
    var copy = family
    copy.draw(draw.frames)
    return copy.measurements(inSlice: isSlice)
  }
}

/// A family whose metrics follow from its faces in the order of their frames, so that a draw unpacks none.
package protocol FacewiseFamily: MetricFamily, FrameMetric {
  /// A face with what does not depend on the draw.
  associatedtype Compared: Sendable

  /// The faces of frames in the order of their keys and their labels, where draws take all the frames or none.
  static func compared(_ frames: FrameTable<Entry>) -> [Compared]

  /// The metrics over faces; those of a slice may leave out what no slice reports.
  static func measurements(of faces: [Compared], inSlice: Bool) -> [Measurement]
}

extension FacewiseFamily {
  package func measurements(inSlice: Bool) -> [Measurement] {
    Self.measurements(of: Self.compared(frames), inSlice: inSlice)
  }

  package func resampler(of clusters: FrameClusters, isSlice: Bool) -> any FamilyResampler {
    FaceResampler(self, of: clusters, isSlice: isSlice)
  }
}

/// Where an entry is a list of faces, each is compared alone, so that frames can change sides one by one.
extension FacewiseFamily where Entry: Collection {
  package func measurements(
    swappedWith other: any MetricFamily, _ choices: [[Bool]], of clusters: FrameClusters
  ) -> [[Measurement]] {
    guard let other = other as? Self else { preconditionFailure("families in another order") }
    let (own, theirs) = (comparedByFrame, other.comparedByFrame)
    let keys = Set(own.keys).union(theirs.keys).sorted()
    let rows = keys.map { (clusters.cluster(of: $0), own[$0] ?? [], theirs[$0] ?? []) }
    return choices.concurrentMap { isSwapped in
      let faces = rows.flatMap { cluster, own, theirs in
        cluster.map { isSwapped[$0] } ?? false ? theirs : own
      }
      return Self.measurements(of: faces, inSlice: false)
    }
  }

  private var comparedByFrame: [Int: [Compared]] {
    Dictionary(
      uniqueKeysWithValues: frames.keyed.map { key, entry in
        var frame = FrameTable<Entry>()
        frame.append(entry, for: key)
        return (key, Self.compared(frame))
      })
  }
}

/// Measures draws from faces that are unpacked once.
private struct FaceResampler<Family: FacewiseFamily>: FamilyResampler {
  /// The faces of each cluster, in the order in which a draw takes them.
  private let faces: [[Family.Compared]]
  private let isSlice: Bool

  init(_ family: Family, of clusters: FrameClusters, isSlice: Bool) {
    faces = (0..<clusters.count).map { cluster in
      var part = family
      part.draw(clusters.draw(only: cluster))
      return Family.compared(part.frames)
    }
    self.isSlice = isSlice
  }

  func measurements(of draw: ClusterDraw) -> [Measurement] {
    var drawn: [Family.Compared] = []
    drawn.reserveCapacity(zip(faces, draw.copies).reduce(0) { $0 + $1.0.count * Int($1.1) })
    for (own, copies) in zip(faces, draw.copies) { for _ in 0..<copies { drawn += own } }
    return Family.measurements(of: drawn, inSlice: isSlice)
  }
}

/// What the frames of some clusters come to; sums of different clusters add up to the sums of all.
package protocol ClusterSums: Packable, Sendable {
  /// Starts at 0.
  init()
  /// Adds the sums of other frames so many times.
  mutating func add(_ other: Self, times: Int)
  /// Adds sums in their order to each total, each as often as the total's times state.
  static func add(_ sums: [Self], to totals: inout [Self], times: (_ total: Int) -> [Int])
  /// The sums as numbers, always as many, that add up as they do.
  var numbers: [Double] { get }
  /// Takes the sums off the front of numbers.
  init(numbers: inout ArraySlice<Double>)
}

extension ClusterSums {
  package static func add(
    _ sums: [Self], to totals: inout [Self], times: (_ total: Int) -> [Int]
  ) {
    for total in totals.indices {
      for (sums, times) in zip(sums, times(total)) where times > 0 {
        totals[total].add(sums, times: times)
      }
    }
  }
}

/// What the frames of a whole video come to, which is kept in their place.
package struct VideoSums<Sums: ClusterSums>: Hashable {
  /// How many frames count.
  var counted: Int
  var sums: Sums
}

extension VideoSums: Packable {
  package func pack(into row: inout RowWriter) { row.write(counted, sums) }
  package init(from row: inout RowReader) { self.init(counted: row.read(), sums: row.read()) }
}

/// A family whose metrics follow from sums over clusters, so that a draw costs no copy of a frame.
///
/// Of a video that is complete only the sums are kept.
package protocol AdditiveFamily: MetricFamily, FrameMetric {
  /// What is added up.
  associatedtype Sums: ClusterSums

  /// What is kept of whole videos, by their first frames, in place of the frames.
  var videos: FrameTable<VideoSums<Sums>> { get set }

  /// Whether nothing but the metrics needs the frames of a video.
  static var condensesVideos: Bool { get }

  /// The sums over the frames of the table.
  func sums() -> Sums

  /// The metrics that follow from sums, in the order of `definitions`.
  func measurements(of sums: Sums) -> [Measurement]

  /// The names of the metrics that do not follow from the numbers of sums.
  static var metricsOfOrder: Set<String> { get }
}

extension AdditiveFamily {
  package static var condensesVideos: Bool { true }
  package static var metricsOfOrder: Set<String> { [] }

  /// The sums over all frames so far as numbers.
  package var numbers: [Double] { total.numbers }

  /// The metrics that follow from the numbers of sums, in the order of `definitions`.
  package func measurements(of numbers: ArraySlice<Double>) -> [Measurement] {
    var numbers = numbers
    return measurements(of: Sums(numbers: &numbers))
  }

  package func summarize() -> [Measurement] { measurements(of: total) }

  /// The sums over all frames so far.
  var total: Sums {
    var total = videos.entries.reduce(into: Sums()) { $0.add($1.sums, times: 1) }
    if !frames.isEmpty { total.add(sums(), times: 1) }
    return total
  }

  package mutating func mergeRest(_ other: Self) throws(MetricError) { try mergeVideos(other) }

  mutating func mergeVideos(_ other: Self) throws(MetricError) {
    try videos.merge(other.videos, in: Self.table)
  }

  package mutating func removeRest() { videos = FrameTable() }
  package var restByteCount: Int { videos.byteCount }

  package func condensed(_ draw: FrameDraw) -> Self {
    var part = self
    part.draw(Self.condensesVideos ? draw : FrameDraw())
    guard let first = part.frames.keys.first else { return part }
    let sums = VideoSums(counted: part.countedFrames.count, sums: part.sums())
    part.draw(FrameDraw())
    part.videos.append(sums, for: first)
    return part
  }

  package mutating func mergeCondensed(any other: any MetricFamily) throws(MetricError) {
    guard let other = other as? Self else { preconditionFailure("families in another order") }
    try mergeRest(other)
  }

  package mutating func condense(_ video: Range<Int>) { condenseVideo(video) }

  mutating func condenseVideo(_ video: Range<Int>) {
    guard Self.condensesVideos else { return }
    let part = condensed(FrameDraw(video))
    frames.removeAll(from: video.lowerBound)
    for (first, sums) in part.videos.keyed { videos.append(sums, for: first) }
  }

  /// The frames that the metrics rest on; a video that only sums are kept of has its first ones for as many.
  package var restingFrames: FrameRuns {
    guard !videos.isEmpty else { return countedFrames }
    return FrameRuns(
      unionOf: countedFrames.ranges + videos.keyed.map { $0..<$0 + $1.counted })
  }

  package func resampler(of clusters: FrameClusters, isSlice: Bool) -> any FamilyResampler {
    let sums = SumResampler(self, of: clusters)
    return ClosureResampler(
      ofDraws: { sums.batches(of: $0) }, ofEach: { sums.measurements(ofEach: $0) })
  }

  package func measurements(
    swappedWith other: any MetricFamily, _ choices: [[Bool]], of clusters: FrameClusters
  ) -> [[Measurement]] {
    guard let other = other as? Self else { preconditionFailure("families in another order") }
    return SumResampler(self, of: clusters)
      .measurements(swappedWith: SumResampler(other, of: clusters), choices)
  }
}

/// Measures draws by closures, which the compiler specializes for a family; methods of a generic resampler it does not.
private struct ClosureResampler: FamilyResampler {
  let ofDraws: @Sendable ([ClusterDraw]) -> [@Sendable () -> [[Measurement]]]
  let ofEach: @Sendable ([Int]) -> [[Measurement]]

  func measurements(of draw: ClusterDraw) -> [Measurement] { ofDraws([draw])[0]()[0] }
  func batches(of draws: [ClusterDraw]) -> [@Sendable () -> [[Measurement]]] { ofDraws(draws) }

  func measurements(ofEach chosen: [Int], of clusters: FrameClusters) -> [[Measurement]] {
    ofEach(chosen)
  }
}

/// Measures draws from sums over clusters, each made once for all draws and then forgotten.
private struct SumResampler<Family: AdditiveFamily>: Sendable {
  let family: Family
  /// Computes metrics from sums; holds no frames.
  private let empty: Family
  private let clusters: FrameClusters
  /// The clusters, ascending, that frames or videos are of.
  private let members: [Int]
  /// Positions of the videos of each cluster.
  private let videos: [Int: [Int]]

  /// So many clusters have their sums in memory at a time.
  private static var slab: Int { 512 }

  init(_ family: Family, of clusters: FrameClusters) {
    self.family = family
    self.clusters = clusters
    var empty = family
    empty.draw(FrameDraw())
    self.empty = empty
    var videos: [Int: [Int]] = [:]
    for (position, first) in family.videos.keys.enumerated() {
      if let cluster = clusters.cluster(of: first) { videos[cluster, default: []].append(position) }
    }
    self.videos = videos
    members = clusters.clusters(
      of: FrameRuns(unionOf: family.restingFrames.ranges + family.frames.keys.ranges))
  }

  private func sums(of cluster: Int) -> Family.Sums {
    var sums = Family.Sums()
    for position in videos[cluster] ?? [] {
      sums.add(family.videos.entries[position].sums, times: 1)
    }
    guard !family.frames.isEmpty else { return sums }
    var part = family
    part.draw(clusters.draw(only: cluster))
    if !part.frames.isEmpty { sums.add(part.sums(), times: 1) }
    return sums
  }

  /// Adds up the sums of each draw, from which its metrics follow when they are asked for.
  func batches(of draws: [ClusterDraw]) -> [@Sendable () -> [[Measurement]]] {
    let copies = draws.map(\.copies)
    let totals = totals(over: members, draws.count) { cluster in
      [sums(of: cluster)]
    } times: { draw, clusters in
      clusters.map { Int(copies[draw][$0]) }
    }
    return totals.map { total in { [empty.measurements(of: total)] } }
  }

  /// The metrics where some clusters are those of another run, for each choice of clusters.
  func measurements(swappedWith other: SumResampler, _ choices: [[Bool]]) -> [[Measurement]] {
    let all = Set(members).union(other.members).sorted()
    return totals(over: all, choices.count) { cluster in
      [sums(of: cluster), other.sums(of: cluster)]
    } times: { choice, clusters in
      clusters.flatMap { choices[choice][$0] ? [0, 1] : [1, 0] }
    }
    .concurrentMap { empty.measurements(of: $0) }
  }

  /// So many totals; `times` tells how often each has the sums of each cluster, all that `own` gives of it.
  private func totals(
    over members: [Int], _ count: Int, _ own: @Sendable (_ cluster: Int) -> [Family.Sums],
    times: @Sendable (_ total: Int, _ clusters: [Int]) -> [Int]
  ) -> [Family.Sums] {
    var totals = (0..<count).map { _ in Family.Sums() }
    // Each share looks through all sums first, and threads that count references to them wait for each other.
    let shares = stride(from: 0, to: count, by: 64).map { $0..<min($0 + 64, count) }
    for first in stride(from: 0, to: members.count, by: Self.slab) {
      let clusters = Array(members[first..<min(first + Self.slab, members.count)])
      let sums = clusters.concurrentMap { own($0) }.flatMap { $0 }
      let former = totals
      totals = shares.concurrentMap { share in
        var totals = Array(former[share])
        Family.Sums.add(sums, to: &totals) { times(share.lowerBound + $0, clusters) }
        return totals
      }.flatMap { $0 }
    }
    return totals
  }

  func measurements(ofEach chosen: [Int]) -> [[Measurement]] {
    chosen.concurrentMap { empty.measurements(of: sums(of: $0)) }
  }
}
