internal import HDF5

/// The header as attributes of the root; the stages are an attribute of their table.
extension PredictionsHeader {
  /// Writes what the predictions say, once all are there.
  func writeFacts(to file: HDF5File) throws(HDF5Error) {
    try file.setAttribute("says", of: "/", to: says.map(\.rawValue).sorted())
  }

  /// Writes all but the stages and the facts.
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
    try file.setAttribute("candidate_floor", of: "/", to: candidateFloor)
    let sorted = options.sorted { $0.key < $1.key }
    try file.setAttribute("options", of: "/", to: sorted.map { "\($0.key)=\($0.value)" })
  }

  /// Reads the header after checking format and version.
  init(of file: HDF5File, name: String) throws {
    let format =
      try file.hasAttribute("format", of: "/")
      ? file.attribute("format", of: "/", as: String.self) : "none"
    guard format == PredictionsLayout.format else {
      throw DatasetError(
        .wrongData,
        "cannot read '/' in \(name): expected format \(PredictionsLayout.format), found \(format)")
    }
    let version = try file.attribute("version", of: "/", as: Int.self)
    guard PredictionsLayout.readableVersions.contains(version) else {
      throw DatasetError(
        .wrongData,
        "cannot read '/' in \(name): expected version \(PredictionsLayout.version) of "
          + "\(format), found version \(version)"
          + (version < PredictionsLayout.version ? " (evaluate again to make a new file)" : ""))
    }
    let names = try file.attribute("models", of: "/", as: [String].self)
    let stages = try file.attribute("model_stages", of: "/", as: [String].self)
    let sums = try file.attribute("model_sha256", of: "/", as: [String].self)
    guard stages.count == names.count, sums.count == names.count else {
      throw DatasetError(
        .wrongData,
        "cannot read attributes of '/' in \(name): expected as many model_stages and model_sha256 "
          + "as models, found \(names.count), \(stages.count) and \(sums.count)")
    }
    let pairs = try file.attribute("options", of: "/", as: [String].self)
      .compactMap { pair -> (String, String)? in
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
      }
    // Files without the attribute are of ours, which say everything, or of others, of which nothing is known.
    let says: Set<Fact> =
      try file.hasAttribute("says", of: "/")
      ? Set(file.attribute("says", of: "/", as: [String].self).compactMap(Fact.init))
      : names.isEmpty ? [] : Set(Fact.allCases)
    self.init(
      datasetName: try file.attribute("dataset_name", of: "/", as: String.self),
      datasetSHA256: try file.attribute("dataset_sha256", of: "/", as: String.self),
      datasetPath: try file.attribute("dataset_path", of: "/", as: String.self),
      mode: try file.attribute("mode", of: "/", as: String.self),
      models: names.indices.map { Model(name: names[$0], stage: stages[$0], sha256: sums[$0]) },
      candidateFloor: try file.attribute("candidate_floor", of: "/", as: Double.self),
      stages: try file.attribute("stages", of: "frames/stage_ns", as: [String].self),
      options: Dictionary(pairs) { $1 }, says: says)
  }
}
