/// A net that the pipeline knows: what it is for and which files hold it.
package struct ModelDescription: Sendable, Hashable {
  /// Name in the catalogue and in records.
  package let name: String
  /// The stage that it serves, such as `detection`.
  package let stage: String
  /// One sentence for people.
  package let summary: String
  /// Where its bytes are, the first choice first.
  package let places: [Place]

  /// A file, or a member of a bundle, that holds the net.
  package struct Place: Sendable, Hashable {
    /// The file in the cache folder.
    package let file: ModelFile
    /// Name of the member, where the file is a `.task` bundle.
    package let member: String?
    /// SHA-256 of the net's own bytes, in lower-case hexadecimal.
    package let sha256: String
  }
}
