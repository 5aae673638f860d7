extension LandmarkAccuracy {
  /// Mean NME by interocular distance, else by box, of the found faces of a frame; nil without any.
  package func meanError(ofFrame frame: Int) -> Double? {
    let errors = (frames[frame] ?? []).compactMap { face in
      face.mean.flatMap { mean in
        (face.normalizers[0] ?? face.normalizers.compactMap { $0 }.first).map { mean / $0 }
      }
    }
    return errors.isEmpty ? nil : errors.reduce(0, +) / Double(errors.count)
  }
}

extension LandmarkAccuracy {
  /// NME by interocular distance of each labelled face that has one, ∞ for a missed face.
  package var interocularErrors: [Double] {
    faces.compactMap { $0.error(0) }
  }
}
