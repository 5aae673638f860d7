internal import Foundation
internal import Platform

/// The files that a dataset is made of, as its path on the command line names them.
enum ShardList {
  /// Value of `format` in the JSON that lists files.
  static let format = "facegauge.shards"
  /// The only version of that JSON.
  static let version = 1
  /// Maximum number of files; more are an error.
  private static let fileLimit = 100_000

  /// The JSON that lists files, which are named from its folder.
  static func json(of files: [String]) throws -> Data {
    struct List: Encodable {
      let format = ShardList.format
      let version = ShardList.version
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
    func wrong(_ position: String, _ expected: String, _ found: String) -> FileError {
      FileError(
        .wrongData,
        "cannot read \(position) of \(url.relativePath): expected \(expected), found \(found)")
    }
    let bytes = try SourceFiles.bytes(of: url, limit: 64 << 20)
    guard let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
      throw wrong("the JSON", "an object", "something else")
    }
    guard let format = object["format"] as? String, format == Self.format else {
      throw wrong("format", Self.format, "'\("\(object["format"] ?? "none")".prefix(60))'")
    }
    guard let version = object["version"] as? Int, version == Self.version else {
      throw wrong("version", "\(Self.version)", "'\("\(object["version"] ?? "none")".prefix(60))'")
    }
    guard let names = object["files"] as? [String], !names.isEmpty, names.count <= fileLimit,
      names.allSatisfy({ !$0.isEmpty && !$0.contains("\0") })
    else { throw wrong("files", "a list of 1 to \(fileLimit) paths", "something else") }
    let name = object["name"] as? String
    guard name != nil || object["name"] == nil else {
      throw wrong("name", "text", "something else")
    }
    let folder = url.deletingLastPathComponent()
    let files = names.map { name in
      name.hasPrefix("/") || ["./", "."].contains(folder.relativePath)
        ? URL(fileURLWithPath: name) : folder.appendingPathComponent(name)
    }
    var seen: Set<String> = []
    for (file, name) in zip(files, names)
    where !seen.insert(file.withoutLinks.path).inserted {
      throw wrong("files", "each file once", "'\(name.prefix(200))' twice")
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
      throw FileError(
        .wrongData,
        "cannot read \(url.relativePath): expected at most \(fileLimit) files, found more")
    }
    return files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }
}
