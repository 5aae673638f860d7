package import Records

extension LandmarkAccuracy {
  /// The share found, then the figures of each normaliser.
  package static let definitions: [MetricDefinition] =
    [foundShare]
    + LandmarkNormalizer.allCases.flatMap { normalizer -> [MetricDefinition] in
      FigureDefinitions(normalizer).all
    }

  /// Found faces over labelled faces.
  package static let foundShare = MetricDefinition(
    name: "landmarks.found_share", title: "Share of faces with landmarks", stage: "landmarks",
    unit: "1", direction: .higher,
    formula: "labelled faces with points that have a prediction (option pairing), over all of "
      + "them; in [0, 1], undefined without such faces",
    source: "assignment of maximum total IoU; ignored faces and crowds out"
  ).within(.proportion)

  /// All figures in the order of `definitions`.
  package func summarize() -> [Measurement] {
    let faces = self.faces
    let found = faces.count { $0.mean != nil }
    let share =
      faces.isEmpty
      ? Self.foundShare.undefined(Self.noFaces, n: 0)
      : Self.foundShare.measurement(Double(found) / Double(faces.count), n: faces.count)
    return [share]
      + LandmarkNormalizer.allCases.indices.flatMap { index in figures(of: faces, by: index) }
  }

  static let thresholds = [0.08, 0.10]
  private static let noFaces = "no labelled face has points that the predicted scheme has"

  private func figures(of all: [Face], by index: Int) -> [Measurement] {
    let definitions = FigureDefinitions(LandmarkNormalizer.allCases[index])
    let faces = all.filter { $0.normalizers[index] != nil }
    let noFaces =
      all.isEmpty
      ? Self.noFaces : "none of \(all.count) labelled faces has the points of the normaliser"
    func mean(
      _ definition: MetricDefinition, of faces: [Face], _ value: (Face) -> Double?
    ) -> Measurement {
      guard !faces.isEmpty else { return definition.undefined(noFaces, n: 0) }
      let missed = faces.count { $0.mean == nil }
      guard missed == 0 else {
        return definition.undefined(
          "\(missed) of \(faces.count) labelled faces have no prediction, their error is infinite; "
            + "\(definition.name).conditional is the mean over the others", n: faces.count)
      }
      return conditional(definition, of: faces, value)
    }
    func conditional(
      _ definition: MetricDefinition, of faces: [Face], _ value: (Face) -> Double?
    ) -> Measurement {
      let errors = faces.compactMap { face in
        value(face).flatMap { pixels in face.normalizers[index].map { pixels / $0 } }
      }
      guard !errors.isEmpty else {
        return definition.undefined(
          faces.isEmpty ? noFaces : "no labelled face with these points was found", n: 0)
      }
      return definition.measurement(errors.reduce(0, +) / Double(errors.count), n: errors.count)
    }
    func share(
      _ definition: MetricDefinition, _ value: (_ error: Double) -> Double
    ) -> Measurement {
      guard !faces.isEmpty else { return definition.undefined(noFaces, n: 0) }
      let values = faces.compactMap { $0.error(index).map(value) }
      return definition.measurement(values.reduce(0, +) / Double(faces.count), n: faces.count)
    }
    let withVisible = faces.filter(\.hasVisiblePoints)
    var figures = [
      mean(definitions.mean, of: faces, \.mean),
      conditional(definitions.conditional, of: faces, \.mean),
      mean(definitions.visible, of: withVisible, \.visibleMean),
      conditional(definitions.visibleConditional, of: withVisible, \.visibleMean),
    ]
    for (definition, threshold) in zip(definitions.failureRates, Self.thresholds) {
      figures.append(share(definition) { $0 > threshold ? 1 : 0 })
    }
    for (definition, threshold) in zip(definitions.visibleFailureRates, Self.thresholds) {
      let failures = withVisible.count { ($0.visibleError(index) ?? .infinity) > threshold }
      figures.append(
        withVisible.isEmpty
          ? definition.undefined("no labelled face has points labelled as visible", n: 0)
          : definition.measurement(
            Double(failures) / Double(withVisible.count), n: withVisible.count))
    }
    for (definition, threshold) in zip(definitions.areas, Self.thresholds) {
      figures.append(share(definition) { max(0, threshold - $0) / threshold })
    }
    for (part, definition) in definitions.parts.enumerated() {
      figures.append(
        conditional(definition, of: faces) { $0.mean == nil ? nil : $0.partMeans[part] })
    }
    figures.append(
      all.isEmpty
        ? definitions.without.undefined(Self.noFaces, n: 0)
        : definitions.without.measurement(Double(all.count - faces.count), n: all.count))
    return figures
  }
}

