internal import Records

/// The pairs of labelled and predicted numbers, rule by rule.
struct AttributeColumns: Sendable {
  /// Labels and predictions of one rule, in the order of frames.
  struct Column: Sendable {
    var labelled: [Double] = []
    var predicted: [Double?] = []

    /// How many labels have no prediction.
    var missed: Int { predicted.count { $0 == nil } }

    /// The pairs that have a prediction.
    var found: (labelled: [Double], predicted: [Double]) {
      var found: (labelled: [Double], predicted: [Double]) = ([], [])
      for (label, prediction) in zip(labelled, predicted) {
        if let prediction {
          found.labelled.append(label)
          found.predicted.append(prediction)
        }
      }
      return found
    }

    /// Whether the numbers can be angles in radians: labels within half a turn, predictions within a whole one.
    private var canBeRadians: Bool {
      labelled.allSatisfy { $0.magnitude <= 1.001 * .pi }
        && predicted.allSatisfy { ($0 ?? 0).magnitude <= 2.002 * .pi }
    }

    /// The same with each prediction a whole turn nearer to its label, where that is the shorter way; nil for numbers that
    /// are no angles in radians.
    func angles(of rule: AttributeRule) -> Column? {
      guard rule.isOfAngle, canBeRadians else { return nil }
      var column = self
      column.predicted = zip(labelled, predicted).map { label, prediction in
        prediction.map {
          abs($0 - label) <= .pi
            ? $0 : label + ($0 - label).remainder(dividingBy: 2 * .pi)
        }
      }
      return column
    }
  }

  /// One per rule.
  var columns: [Column]

  init(rules: Int) {
    columns = Array(repeating: Column(), count: rules)
  }

  mutating func add(_ pair: AttributeRule.Pair, rule: Int) {
    columns[rule].labelled.append(pair.labelled)
    columns[rule].predicted.append(pair.predicted)
  }

  mutating func append(_ other: AttributeColumns) {
    for index in columns.indices {
      columns[index].labelled += other.columns[index].labelled
      columns[index].predicted += other.columns[index].predicted
    }
  }
}

/// Measures a draw from the columns of each cluster, which are made once, so that no frame is copied.
struct AttributeResampler: FamilyResampler {
  private let family: AttributeAccuracy
  private let clusters: [Int: AttributeColumns]

  init(_ family: AttributeAccuracy, of clusters: FrameClusters) {
    var columns: [Int: AttributeColumns] = [:]
    for cluster in clusters.clusters(of: family.frames.keys) {
      var part = family
      part.draw(clusters.draw(only: cluster))
      columns[cluster] = part.columns()
    }
    self.clusters = columns
    var empty = family
    empty.draw(FrameDraw())
    self.family = empty
  }

  func measurements(of draw: ClusterDraw) -> [Measurement] {
    var drawn = AttributeColumns(rules: family.rules.rules.count)
    for (cluster, times) in draw.copies.enumerated() where times > 0 {
      guard let own = clusters[cluster] else { continue }
      for _ in 0..<times { drawn.append(own) }
    }
    return family.measurements(of: drawn)
  }
}
