import Platform
import Testing

@Suite struct PathTextTests {
  /// Path, name, suffix and path without suffix, as NSString gives them where it does not crash.
  static let paths: [(path: String, name: String, suffix: String, rest: String)] = [
    ("", "", "", ""), ("a/", "a", "", "a"), ("a.b/c", "c", "", "a.b/c"),
    (".jpg", ".jpg", "", ".jpg"),
    ("x/.jpg", ".jpg", "", "x/.jpg"), ("a.", "a.", "", "a"), ("a. b", "a. b", " b", "a"),
    ("a.b.c", "a.b.c", "c", "a.b"), ("a.b/", "a.b", "b", "a"), ("x//y.jpg", "y.jpg", "jpg", "x/y"),
    ("..", "..", "", ".."), ("a..", "a..", "", "a."), ("a..b", "a..b", "b", "a."),
    ("/a.b", "a.b", "b", "/a"), ("ä.jpg", "ä.jpg", "jpg", "ä"), ("/a/b//", "b", "", "/a/b"),
  ]

  @Test(arguments: paths.indices)
  func `a path has the name, the suffix and the rest that NSString gives`(index: Int) {
    let (path, name, suffix, rest) = Self.paths[index]
    let found = PathText(path)
    #expect(found.name == name && found.suffix == suffix && found.withoutSuffix == rest)
    #expect(found.stem == PathText(rest).name)
  }

  @Test(arguments: ["a///", "#./////////inf//", "///", "fu]z////J///////", "/\u{301}a.jpg//"])
  func `any number of slashes is one or none`(path: String) {
    let found = PathText(path)
    #expect(found.components.allSatisfy { !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: "/")) })
    #expect(
      PathText(found.text) == found
        && PathText(found.withoutSuffix).components.count == found.components.count)
  }
}
