internal import Platform

/// An error with an HDF5 file: operation, object, file, and the expected and found values.
package struct HDF5Error: Error, Sendable, Equatable, CustomStringConvertible {
  /// The class of a failure, from which a caller chooses its exit code.
  package enum Kind: Sendable, Equatable {
    /// There is no such file.
    case notFound
    /// The file exists and is not an HDF5 file.
    case notHDF5
    /// The HDF5 file is truncated or contradicts itself.
    case corrupt
    /// The file is valid and lacks the requested object.
    case wrongLayout
    /// The file uses features that are never read: external storage, implausible sizes, unknown filters.
    case refused
    /// The file or values could not be written.
    case cannotWrite
    /// The operating system failed to read or write.
    case io
  }

  package let kind: Kind
  /// A verb for the sentence `cannot <operation> …`.
  package let operation: String
  /// The path inside the file, without the leading slash, `/` for the root; nil for the file itself.
  package let object: String?
  /// The file's path as the caller gave it.
  package let file: String
  package let expected: String?
  package let found: String?
  /// The reason if there is no pair of expected and found.
  package let reason: String?
  /// The most specific message of libhdf5's own error stack.
  package let libraryMessage: String?
  /// The value of `errno` where the operating system refused a call; nil where the file or the request is at fault.
  package let systemError: Int32?

  package var description: String {
    var text = "cannot \(operation) "
    text += object.map { "'\($0)' in \(file)" } ?? file
    if let reason { text += ": \(reason)" }
    if let expected { text += ": expected \(expected)" }
    if let found { text += expected == nil ? ": found \(found)" : ", found \(found)" }
    if let libraryMessage { text += reason == nil ? ": \(libraryMessage)" : " (\(libraryMessage))" }
    return text.onOneLine
  }
}

extension String {
  fileprivate var onOneLine: String {
    let isControl: (Unicode.Scalar) -> Bool = {
      $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0 == "\u{2028}" || $0 == "\u{2029}"
    }
    guard unicodeScalars.contains(where: isControl) else { return self }
    return unicodeScalars.reduce(into: "") { line, scalar in
      if isControl(scalar) {
        line += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        line.unicodeScalars.append(scalar)
      }
    }
  }
}

/// Operation and object: the part of an error that is known before a failure.
struct Operation: Sendable {
  let verb: String
  var object: String?
  let file: String

  init(_ verb: String, _ object: String? = nil, in file: String) {
    self.verb = verb
    self.object = object.map { path in
      let inner = path.drop { $0 == "/" }
      return inner.isEmpty ? "/" : String(inner)
    }
    self.file = file
  }

  func failure(
    _ kind: HDF5Error.Kind, _ reason: String? = nil, expected: String? = nil,
    found: String? = nil, library: LibraryMessage? = nil, systemError: Int32? = nil
  ) -> HDF5Error {
    HDF5Error(
      kind: kind, operation: verb, object: object, file: file, expected: expected, found: found,
      reason: reason, libraryMessage: library?.text,
      systemError: systemError ?? library?.systemError)
  }

  /// The system's refusal of a call.
  func failure(_ refusal: SystemError) -> HDF5Error {
    failure(.io, "\(refusal)", systemError: refusal.number)
  }

  func mismatch(expected: String, found: String) -> HDF5Error {
    failure(.wrongLayout, expected: expected, found: found)
  }
}
