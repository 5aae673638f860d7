package import FaceCore
internal import Platform
package import Records

/// Everything that people read about a run, made from its record alone.
package struct Report: Sendable {
  /// The record that the report is made from.
  package let record: Record

  /// A report of that record.
  package init(record: Record) {
    self.record = record
  }

  /// One HTML page that needs no network; `images` gives the bytes of a file in `RUN/images`.
  ///
  /// `frames` is what the frame explorer shows, as `FrameArchive` encodes it; nil leaves the explorer out.
  /// `thumbnails` are images of the sweep's `wrongFrames`, and `code` is what can be copied of its settings.
  package func html(
    images: @escaping (String) -> [UInt8]? = { _ in nil }, frames: [UInt8]? = nil,
    thumbnails: [FrameThumbnail] = [], code: SettingCode? = nil
  ) -> String {
    HTMLRenderer(
      images: images, frames: frames, sweep: record.sweep, code: code, thumbnails: thumbnails
    ).render(document)
  }

  /// A page in GitHub's Markdown, whose images are links into `images/`.
  package func markdown() -> String {
    document.markdown()
  }

  /// The gates as a JUnit report: one suite a stage, one case a gate, before them one for suspect findings.
  package func junit() -> String {
    JUnitRenderer(
      program: record.tool.name, dataset: record.dataset.name, created: record.created
    ).render(record.gates, findings: record.findings ?? [])
  }

  /// The few lines for a page of many jobs: the verdict and the gates, then the headline metrics.
  package func summaryMarkdown() -> String {
    let summary = ReportSection.summary.blocks(record).filter { block in
      if case .decision = block { false } else { true }
    }
    let isVerdict = { (block: Block) in
      if case .verdict = block { true } else { false }
    }
    let sections = [ReportDocument.Section]([
      ("gates", "Gates", summary.filter(isVerdict) + ReportSection.gates.blocks(record)),
      (
        "metrics", "Metrics",
        ReportSection.headlines.blocks(record) + summary.filter { !isVerdict($0) }
      ),
    ])
    return document(of: sections).markdown()
  }

  /// The sections that have something to show: the decision, then those with broken gates, then the rest.
  package var document: ReportDocument {
    var sections = ReportSections.all.compactMap { section -> ReportDocument.Section? in
      let blocks =
        section.reasonAlone(in: record).map { [.paragraph($0)] } ?? section.blocks(record)
      guard !blocks.isEmpty else { return nil }
      var result = ReportDocument.Section(id: section.id, title: section.title, blocks: blocks)
      result.verdict =
        section.id == ReportSection.gates.id
        ? Verdict.overall(record.gates)
        : record.verdict { section.claims($0.metric) }
      let isBroken = section.id == ReportSection.gates.id && result.verdict != .pass
      result.isFolded = section.id != ReportSection.summary.id && !isBroken
      return result
    }
    if sections.count == 1 { sections[0].isFolded = false }
    let first = sections.filter { !$0.isFolded }
    let rest = sections.filter(\.isFolded)
    func with(_ verdict: Verdict) -> [ReportDocument.Section] {
      rest.filter { $0.verdict == verdict }
    }
    let broken = with(.fail) + with(.inconclusive)
    let others = rest.filter { $0.verdict == .pass || $0.verdict == nil }
    return document(of: first + broken + others)
  }

  private func document(of sections: [ReportDocument.Section]) -> ReportDocument {
    let dataset = record.dataset
    return ReportDocument(
      title: "FaceGauge \(record.kind): \(dataset.name)",
      facts: [
        counted(dataset.frames, "frame"), counted(dataset.faces, "labelled face"),
        counted(dataset.sequences, "sequence"), record.created,
        "\(record.tool.name) \(record.tool.version)",
      ],
      sections: sections)
  }
}

/// A report before it takes a form.
package struct ReportDocument: Sendable, Hashable {
  /// A titled run of blocks.
  package struct Section: Sendable, Hashable {
    /// Name for links, unique in the report.
    package var id: String
    /// Heading for people.
    package var title: String
    /// The content, never empty.
    package var blocks: [Block]
    /// Whether a page shows the heading alone until a reader opens it.
    package var isFolded = false
    /// The worst verdict of the gates on its metrics; nil without any.
    package var verdict: Verdict?

    /// A section of blocks.
    package init(id: String, title: String, blocks: [Block]) {
      self.id = id
      self.title = title
      self.blocks = blocks
    }
  }

  /// Heading of the whole.
  package var title: String
  /// Counts, time and program, a few words each.
  package var facts: [String]
  /// The sections in reading order.
  package var sections: [Section]

  /// A document of sections.
  package init(title: String, facts: [String], sections: [Section]) {
    self.title = title
    self.facts = facts
    self.sections = sections
  }

  /// One HTML page that needs no network; `images` gives the bytes of a gallery's file.
  package func html(images: @escaping (String) -> [UInt8]? = { _ in nil }) -> String {
    HTMLRenderer(images: images, frames: nil, sweep: nil).render(self)
  }

  /// A page in GitHub's Markdown.
  package func markdown() -> String {
    MarkdownRenderer().render(self)
  }
}

/// The number and the noun, in the plural where it is not 1.
func counted(_ count: Int, _ noun: String) -> String {
  "\(count.groupedText) \(noun)\(count == 1 ? "" : "s")"
}
