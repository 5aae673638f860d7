internal import Platform
import Records

extension ReportSection {
  /// What ran on what: all that it takes to measure the same again.
  package static let provenance = ReportSection(
    id: "provenance", title: "Provenance", claims: { _ in false },
    blocks: { record in
      var blocks: [Block] = [.table(facts("Dataset and run", runFacts(record)))]
      blocks.append(.table(facts("Machine", hostFacts(record.host))))
      if let profile = record.profile {
        blocks.append(.table(facts("Around the timing", machineFacts(profile))))
      }
      if !record.models.isEmpty {
        blocks.append(
          .table(
            title: "Models",
            columns: [.words("Model"), .words("Stage"), .words("SHA-256")],
            rows: record.models.map { [.text($0.name), .text($0.stage), .code($0.sha256)] },
            isWide: true))
      }
      if !record.options.isEmpty {
        let options = record.options.sorted { $0.key < $1.key }
        blocks.append(.heading("Options"))
        blocks.append(.code(options.map { "--\($0.key) \($0.value)" }.joined(separator: "\n")))
      }
      return blocks
    })
}

private func facts(_ title: String, _ rows: [(String, Table.Cell)]) -> Table {
  Table(
    title: title, columns: [.words("What"), .words("Value")],
    rows: rows.map { [.text($0.0), $0.1] })
}

private func runFacts(_ record: Record) -> [(String, Table.Cell)] {
  let dataset = record.dataset
  return [
    ("Dataset", .text(dataset.name)),
    ("SHA-256", .code(dataset.sha256)),
    ("Frames", .text(dataset.frames.groupedText)),
    ("of them undecodable, left out", .text(dataset.badFrames.groupedText)),
    ("Labelled faces", .text(dataset.faces.groupedText)),
    ("Sequences", .text(dataset.sequences.groupedText)),
    ("Begun", .text(record.created)),
    ("Program", .text("\(record.tool.name) \(record.tool.version), \(record.tool.build) build")),
    ("Commit", record.tool.commit.map { .code($0) } ?? .text("unknown")),
    ("Record", .text("\(record.schema) version \(record.version)")),
  ]
}

private func hostFacts(_ host: Record.Host) -> [(String, Table.Cell)] {
  let environment = host.environment.sorted { $0.key < $1.key }
  return [
    ("Processor", .text(host.cpu)),
    ("Logical processors", .text(host.cores.groupedText)),
    ("System", .text(host.system)),
    ("Kernels", .text(host.kernels ?? "not recorded")),
    ("BLAS", .text("\(host.blasVersion), \(host.blasCore) kernels")),
    ("BLAS threads", .text(host.blasThreads.groupedText)),
    ("Load when it began", .text(text(host.loadAverage))),
  ] + environment.map { ($0.key, .code($0.value)) }
}

private func machineFacts(_ profile: Record.Profile) -> [(String, Table.Cell)] {
  let machine = profile.machine
  func share(_ value: Double?) -> Table.Cell {
    .text(value.map { "\(($0 * 100).text(decimals: 1)) %" } ?? "unknown")
  }
  return [
    ("Instruction sets", .text(machine.instructionSets.joined(separator: " "))),
    ("Load before and after", .text("\(text(machine.loadBefore)), \(text(machine.loadAfter))")),
    ("Processor time given to other guests", share(machine.stealShare)),
    ("Processor time of other processes", share(machine.otherProcessesShare)),
    ("Times the processor was taken away", .text(machine.involuntarySwitches.groupedText)),
    (
      "Noisy",
      .text(machine.noise.isEmpty ? "no" : "yes: " + machine.noise.joined(separator: "; "))
    ),
    ("Compilers", .text(machine.compiler)),
    ("Compiled by", .text(machine.compilerFlags)),
    ("Plan of the models", .code(profile.planSHA256)),
  ]
}

private func text(_ load: Double?) -> String {
  load?.text(decimals: 2) ?? "unknown"
}
