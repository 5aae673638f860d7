internal import HDF5
internal import Platform

/// Description of the run that made a predictions file.
package struct PredictionsHeader: Sendable, Hashable {
  /// A model that took part in the run.
  package struct Model: Sendable, Hashable {
    /// Name in the model catalogue.
    package var name: String
    /// The stage it serves, such as `detection`.
    package var stage: String
    /// SHA-256 of its bytes.
    package var sha256: String
    /// What a reader of results must know of it; nil for a model of the catalogue.
    package var remark: String?

    /// Describes a model.
    package init(name: String, stage: String, sha256: String, remark: String? = nil) {
      self.name = name
      self.stage = stage
      self.sha256 = sha256
      self.remark = remark
    }
  }

  /// What decides the last bits of predictions, in the words of records.
  package struct Numerics: Sendable, Hashable {
    /// The instruction set of the kernels, such as `x86-64-v3`.
    package var kernels: String
    /// The core that OpenBLAS chose, such as `Haswell`.
    package var blasCore: String

    /// Describes a process that computed predictions.
    package init(kernels: String, blasCore: String) {
      self.kernels = kernels
      self.blasCore = blasCore
    }
  }

  /// Facts that a tracker may provide; raw values are those of the attribute `facts`.
  package enum Fact: String, Sendable, CaseIterable {
    /// The frames in which its detector ran.
    case detectorRan = "detector_ran"
    /// The points before smoothing; omitted ones equal the points after it.
    case unsmoothed
    /// Boxes of a detector rather than those around the points.
    case detectorBoxes = "detector_boxes"
  }

  /// Name of the dataset.
  package var datasetName: String
  /// SHA-256 of the dataset file.
  package var datasetSHA256: String
  /// Former path of the dataset file; a hint to find the images.
  package var datasetPath: String
  /// The running mode: `image`, `video` or `live`.
  package var mode: String
  /// The models, in the order of the pipeline; all are optional.
  package var models: [Model]
  /// Lowest score of the stored candidates.
  package var candidateFloor: Double
  /// Names of the timed stages, at least one.
  package var stages: [String]
  /// Names of the numbers that frames have of the device, `answered` first; none where it was not asked.
  package var readings: [String] = []
  /// The reading that says when the answer was there, in seconds since the first answer of the run.
  package static let answered = "answered_s"
  /// How many other readings there may be.
  package static let maxReadings = 16
  /// Settings that the predictions depend on, by option name.
  package var options: [String: String]
  /// The option that names the tracker of predictions that are not our own pipeline's.
  package static let trackerOption = "tracker"
  /// The option that lists what an import repaired in a tracker's output.
  package static let repairOption = "repair"
  /// What the predictions were computed with; nil where a tracker does not say.
  package var numerics: Numerics?
  /// The facts that the predictions contain; others are unknown.
  package var facts: Set<Fact>
  /// Nanoseconds of the unit that a tracker's times seem to be in by the wait for its answers; nil for nanoseconds.
  package var timesUnit: Double?
  /// Which part of a run the file holds; nil for the whole.
  package var part: PredictionsPart?

  /// Describes a run.
  package init(
    datasetName: String, datasetSHA256: String, datasetPath: String, mode: String,
    models: [Model], candidateFloor: Double, stages: [String], options: [String: String],
    numerics: Numerics? = nil, facts: Set<Fact> = Set(Fact.allCases)
  ) {
    self.numerics = numerics
    self.facts = facts
    self.datasetName = datasetName
    self.datasetSHA256 = datasetSHA256
    self.datasetPath = datasetPath
    self.mode = mode
    self.models = models
    self.candidateFloor = candidateFloor
    self.stages = stages
    self.options = options
  }
}

/// The header as attributes of the root; the stages are an attribute of their table.
extension PredictionsHeader {
  /// Writes the facts, the times' unit and the part after the last prediction.
  func writeFacts(to file: HDF5File) throws(HDF5Error) {
    try file.setAttribute("facts", of: "/", to: facts.map(\.rawValue).sorted())
    if let timesUnit { try file.setAttribute("times_unit_ns", of: "/", to: timesUnit) }
    try part?.write(to: file)
  }

