import CommandSyntax
import Datasets
import FacePipeline
import Foundation
import Metrics
import Records
import Reporting
import TFLite
import Testing
import facegauge

@Suite("Catalogs")
struct CatalogTests {
  private func stems(_ folder: String) -> Set<String> {
    Set(Repository.files(in: folder, ending: ".swift").map(\.stem))
  }

  /// Names in one spelling: `BlazeFaceShortRange` and `blazeface-short-range` are the same.
  private func plain(_ names: some Sequence<String>) -> Set<String> {
    Set(names.map { $0.lowercased().replacing("-", with: "") })
  }

  @Test func `every dataset format is registered`() {
    let registered = DatasetFormats.all.map { "\(type(of: $0))" }
    #expect(stems("Sources/Datasets/Formats") == Set(registered))
    #expect(Set(DatasetFormats.all.map(\.name)).count == registered.count)
  }

  @Test func `every export format and every check of a dataset is registered`() throws {
    let exporters = DatasetExporters.all.map { "\(type(of: $0))" }
    #expect(
      stems("Sources/Datasets/Exporting").filter { $0.hasSuffix("Export") && $0 != "DatasetExport" }
        == Set(exporters))
    let catalog = try Repository.text("Sources/Datasets/Validation/DatasetCheck.swift")
    for file in Repository.files(in: "Sources/Datasets/Validation", ending: ".swift") {
      for match in try Repository.text(file).matches(of: /struct (\w+): DatasetCheck\b/) {
        #expect(catalog.contains("\(match.1)("), "\(match.1) is in no checklist")
      }
    }
  }

  @Test func `every degradation is registered, and its severities get steadily worse`() {
    #expect(
      plain(stems("Sources/Datasets/Degrading/Catalog")) == plain(Degradations.all.map(\.name)))
    for degradation in Degradations.all {
      let isFalling = ["jpeg", "resolution"].contains(degradation.name)
      let values = isFalling ? degradation.values.reversed() : degradation.values
      #expect(values.count == 5)
      #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 }, "\(degradation.name)")
    }
  }

  @Test func `every operator is registered, each name once, and is custom or the schema's`() throws
  {
    var declared: Set<String> = []
    for file in Repository.files(in: "Sources/TFLite/Operators", ending: ".swift") {
      for match in try Repository.text(file).matches(
        of: /\n(?:struct|enum) (\w+): (?:Custom)?Operator\b/)
      {
        declared.insert(String(match.1))
      }
    }
    #expect(declared == Set(OperatorRegistry.all.map { "\($0)" }))
    #expect(Set(OperatorRegistry.all.map { $0.name }).count == OperatorRegistry.all.count)
    for type in OperatorRegistry.all {
      let isBuiltin = TFLiteSchema.BuiltinOperator.names.contains(type.name)
      #expect(isBuiltin != (type is any CustomOperator.Type), "\(type.name)")
    }
  }

  @Test func `every model is registered`() throws {
    let files = try Repository.files(in: "Sources/FacePipeline/Models", ending: ".swift")
      .filter { try Repository.text($0).contains("\nextension ModelDescription {") }
    #expect(plain(files.map(\.stem)) == plain(ModelCatalog.all.map(\.name)))
  }

  @Test func `every report section is registered`() {
    #expect(
      plain(stems("Sources/Reporting/Sections"))
        == plain(ReportSections.all.map { $0.id + "section" }))
  }

  @Test func `every subcommand is registered`() {
    let names = facegauge.program.declaration.subcommands.map(\.name)
    #expect(plain(stems("Sources/facegauge/Subcommands")) == plain(names))
    #expect(Set(names).count == names.count)
  }

  @Test func `every metric family is registered, each metric once`() throws {
    var families: Set<String> = []
    for file in Repository.files(in: "Sources/Metrics", ending: ".swift") {
      for match in try Repository.text(file).matches(
        of: /(?:extension|struct|enum) (\w+): (?:MetricFamily|FrameMetric|Metric|DefinedMetrics)\b/)
      {
        families.insert(String(match.1))
      }
    }
    let registered =
      MetricCatalog.families.map { "\($0)" } + MetricCatalog.others.map { "\($0)" }
    #expect(families == Set(registered))
    #expect(Set(MetricCatalog.all.map(\.name)).count == MetricCatalog.all.count)
  }

  @Test func `what headlines, slices and facts name is defined`() {
    let names = Set(MetricCatalog.all.map(\.name))
    let types: [any DefinedMetrics.Type] = MetricCatalog.families + MetricCatalog.others
    for type in types {
      let shown = type.presentation
      let used =
        shown.sliced.union(shown.slicedByFrames).union(shown.extremes)
        .union(shown.needs.values.joined()).union(shown.headlines.flatMap(\.names))
      for name in used {
        #expect(
          names.contains(name) || MetricCatalog.definition(of: name) != nil, "\(type): \(name)")
      }
    }
  }

  /// Names that several modules use are in one file of Records, and are the catalogue's.
  @Test func `a metric's name is in its own file, and what others look up is defined`() throws {
    let shared = "Sources/Records/Record/SharedNames.swift"
    let names = MetricCatalog.all.map(\.name)
    for file in Repository.files(in: "Sources", ending: ".swift")
    where !file.hasPrefix("Sources/Metrics/") && file != shared {
      // Help shows gates files with metrics.
      let lines = try Repository.text(file).split(separator: "\n").filter {
        !$0.contains("{\"metric\": ")
      }
      for match in lines.joined(separator: "\n").matches(of: /"([a-z_]+\.[a-z0-9_.@]+)"/) {
        #expect(!names.contains(String(match.1)), "\(file) names \(match.1)")
      }
    }
    let metrics = try #require(
      try Repository.text(shared).firstMatch(of: /enum MetricName \{([\s\S]*?)\n\}/))
    let looked = metrics.1.matches(of: /= "([a-z_]+\.[a-z0-9_.@]+)"/).map { String($0.1) }
    #expect(looked.count > 5)
    for name in looked {
      #expect(names.contains { $0.hasPrefix(name) }, "no metric is named \(name)")
    }
    let groups = MetricName.frameTimes("p95") + MetricName.operatingPoint + MetricName.errorRates
    #expect(groups.allSatisfy { MetricCatalog.definition(of: $0) != nil })
  }

  @Test func `every dataset format that we read ourselves is fuzzed`() throws {
    let targets = try Repository.text("Tests/Fuzzing/Fuzz/Targets/Importers.swift")
    // ffmpeg reads videos, and folders of images have nothing to read but the images.
    for format in DatasetFormats.all
    where !["video", "images", "class-folders"].contains(format.name) {
      #expect(targets.contains("importing(\"\(format.name)\""), "no target for \(format.name)")
    }
  }

  @Test func `every fuzz target is in its catalog`() throws {
    let catalog = try Repository.text("Tests/Fuzzing/Fuzz/FuzzCatalog.swift")
    for file in Repository.files(in: "Tests/Fuzzing/Fuzz/Targets", ending: ".swift") {
      let declared = try Repository.text(file).matches(
        of: /\n  static let (\w+)(?:: \[FuzzTarget\])? =/)
      #expect(!declared.isEmpty, "\(file) has no target")
      for match in declared {
        #expect(catalog.contains(match.1), "\(match.1) of \(file) is not in the catalog")
      }
    }
  }

  @Test func `a test reads each format, runs each operator of LiteRT and each subcommand`() throws {
    func text(_ folders: String..., ending: String) throws -> String {
      try folders.flatMap { Repository.files(in: $0, ending: ending) }
        .map { try Repository.text($0) }.joined()
    }
    let tests = try text("Tests/CommandLineTests", "Tests/DatasetsTests", ending: ".swift")
    for format in DatasetFormats.all {
      #expect(tests.contains("\"\(format.name)\""), "no test reads \(format.name)")
    }
    // The first word of a list of arguments, or of a command in shell.
    let commands = Set(
      try text("Tests/CommandLineTests", "Tests/EvaluationTests", ending: ".swift")
        .matches(of: /(?:[\[(]\s*"|(?:facegauge\\?|program\))["'] )([a-z-]+)\b/)
        .map { String($0.1) })
    for subcommand in facegauge.program.declaration.subcommands {
      #expect(commands.contains(subcommand.name), "no test runs \(subcommand.name)")
    }
    let words = Set(
      try text("Tests/Oracles", ending: ".py").matches(of: /[A-Za-z0-9_]+/).map { String($0.0) })
    for type in OperatorRegistry.all {
      // Oracles name custom operators by their types.
      let name = type is any CustomOperator.Type ? "\(type)" : type.name
      #expect(words.contains(name), "no oracle runs \(name)")
    }
  }
}
