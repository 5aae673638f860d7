internal import FaceCore
internal import Foundation
internal import Platform

/// Splits by folders with a usual name, such as `train` and `valid`.
enum FolderSplit {
  private static let words: Set<String> = [
    "train", "training", "trainset", "val", "valid", "validation", "dev", "test", "testing",
    "testset",
  ]

  /// Whether a split has such a name, in any case.
  static func isUsual(_ name: some StringProtocol) -> Bool { words.contains(name.lowercased()) }

  /// The split that the folders of a path name, at most one; the outermost folder counts.
  static func names(of path: String) -> [String] {
    PathText(path).components.dropLast().first { isUsual($0) }.map { [String($0)] } ?? []
  }

  /// The split of a file of labels: that of its folders, or the only one in its name; nil if there is none.
  static func name(ofLabels path: String) -> String? {
    if let name = names(of: path).first { return name }
    let words = PathText(path).stem.split { !$0.isLetter }.filter { isUsual($0) }
    return words.count == 1 ? String(words[0]) : nil
  }

  /// Whether a folder of images names no other split than that one; `val` and `validation` are the same.
  static func isNamed(_ split: String, _ images: some StringProtocol) -> Bool {
    guard let own = name(ofLabels: String(images)) else { return true }
    return own.lowercased().prefix(3) == split.lowercased().prefix(3)
  }

  /// The split of an image that lies somewhere below one of some folders.
  static func names(of image: URL, below folders: [String]) -> [String] {
    let path = image.standardizedFileURL.path
    for folder in folders where path.hasPrefix(folder + "/") {
      return names(of: String(path.dropFirst(folder.count + 1)))
    }
    return []
  }

  /// The assumption, where there is a split.
  static func remarks(_ counts: [String: Int]) -> [ImportRemark] {
    guard !counts.isEmpty else { return [] }
    let list = counts.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
    return [.assumed("folders are splits: " + list.joined(separator: ", "))]
  }
}
