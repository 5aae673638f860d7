/// What can be copied of each setting of a sweep: the text of `facegauge settings`, or why there is none.
///
/// The page holds each line of all texts once, since most of them have most lines in common.
package struct SettingCode: Sendable, Encodable {
  /// A language in which settings are written.
  package struct Language: Sendable {
    /// The word by which the command and the page's address name it.
    let name: String
    /// Its name for people.
    let title: String

    /// Names a language.
    package init(name: String, title: String) {
      self.name = name
      self.title = title
    }
  }

  /// The text of a setting in a language.
  private enum Text: Sendable, Encodable {
    /// The positions of its lines.
    case lines([Int])
    /// Why the setting cannot be written.
    case refusal(String)

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .lines(let positions): try container.encode(positions)
      case .refusal(let reason): try container.encode(reason)
      }
    }
  }

  private enum CodingKeys: CodingKey { case lines, texts }

  /// The languages in the order of their buttons.
  let languages: [Language]
  private var lines: [String] = []
  /// By the language's name, in the order of the settings.
  private var texts: [String: [Text]] = [:]

  /// The texts of settings, in order; `texts` has one for each language.
  package init(
    in languages: [Language], settings: Int,
    texts: (_ setting: Int) -> [Result<String, any Error>]
  ) {
    self.languages = languages
    var positions: [Substring: Int] = [:]
    for setting in 0..<settings {
      for (language, text) in zip(languages, texts(setting)) {
        switch text {
        case .failure(let error):
          self.texts[language.name, default: []].append(.refusal("\(error)"))
        case .success(let text):
          let places = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            if let known = positions[line] { return known }
            // A copy, so as not to keep the whole text.
            lines.append(String(line))
            positions[Substring(lines[lines.count - 1])] = lines.count - 1
            return lines.count - 1
          }
          self.texts[language.name, default: []].append(.lines(places))
        }
      }
    }
  }
}
