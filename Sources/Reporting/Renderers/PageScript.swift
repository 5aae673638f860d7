import Foundation
internal import Platform

/// The script of the page, as it is written between its tags.
enum PageScript {
  /// The script without indentation and comments, in a form that is the same text in HTML and in XML.
  static let text =
    "//<![CDATA[\n" + compacted(String(decoding: PackageResources.report_js, as: UTF8.self))
    + "\n//]]>"

  /// The code without white space at the ends of lines, comments, and line ends that no statement needs.
  private static func compacted(_ source: String) -> String {
    source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("//") && !$0.hasPrefix("/**") }
      .reduce(into: "") { text, line in
        if let last = text.last, !";,{(".contains(last) { text += "\n" }
        text += line
      }
  }

  /// The digest by which the page's policy admits this script and no other; nil where libcrypto has no SHA-256.
  static let contentHash: String? = {
    guard var digest = try? SHA256(of: "report.js") else { return nil }
    guard (try? digest.update(Array(text.utf8)[...])) != nil,
      let bytes = try? digest.bytes()
    else { return nil }
    return "sha256-" + Data(bytes).base64EncodedString()
  }()
}
