import CommandSyntax
import Foundation
import Platform

extension ParsedArguments {
  /// Prints a result: as JSON where `--json` asks for it, else as text.
  func print(_ result: some Encodable, text: @autoclosure () throws -> String) throws {
    try print(json: JSONEncoder.document.text(of: result), text: text())
  }

  /// Prints the file of a result, else its text; throws where a rule of its schema is broken.
  func print(_ document: some JSONDocument, text: @autoclosure () throws -> String) throws {
    try print(json: String(decoding: try document.json(), as: UTF8.self), text: text())
  }

  /// Prints JSON where `--json` asks for it, else text.
  func print(
    json: @autoclosure () throws -> String, text: @autoclosure () throws -> String
  ) throws {
    guard self[Command.json] else { return try StandardOutput.write(text()) }
    try StandardOutput.writeJSON(json())
  }
}

extension [String] {
  /// The lines as they are printed; control characters inside them, as names from a file may have, are escaped.
  var printed: String { map { $0.withoutControlCharacters + "\n" }.joined() }
}
