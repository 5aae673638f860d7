import CommandSyntax
import Datasets
import Foundation
import Metrics
import Testing
import facegauge

@Suite("Documents")
struct DocumentTests {
  private static let documents = Repository.files.filter {
    $0.suffix == "md" && !$0.contains("/Golden/")
  }

  @Test(arguments: documents)
  func `links between files lead somewhere`(document: String) throws {
    let text = try Repository.text(document)
    let folder = (document as NSString).deletingLastPathComponent
    for match in text.matches(of: /\]\(<?([^)\s>]+)>?[^)]*\)/) {
      let parts = match.1.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
      if match.1.contains("://") || match.1.hasPrefix("mailto:") { continue }
      let path = (parts[0].removingPercentEncoding ?? parts[0])
      let page = path.isEmpty ? document : (folder as NSString).appendingPathComponent(path)
      #expect(Repository.exists(page), "\(document) links to \(match.1)")
      if parts.count > 1, page.hasSuffix(".md") {
        let anchors = Self.anchors(in: try Repository.text((page as NSString).standardizingPath))
        #expect(anchors.contains(parts[1]), "\(document) links to \(match.1)")
      }
    }
    // A code host shows these as text.
    #expect(!text.contains("<doc:"), "\(document) has a link that only DocC follows")
  }

  @Test func `a published schema has the name and the version of its files`() throws {
    let schemas = Repository.files.filter { $0.hasSuffix(".schema.json") }
    #expect(schemas.count >= 6)
    for file in schemas {
      let json = try JSONSerialization.jsonObject(with: Data(try Repository.text(file).utf8))
      let schema = try #require(json as? [String: Any])
      let name = (file as NSString).lastPathComponent.replacing(".schema.json", with: "")
      if name == "printed" {
        // What commands print states no version.
        #expect(schema["$id"] as? String == "urn:facegauge:printed:1")
        continue
      }
      let properties = try #require(schema["properties"] as? [String: [String: Any]])
      let version = try #require(properties["version"]?["const"] as? Int)
      #expect(properties["schema"]?["const"] as? String == "facegauge.\(name)")
      #expect(schema["$id"] as? String == "urn:facegauge:\(name):\(version)")
    }
  }

  /// The names that a code host gives the headings of a page.
  private static func anchors(in text: String) -> Set<String> {
    Set(
      text.matches(of: /^#+ (.*)$/.anchorsMatchLineEndings()).map { heading in
        String(
          heading.1.lowercased().replacing(" ", with: "-").filter {
            $0.isLetter || $0.isNumber || "-_".contains($0)
          })
      })
  }

  @Test func `the page of formats has each of them with its summary and its page`() throws {
    let text = try Repository.text("Sources/Datasets/Datasets.docc/Formats.md")
    let rows = text.matches(
      of: /^\| \[`([\w-]+)`\]\((\w+\.md)\) \| (.*) \|$/.anchorsMatchLineEndings())
    #expect(
      Set(rows.map { "\($0.1): \($0.3)" })
        == Set(DatasetFormats.all.map { "\($0.name): \($0.summary)" }))
    for row in rows {
      let page = try Repository.text("Sources/Datasets/Datasets.docc/\(row.2)")
      #expect(page.contains("import \(row.1)"), "\(row.2) does not say how to import \(row.1)")
    }
  }

  @Test func `lines above which guides add code are there once`() throws {
    var count = 0
    for guide in Self.documents where guide.contains("/Guides.docc/AddingA") {
      let step = /\nIn `([^`]+)`, above (?:`([^`\n]+)`|`` ([^\n]+) ``):\n/
      // A guide may add to a file that it makes.
      for match in try Repository.text(guide).matches(of: step)
      where Repository.exists(String(match.1)) {
        let line = String(match.2 ?? match.3 ?? "").replacing("⏎", with: "\n")
        #expect(
          try Repository.text(String(match.1)).ranges(of: line).count == 1, "\(guide): \(line)")
        count += 1
      }
    }
    #expect(count > 10)
  }

  @Test func `the page of the formats has a row for each table of a dataset`() throws {
    let text = try Repository.text("Datasets/FORMAT.md")
    for (group, names) in DatasetLayout.tables where !["", "faces/landmarks"].contains(group) {
      for name in names {
        let isThere = ["`", "/"].contains { text.contains("`/\(group)/\(name)\($0)") }
        #expect(isThere, "\(group)/\(name)")
      }
    }
  }

  @Test(arguments: documents)
  func `commands that are shown can be given as they are`(document: String) throws {
    for line in Self.shellLines(in: try Repository.text(document)) {
      try check(line, in: document)
    }
  }

  @Test func `what guides install of the program is a wheel of its version`() throws {
    var count = 0
    for document in Self.documents {
      let text = try Repository.text(document)
      for match in text.matches(of: /pip install [^`\n]*?(facegauge[^\s`']*)/) {
        count += 1
        let wheel = match.1.wholeMatch(
          of: /facegauge-([\d.]+)-py3-none-manylinux_\d+_\d+_x86_64\.whl(?:\[[a-z]+\])?/)
        let version = wheel.map { String($0.1) }
        #expect(version == facegauge.program.version, "\(document): \(match.1)")
      }
    }
    #expect(count >= 4)
  }

  @Test func `the page of metrics is what 'facegauge metrics --markdown' prints`() throws {
    #expect(
      try Repository.text("Sources/facegauge/Guides.docc/MetricReference.md")
        == MetricCatalog.guide())
  }

  @Test func `sections, tables, columns and buttons that guides name are there`() throws {
    let program =
      try Repository.files.filter {
        $0.hasPrefix("Sources/") && ["swift", "js"].contains($0.suffix)
      }
      .map(Repository.text).joined() + MetricCatalog.guide()
    let named =
      /(?:[Tt]ables?|[Ss]ections?|[Cc]olumns?|[Cc]harts?|[Bb]uttons?|[Oo]pen|sort) "([^"]+)"/
    var count = 0
    for document in Self.documents {
      let text = try Repository.text(document).replacing("\n", with: " ")
      for match in text.matches(of: named) {
        count += 1
        #expect(program.contains(match.1), "\(document) names \"\(match.1)\"")
      }
    }
    #expect(count > 5)
  }

  @Test func `commands in help can be given as they are`() throws {
    let program = facegauge.program.declaration
    for command in [program] + program.subcommands + program.subcommands.flatMap(\.subcommands) {
      for line in command.discussion.split(separator: "\n") where line.hasPrefix("  ") {
        try check(line.trimmingCharacters(in: .whitespaces), in: "help of \(command.name)")
      }
    }
  }

  @Test func `what make offers is declared, and its help names targets that are there`() throws {
    let text = try Repository.text("Makefile")
    for match in text.matches(of: /@echo "make ([a-z-]+)\s/) {
      #expect(Self.targets.contains(String(match.1)), "make \(match.1)")
    }
    let phony = try #require(text.firstMatch(of: /\.PHONY: (.*)/)).1.split(separator: " ")
    for name in phony { #expect(Self.targets.contains(String(name)), "make \(name)") }
  }

  @Test func `shell lines are found with their continuations and without comments`() {
    let text = """
      facegauge not this
      ```sh
      $ facegauge inspect 'a b.h5'   # what is in it
      facegauge evaluate a.h5 \\
        -o run
      ```
      """
    #expect(
      Self.shellLines(in: text) == ["facegauge inspect 'a b.h5'", "facegauge evaluate a.h5 -o run"])
    #expect(Self.words(of: "a 'b c' \"d e\" f") == ["a", "b c", "d e", "f"])
  }

  @Test(arguments: ["FromDataToSettings", "FromOwnTable", "ThreeDecisions"])
  func `a guide that is followed to its end writes each output once`(guide: String) throws {
    let text = try Repository.text("Sources/facegauge/Guides.docc/\(guide).md")
    let outputs = Self.shellLines(in: text).flatMap { line in
      line.matches(of: /\s(?:-o|--output) (\S+)/).map { String($0.1) }
    }
    #expect(outputs.count > 5)
    #expect(Set(outputs).count == outputs.count, "\(outputs)")
  }

  private func check(_ line: String, in position: String) throws {
    // Variables of the environment come first.
    let words = Array(Self.words(of: line).drop { $0.firstMatch(of: /^[A-Z_]+=/) != nil })
    guard let name = words.first else { return }
    switch (name as NSString).lastPathComponent {
    case "facegauge":
      let stop = words.firstIndex { ["|", ">", ">>", "2>", "&&", "||", ";"].contains($0) }
      do {
        _ = try facegauge.program.declaration.parse(
          Array(words[1..<(stop ?? words.count)]))
      } catch {
        Issue.record("\(position): '\(line)': \(error.message)")
      }
    case "make":
      for word in words.dropFirst() where !word.hasPrefix("-") && !word.contains("=") {
        #expect(Self.targets.contains(word), "\(position): make \(word)")
      }
    default: break
    }
  }

  private static let targets: Set<String> = {
    let text = (try? Repository.text("Makefile")) ?? ""
    return Set(
      text.matches(of: /^([a-z][a-z-]*):/.anchorsMatchLineEndings()).map { String($0.1) })
  }()

  /// The lines of fenced blocks, continuations joined, prompts and comments removed.
  private static func shellLines(in text: String) -> [String] {
    var isCode = false
    var lines: [String] = []
    var continues = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var words = line.trimmingCharacters(in: .whitespaces)
      if words.hasPrefix("```") {
        isCode.toggle()
        continue
      }
      guard isCode else { continue }
      if words.hasPrefix("$ ") { words.removeFirst(2) }
      if let comment = words.firstRange(of: /(^|\s+)#\s.*$/) { words.removeSubrange(comment) }
      let goesOn = words.hasSuffix("\\")
      if goesOn { words = words.dropLast().trimmingCharacters(in: .whitespaces) }
      if continues, !lines.isEmpty {
        lines[lines.count - 1] += " " + words
      } else {
        lines.append(words)
      }
      continues = goesOn
    }
    return lines.filter { !$0.isEmpty }
  }

  /// Words as a shell parts them, as far as quotes go.
  private static func words(of line: String) -> [String] {
    line.matches(of: /'([^']*)'|"([^"]*)"|(\S+)/).map {
      String($0.1 ?? $0.2 ?? $0.3 ?? "")
    }
  }
}
