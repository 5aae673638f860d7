import CommandSyntax
import Datasets
import Foundation

extension Command {
  private static let file = Argument(
    "file.h5", .path(extensions: ["h5"]),
    help: "A dataset, a predictions file, or any other HDF5 file.")

  /// `facegauge inspect`.
  static let inspect = Command(
    CommandDeclaration(
      "inspect", abstract: "Show the contents of a dataset, a predictions file or any HDF5 file",
      discussion: """
        Of an HDF5 file that is not FaceGauge's every array is listed with its type, shape, filters, \
        first values, what it is guessed to be, and why it cannot be read. Many similar paths are \
        one line, such as {image}/bbox × 12,000. 'facegauge import hdf5 FILE.h5 --draft \
        mapping.json' writes the mapping that the guess implies.
        """, arguments: [file], options: [json])
  ) { arguments in
    let url = URL(fileURLWithPath: arguments[file])
    if HDF5Contents.areForeign(url) {
      let contents = try HDF5Contents(of: url)
      try arguments.print(contents, text: contents.text)
    } else {
      let contents = try FileContents(of: url)
      try arguments.print(contents, text: contents.text)
    }
    return .success
  }
}
