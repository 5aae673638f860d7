internal import Platform

/// Why pip could not download a wheel.
///
/// The last of its lines says only that there is nothing to choose from; what kept it from asking is on earlier ones.
package enum PipCause {
  /// Words of pip and its libraries, each with what they mean; of several the first counts.
  private static let known: [(sign: String, meaning: String)] = [
    (
      "CERTIFICATE_VERIFY_FAILED",
      "the server's certificate is not trusted, PIP_CERT names a file of those to trust"
    ),
    ("ProxyError", "the proxy cannot be reached"),
    ("[SSL", "the encrypted connection failed"),
    ("SSLError", "the encrypted connection failed"),
    ("No space left on device", "the disk is full"),
    ("Disk quota exceeded", "the disk is full"),
    ("Connection refused", "the server refused the connection"),
    ("Name or service not known", "the server's name is not known"),
    ("name resolution", "the server's name is not known"),
    ("timed out", "the server did not answer in time"),
    ("Network is unreachable", "there is no network"),
    ("No route to host", "there is no network"),
    ("Connection reset by peer", "the server ended the connection"),
  ]

  /// What the lines say, in our words and pip's own on one line; nil where they name no cause.
  package static func words(in lines: [String]) -> String? {
    for (sign, meaning) in known {
      guard let line = lines.first(where: { $0.contains(sign) }) else { continue }
      return "\(meaning) (\(excerpt(of: line, sign).withControlCharactersEscaped))"
    }
    return nil
  }

  /// `[Errno 111] Connection refused` of a line that wraps it in the names of exceptions and addresses.
  private static func excerpt(of line: String, _ sign: String) -> String {
    let brackets = ["[SSL", "[X509", "[Errno "].compactMap { line.firstRange(of: $0)?.lowerBound }
    guard let start = brackets.first else {
      let start = line.firstRange(of: sign)?.lowerBound ?? line.startIndex
      return String(line[start...].prefix(160))
    }
    let text = line[start...].prefix { $0 != "'" && $0 != "\"" }
    return String(text.prefix(160))
  }
}