  /// Writes all but the stages and what is written last.
  func write(to file: HDF5File) throws(HDF5Error) {
    try file.setAttribute("format", of: "/", to: PredictionsLayout.format)
    try file.setAttribute("version", of: "/", to: PredictionsLayout.version)
    try file.setAttribute("dataset_name", of: "/", to: datasetName)
    try file.setAttribute("dataset_sha256", of: "/", to: datasetSHA256)
    try file.setAttribute("dataset_path", of: "/", to: datasetPath)
    try file.setAttribute("mode", of: "/", to: mode)
    try file.setAttribute("models", of: "/", to: models.map(\.name))
    try file.setAttribute("model_stages", of: "/", to: models.map(\.stage))
    try file.setAttribute("model_sha256", of: "/", to: models.map(\.sha256))
    if models.contains(where: { $0.remark != nil }) {
      try file.setAttribute("model_remarks", of: "/", to: models.map { $0.remark ?? "" })
    }
    try file.setAttribute("candidate_floor", of: "/", to: candidateFloor)
    if let numerics {
      try file.setAttribute("kernels", of: "/", to: numerics.kernels)
      try file.setAttribute("blas_core", of: "/", to: numerics.blasCore)
    }
    let sorted = options.sorted { $0.key < $1.key }
    try file.setAttribute("options", of: "/", to: sorted.map { "\($0.key)=\($0.value)" })
  }

  /// Reads the header after checking format and version.
  init(of file: HDF5File, name: String) throws {
    let format = try file.optionalAttribute("format") ?? "none"
    guard format == PredictionsLayout.format else {
      throw FileError.wrongData(
        "cannot read '/' in \(name): expected format \(PredictionsLayout.format), found \(format)"
          + ImportHint.clause(inPlaceOfPredictions: format))
    }
    let version = try file.attribute("version", of: "/", as: Int.self)
    guard version == PredictionsLayout.version else {
      throw FileError.wrongData(
        "cannot read '/' in \(name): expected version \(PredictionsLayout.version) of "
          + "\(format), found version \(version)"
          + (version < PredictionsLayout.version ? " (evaluate again to make a new file)" : ""))
    }
    let names: [String] = try file.optionalAttribute("models") ?? []
    let stages: [String] = try file.optionalAttribute("model_stages") ?? []
    let sums: [String] = try file.optionalAttribute("model_sha256") ?? []
    let remarks = try file.optionalAttribute("model_remarks") ?? names.map { _ in "" }
    guard remarks.count == names.count else {
      throw FileError.wrongData(
        "cannot read attributes of '/' in \(name): expected as many model_remarks as models, found "
          + "\(remarks.count) and \(names.count)")
    }
    guard stages.count == names.count, sums.count == names.count else {
      throw FileError.wrongData(
        "cannot read attributes of '/' in \(name): expected as many model_stages and model_sha256 "
          + "as models, found \(names.count), \(stages.count) and \(sums.count)")
    }
    let pairs = try file.attribute("options", of: "/", as: [String].self)
      .compactMap { pair -> (String, String)? in
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
      }
    // Files without the attribute are FaceGauge's, with all facts, or other trackers', with unknown facts.
    let facts: Set<Fact> =
      try file.optionalAttribute("facts", as: [String].self).map { Set($0.compactMap(Fact.init)) }
      ?? (names.isEmpty ? [] : Set(Fact.allCases))
    self.init(
      datasetName: try file.attribute("dataset_name", of: "/", as: String.self),
      datasetSHA256: try file.attribute("dataset_sha256", of: "/", as: String.self),
      datasetPath: try file.attribute("dataset_path", of: "/", as: String.self),
      mode: try file.attribute("mode", of: "/", as: String.self),
      models: names.indices.map {
        Model(
          name: names[$0], stage: stages[$0], sha256: sums[$0],
          remark: remarks[$0].isEmpty ? nil : remarks[$0])
      },
      candidateFloor: try file.attribute("candidate_floor", of: "/", as: Double.self),
      stages: try file.attribute("stages", of: "frames/stage_ns", as: [String].self),
      options: Dictionary(pairs) { $1 }, facts: facts)
    if try file.hasAttribute("kernels", of: "/"), try file.hasAttribute("blas_core", of: "/") {
      numerics = Numerics(
        kernels: try file.attribute("kernels", of: "/", as: String.self),
        blasCore: try file.attribute("blas_core", of: "/", as: String.self))
    }
    timesUnit = try file.optionalAttribute("times_unit_ns")
    part = try PredictionsPart(of: file, name: name)
    guard try file.exists(PredictionsLayout.readings) else { return }
    readings = try file.attribute("names", of: PredictionsLayout.readings, as: [String].self)
    guard readings.count <= 1 + Self.maxReadings, Set(readings).count == readings.count else {
      throw FileError.wrongData(
        "cannot read '\(PredictionsLayout.readings)' in \(name): expected at most "
          + "\(1 + Self.maxReadings) names, each once, found \(readings.count)")
    }
  }
}
