/// A path as text, taken apart at its slashes; of several slashes in a row, and of those at the end, one or none counts.
///
/// `NSString` does the same, but crashes on names such as `a///` (Foundation of Swift 6.3 for Linux).
package struct PathText: Sendable, Hashable {
  /// The names between slashes.
  package private(set) var components: [String]
  private let isAbsolute: Bool

  /// Takes a path apart.
  package init(_ path: some StringProtocol) {
    isAbsolute = path.utf8.first == UInt8(ascii: "/")
    // Bytes: a mark that combines with a slash does not hide it from the file system either.
    components = String(path).utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
  }

  /// The last name; empty where there is none.
  package var name: String { components.last ?? "" }

  /// What follows the last dot of the last name, without the dot; empty where nothing precedes or follows it.
  package var suffix: String {
    Self.dot(in: name).map { String(name[$0.after...]) } ?? ""
  }

  /// The last name without suffix and dot.
  package var stem: String { Self.dot(in: name).map { String(name[..<$0.at]) } ?? name }

  /// The path without the suffix of its last name.
  package var withoutSuffix: String {
    var path = self
    if !components.isEmpty { path.components[components.count - 1] = stem }
    return path.text
  }

  /// The path again.
  package var text: String { (isAbsolute ? "/" : "") + components.joined(separator: "/") }

  /// The dot that a suffix follows; `..` has none.
  private static func dot(in name: String) -> (at: String.Index, after: String.Index)? {
    guard let at = name.utf8.lastIndex(of: UInt8(ascii: ".")), at > name.startIndex, name != ".."
    else { return nil }
    return (at, name.utf8.index(after: at))
  }
}
