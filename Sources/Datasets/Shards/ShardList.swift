internal import Foundation
internal import Platform

/// The files that a dataset is made of, as its path on the command line names them.
enum ShardList {
  /// Schema and version of the JSON that lists files.
  private static let header = JSONHeader("facegauge.shards", version: 1)
  /// Maximum number of files; more are an error.
  private static let fileLimit = 100_000

  /// The JSON that lists files, which are named from its folder.
  static func json(of files: [String]) throws -> Data {
    struct List: Encodable {
      let schema = ShardList.header.schema
      let version = ShardList.header.version
      let files: [String]
    }
    return try JSONEncoder.line.encode(List(files: files))
  }

  /// One file, the files that a JSON lists, or those that a pattern such as `shards/*.h5` matches, sorted.
  ///
  /// A pattern that matches nothing is taken as a file name. The name is that of the JSON; nil if none is given.
  static func files(of url: URL) throws(FileError) -> (files: [URL], name: String?) {
    let path = url.path
    if url.isThere {
      guard !url.isFolder, isJSON(url) else { return ([url], nil) }
      return try listed(in: url)
    }
    guard path.contains(where: { "*?[".contains($0) }) else { return ([url], nil) }
    return (try matching(url), nil)
  }

  private static func isJSON(_ url: URL) -> Bool {
    guard url.pathExtension.lowercased() != "json" else { return true }
    let head = SourceFiles.head(of: url)?.drop { $0.isWhitespace }
    return head?.first == "{"
  }

  private static func listed(in url: URL) throws(FileError) -> ([URL], String?) {
    let bytes = try SourceFiles.bytes(of: url, limit: 64 << 20)
    let source = url.relativePath
    try header.check(bytes, source: source)
    let list = try JSONNode(bytes, source: source)
    let entries = try list["files"].items(1...fileLimit, of: "paths")
    let names = try entries.map { (entry) throws(FileError) in try entry.text("a path") }
    if let entry = zip(entries, names).first(where: { $1.contains("\0") })?.0 {
      throw entry.wrong("a path")
    }
    let name = try list["name"].given?.text()
    let folder = url.deletingLastPathComponent()
    let files = names.map { name in
      name.hasPrefix("/") || ["./", "."].contains(folder.relativePath)
        ? URL(fileURLWithPath: name) : folder.appendingPathComponent(name)
    }
    var seen: Set<String> = []
    for (file, name) in zip(files, names)
    where !seen.insert(file.withoutLinks.path).inserted {
      throw list["files"].wrong("each file once", found: "'\(name.prefix(200))' twice")
    }
    return (files, name)
  }

  private static func matching(_ url: URL) throws(FileError) -> [URL] {
    var matches = glob_t()
    defer { globfree(&matches) }
    // Safety: glob fills `matches`, whose paths live until globfree.
    let status = glob(url.relativePath.pathBytes, 0, nil, &matches)
    guard status != GLOB_NOMATCH else { return [url] }
    guard status == 0 else {
      throw FileError(.inputOutput, "cannot list \(url.relativePath): glob failed")
    }
    var files: [URL] = []
    for index in 0..<min(Int(matches.gl_pathc), fileLimit + 1) {
      guard let path = matches.gl_pathv[index] else { continue }
      files.append(URL(fileURLWithPath: String(pathText: path)))
    }
    guard files.count <= fileLimit else {
      throw FileError.wrongData(
        "cannot read \(url.relativePath): expected at most \(fileLimit) files, found more")
    }
    return files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }
}
