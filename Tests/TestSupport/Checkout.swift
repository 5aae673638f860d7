package import Foundation

/// The checkout that the tests were built from.
package enum Checkout {
  /// Its topmost folder.
  package static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
}
