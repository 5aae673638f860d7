/// Every net that the pipeline can run.
package enum ModelCatalog {
  /// The nets, in the order of the pipeline.
  package static let all: [ModelDescription] = [
    .blazeFaceShortRange,
    .blazeFaceFullRange,
  ]

  /// The files that the nets come in, each once.
  package static var files: [ModelFile] {
    var seen: Set<String> = []
    return all.flatMap(\.places).map(\.file).filter { seen.insert($0.name).inserted }
  }
}
