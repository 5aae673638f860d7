internal import FaceCore
package import Records

extension LandmarkRegression {
  /// The regressed error, that of found faces, and the bias floor by each normaliser.
  package static let definitions = LandmarkNormalizer.allCases.flatMap { normalizer in
    [regressed(normalizer), regressed(normalizer).conditional, biasFloor(normalizer)]
  }

  private static func regressed(_ normalizer: LandmarkNormalizer) -> MetricDefinition {
    MetricDefinition(
      name: "landmarks.nme.\(normalizer.rawValue).regressed",
      title: "NME by \(normalizer.rawValue) after regression", stage: "landmarks", unit: "1",
      direction: .lower,
      formula: "as landmarks.nme.\(normalizer.rawValue), of labels in another scheme than the "
        + "tracker's, after a linear fit of each point's offset on seven anchors in the face's "
        + "frame: least squares with a ridge of 1, up to 10 folds of whole pictures or sequences; 0 "
        + "or more, undefined under \(CrossFit.neededFaces) found faces, under \(CrossFit.neededGroups) pictures or "
        + "sequences, and where a face was missed",
      source: "ridge regression (Hoerl and Kennard 1970), cross-fitted")
  }

  private static func biasFloor(_ normalizer: LandmarkNormalizer) -> MetricDefinition {
    let name = "landmarks.nme.\(normalizer.rawValue)"
    return MetricDefinition(
      name: "landmarks.bias_floor.\(normalizer.rawValue)",
      title: "Correspondence's share of the NME by \(normalizer.rawValue)", stage: "landmarks",
      unit: "1", direction: .lower,
      formula: "\(name).conditional by the table less \(name).regressed.conditional, over the same "
        + "found faces; below 0 where the fit does worse; undefined where that is",
      source: "difference of two errors"
    ).within(.any)
  }

  /// All figures in the order of `definitions`.
  package func summarize() -> [Measurement] {
    let fitted = fitted
    let all = fitted.faces
    let problem = LandmarkScheme.all.lazy.compactMap { fitted.problems?[$0] }.first
    return LandmarkNormalizer.allCases.indices.flatMap { index in
      let faces = all.filter { $0.normalizers[index] != nil }
      let normalizer = LandmarkNormalizer.allCases[index]
      let definitions = (regressed: Self.regressed(normalizer), floor: Self.biasFloor(normalizer))
      let found = faces.count { $0.table != nil }
      var reason = "no labelled face with points in another scheme was found"
      if all.isEmpty {
        reason = "no labelled face has points that a table is needed for"
      } else if faces.isEmpty {
        reason = "none of \(all.count) labelled faces has the points of the normaliser"
      } else if let problem {
        reason = problem
      }
      let table = Self.mean(faces, index) { $0.table?.whole }
      let regressed = problem == nil ? Self.mean(faces, index) { $0.regressed?.whole } : nil
      let needs = problem != nil && found < CrossFit.neededFaces ? CrossFit.neededFaces : nil
      let floor = table.flatMap { table in regressed.map { table - $0 } }
      return definitions.regressed.figures(
        regressed, n: found, missed: faces.count - found, else: reason, needs: needs)
        + [
          floor.map { definitions.floor.measurement($0, n: found) }
            ?? definitions.floor.undefined(reason, needs: needs, n: found)
        ]
    }
  }

  /// Mean over faces of an error over the normaliser of that position; nil where none has both.
  static func mean(
    _ faces: [Face], _ normalizer: Int, _ pixels: (Face) -> Double?
  ) -> Double? {
    let errors = faces.compactMap { face in
      pixels(face).flatMap { pixels in face.normalizers[normalizer].map { pixels / $0 } }
    }
    return errors.isEmpty ? nil : errors.reduce(0, +) / Double(errors.count)
  }
}
