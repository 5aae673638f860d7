import CommandSyntax
import Datasets
import FaceCore
import Foundation
import Metrics
import Platform
import TestSupport
import Testing
import facegauge

/// Published schemas against what guides and help show, and against the catalogues whose names they repeat.
@Suite("Schemas")
struct SchemaTests {
  private static let published = Set(
    Repository.files.filter { $0.hasSuffix(".schema.json") }.map {
      "facegauge." + ($0 as NSString).lastPathComponent.replacing(".schema.json", with: "")
    })

  /// Where files are shown: guides, data and the help of every command.
  private static let texts: [(position: String, text: String)] = {
    let files = Repository.files.filter {
      ["md", "json"].contains($0.suffix) && ($0.hasPrefix("Sources/") || $0.hasPrefix("Datasets/"))
        && !$0.hasSuffix(".schema.json")
    }
    let program = facegauge.program.declaration
    let commands = program.subcommands + program.subcommands.flatMap(\.subcommands)
    return files.map { ($0, (try? Repository.text($0)) ?? "") }
      + commands.map { ("help of \($0.name)", $0.discussion) }
  }()

  @Test func `files that guides and help show keep their schema`() throws {
    var seen: Set<String> = []
    for (position, text) in Self.texts {
      for file in Self.files(in: text) where Self.published.contains(file.schema) {
        seen.insert(file.schema)
        #expect(try Schema.problems(ofFile: file.text.utf8) == [], "\(position): \(file.text)")
      }
    }
    #expect(
      seen.isSuperset(
        of: [
          "gates", "expressions", "attributes", "prompts", "points", "columns", "drawing", "labels",
          "landmark-model", "detector-model", "shards", "hdf5-mapping",
        ].map { "facegauge.\($0)" }), "\(seen)")
  }

  @Test func `every schema is in the table of schemas`() throws {
    let guide = try Repository.text("Sources/facegauge/Guides.docc/Installing.md")
    let section = try #require(guide.split(separator: "### ").first { $0.hasPrefix("Schemas of") })
    let named = section.matches(of: /`([a-z\d-]+)`/).map { "facegauge.\($0.1)" }
    #expect(
      Set(named).subtracting(["schema", "version", "--json"].map { "facegauge.\($0)" })
        == Self.published)
  }

  @Test func `names that schemas list are those of the catalogues`() throws {
    let schemes = LandmarkScheme.all.map(\.name)
    let lists: [(path: [String], names: [String])] = [
      (["prompts", "$defs", "prompt", "properties", "prompt"], FacePrompt.all.map(\.name)),
      (["prompts", "$defs", "blendshape"], Blendshape.names.filter { $0 != "_neutral" }),
      (["points", "properties", "scheme"], schemes),
      (["landmark-model", "properties", "scheme"], schemes),
      (["hdf5-mapping", "$defs", "points", "properties", "scheme"], schemes),
      (["labels", "$defs", "face", "properties", "landmarks", "propertyNames"], schemes),
    ]
    for (path, names) in lists {
      #expect(try Self.member(path)["enum"] as? [String] == names, "\(path)")
    }
  }

  @Test func `keys of columns are those that the reader names`() throws {
    func message(_ key: String) -> String {
      let file = #"{"schema": "facegauge.columns", "version": 1, "columns": {"\#(key)": "a"}}"#
      do {
        _ = try ColumnMapping(json: Array(file.utf8), source: "f")
        return ""
      } catch { return error.description }
    }
    let columns = try Self.member(["columns", "properties", "columns"])
    let known = try #require(columns["properties"] as? [String: Any])
    for key in known.keys { #expect(!message(key).contains("found another key"), "\(key)") }
    let list = try #require(message("nothing").firstMatch(of: /expected one of (.*), found/)).1
    for key in list.split(separator: ", ") where key.wholeMatch(of: /[a-z\d-]+/) != nil {
      let problems = try Schema("columns").problems(
        in: ["schema": "facegauge.columns", "version": 1, "columns": [String(key): "a"]])
      #expect(!problems.contains { $0.contains("unknown key") }, "\(problems)")
    }
    for shape in Blendshape.names {
      let problems = try Schema("columns").problems(
        in: ["schema": "facegauge.columns", "version": 1, "columns": [shape: "a"]])
      #expect(problems == [] && message(shape).contains("column of images"), "\(problems)")
    }
  }

  /// The object at keys of a published schema, the first of which is its name.
  private static func member(_ path: [String]) throws -> [String: Any] {
    let text = try Repository.text("Sources/Packaging/Schemas/\(path[0]).schema.json")
    var value: Any = try JSONSerialization.jsonObject(with: Data(text.utf8))
    for key in path.dropFirst() { value = try #require((value as? [String: Any])?[key]) }
    return try #require(value as? [String: Any])
  }

  /// The JSON objects of a text that begin with a schema of ours.
  private static func files(in text: String) -> [(schema: String, text: String)] {
    text.matches(of: /\{\s*"schema": "(facegauge\.[\w-]+)"/).compactMap { match in
      var depth = 0
      var isText = false
      let end = text[match.range.lowerBound...].firstIndex { character in
        if character == "\"" { isText.toggle() }
        if !isText { depth += character == "{" ? 1 : character == "}" ? -1 : 0 }
        return depth == 0
      }
      return end.map { (String(match.1), String(text[match.range.lowerBound...$0])) }
    }
  }
}