/// What the figures of one normaliser are called and mean.
private struct FigureDefinitions {
  let mean, conditional, visible, visibleConditional, without: MetricDefinition
  let failureRates, visibleFailureRates, areas, parts: [MetricDefinition]

  /// Every definition, in the order of the figures.
  var all: [MetricDefinition] {
    var all = [mean, conditional, visible, visibleConditional]
    for group in [failureRates, visibleFailureRates, areas, parts] { all += group }
    return all + [without]
  }

  init(_ normalizer: LandmarkNormalizer) {
    let name = normalizer.rawValue
    let error = "mean over a face's labelled points of ‖p − g‖ / d, d the \(normalizer.phrase)"
    func definition(
      _ figure: String, _ title: String, _ formula: String, _ direction: Direction = .lower,
      unit: String = "1"
    ) -> MetricDefinition {
      MetricDefinition(
        name: "landmarks.\(figure)", title: title, stage: "landmarks", unit: unit,
        direction: direction, formula: formula,
        source: "Sagonas et al. 2016, 300-W: per face, then over faces")
    }
    mean = definition(
      "nme.\(name)", "NME by \(name)",
      "mean over labelled faces of the \(error); 0 or more, undefined where a face was missed")
    conditional = definition(
      "nme.\(name).conditional", "NME of found faces by \(name)",
      "mean over found faces of the \(error); 0 or more, undefined without found faces")
    visible = definition(
      "nme.\(name).visible", "NME of visible points by \(name)",
      "as landmarks.nme.\(name), over the points labelled as visible")
    visibleConditional = definition(
      "nme.\(name).visible.conditional", "NME of visible points of found faces by \(name)",
      "as landmarks.nme.\(name).conditional, over the points labelled as visible")
    failureRates = LandmarkAccuracy.thresholds.map {
      definition(
        "fr.\(name)@\(Self.text($0))", "Failure rate at \(Self.text($0)) by \(name)",
        "labelled faces with an NME above \(Self.text($0)), missed ones included, over all; "
          + "in [0, 1], undefined without labelled faces"
      ).within(.proportion)
    }
    visibleFailureRates = LandmarkAccuracy.thresholds.map {
      definition(
        "fr.\(name).visible@\(Self.text($0))",
        "Failure rate of visible points at \(Self.text($0)) by \(name)",
        "as landmarks.fr.\(name)@\(Self.text($0)), over the points labelled as visible; the success "
          + "rate that benchmarks publish is 1 minus it"
      ).within(.proportion)
    }
    areas = LandmarkAccuracy.thresholds.map {
      definition(
        "auc.\(name)@\(Self.text($0))", "AUC to \(Self.text($0)) by \(name)",
        "exact area under the CED: mean over labelled faces of max(0, τ − NME) / τ, "
          + "τ = \(Self.text($0)), 0 for a missed face; in [0, 1], undefined without labelled faces",
        .higher
      ).within(.unit)
    }
    parts = FacePart.allCases.map {
      definition(
        "nme.\(name).\($0.rawValue).conditional", "NME of \($0.rawValue) of found faces by \(name)",
        "as landmarks.nme.\(name).conditional, over the points of the \($0.rawValue)")
    }
    without = definition(
      "faces_without.\(name)", "Faces without \(name)",
      "labelled faces left out of the figures by \(name), whose label lacks a point that d needs",
      .neither, unit: "faces")
  }

  private static func text(_ threshold: Double) -> String { threshold == 0.08 ? "0.08" : "0.10" }
}
