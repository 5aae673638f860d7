import CommandSyntax
import Platform

/// The folder that relative paths start from.
enum WorkingFolder {
  /// Warns where its name is not UTF-8: Foundation then takes relative paths for others.
  static func check() {
    guard ProcessFacts.workingFolderIsText == false else { return }
    Diagnostics.standardError.warning(
      "the name of the working directory is not UTF-8: expected absolute paths of other folders, "
        + "or a directory with another name")
  }
}
