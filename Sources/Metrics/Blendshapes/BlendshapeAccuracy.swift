package import FaceCore

/// How well predicted blendshapes agree with labelled ones, coefficient by coefficient.
///
/// Over labelled faces with coefficients. A coefficient that is NaN on either side, or `_neutral`, takes
/// no part. Coefficients whose label hardly varies (variance < 1e-6) are dead: no mean holds them, and
/// they are listed by name. A prediction that hardly varies counts as it is: its concordance is 0.
/// Nothing is clamped to [0, 1].
package struct BlendshapeAccuracy: FrameMetric {
  /// The coefficients of one labelled face; nothing is predicted where it was missed.
  package struct Face: Sendable, Hashable {
    var labelled: [Float]
    var predicted: [Float]?
  }

  /// What is kept of each frame.
  package var frames = FrameTable<[Face]>()

  /// Starts without frames.
  package init() {}

  /// Takes in the labelled faces of one frame with their predictions; throws for a frame added before.
  ///
  /// Lists of another length than `Blendshape` has count as none.
  package mutating func add(
    frame: Int, labels: [FaceLabel], faces: [FacePrediction], matching: FaceMatching
  ) throws(MetricError) {
    let entry = matching.labelledFaces.compactMap { label, face in
      Self.whole(labels[label].blendshapes).map { labelled in
        Face(
          labelled: labelled, predicted: Self.whole(face.flatMap { faces[$0].blendshapes }))
      }
    }
    try add(entry, for: frame)
  }

  /// The figure that errors name.
  package static var table: String { "blendshapes.mae" }

  /// Whether a labelled face has coefficients.
  package var hasLabels: Bool { frames.entries.contains { !$0.isEmpty } }

  /// Every face in the order of the frames' keys and their labels.
  var faces: [Face] { frames.entries.flatMap { $0 } }

  private static func whole(_ coefficients: [Float]?) -> [Float]? {
    coefficients.flatMap { values in
      values.count == Blendshape.allCases.count && values.contains { !$0.isNaN } ? values : nil
    }
  }
}

extension [Float] {
  /// The coefficient, or nil where it is not finite.
  func given(_ blendshape: Blendshape) -> Double? {
    let value = self[blendshape.index]
    return value.isFinite ? Double(value) : nil
  }
}
