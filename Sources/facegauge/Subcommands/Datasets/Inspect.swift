import CommandSyntax
import Datasets
import Foundation

extension Command {
  private static let file = Argument(
    "file.h5", .path(extensions: ["h5"]), help: "A dataset or a predictions file.")

  /// `facegauge inspect`.
  static let inspect = Command(
    CommandDeclaration(
      "inspect", abstract: "Show the contents of a dataset or predictions file", arguments: [file],
      options: [json])
  ) { arguments in
    let contents = try FileContents(of: URL(fileURLWithPath: arguments[file]))
    if arguments[json] {
      try StandardOutput.writeJSON(try contents.json())
    } else {
      try StandardOutput.write(contents.text)
    }
    return .success
  }
}
