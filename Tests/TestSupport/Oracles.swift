package import Foundation

/// What other tools computed, and the scripts that had them do it.
package enum Oracles {
  /// The folder of the scripts, `Tests/Oracles`.
  package static let folder = Checkout.root.appending(path: "Tests/Oracles")

  /// The committed values `expected/<name>.json`.
  package static func read<Content: Decodable>(
    _ name: String, as type: Content.Type = Content.self
  ) throws -> Content {
    let file = folder.appending(path: "expected/\(name).json")
    return try JSONDecoder().decode(type, from: Data(contentsOf: file))
  }
}
