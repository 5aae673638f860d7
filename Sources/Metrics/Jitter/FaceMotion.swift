package import FaceCore
internal import Statistics

/// What moves of a face and can be compared between a labelled and a predicted one.
package struct FaceMotion: Sendable, Hashable {
  /// Kinds of numbers, the one that is compared first before others.
  package enum Kind: Int, Sendable, CaseIterable {
    /// The four edges of the box, in pixels.
    case box
    /// The 52 coefficients of `Blendshape`.
    case coefficients
    /// Two columns of the head's rotation.
    case rotation
  }

  /// The numbers of each kind; none where the face has none.
  private var numbers: [[Float]]

  /// Of a labelled face; `hasInner` says whether boxes span eyes, nose and mouth alone.
  package init(_ label: FaceLabel, hasInner: Bool) {
    let box = label.hasNoPosition ? nil : label.matchingBox(hasInner: hasInner)
    self.init(box: box, label.blendshapes, label.pose)
  }

  /// Of a predicted face; its points as they are given out.
  package init(_ face: FacePrediction) {
    self.init(box: face.finiteBox, face.blendshapes, face.pose)
  }

  private init(box: BoundingBox?, _ blendshapes: [Float]?, _ pose: HeadPose?) {
    let edges = box.map { [Float($0.x), Float($0.y), Float($0.maxX), Float($0.maxY)] } ?? []
    let rows = pose.flatMap { Rotation($0) }?.rows ?? []
    let columns = rows.map { Float($0.x) } + rows.map { Float($0.y) }
    numbers = [
      edges.allSatisfy(\.isFinite) ? edges : [],
      blendshapes.flatMap { $0.count == Blendshape.allCases.count ? $0 : nil } ?? [],
      columns,
    ]
  }

  fileprivate subscript(kind: Kind) -> [Float] { numbers[kind.rawValue] }
}

extension FaceMotion: Packable {
  package func pack(into row: inout RowWriter) { row.write(numbers) }
  package init(from row: inout RowReader) { numbers = row.read() }
}

/// One labelled face over successive frames, and what was predicted of it; nil where it is not there.
package struct MotionPath: Sendable {
  /// A set of signals of one kind, each with a value a frame, NaN where there is none.
  package struct Signals: Sendable {
    /// The kind.
    package let kind: FaceMotion.Kind
    /// Those of the labels.
    package let labelled: [[Double]]
    /// As many of the predictions.
    package let given: [[Double]]
    /// Root of the mean variance of labelled box edges over the mean size of the box, or root of the sum of variances.
    package let motion: Double
    /// Mean size of the labelled box in pixels; 1 for other kinds.
    package let scale: Double

    /// Whether the labels move enough to tell a delay.
    package var isMoving: Bool { motion >= (kind == .box ? LagLimits.motion : Self.turn) }

    /// In units of coefficients, or radians: about three degrees.
    private static let turn = 0.05
  }

  /// How many coefficients are compared: those that vary the most.
  private static let coefficients = 8

  /// The face as it is labelled, a frame each.
  package var labelled: [FaceMotion?] = []
  /// The face as it was predicted, a frame each.
  package var given: [FaceMotion?] = []

  package init() {}

  /// Adds the next frame.
  package mutating func append(_ labelled: FaceMotion?, _ given: FaceMotion?) {
    self.labelled.append(labelled)
    self.given.append(given)
  }

  /// The signals of each kind that both sides have in at least `fewest` frames.
  package func signals(inAtLeast fewest: Int) -> [Signals] {
    FaceMotion.Kind.allCases.compactMap { signals(of: $0, inAtLeast: fewest) }
  }

  private func signals(of kind: FaceMotion.Kind, inAtLeast fewest: Int) -> Signals? {
    func count(_ side: [FaceMotion?]) -> Int {
      side.count { $0.map { !$0[kind].isEmpty } ?? false }
    }
    guard count(labelled) >= fewest, count(given) >= fewest else { return nil }
    func signal(_ side: [FaceMotion?], _ channel: Int) -> [Double] {
      side.map { motion in
        guard let numbers = motion?[kind], !numbers.isEmpty, numbers[channel].isFinite else {
          return .nan
        }
        return Double(numbers[channel])
      }
    }
    var channels = Array(0..<[4, Blendshape.allCases.count, 6][kind.rawValue])
    if kind == .coefficients {
      channels.removeAll { Blendshape.allCases[$0] == .neutral }
    }
    var known = channels.map { channel in
      let labelled = signal(labelled, channel)
      return (channel, labelled, Self.variance(labelled, inAtLeast: fewest))
    }
    if kind == .coefficients {
      known = Array(
        known.sorted { ($1.2, $0.0) < ($0.2, $1.0) }.prefix(Self.coefficients).filter { $0.2 > 0 })
    }
    guard !known.isEmpty else { return nil }
    let given = known.map { signal(self.given, $0.0) }
    let variance = known.reduce(0) { $0 + $1.2 }
    guard kind == .box else {
      return Signals(
        kind: kind, labelled: known.map(\.1), given: given, motion: variance.squareRoot(), scale: 1)
    }
    let sizes = labelled.compactMap { motion -> Double? in
      guard let edges = motion?[kind], !edges.isEmpty else { return nil }
      return Double(max(0, edges[2] - edges[0]) * max(0, edges[3] - edges[1])).squareRoot()
    }
    let scale = sizes.reduce(0, +) / Double(sizes.count)
    guard scale > 0 else { return nil }
    return Signals(
      kind: kind, labelled: known.map(\.1), given: given,
      motion: (variance / 4).squareRoot() / scale, scale: scale)
  }

  /// The variance of what is there of a signal; 0 where that is less than `fewest`.
  static func variance(_ signal: [Double], inAtLeast fewest: Int) -> Double {
    let known = signal.filter { !$0.isNaN }
    return known.count < fewest ? 0 : known.squaredDeviations / Double(known.count)
  }
}
