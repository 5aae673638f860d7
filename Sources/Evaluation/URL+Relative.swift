internal import Foundation

extension URL {
  /// The way to this file from a folder, with `..` where it has to go up.
  func path(from folder: URL) -> String {
    let own = resolvingSymlinksInPath().standardizedFileURL.pathComponents
    let start = folder.standardizedFileURL.pathComponents
    let shared = zip(own, start).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: start.count - shared) + own[shared...])
      .joined(separator: "/")
  }
}
