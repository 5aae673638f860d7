import CommandSyntax
import Glibc

/// The folder that relative paths start from.
enum WorkingFolder {
  /// Warns where its name is not UTF-8: Foundation then takes relative paths for others.
  static func check() {
    // Safety: getcwd gives a terminated text of its own, copied and freed here.
    guard let path = getcwd(nil, 0) else { return }
    defer { free(path) }
    guard String(validatingCString: path) == nil else { return }
    Diagnostics.standardError.warning(
      "the name of the working directory is not UTF-8: expected absolute paths of other folders, "
        + "or a directory with another name")
  }
}
