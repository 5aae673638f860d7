/// The version of the program.
package enum Version {
  /// Semantic version; before 1.0 anything may change between minor versions.
  package static let current = "0.1.0"
}
