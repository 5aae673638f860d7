package import FaceCore
internal import Platform
package import Records
internal import Statistics

/// How much of the landmarks' error is the table's, not the tracker's: errors before and after a linear fit.
///
/// Of labelled faces whose points are compared by a table of `LandmarkCorrespondence`; points labelled
/// in the tracker's own scheme need none and do not count. What a table cannot follow (another spot of
/// the same part, an outline that moves as the head turns) a regression learns from the labels: in a
/// frame of the face (`FaceFrame`), from its seven anchors to the way from the table's point to the
/// label, point by point. Each face is evaluated by a fit to other images, of video to other sequences.
///
/// Retained of a found face are its anchors and those ways as floats, never the mesh: 68 points take
/// 0.6 kB.
package struct LandmarkRegression: FrameMetric {
  /// One labelled face that a table is needed for.
  package struct Face: Sendable, Hashable {
    /// The scheme of the labels.
    var scheme: LandmarkScheme
    /// Hash of the image's name, of the sequence's in video: what is never on both sides of a fit.
    var group: UInt64
    /// Lengths in pixels in the order of `LandmarkNormalizer`; nil where the label lacks a point.
    var normalizers: [Double?]
    /// Where the points are; nil for a missed face.
    var shape: Shape?
    /// Errors in pixels by the table; nil for a missed face and before the fit.
    var table: Means?
    /// Errors in pixels after the fit; nil also where there is none.
    var regressed: Means?
  }

  /// The mean over the labelled points of a face, and over those of each part in the order of `FacePart`.
  struct Means: Sendable, Hashable {
    var whole: Double
    var parts: [Double?]
  }

  /// A predicted face with its label.
  struct Shape: Sendable, Hashable {
    /// Coordinates of the anchors in the face's frame; none where there is no frame.
    var anchors: [Float] = []
    /// What the other lengths are in units of, in pixels.
    var scale: Double
    /// From the table's point to the label; infinite where there is no label.
    var offsets: [SIMD2<Float>]
  }

  /// The scheme of the predicted faces.
  package let scheme: LandmarkScheme
  package var frames = FrameTable<[Face]>()
  /// Stays empty: a fit needs the frames of videos too.
  package var videos = FrameTable<VideoSums<Sums>>()
  /// Why schemes of labels have no fit; nil before it.
  private(set) var problems: [LandmarkScheme: String]?

  /// Starts without frames, for faces that are predicted in a scheme.
  package init(scheme: LandmarkScheme) {
    self.scheme = scheme
  }

  package static var table: String { "landmarks.bias_floor" }

  /// Throws where the schemes differ.
  package func check(_ other: LandmarkRegression) throws(MetricError) {
    guard scheme == other.scheme else { throw .schemesDiffer(scheme.name, other.scheme.name) }
  }

  /// What is kept was fitted without the other's frames.
  package mutating func mergeRest(_ other: LandmarkRegression) throws(MetricError) {
    problems = nil
  }

  /// Scores every face by a fit to the others, which frames that are drawn or exchanged later keep.
  package mutating func fit() {
    guard problems == nil else { return }
    let all = faces
    var fits: [LandmarkScheme: CrossFit] = [:]
    for scheme in Set(all.map(\.scheme)) {
      fits[scheme] = CrossFit(to: all.filter { $0.scheme == scheme }, scheme)
    }
    problems = fits.compactMapValues(\.problem)
    frames.update { faces in
      for index in faces.indices { fits[faces[index].scheme]?.evaluate(&faces[index]) }
    }
  }

  /// The same after the fit.
  var fitted: LandmarkRegression {
    var fitted = self
    fitted.fit()
    return fitted
  }

  /// FNV-1a of the name, mixed as SplitMix64 does: the same on every machine and in every order.
  private static func group(_ name: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
    return hash ^ (hash >> 31)
  }
}

extension LandmarkRegression.Shape {
  /// Nil for a face that `LandmarkDistances` cannot compare.
  fileprivate init?(
    of face: FacePrediction, label: Landmarks, by table: LandmarkCorrespondence
  ) {
    let points = table.points(of: face)
    guard LandmarkDistances(predicted: points, label: label) != nil else { return nil }
    let frame = FaceFrame(face)
    anchors = frame.map { $0.anchors.map { Float($0) } } ?? []
    scale = frame?.scale ?? 1
    offsets = zip(zip(points, label.points), label.visibility).map { pair, visibility in
      guard visibility != .notLabelled, let point = pair.0 else {
        return SIMD2(repeating: .infinity)
      }
      let way =
        frame?.offset(from: point, to: pair.1)
        ?? Point(x: pair.1.x - point.x, y: pair.1.y - point.y)
      return SIMD2(Float(way.x), Float(way.y))
    }
  }
}

