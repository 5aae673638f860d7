internal import FaceCore
internal import Platform

/// Splits by folders with a usual name, such as `train` and `valid`.
enum FolderSplit {
  private static let words: Set<String> = [
    "train", "training", "trainset", "val", "valid", "validation", "dev", "test", "testing",
    "testset",
  ]

  /// The split that the folders of a path name, at most one; the outermost folder counts.
  static func names(of path: String) -> [String] {
    PathText(path).components.dropLast().first { words.contains($0.lowercased()) }
      .map { [String($0)] } ?? []
  }

  /// The assumption, where there is a split.
  static func remarks(_ counts: [String: Int]) -> [ImportRemark] {
    guard !counts.isEmpty else { return [] }
    let list = counts.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
    return [.assumed("folders are splits: " + list.joined(separator: ", "))]
  }
}
