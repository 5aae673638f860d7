internal import Platform
package import Records

/// Measures draws from faces that are unpacked once.
struct BlendshapeResampler: FamilyResampler {
  /// The faces of each cluster, in the order in which a draw takes them.
  private let faces: [[BlendshapeAccuracy.Face]]
  private let isSlice: Bool

  init(_ family: BlendshapeAccuracy, of clusters: FrameClusters, isSlice: Bool) {
    faces = (0..<clusters.count).map { cluster in
      family.frames.drawn(by: clusters.draw(only: cluster)).entries.flatMap { $0 }
    }
    self.isSlice = isSlice
  }

  func measurements(of draw: ClusterDraw) -> [Measurement] {
    let drawn = zip(faces, draw.copies).flatMap { own, copies in
      (0..<copies).flatMap { _ in own }
    }
    return BlendshapeAccuracy.measurements(of: drawn, inSlice: isSlice)
  }
}

extension Dictionary<Int, [BlendshapeAccuracy.Face]> {
  fileprivate init(_ frames: FrameTable<[BlendshapeAccuracy.Face]>) {
    self.init(uniqueKeysWithValues: frames.keyed.map { ($0, $1) })
  }
}

extension BlendshapeAccuracy {
  package func measurements(
    swappedWith other: any MetricFamily, _ choices: [[Bool]], of clusters: FrameClusters
  ) -> [[Measurement]] {
    guard let other = other as? Self else { preconditionFailure("families in another order") }
    let (own, theirs) = (Dictionary(frames), Dictionary(other.frames))
    let keys = Set(own.keys).union(theirs.keys).sorted()
    let rows = keys.map { (clusters.cluster(of: $0), own[$0] ?? [], theirs[$0] ?? []) }
    return choices.concurrentMap { isSwapped in
      let faces = rows.flatMap { cluster, own, theirs in
        cluster.map { isSwapped[$0] } ?? false ? theirs : own
      }
      return Self.measurements(of: faces, inSlice: false)
    }
  }
}