extension LandmarkRegression {
  /// The regressed error, that of found faces, and the bias floor by each normaliser.
  package static let definitions = LandmarkNormalizer.allCases.flatMap { normalizer in
    [regressed(normalizer), regressed(normalizer).conditional, biasFloor(normalizer)]
  }

  private static func regressed(_ normalizer: LandmarkNormalizer) -> MetricDefinition {
    MetricDefinition(
      "\(MetricName.landmarkError)\(normalizer.rawValue).regressed",
      "NME by \(normalizer.rawValue) after regression", .lower, in: .share, stage: "landmarks",
      "as landmarks.nme.\(normalizer.rawValue), of labels in another scheme than the "
        + "tracker's, after a linear fit of each point's offset on seven anchors in the face's "
        + "frame: least squares with a ridge of 1, up to 10 folds of whole images or sequences; 0 "
        + "or more, undefined under \(CrossFit.neededFaces) found faces, under \(CrossFit.neededGroups) images or "
        + "sequences, and where a face was missed",
      source: "ridge regression (Hoerl and Kennard 1970), cross-fitted")
  }

  private static func biasFloor(_ normalizer: LandmarkNormalizer) -> MetricDefinition {
    let name = MetricName.landmarkError + normalizer.rawValue
    return MetricDefinition(
      "landmarks.bias_floor.\(normalizer.rawValue)",
      "Correspondence's share of the NME by \(normalizer.rawValue)", .lower, in: .any,
      "\(name).conditional by the table less \(name).regressed.conditional, over the same "
        + "found faces; below 0 where the fit does worse; undefined where that is",
      source: "difference of two errors")
  }

  /// The regressed error and the bias floor by each normaliser.
  private static let byNormalizer = LandmarkNormalizer.allCases.map {
    (regressed: regressed($0), floor: biasFloor($0))
  }

  /// All metrics in the order of `definitions`.
  package func summarize() -> [Measurement] {
    let fitted = fitted
    return fitted.measurements(of: fitted.total)
  }

  /// The metrics that follow from sums over faces that this fit has scored.
  package func measurements(of sums: Sums) -> [Measurement] {
    let problem = LandmarkScheme.all.lazy.compactMap { problems?[$0] }.first
    return LandmarkNormalizer.allCases.indices.flatMap { index in
      let (labelled, found) = (sums[.labelled, index], sums[.found, index])
      var reason = "no labelled face with points in another scheme was found"
      let all = sums[.labelled, Count.all]
      if all == 0 {
        reason = "no labelled face has points that a table is needed for"
      } else if labelled == 0 {
        reason = "none of \(all) labelled faces has the points of the normaliser"
      } else if let problem {
        reason = problem
      }
      let table = found > 0 ? sums[.table, index] / Double(found) : nil
      let regressed =
        problem == nil && sums[.fitted, index] > 0
        ? sums[.regressed, index] / Double(sums[.fitted, index]) : nil
      let needs = problem != nil && found < CrossFit.neededFaces ? CrossFit.neededFaces : nil
      let floor = table.flatMap { table in regressed.map { table - $0 } }
      let definitions = Self.byNormalizer[index]
      return definitions.regressed.metrics(
        regressed, n: found, missed: labelled - found, else: reason, needs: needs)
        + [definitions.floor.measurement(floor, n: found, needs: needs, else: reason)]
    }
  }

  /// Mean over faces of an error over the normaliser of that position; nil where none has both.
  static func mean(_ faces: [Face], _ normalizer: Int, _ pixels: (Face) -> Double?) -> Double? {
    faces.compactMap { face in
      pixels(face).flatMap { pixels in face.normalizers[normalizer].map { pixels / $0 } }
    }.mean
  }
}

extension LandmarkRegression {
  /// Errors of found faces by the table and regressed, for each scheme of labels and each part; nil without any.
  ///
  /// `landmarks.correspondence`: over the first normaliser that a face of the scheme has.
  package func comparison() -> Series? {
    let rows = schemes.flatMap { scheme -> [[String]] in
      let parts = ["all points"] + FacePart.allCases.map(\.rawValue)
      return parts.enumerated().compactMap { row, part in
        func pixels(_ means: Means?) -> Double? {
          row == 0 ? means?.whole : means.flatMap { $0.parts[row - 1] }
        }
        func error(_ pixels: (Face) -> Double?) -> Double? {
          Self.mean(scheme.found, scheme.length, pixels)
        }
        guard let table = error({ pixels($0.table) }) else { return nil }
        let regressed = error { pixels($0.regressed) }
        return [
          scheme.scheme.name, part, LandmarkNormalizer.allCases[scheme.length].rawValue,
          scheme.found.count { pixels($0.table) != nil }.groupedText,
          table.text(decimals: 4), regressed?.text(decimals: 4) ?? "–",
          regressed.map { (table - $0).text(decimals: 4) } ?? "–",
        ]
      }
    }
    guard !rows.isEmpty else { return nil }
    return Series(
      name: "landmarks.correspondence",
      title: "NME of found faces by the table of points and regressed",
      columns: [
        "Labels", "Points", "Normaliser", "Faces", "By the table", "Regressed", "Difference",
      ], rows: rows)
  }

  /// What a reader must know of errors that a table has a part in.
  package func notes(_ context: SeriesContext) -> [String] {
    schemes.compactMap { scheme in
      let way =
        "Landmarks are compared with labels in \(scheme.scheme.name) by a table of points"
      if let problem = scheme.problem {
        return "\(way), whose part in the error is not known: \(problem)."
      }
      guard let table = Self.mean(scheme.found, scheme.length, { $0.table?.whole }), table > 0,
        let regressed = Self.mean(scheme.found, scheme.length, { $0.regressed?.whole })
      else { return nil }
      let share = ((table - regressed) / table * 100).text(decimals: 0)
      return "\(way), which has a part in the error: of an NME of \(table.text(decimals: 4)) by "
        + "\(LandmarkNormalizer.allCases[scheme.length].rawValue) over the found faces, "
        + "\((table - regressed).text(decimals: 4)) (\(share) %) goes when the points are fitted to "
        + "the labels of other images, \(regressed.text(decimals: 4)) stays."
    }
  }

  /// The faces found of one scheme of labels that have a normaliser, the first that one has.
  private struct SchemeFaces {
    let scheme: LandmarkScheme
    let found: [Face]
    let length: Int
    let problem: String?
  }

  private var schemes: [SchemeFaces] {
    let fitted = fitted
    let found = fitted.faces.filter { $0.table != nil }
    return LandmarkScheme.all.compactMap { scheme in
      let own = found.filter { $0.scheme == scheme }
      let length = LandmarkNormalizer.allCases.indices.first { index in
        own.contains { $0.normalizers[index] != nil }
      }
      return length.map { length in
        SchemeFaces(
          scheme: scheme, found: own.filter { $0.normalizers[length] != nil }, length: length,
          problem: fitted.problems?[scheme])
      }
    }
  }
}

extension LandmarkRegression: AdditiveFamily {
  package static var condensesVideos: Bool { false }
  /// No sums over frames tell a fit.
  package static let metricsOfOrder = Set(definitions.map(\.name))

  package static let requirements: MetricRequirements = [.labels, .points, .analysedFrames]

  package init(_ context: MetricContext) { self.init(scheme: context.scheme) }

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    let group = Self.group(frame.group ?? frame.frame.name)
    var found: [Face] = []
    for (label, position) in frame.pairs.labelledFaces {
      guard
        let (landmarks, table) = LandmarkCorrespondence.target(
          of: frame.labels[label], for: scheme),
        table.source != table.target
      else { continue }
      var entry = Face(
        scheme: landmarks.scheme, group: group,
        normalizers: LandmarkNormalizer.allCases.map { $0.pixels(of: landmarks) })
      if let face = position.map({ frame.faces[$0] }) {
        guard face.scheme == scheme else {
          throw .otherScheme(
            face.scheme?.name ?? "no scheme", expected: scheme.name, frame: frame.frame.index)
        }
        entry.shape = Shape(of: face, label: landmarks, by: table)
      }
      found.append(entry)
    }
    try addCounted(found, for: frame.frame.index)
    problems = nil
  }

  /// Whether a labelled face needs a table.
  package var isPresent: Bool { frames.entries.contains { !$0.isEmpty } }

  package mutating func prepare() { fit() }

  package func series(_ context: SeriesContext) -> [Series] { [comparison()].compactMap { $0 } }
}

extension LandmarkRegression.Means: Packable {
  package func pack(into row: inout RowWriter) { row.write(whole, parts) }
  package init(from row: inout RowReader) { self.init(whole: row.read(), parts: row.read()) }
}

extension LandmarkRegression.Shape: Packable {
  package func pack(into row: inout RowWriter) { row.write(anchors, scale, offsets) }
  package init(from row: inout RowReader) {
    self.init(anchors: row.read(), scale: row.read(), offsets: row.read())
  }
}

extension LandmarkRegression.Face: Packable {
  package func pack(into row: inout RowWriter) {
    row.write(scheme, group, normalizers, shape, table, regressed)
  }

  package init(from row: inout RowReader) {
    self.init(
      scheme: row.read(), group: row.read(), normalizers: row.read(), shape: row.read(),
      table: row.read(), regressed: row.read())
  }
}
